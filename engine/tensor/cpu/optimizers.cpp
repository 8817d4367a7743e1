// SPDX-License-Identifier: Apache-2.0
// Row updates of SGD, Adagrad, row-wise Adagrad, Adam and Ftrl. A row is updated by one worker, so
// cutting the rows over workers changes no bit.
#include <algorithm>
#include <atomic>
#include <cmath>

#include "engine/tensor/cpu/backend.h"

namespace parapet::tensor::cpu {
namespace {

// Element d of the gradient of row u of the target.
float gradientAt(const PpUpdateTarget& target, std::int64_t u, std::int64_t d) {
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

// Σ over the columns of the squared gradient of row u.
float squaresAt(const PpUpdateTarget& target, std::int64_t u) {
  float squares = 0.0f;
  for (std::int64_t d = 0; d < target.width; ++d) {
    const float g = gradientAt(target, u, d);
    squares += g * g;
  }
  return squares;
}

// Looks for weights that are NaN or infinite while rows are updated: 0 · weight is then NaN, and so
// is the sum of these products. Beside a root and a division that costs nothing.
class FiniteCheck {
 public:
  void see(float weight) { sum_ += 0.0f * weight; }
  void report(const PpUpdateTarget& target) const {
    if (target.nonFinite && std::isnan(sum_))
      std::atomic_ref(*target.nonFinite).store(1, std::memory_order_relaxed);
  }

 private:
  float sum_ = 0.0f;
};

// Calls update(row, index, check) for each row that has a gradient.
template <class Update>
void forGradientRows(const PpCall* call, const PpUpdateTarget& target, const Update& update) {
  forBlocks(call, target.count, updateGrain(target), [&](std::int64_t begin, std::int64_t end) {
    FiniteCheck check;
    for (std::int64_t u = begin; u < end; ++u) update(target.rows ? target.rows[u] : u, u, check);
    check.report(target);
  });
}

// Calls update(row, index or −1, check) for every row of the parameter. indexOfRow maps a row to
// its index in the gradient for the duration of the call.
template <class Update>
void forEveryRow(const PpCall* call, const PpUpdateTarget& target, std::int32_t* indexOfRow,
                 const Update& update) {
  for (std::int64_t u = 0; u < target.count; ++u)
    indexOfRow[target.rows[u]] = static_cast<std::int32_t>(u);
  forBlocks(call, target.tableRows, parameterGrain(target.width),
            [&](std::int64_t begin, std::int64_t end) {
              FiniteCheck check;
              for (std::int64_t row = begin; row < end; ++row)
                update(row, static_cast<std::int64_t>(indexOfRow[row]), check);
              check.report(target);
            });
  for (std::int64_t u = 0; u < target.count; ++u) indexOfRow[target.rows[u]] = -1;
}

template <class Update>
void forRows(const PpCall* call, const PpUpdateTarget& target, bool everyRow,
             std::int32_t* indexOfRow, const Update& update) {
  if (everyRow && target.rows)
    forEveryRow(call, target, indexOfRow, update);
  else
    forGradientRows(call, target, update);
}

}  // namespace

std::int32_t sgd(const PpCall* call, const PpSgd* args) {
  const PpSgd a = current(*args);
  const PpUpdateTarget& target = a.target;
  const std::int64_t width = target.width;
  const float rate = a.learningRate, momentum = a.momentum;
  if (!a.velocity) {
    forGradientRows(call, target, [&](std::int64_t row, std::int64_t u, FiniteCheck& check) {
      float* weight = target.weight + row * width;
      for (std::int64_t d = 0; d < width; ++d)
        check.see(weight[d] -= rate * gradientAt(target, u, d));
    });
    return PP_OK;
  }
  forRows(call, target, a.everyRow, a.indexOfRow,
          [&](std::int64_t row, std::int64_t u, FiniteCheck& check) {
            float* weight = target.weight + row * width;
            float* velocity = a.velocity + row * width;
            for (std::int64_t d = 0; d < width; ++d) {
              velocity[d] =
                  momentum * velocity[d] - (u < 0 ? 0.0f : rate * gradientAt(target, u, d));
              check.see(weight[d] += velocity[d]);
            }
          });
  return PP_OK;
}

std::int32_t adagrad(const PpCall* call, const PpAdagrad* args) {
  const PpAdagrad a = current(*args);
  const PpUpdateTarget& target = a.target;
  const std::int64_t width = target.width;
  const float rate = a.learningRate, epsilon = a.epsilon;
  // The two conventions in one loop without a branch: one of the two epsilons is zero.
  const float inside = a.epsilonInsideRoot ? epsilon : 0.0f;
  const float outside = a.epsilonInsideRoot ? 0.0f : epsilon;
  forGradientRows(call, target, [&](std::int64_t row, std::int64_t u, FiniteCheck& check) {
    float* weight = target.weight + row * width;
    float* accumulator = a.accumulator + row * width;
    for (std::int64_t d = 0; d < width; ++d) {
      const float g = gradientAt(target, u, d);
      accumulator[d] += g * g;
      check.see(weight[d] -= rate * g / (std::sqrt(accumulator[d] + inside) + outside));
    }
  });
  return PP_OK;
}

std::int32_t rowwiseAdagrad(const PpCall* call, const PpRowwiseAdagrad* args) {
  const PpRowwiseAdagrad a = current(*args);
  const PpUpdateTarget& target = a.target;
  const std::int64_t width = target.width;
  const float inside = a.epsilonInsideRoot ? a.epsilon : 0.0f;
  const float outside = a.epsilonInsideRoot ? 0.0f : a.epsilon;
  forGradientRows(call, target, [&](std::int64_t row, std::int64_t u, FiniteCheck& check) {
    float& accumulator = a.accumulator[row];
    accumulator +=
        a.meanSquares ? a.meanSquares[u] : squaresAt(target, u) / static_cast<float>(width);
    const float step = a.learningRate / (std::sqrt(accumulator + inside) + outside);
    float* weight = target.weight + row * width;
    for (std::int64_t d = 0; d < width; ++d)
      check.see(weight[d] -= step * gradientAt(target, u, d));
  });
  return PP_OK;
}

std::int32_t adam(const PpCall* call, const PpAdam* args) {
  const PpAdam a = current(*args);
  const PpUpdateTarget& target = a.target;
  const std::int64_t width = target.width;
  forRows(call, target, a.everyRow, a.indexOfRow,
          [&](std::int64_t row, std::int64_t u, FiniteCheck& check) {
            float* weight = target.weight + row * width;
            float* moment = a.moment + row * width;
            float* variance = a.variance + row * width;
            for (std::int64_t d = 0; d < width; ++d) {
              const float g = u < 0 ? 0.0f : gradientAt(target, u, d);
              moment[d] = a.beta1 * moment[d] + (1.0f - a.beta1) * g;
              variance[d] = a.beta2 * variance[d] + (1.0f - a.beta2) * g * g;
              check.see(weight[d] -= a.stepSize * moment[d] /
                                     (std::sqrt(variance[d]) * a.rootScale + a.epsilon));
            }
          });
  return PP_OK;
}

std::int32_t ftrl(const PpCall* call, const PpFtrl* args) {
  const PpFtrl a = current(*args);
  const std::int64_t width = a.target.width;
  const float power = -a.learningRatePower;
  const auto raised = [power](float x) {
    return power == 0.5f ? std::sqrt(x) : std::pow(x, power);
  };
  const float pull = 2.0f * a.l2 + a.beta / a.learningRate;
  forGradientRows(call, a.target, [&](std::int64_t row, std::int64_t u, FiniteCheck& check) {
    float* weight = a.target.weight + row * width;
    float* accumulator = a.accumulator + row * width;
    float* linear = a.linear + row * width;
    for (std::int64_t d = 0; d < width; ++d) {
      const float g = gradientAt(a.target, u, d);
      const float before = raised(accumulator[d]);
      accumulator[d] += g * g;
      const float after = raised(accumulator[d]);
      linear[d] += g - (after - before) / a.learningRate * weight[d];
      const float clipped = std::min(std::max(linear[d], -a.l1), a.l1);
      check.see(weight[d] = (clipped - linear[d]) / (after / a.learningRate + pull));
    }
  });
  return PP_OK;
}

std::int32_t decayRows(const PpCall* call, const PpDecayRows* args) {
  const PpDecayRows a = current(*args);
  forBlocks(call, a.count, parameterGrain(a.width), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t u = begin; u < end; ++u) {
      float* weight = a.weight + (a.rows ? a.rows[u] : u) * a.width;
      for (std::int64_t d = 0; d < a.width; ++d) weight[d] -= a.factor * weight[d];
    }
  });
  return PP_OK;
}

std::int32_t mergeRows(const PpCall* call, const PpMergeRows* args) {
  const PpUpdateTarget target = current(args->target);
  forBlocks(call, target.count, updateGrain(target), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t u = begin; u < end; ++u)
      for (std::int64_t d = 0; d < target.width; ++d)
        args->out[u * target.width + d] = gradientAt(target, u, d);
  });
  return PP_OK;
}

std::int32_t meanSquares(const PpCall* call, const PpMeanSquares* args) {
  const PpUpdateTarget target = current(args->target);
  const auto columns = static_cast<float>(args->columns);
  forBlocks(call, target.count, updateGrain(target), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t u = begin; u < end; ++u)
      args->out[u] = (args->accumulate ? args->out[u] : 0.0f) + squaresAt(target, u) / columns;
  });
  return PP_OK;
}

}  // namespace parapet::tensor::cpu
