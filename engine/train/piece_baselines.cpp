// SPDX-License-Identifier: Apache-2.0
#include "engine/train/piece_baselines.h"

#include <algorithm>
#include <cmath>

#include "engine/base/index.h"

namespace parapet::train {
namespace {

std::uint64_t pairOf(std::int32_t left, std::int32_t piece) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 |
         static_cast<std::uint32_t>(piece);
}

}  // namespace

const char* pieceBaselineName(PieceBaseline baseline) {
  return baseline == PieceBaseline::kByFrequency ? "most_frequent" : "left_neighbour";
}

PieceBaselines::PieceBaselines(const data::Dataset& dataset, const data::RowSet& trainingRows,
                               const std::stop_token& stop) {
  const auto pieces =
      static_cast<std::size_t>(dataset.vocabularyOf(experiment::kTokensColumn).size());
  const std::span<const std::int32_t> ids = dataset.ids(experiment::kTokensColumn);
  const std::span<const std::int64_t> offsets = dataset.bagOffsets(experiment::kTokensColumn);
  counts_.resize(pieces);
  after_.resize(pieces);
  const auto count = [&](std::int64_t line) {
    if (stop.stop_requested()) return;
    const auto [begin, end] = data::BagRange(offsets, line);
    // Neither the piece that begins a line nor the one that ends it is ever masked.
    for (auto position = static_cast<std::size_t>(begin) + 1;
         position + 1 < static_cast<std::size_t>(end); ++position) {
      const std::int32_t piece = ids[position], left = ids[position - 1];
      ++counts_[at(piece)];
      ++total_;
      const std::int64_t together = ++pairs_[pairOf(left, piece)];
      After& after = after_[at(left)];
      ++after.count;
      if (together == 1) ++after.distinct;
      if (together > after.best || (together == after.best && piece < after.bestPiece)) {
        after.best = together;
        after.bestPiece = piece;
      }
    }
  };
  trainingRows.forEach(count);
  mostFrequent_ = static_cast<std::int32_t>(std::ranges::max_element(counts_) - counts_.begin());
}

double PieceBaselines::frequency(std::int32_t piece) const {
  return static_cast<double>(counts_[at(piece)] + 1) /
         static_cast<double>(total_ + std::ssize(counts_));
}

double PieceBaselines::frequencyAfter(std::int32_t left, std::int32_t piece) const {
  const After& after = after_[at(left)];
  if (after.count == 0) return frequency(piece);
  const auto found = pairs_.find(pairOf(left, piece));
  const auto together = static_cast<double>(found == pairs_.end() ? 0 : found->second);
  const auto distinct = static_cast<double>(after.distinct);
  return (together + distinct * frequency(piece)) / (static_cast<double>(after.count) + distinct);
}

nn::LossSums PieceBaselines::measure(PieceBaseline baseline, const data::FeatureIds& tokens,
                                     const data::MaskedBatch& masks) const {
  nn::LossSums sums;
  sums.rows = static_cast<double>(masks.labels.size());
  for (std::size_t i = 0; i < masks.labels.size(); ++i) {
    const std::int32_t label = masks.labels[i];
    if (baseline == PieceBaseline::kByFrequency) {
      sums.numerator -= std::log(frequency(label));
      sums.hits += label == mostFrequent_ ? 1.0 : 0.0;
      continue;
    }
    // A masked piece is never the first of its line.
    const std::int32_t left = tokens.ids[at(masks.positions[i]) - 1];
    const std::int32_t best =
        after_[at(left)].count > 0 ? after_[at(left)].bestPiece : mostFrequent_;
    sums.numerator -= std::log(frequencyAfter(left, label));
    sums.hits += label == best ? 1.0 : 0.0;
  }
  return sums;
}

}  // namespace parapet::train
