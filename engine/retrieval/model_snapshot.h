// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/retrieval/candidates.h"
#include "engine/retrieval/query_encoder.h"

namespace parapet::retrieval {

class Interactions;

/// A trained model as retrieval needs it, immutable: one vector per candidate, and what
/// makes a vector of a query, both after their towers. Rows are those of the vocabularies; vectors
/// of candidates are laid out as the data::ItemIndex of the items says.
struct ModelSnapshot {
  std::string runId;
  std::int64_t step = 0;
  std::int64_t epoch = 0;
  std::int64_t dim = 0;            ///< D; 0: there are no vectors of items
  std::int64_t queryRows = 0;      ///< U, row 0 included
  std::int64_t candidateRows = 0;  ///< V, row 0 included
  /// [U, D] of a model whose query side reads nothing but the user, whose vectors these are.
  std::vector<float> queries;
  std::vector<float> candidates;  ///< [items or rows, D]
  ColdItems cold = ColdItems::kCandidates;
  /// Encoder of a model whose query side reads more than the user; null otherwise.
  std::shared_ptr<const QueryEncoder> encoder;
  /// Null: a score is the dot product of the two vectors. Otherwise it is this, and `candidates`
  /// only measure the similarity of items.
  std::shared_ptr<const PairScorer> scorer;
  /// Interactions of the run that made the snapshot, built once for all of its snapshots; may be
  /// null.
  std::shared_ptr<const Interactions> interactions;

  /// The inputs of queries besides their user; null if there are none.
  [[nodiscard]] const QuerySide* querySide() const {
    return scorer ? static_cast<const QuerySide*>(scorer.get()) : encoder.get();
  }
};

}  // namespace parapet::retrieval
