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

/// A function of a score with its derivative.
struct Sloped {
  float value, slope;
};

/// log(1 + e^x) and σ(x), from e^−|x|, which does not overflow.
Sloped softplus(float x) {
  const float e = std::exp(-std::abs(x));
  return {std::max(x, 0.0f) + std::log1p(e), (x >= 0.0f ? 1.0f : e) / (1.0f + e)};
}

/// Sums over the negatives of a query. Its line holds slopes then, 0 for what is no negative.
struct SlopedSums {
  double values = 0.0, slopes = 0.0;
  std::int64_t negatives = 0;

  template <class Function>
  SlopedSums(const NegativesLine& of, const Function& function) {
    finishScores(of);
    for (std::int64_t j = 0; j < of.columns; ++j) {
      const float s = of.line[j];
      if (s == -std::numeric_limits<float>::infinity()) {
        of.line[j] = 0.0f;
        continue;
      }
      const Sloped found = function(s);
      values += static_cast<double>(found.value);
      slopes += static_cast<double>(found.slope);
      of.line[j] = found.slope;
      ++negatives;
    }
  }
};

NegativesRow bprRow(const NegativesLine& of) {
  const float own = of.ownDot * of.inverse;
  const SlopedSums sums(of, [own](float s) { return softplus(s - own); });
  if (sums.negatives == 0) return {0.0, 0.0f, 0.0f};
  const double share = 1.0 / static_cast<double>(sums.negatives);
  return {sums.values * share, static_cast<float>(share), static_cast<float>(-sums.slopes * share)};
}

NegativesRow bceRow(const NegativesLine& of, float ownWeight) {
  const SlopedSums sums(of, softplus);
  const Sloped own = softplus(-of.ownDot * of.inverse);
  const double share = 1.0 / static_cast<double>(sums.negatives + 1);
  const double weight = static_cast<double>(ownWeight) * share;
  return {sums.values * share + weight * static_cast<double>(own.value), static_cast<float>(share),
          static_cast<float>(-weight * static_cast<double>(own.slope))};
}

NegativesRow cclRow(const NegativesLine& of, float margin, float negativeWeight) {
  const SlopedSums sums(of, [margin](float s) {
    return Sloped{std::max(s - margin, 0.0f), s > margin ? 1.0f : 0.0f};
  });
  const double share =
      sums.negatives > 0 ? static_cast<double>(negativeWeight) / static_cast<double>(sums.negatives)
                         : 0.0;
  const double own = static_cast<double>(of.ownDot) * static_cast<double>(of.inverse);
  return {1.0 - own + sums.values * share, static_cast<float>(share), -1.0f};
}

}  // namespace

std::int32_t negativesLoss(const PpCall* call, const PpNegativesLoss* args) {
  fixCacheSizes();
  switch (args->kind) {
    case PP_NEGATIVES_BPR:
      return runNegatives(call, args, matmul, bprRow);
    case PP_NEGATIVES_BCE:
      return runNegatives(call, args, matmul,
                          [args](const NegativesLine& of) { return bceRow(of, args->ownWeight); });
    case PP_NEGATIVES_CCL:
      return runNegatives(call, args, matmul, [args](const NegativesLine& of) {
        return cclRow(of, args->margin, args->negativeWeight);
      });
    default:
      return runNegatives(call, args, matmul, softmaxRow);
  }
}

}  // namespace parapet::tensor::cpu
