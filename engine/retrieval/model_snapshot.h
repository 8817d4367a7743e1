// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace parapet::retrieval {

class Interactions;

/// A trained two-tower model as retrieval needs it, immutable: one query vector per query row and
/// one candidate vector per candidate row, both after their towers. Row numbers are vocabulary
/// rows.
struct ModelSnapshot {
  std::string runId;
  std::int64_t step = 0;
  std::int64_t epoch = 0;
  std::int64_t dim = 0;            ///< D
  std::int64_t queryRows = 0;      ///< U, row 0 included
  std::int64_t candidateRows = 0;  ///< V, row 0 included
  std::vector<float> queries;      ///< [U, D]
  std::vector<float> candidates;   ///< [V, D]
  /// Of the run that made the snapshot, built once for all of its snapshots; may be null.
  std::shared_ptr<const Interactions> interactions;
};

}  // namespace parapet::retrieval
