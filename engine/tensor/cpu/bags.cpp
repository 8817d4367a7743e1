// SPDX-License-Identifier: Apache-2.0
// Bags of rows: their weighted sums, and the factors that a combiner makes of weights.
#include <cmath>

#include "engine/tensor/cpu/backend.h"
#include "engine/tensor/cpu/eigen.h"

namespace parapet::tensor::cpu {
namespace {

double divisorOf(std::int32_t combiner, const float* weights, std::int64_t count) {
  if (combiner == PP_SUM) return 1.0;
  double sum = 0.0;
  for (std::int64_t n = 0; n < count; ++n) {
    const double weight = weights ? static_cast<double>(weights[n]) : 1.0;
    sum += combiner == PP_MEAN ? weight : weight * weight;
  }
  return combiner == PP_MEAN ? sum : std::sqrt(sum);
}

}  // namespace

std::int32_t bagRows(const PpCall* call, const PpBagRows* args) {
  const std::int64_t width = args->width;
  forBlocks(call, args->bags, bagGrain(*args), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      const BagValues values(args->offsets, b);
      Row out(args->out + b * width, width);
      out.setZero();
      for (std::int64_t n = values.begin; n < values.end; ++n)
        out += (args->scales ? args->scales[n] : 1.0f) *
               ConstRow(args->table + args->rows[n] * width, width);
    }
  });
  return PP_OK;
}

std::int32_t bagScales(const PpCall* call, const PpBagScales* args) {
  forBlocks(call, args->bags, rowGrain(1), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      const BagValues values(args->offsets, b);
      const float* weights = args->weights ? args->weights + values.begin : nullptr;
      const double divisor = divisorOf(args->combiner, weights, values.end - values.begin);
      for (std::int64_t n = values.begin; n < values.end; ++n) {
        const double weight = args->weights ? static_cast<double>(args->weights[n]) : 1.0;
        args->scales[n] = divisor == 0.0 ? 0.0f : static_cast<float>(weight / divisor);
      }
    }
  });
  return PP_OK;
}

}  // namespace parapet::tensor::cpu
