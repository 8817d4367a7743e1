// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include "engine/data/dataset/dataset.h"
#include "engine/data/dataset/row_set.h"
#include "engine/data/text/masked_batch.h"
#include "engine/nn/step_batch.h"

namespace parapet::train {

/// Trivial predictions of a masked piece.
enum class PieceBaseline {
  kByFrequency,      ///< the frequency of tokens, equal for every position
  kByLeftNeighbour,  ///< how often pieces follow the one to the left, whatever is masked
};
/// "most_frequent", "left_neighbour".
const char* pieceBaselineName(PieceBaseline baseline);

/// Counts of the pieces of the training lines, and of pairs of neighbours.
///
///   most_frequent    P(w) = (n(w) + 1) / (N + V)
///   left_neighbour   P(w | l) = (n(l, w) + d(l)·P(w)) / (n(l) + d(l)),
///                    d(l) distinct pieces after l
///
/// A hit is the piece with the greatest probability, the first of several. The left neighbour is
/// the true one even where it is masked for the model.
/// Source   Witten and Bell, "The zero-frequency problem" (1991), method C.
/// Memory   about 60 bytes per distinct pair of neighbours.
/// Thread   pure after construction.
class PieceBaselines {
 public:
  PieceBaselines(const data::Dataset& dataset, const data::RowSet& trainingRows,
                 const std::stop_token& stop = {});

  /// Sums over the masked pieces of a batch; `tokens` as they were before they were masked.
  [[nodiscard]] nn::LossSums measure(PieceBaseline baseline, const data::FeatureIds& tokens,
                                     const data::MaskedBatch& masks) const;

 private:
  struct After {
    std::int64_t count = 0, distinct = 0, best = 0;  ///< `best`: count of bestPiece
    std::int32_t bestPiece = -1;
  };
  [[nodiscard]] double frequency(std::int32_t piece) const;
  [[nodiscard]] double frequencyAfter(std::int32_t left, std::int32_t piece) const;

  std::vector<std::int64_t> counts_;  ///< by piece
  std::int64_t total_ = 0;
  std::int32_t mostFrequent_ = 0;
  std::unordered_map<std::uint64_t, std::int64_t> pairs_;  ///< by left piece and its neighbour
  std::vector<After> after_;                               ///< by left piece
};

}  // namespace parapet::train
