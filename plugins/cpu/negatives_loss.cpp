// SPDX-License-Identifier: Apache-2.0
// Softmax over negatives: products by this plugin's matmul, and two passes over a row of scores,
// one for the greatest of them and one for the exponentials and their sum. The other losses are the portable ones.
#include "engine/tensor/kernels/negatives.h"
#include "plugins/cpu/kernels.h"
#include "plugins/cpu/powers.h"

namespace parapet::plugin {
namespace {

using tensor::NegativesLine;
using tensor::NegativesRow;

/// s = f − shift in place; their greatest.
template <bool kShifted>
float finishScores(const NegativesLine& of) {
  Floats most[2] = {splat(-__builtin_inff()), splat(-__builtin_inff())};
  std::int64_t j = 0;
  const auto finished = [&]<class Number>(std::int64_t at) {
    Number s = load<Number>(of.line + at) * of.inverse;
    if constexpr (kShifted) s -= load<Number>(of.shift + at);
    store(of.line + at, s);
    return s;
  };
  for (; j + 2 * kLanes <= of.columns; j += 2 * kLanes)
    for (int i = 0; i < 2; ++i)
      most[i] = larger(finished.template operator()<Floats>(j + i * kLanes), most[i]);
  float greatest = greatestLane(larger(most[0], most[1]));
  for (; j < of.columns; ++j) greatest = std::max(greatest, finished.template operator()<float>(j));
  return greatest;
}

// The greatest score is taken off before the exponentials, so that they neither overflow nor all
// vanish.
NegativesRow softmaxRow(const NegativesLine& of) {
  const float own = of.ownDot * of.inverse - of.ownShift;
  const float greatest = std::max(own, of.shift ? finishScores<true>(of) : finishScores<false>(of));
  tensor::keepHardest(of.line, of.columns, of.hardest, of.spare);
  Floats sums[4]{};
  std::int64_t j = 0;
  const auto powers = [&]<class Number>(std::int64_t at) {
    const Number power = powerOf(load<Number>(of.line + at) - greatest);
    store(of.line + at, power);
    return power;
  };
  for (; j + 4 * kLanes <= of.columns; j += 4 * kLanes)
    for (int i = 0; i < 4; ++i) sums[i] += powers.template operator()<Floats>(j + i * kLanes);
  double rest = static_cast<double>(sum((sums[0] + sums[1]) + (sums[2] + sums[3])));
  for (; j < of.columns; ++j) rest += static_cast<double>(powers.template operator()<float>(j));
  const double total = rest + static_cast<double>(powerOf(own - greatest));
  const double loss = std::log(total) + static_cast<double>(greatest) - static_cast<double>(own);
  return {loss, static_cast<float>(1.0 / total), static_cast<float>(-rest / total)};
}

}  // namespace

std::int32_t negativesLoss(const PpCall* call, const PpNegativesLoss* args) {
  if (args->kind != PP_NEGATIVES_SOFTMAX)
    return parapet_portable_cpu()->ops->negativesLoss(call, args);
  return tensor::runNegatives(call, args, matmul, softmaxRow);
}

}  // namespace parapet::plugin
