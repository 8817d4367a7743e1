// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/selftest/reference.h"

namespace parapet::selftest::reference {

/// A loss of scores: its sum, and the gradient times `scale`.
struct ScoreLoss {
  Exact sum{1};
  Exact gradient;
};
/// weight empty: all 1, here and below.
ScoreLoss logisticLoss(Doubles logit, Doubles label, Doubles weight, double scale);

struct ListInputs {
  Rows offsets;
  Doubles score, label, weight;
  double temperature = 1.0;
};
ScoreLoss pairLoss(tensor::PairLossOp op, const ListInputs& lists, double scale);
ScoreLoss listMle(const ListInputs& lists, double scale);

/// See PpNegativesLoss; candidates of one item, or of one user, are no negatives of each other.
struct NegativesInputs {
  std::int64_t rows = 0, width = 1;
  Doubles queries, candidates, weight;
  Rows groups;  ///< empty: one group
  bool inBatch = true;
  Rows items;  ///< empty: nothing is masked
  Rows users;  ///< of the candidates; those from their end on have none
  Doubles shift, ownShift;
  std::int64_t hardest = 0;
  double temperature = 1.0;
  double ownWeight = 1.0, margin = 0.0, negativeWeight = 1.0;
  /// Scores may err by this share of their terms, so that near a margin either side is right.
  double tolerance = 0.0;
};
struct NegativesLoss {
  Exact sum{1};
  Exact dQueries, dCandidates;
};
NegativesLoss negativesLoss(tensor::NegativesLossOp op, const NegativesInputs& inputs,
                            double scale);

}  // namespace parapet::selftest::reference
