// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/attention.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/base/result.h"
#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {
namespace {

void requireSettings(const Launch& launch, std::string_view op, const Sequences& sequences,
                     const AttentionSettings& settings) {
  requireArgument(settings.heads >= 1, op, "heads", settings.heads, "at least 1 is accepted");
  requireArgument(settings.width >= 1, op, "width", settings.width, "at least 1 is accepted");
  requireArgument(settings.firstSequence >= 0, op, "first sequence", settings.firstSequence,
                  "at least 0 is accepted");
  if (!(settings.rate >= 0.0 && settings.rate < 1.0))
    throw InvalidArgument(fmt::format("[tensor.{}] rate is {}; at least 0 and below 1 is accepted",
                                      op, settings.rate));
  if (settings.rate > 0.0)
    requireSequences(launch, op, sequences, settings.maxLength);
  else
    requireSequences(launch, op, sequences);
}

PpAttention argumentsOf(const Sequences& sequences, const AttentionSettings& settings,
                        const float* qkv, float* out, float* logSumExp) {
  PpAttention args{};
  args.sequences = sequences.count;
  args.positions = sequences.positions;
  args.heads = settings.heads;
  args.width = settings.width;
  args.offsets = sequences.offsets;
  args.qkv = qkv;
  args.causal = static_cast<std::int32_t>(settings.mask);
  args.scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(settings.width)));
  args.key = settings.key.value;
  args.keyAt = settings.key.here;
  args.first = static_cast<std::uint64_t>(settings.firstSequence);
  args.maxLength = settings.maxLength;
  // Draws have 24 bits.
  args.dropBelow = static_cast<std::uint32_t>(std::ceil(settings.rate * 0x1p24));
  args.keptScale = static_cast<float>(1.0 / (1.0 - settings.rate));
  args.out = out;
  args.logSumExp = logSumExp;
  return args;
}

}  // namespace

void attention(const Launch& launch, const Sequences& sequences, const AttentionSettings& settings,
               const float* qkv, float* out, float* logSumExp) {
  requireSettings(launch, "attention", sequences, settings);
  const PpCall call = makeCall(launch);
  const PpAttention args = argumentsOf(sequences, settings, qkv, out, logSumExp);
  requireOk(launch.device->ops().attention(&call, &args), launch, "attention");
}

void attentionGradient(const Launch& launch, const Sequences& sequences,
                       const AttentionSettings& settings, const AttentionResult& forward,
                       const float* dout, float* dqkv) {
  requireSettings(launch, "attentionGradient", sequences, settings);
  const PpCall call = makeCall(launch);
  // The gradient reads both.
  const PpAttentionGradient args{
      argumentsOf(sequences, settings, forward.qkv, const_cast<float*>(forward.out),
                  const_cast<float*>(forward.logSumExp)),
      dout, dqkv};
  requireOk(launch.device->ops().attentionGradient(&call, &args), launch, "attentionGradient");
}

}  // namespace parapet::tensor
