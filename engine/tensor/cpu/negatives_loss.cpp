// SPDX-License-Identifier: Apache-2.0
// Losses of each query's own candidate against negatives; kernels/negatives.h tells how.
#include "engine/tensor/cpu/backend.h"
#include "engine/tensor/cpu/eigen.h"
#include "engine/tensor/kernels/negatives.h"

namespace parapet::tensor::cpu {
namespace {

/// s = f − shift, with the hardest ones alone.
void finishScores(const NegativesLine& of) {
  Row line(of.line, of.columns);
  if (of.shift)
    line = line * of.inverse - ConstRow(of.shift, of.columns);
  else
    line *= of.inverse;
  keepHardest(of.line, of.columns, of.hardest, of.spare);
}

// e^x is denormal below.
constexpr float kMinPower = -87.0f;

// The greatest score is taken off before the exponentials, so that they neither overflow nor all
// vanish.
NegativesRow softmaxRow(const NegativesLine& of) {
  finishScores(of);
  Row line(of.line, of.columns);
  const float own = of.ownDot * of.inverse - of.ownShift;
  const float greatest = of.columns > 0 ? std::max(own, line.maxCoeff()) : own;
  // Eigen's vectors give a denormal for e^−inf; and denormals would slow the products down.
  line -= greatest;
  line = (line > kMinPower).select(line.exp(), 0.0f);
  const float ownPower = std::exp(own - greatest);
  const double rest = of.columns > 0 ? static_cast<double>(line.sum()) : 0.0;
  const double total = rest + static_cast<double>(ownPower);
  // log(total) − log(ownPower), of which the second is own − greatest exactly.
  const double loss = std::log(total) + static_cast<double>(greatest) - static_cast<double>(own);
  return {loss, static_cast<float>(1.0 / total), static_cast<float>(-rest / total)};
}

// With x = s − own: log(1 + e^x) and its derivative σ(x), from e^−|x|, which does not overflow.
NegativesRow bprRow(const NegativesLine& of) {
  const float own = of.ownDot * of.inverse;
  finishScores(of);
  double loss = 0.0, slopes = 0.0;
  std::int64_t negatives = 0;
  for (std::int64_t j = 0; j < of.columns; ++j) {
    const float s = of.line[j];
    if (s == -std::numeric_limits<float>::infinity()) {
      of.line[j] = 0.0f;
      continue;
    }
    const float x = s - own, e = std::exp(-std::abs(x));
    const float slope = (x >= 0.0f ? 1.0f : e) / (1.0f + e);
    loss += static_cast<double>(std::max(x, 0.0f) + std::log1p(e));
    slopes += static_cast<double>(slope);
    of.line[j] = slope;
    ++negatives;
  }
  if (negatives == 0) return {0.0, 0.0f, 0.0f};
  const double share = 1.0 / static_cast<double>(negatives);
  return {loss * share, static_cast<float>(share), static_cast<float>(-slopes * share)};
}

}  // namespace

std::int32_t negativesLoss(const PpCall* call, const PpNegativesLoss* args) {
  fixCacheSizes();
  if (args->kind == PP_NEGATIVES_SOFTMAX) return runNegatives(call, args, matmul, softmaxRow);
  return runNegatives(call, args, matmul, bprRow);
}

}  // namespace parapet::tensor::cpu
