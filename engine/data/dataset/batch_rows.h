// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

namespace parapet::data {

/// Epochs after the first that are made of the first batches of the first epoch alone.
struct FixedBatches {
  std::optional<std::int64_t> batches{};  ///< null: every epoch has its own batches

  [[nodiscard]] bool isFixed(std::int64_t epoch) const { return batches && epoch > 1; }
  /// The epoch whose order an epoch has.
  [[nodiscard]] std::int64_t orderOf(std::int64_t epoch) const {
    return isFixed(epoch) ? 1 : epoch;
  }
  /// Batches of an epoch whose order has so many.
  [[nodiscard]] std::int64_t countOf(std::int64_t epoch, std::int64_t ofOrder) const {
    return isFixed(epoch) ? std::min(*batches, ofOrder) : ofOrder;
  }
};

/// Which rows the batches of an epoch are made of. Epochs count from 1.
///
/// Thread   one caller at a time.
class BatchRows {
 public:
  struct Rows {
    std::span<const std::int64_t> rows;
    std::span<const std::int32_t> lists{};  ///< as Batch::lists
  };

  virtual ~BatchRows() = default;
  [[nodiscard]] virtual std::int64_t batches(std::int64_t epoch) = 0;
  /// The rows of a batch, until the next call. Cheap for the batch that follows the last one.
  [[nodiscard]] virtual Rows of(std::int64_t epoch, std::int64_t batch) = 0;
  /// Makes a part of what comes behind the batch that was asked for last, or of the first epoch.
  /// False if there is nothing to do.
  virtual bool prepareAhead() { return false; }
};

}  // namespace parapet::data
