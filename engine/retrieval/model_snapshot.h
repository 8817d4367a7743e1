// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace parapet::retrieval {

class Interactions;

/// Scores pairs for models whose score is no product of two vectors. Users and items are vocabulary
/// rows.
///
/// Thread   from any thread.
class PairScorer {
 public:
  virtual ~PairScorer() = default;
  /// scores[i] is that of (user, items[i]).
  virtual void score(std::int32_t user, std::span<const std::int32_t> items,
                     std::span<float> scores) const = 0;
};

/// A trained two-tower model as retrieval needs it, immutable: one query vector per query row and
/// one candidate vector per candidate row, both after their towers. Rows are those of the
/// vocabularies.
struct ModelSnapshot {
  std::string runId;
  std::int64_t step = 0;
  std::int64_t epoch = 0;
  std::int64_t dim = 0;            ///< D; 0: there are no vectors of items
  std::int64_t queryRows = 0;      ///< U, row 0 included
  std::int64_t candidateRows = 0;  ///< V, row 0 included
  std::vector<float> queries;      ///< [U, D]; empty with a scorer
  std::vector<float> candidates;   ///< [V, D]
  /// Null: a score is the dot product of the two vectors. Otherwise it is this, and `candidates`
  /// only measure the similarity of items.
  std::shared_ptr<const PairScorer> scorer;
  /// Of the run that made the snapshot, built once for all of its snapshots; may be null.
  std::shared_ptr<const Interactions> interactions;
};

}  // namespace parapet::retrieval
