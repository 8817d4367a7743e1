// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace parapet::train {

/// The memory of a run besides tables, optimizer slots, layers and the buffers of its steps.
struct RunMemory {
  /// Buffers of the plans that predict and encode, over all devices: they are allocated once, as
  /// the run starts.
  std::int64_t evaluationBuffers = 0;
  /// Vectors of all items, and where lists are measured beside training of all queries, in the
  /// host's memory; nullopt if that depends on data that are not known. 0 where training measures
  /// no lists.
  std::optional<std::int64_t> catalogueVectors = 0;
  /// Indices of the histories that the model reads, in the host's memory; nullopt as before.
  std::optional<std::int64_t> histories = 0;

  /// Sum of the parts that are known.
  [[nodiscard]] std::int64_t total() const {
    return evaluationBuffers + catalogueVectors.value_or(0) + histories.value_or(0);
  }
};

}  // namespace parapet::train
