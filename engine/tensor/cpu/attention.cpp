// SPDX-License-Identifier: Apache-2.0
// Attention over ragged sequences; kernels/attention_tiles.h tells how.
#include "engine/tensor/kernels/attention_tiles.h"

#include "engine/tensor/cpu/backend.h"
#include "engine/tensor/cpu/lines.h"

namespace parapet::tensor::cpu {

float Lines::greatest(float* line, std::int64_t count, const float* bias) const {
  Row values(line, count);
  if (bias) values += ConstRow(bias, count);
  return values.maxCoeff();
}

// Eigen's vectors give a denormal for e^−inf, and denormals would slow the products down.
float Lines::powers(float* line, std::int64_t count, float scale, float shift) const {
  constexpr float kMinPower = -87.0f;
  Row values(line, count);
  values = values * scale - shift;
  values = (values > kMinPower).select(values.exp(), 0.0f);
  return values.sum();
}

void Lines::slopes(const AttentionLine& of) const {
  (void)powers(of.scores, of.count, of.scale, of.logSumExp);
  for (std::int64_t n = 0; n < of.count; ++n) {
    const float factor = of.factors ? of.factors[n] : 1.0f;
    of.slopes[n] = of.scale * of.scores[n] * (factor * of.slopes[n] - of.sum);
    of.scores[n] *= factor;
  }
}

void Lines::keep(float* line, std::int64_t count, const PpAttention& args,
                 std::uint64_t first) const {
  for (std::int64_t n = 0; n < count; ++n)
    line[n] = draw(args.key, first + static_cast<std::uint64_t>(n)) < args.dropBelow
                  ? 0.0f
                  : args.keptScale;
}

std::int32_t attention(const PpCall* call, const PpAttention* args) {
  return runAttention(call, args, matmul, Lines{});
}

std::int32_t attentionGradient(const PpCall* call, const PpAttentionGradient* args) {
  return runAttentionGradient(call, args, matmul, Lines{});
}

}  // namespace parapet::tensor::cpu
