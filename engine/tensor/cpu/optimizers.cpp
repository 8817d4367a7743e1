// SPDX-License-Identifier: Apache-2.0
// Row updates of SGD, Adagrad and Adam. A row is updated by one worker, so cutting the rows over
// workers changes no bit.
#include <cmath>

#include "engine/tensor/cpu/backend.h"

namespace parapet::tensor::cpu {
namespace {

// Calls update(row, grad) for each row that has a gradient.
template <class Update>
void forGradientRows(const PpCall* call, const PpUpdateTarget& target, const Update& update) {
  forBlocks(call, target.count, rowGrain(target.width), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t u = begin; u < end; ++u)
      update(target.rows ? target.rows[u] : u, target.grad + u * target.width);
  });
}

// Calls update(row, grad or null) for every row of the parameter. slotOfRow maps a row to its place
// in the gradient for the duration of the call.
template <class Update>
void forEveryRow(const PpCall* call, const PpUpdateTarget& target, std::int32_t* slotOfRow,
                 const Update& update) {
  for (std::int64_t u = 0; u < target.count; ++u)
    slotOfRow[target.rows[u]] = static_cast<std::int32_t>(u);
  forBlocks(
      call, target.tableRows, rowGrain(target.width), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row)
          update(row, slotOfRow[row] < 0 ? nullptr : target.grad + slotOfRow[row] * target.width);
      });
  for (std::int64_t u = 0; u < target.count; ++u) slotOfRow[target.rows[u]] = -1;
}

template <class Update>
void forRows(const PpCall* call, const PpUpdateTarget& target, bool everyRow,
             std::int32_t* slotOfRow, const Update& update) {
  if (everyRow && target.rows)
    forEveryRow(call, target, slotOfRow, update);
  else
    forGradientRows(call, target, update);
}

}  // namespace

std::int32_t sgd(const PpCall* call, const PpSgd* args) {
  const std::int64_t width = args->target.width;
  const float rate = args->learningRate, momentum = args->momentum;
  if (!args->velocity) {
    forGradientRows(call, args->target, [&](std::int64_t row, const float* grad) {
      float* weight = args->target.weight + row * width;
      for (std::int64_t d = 0; d < width; ++d) weight[d] -= rate * grad[d];
    });
    return PP_OK;
  }
  forRows(call, args->target, args->everyRow, args->slotOfRow,
          [&](std::int64_t row, const float* grad) {
            float* weight = args->target.weight + row * width;
            float* velocity = args->velocity + row * width;
            for (std::int64_t d = 0; d < width; ++d) {
              velocity[d] = momentum * velocity[d] - (grad ? rate * grad[d] : 0.0f);
              weight[d] += velocity[d];
            }
          });
  return PP_OK;
}

std::int32_t adagrad(const PpCall* call, const PpAdagrad* args) {
  const std::int64_t width = args->target.width;
  const float rate = args->learningRate, epsilon = args->epsilon;
  // The two conventions in one loop without a branch: one of the two epsilons is zero.
  const float inside = args->epsilonInsideRoot ? epsilon : 0.0f;
  const float outside = args->epsilonInsideRoot ? 0.0f : epsilon;
  forGradientRows(call, args->target, [&](std::int64_t row, const float* grad) {
    float* weight = args->target.weight + row * width;
    float* accumulator = args->accumulator + row * width;
    for (std::int64_t d = 0; d < width; ++d) {
      accumulator[d] += grad[d] * grad[d];
      weight[d] -= rate * grad[d] / (std::sqrt(accumulator[d] + inside) + outside);
    }
  });
  return PP_OK;
}

std::int32_t adam(const PpCall* call, const PpAdam* args) {
  const std::int64_t width = args->target.width;
  forRows(call, args->target, args->everyRow, args->slotOfRow,
          [&](std::int64_t row, const float* grad) {
            float* weight = args->target.weight + row * width;
            float* moment = args->moment + row * width;
            float* variance = args->variance + row * width;
            for (std::int64_t d = 0; d < width; ++d) {
              const float g = grad ? grad[d] : 0.0f;
              moment[d] = args->beta1 * moment[d] + (1.0f - args->beta1) * g;
              variance[d] = args->beta2 * variance[d] + (1.0f - args->beta2) * g * g;
              weight[d] -= args->stepSize * moment[d] /
                           (std::sqrt(variance[d]) * args->rootScale + args->epsilon);
            }
          });
  return PP_OK;
}

}  // namespace parapet::tensor::cpu
