// SPDX-License-Identifier: Apache-2.0
// Updates of rows by SGD, Adagrad, row-wise Adagrad, Adam and Ftrl, and what is made of merged
// gradients. A weight has a thread, which merges its gradient while it applies it.
#include "plugins/cuda/ops.h"
#include "plugins/cuda/sums.h"

namespace parapet::cuda {
namespace {

/// Rows of a target: its kernels are launched for as many as there may be.
PP_DEVICE bool has(const PpUpdateTarget& target, std::int64_t u) {
  return !target.counted || u < *target.counted;
}

template <class Args>
PP_DEVICE float learningRateOf(const Args& args) {
  return args.rates ? *args.rates : args.learningRate;
}

/// Element d of the gradient of row u of the target.
PP_DEVICE float gradientAt(const PpUpdateTarget& target, std::int64_t u, std::int64_t d) {
  if (!target.rows) return target.grad[u * target.width + d];
  float sum = 0.0f;
  for (std::int64_t n = target.first ? target.first[u] : u; n >= 0;) {
    const std::int64_t row = target.gradRows ? target.gradRows[n] : n;
    const float term = target.grad[row * target.width + d];
    sum += target.scale ? target.scale[n] * term : term;
    n = target.first ? target.next[n] : -1;
  }
  return sum;
}

/// Σ over the columns of the squared gradient of row u; by a warp.
PP_DEVICE float squaresAt(const PpUpdateTarget& target, std::int64_t u) {
  float squares = 0.0f;
  for (std::int64_t d = lane(); d < target.width; d += kWarp) {
    const float g = gradientAt(target, u, d);
    squares += g * g;
  }
  return sumOverWarp(squares);
}

PP_DEVICE void store(const PpUpdateTarget& target, std::int64_t at, float weight) {
  target.weight[at] = weight;
  if (target.nonFinite && !std::isfinite(weight)) *target.nonFinite = 1;
}

/// rule(at, gradient) for each weight of a row that has one.
template <class Rule>
struct OfGradientRows {
  PpUpdateTarget target;
  Rule rule;
  PP_DEVICE void operator()(std::int64_t u, std::int64_t d) const {
    if (!has(target, u)) return;
    const std::int64_t row = target.rows ? target.rows[u] : u;
    rule(row * target.width + d, gradientAt(target, u, d));
  }
};
/// And for every other one, with 0.
template <class Rule>
struct OfEveryRow {
  PpUpdateTarget target;
  const std::int32_t* indexOfRow;
  Rule rule;
  PP_DEVICE void operator()(std::int64_t row, std::int64_t d) const {
    const std::int32_t u = indexOfRow[row];
    rule(row * target.width + d, u < 0 ? 0.0f : gradientAt(target, u, d));
  }
};

template <class Rule>
void forTarget(const PpCall* call, const PpUpdateTarget& target, bool everyRow,
               std::int32_t* indexOfRow, const Rule& rule) {
  if (!everyRow || !target.rows) {
    forRows(call, target.count, target.width, OfGradientRows<Rule>{target, rule});
    return;
  }
  forElements(call, target.count, [=] PP_DEVICE(std::int64_t u) {
    if (has(target, u)) indexOfRow[target.rows[u]] = static_cast<std::int32_t>(u);
  });
  forRows(call, target.tableRows, target.width, OfEveryRow<Rule>{target, indexOfRow, rule});
  forElements(call, target.count, [=] PP_DEVICE(std::int64_t u) {
    if (has(target, u)) indexOfRow[target.rows[u]] = -1;
  });
}

PP_DEVICE float rootOf(float accumulator, float epsilon, bool inside) {
  return inside ? std::sqrt(accumulator + epsilon) : std::sqrt(accumulator) + epsilon;
}

PP_DEVICE float raised(float x, float power) {
  return power == 0.5f ? std::sqrt(x) : std::pow(x, power);
}

}  // namespace

std::int32_t sgd(const PpCall* call, const PpSgd* args) {
  const PpSgd a = *args;
  forTarget(call, a.target, a.everyRow && a.velocity, a.indexOfRow,
            [a] PP_DEVICE(std::int64_t at, float gradient) {
              float step = -learningRateOf(a) * gradient;
              if (a.velocity) step = a.velocity[at] = a.momentum * a.velocity[at] + step;
              store(a.target, at, a.target.weight[at] + step);
            });
  return done(call);
}

std::int32_t adagrad(const PpCall* call, const PpAdagrad* args) {
  const PpAdagrad a = *args;
  forTarget(call, a.target, false, nullptr, [a] PP_DEVICE(std::int64_t at, float gradient) {
    const float sum = a.accumulator[at] += gradient * gradient;
    const float root = rootOf(sum, a.epsilon, a.epsilonInsideRoot != 0);
    store(a.target, at, a.target.weight[at] - learningRateOf(a) * gradient / root);
  });
  return done(call);
}

// The row is merged once for its mean square and once more for its update, when what it is made of
// lies in the nearest cache.
std::int32_t rowwiseAdagrad(const PpCall* call, const PpRowwiseAdagrad* args) {
  const PpRowwiseAdagrad a = *args;
  forWarps(call, a.target.count, [a] PP_DEVICE(std::int64_t u) {
    const PpUpdateTarget& target = a.target;
    if (!has(target, u)) return;
    const std::int64_t row = target.rows ? target.rows[u] : u;
    const float mean =
        a.meanSquares ? a.meanSquares[u] : squaresAt(target, u) / static_cast<float>(target.width);
    // Every lane reads it before one writes it.
    const float sum = fromLane(a.accumulator[row], 0) + mean;
    if (lane() == 0) a.accumulator[row] = sum;
    const float step = learningRateOf(a) / rootOf(sum, a.epsilon, a.epsilonInsideRoot != 0);
    for (std::int64_t d = lane(); d < target.width; d += kWarp) {
      const std::int64_t at = row * target.width + d;
      store(target, at, target.weight[at] - step * gradientAt(target, u, d));
    }
  });
  return done(call);
}

std::int32_t adam(const PpCall* call, const PpAdam* args) {
  const PpAdam a = *args;
  forTarget(call, a.target, a.everyRow != 0, a.indexOfRow,
            [a] PP_DEVICE(std::int64_t at, float gradient) {
              const float m = a.beta1 * a.moment[at] + (1.0f - a.beta1) * gradient;
              const float v = a.beta2 * a.variance[at] + (1.0f - a.beta2) * gradient * gradient;
              a.moment[at] = m;
              a.variance[at] = v;
              const float stepSize = a.rates ? a.rates[0] : a.stepSize;
              const float root = std::sqrt(v) * (a.rates ? a.rates[1] : a.rootScale) + a.epsilon;
              store(a.target, at, a.target.weight[at] - stepSize * m / root);
            });
  return done(call);
}

std::int32_t ftrl(const PpCall* call, const PpFtrl* args) {
  const PpFtrl a = *args;
  forTarget(call, a.target, false, nullptr, [a] PP_DEVICE(std::int64_t at, float gradient) {
    const float rate = learningRateOf(a), power = -a.learningRatePower;
    const float pull = 2.0f * a.l2 + a.beta / rate;
    const float before = raised(a.accumulator[at], power);
    const float after = raised(a.accumulator[at] += gradient * gradient, power);
    const float linear = a.linear[at] += gradient - (after - before) / rate * a.target.weight[at];
    const float clipped = linear > a.l1 ? a.l1 : linear < -a.l1 ? -a.l1 : linear;
    store(a.target, at, (clipped - linear) / (after / rate + pull));
  });
  return done(call);
}

std::int32_t decayRows(const PpCall* call, const PpDecayRows* args) {
  const PpDecayRows a = *args;
  forRows(call, a.count, a.width, [a] PP_DEVICE(std::int64_t u, std::int64_t d) {
    if (a.counted && u >= *a.counted) return;
    float& weight = a.weight[(a.rows ? a.rows[u] : u) * a.width + d];
    weight -= (a.rates ? *a.rates : a.factor) * weight;
  });
  return done(call);
}

std::int32_t mergeRows(const PpCall* call, const PpMergeRows* args) {
  const PpMergeRows a = *args;
  forRows(call, a.target.count, a.target.width, [a] PP_DEVICE(std::int64_t u, std::int64_t d) {
    if (has(a.target, u)) a.out[u * a.target.width + d] = gradientAt(a.target, u, d);
  });
  return done(call);
}

std::int32_t meanSquares(const PpCall* call, const PpMeanSquares* args) {
  const PpMeanSquares a = *args;
  forWarps(call, a.target.count, [a] PP_DEVICE(std::int64_t u) {
    if (!has(a.target, u)) return;
    const float squares = squaresAt(a.target, u) / static_cast<float>(a.columns);
    if (lane() == 0) a.out[u] = (a.accumulate ? a.out[u] : 0.0f) + squares;
  });
  return done(call);
}

std::int32_t sumSquares(const PpCall* call, const PpSumSquares* args) {
  const PpSumSquares a = *args;
  Scratch scratch(call);
  sumAll<1>(
      call, scratch, a.count,
      [a] PP_DEVICE(std::int64_t i) {
        const auto x = static_cast<double>(a.in[i]);
        return Sums<1>{{x * x}};
      },
      [a] PP_DEVICE(const Sums<1>& total) { *a.sum += total.of[0]; });
  return done(call);
}

// Written so that a NaN fails both comparisons and stays.
std::int32_t scaleClamp(const PpCall* call, const PpScaleClamp* args) {
  const PpScaleClamp a = *args;
  forElements(call, a.count, [a] PP_DEVICE(std::int64_t i) {
    float factor = a.factor;
    if (a.squares) {
      const double norm = std::sqrt(*a.squares);
      if (!(norm > a.maxNorm)) return;
      factor = static_cast<float>(a.maxNorm / norm);
    }
    const float x = a.values[i] * factor;
    a.values[i] = x > a.limit ? a.limit : x < -a.limit ? -a.limit : x;
  });
  return done(call);
}

std::int32_t innerProduct(const PpCall* call, const PpInnerProduct* args) {
  const PpInnerProduct a = *args;
  Scratch scratch(call);
  sumAll<1>(
      call, scratch, a.count,
      [a] PP_DEVICE(std::int64_t i) {
        return Sums<1>{{static_cast<double>(a.a[i]) * static_cast<double>(a.b[i])}};
      },
      [a] PP_DEVICE(const Sums<1>& total) {
        *a.out += static_cast<float>(static_cast<double>(a.factor) * total.of[0]);
      });
  return done(call);
}

}  // namespace parapet::cuda
