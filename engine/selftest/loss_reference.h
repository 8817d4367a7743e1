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

struct SoftmaxInputs {
  std::int64_t width = 1;
  Doubles queries, candidates, weight;
  double temperature = 1.0;
};
struct InBatchSoftmax {
  Exact sum{1};
  Exact logSumExp, dQueries, dCandidates;
};
InBatchSoftmax inBatchSoftmax(const SoftmaxInputs& inputs, double scale);

}  // namespace parapet::selftest::reference
