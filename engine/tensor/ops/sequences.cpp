// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/sequences.h"

#include <fmt/format.h>

#include <limits>

#include "engine/base/result.h"
#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {

void requireSequences(const Launch& launch, std::string_view op, const Sequences& sequences) {
  requireSequences(launch, op, sequences, std::numeric_limits<std::int64_t>::max());
}

void requireSequences(const Launch& launch, std::string_view op, const Sequences& sequences,
                      std::int64_t maxLength) {
  requireArgument(sequences.count >= 0, op, "sequences", sequences.count, "at least 0 is accepted");
  requireArgument(sequences.positions >= 0, op, "positions", sequences.positions,
                  "at least 0 is accepted");
  if (!launch.device->isHost() || sequences.count == 0) return;
  const std::int32_t* const offsets = sequences.offsets;
  for (std::int64_t b = 0; b < sequences.count; ++b) {
    const std::int64_t length = std::int64_t{offsets[b + 1]} - offsets[b];
    if (length < 0)
      throw InvalidArgument(fmt::format("[tensor.{}] offsets[{}] is {}; at least {} is accepted",
                                        op, b + 1, offsets[b + 1], offsets[b]));
    if (length > maxLength)
      throw InvalidArgument(
          fmt::format("[tensor.{}] sequence {} has {} positions; at most {} are accepted", op, b,
                      length, maxLength));
  }
  const std::int64_t spanned = std::int64_t{offsets[sequences.count]} - offsets[0];
  requireArgument(sequences.positions == spanned, op, "positions", sequences.positions,
                  "as many as the offsets span are accepted");
}

namespace {

void requireWidth(std::string_view op, std::int64_t width) {
  requireArgument(width >= 1, op, "width", width, "at least 1 is accepted");
}

void requireWeights(std::string_view op, PoolOp pool, const float* weights) {
  if (pool == PoolOp::kWeighted && !weights)
    throw InvalidArgument(fmt::format("[tensor.{}] weighted pooling has no weights", op));
}

}  // namespace

void addPositions(const Launch& launch, const Sequences& sequences, std::int64_t width,
                  const float* x, const float* table, std::int64_t tableRows, float* y) {
  requireWidth("addPositions", width);
  requireSequences(launch, "addPositions", sequences, tableRows);
  const PpCall call = makeCall(launch);
  const PpAddPositions args{
      sequences.count, sequences.positions, width, tableRows, sequences.offsets, x, table, y};
  requireOk(launch.device->ops().addPositions(&call, &args), launch, "addPositions");
}

void addPositionsGradient(const Launch& launch, const Sequences& sequences, std::int64_t width,
                          const float* dy, std::int64_t tableRows, float* dtable) {
  requireWidth("addPositionsGradient", width);
  requireSequences(launch, "addPositionsGradient", sequences, tableRows);
  const PpCall call = makeCall(launch);
  const PpAddPositionsGradient args{
      sequences.count, sequences.positions, width, tableRows, sequences.offsets, dy, dtable};
  requireOk(launch.device->ops().addPositionsGradient(&call, &args), launch,
            "addPositionsGradient");
}

void pool(const Launch& launch, PoolOp op, const Sequences& sequences, std::int64_t width,
          const float* x, const float* weights, float* out) {
  requireWidth("pool", width);
  requireSequences(launch, "pool", sequences);
  requireWeights("pool", op, weights);
  const PpCall call = makeCall(launch);
  const PpPool args{static_cast<std::int32_t>(op),
                    sequences.count,
                    sequences.positions,
                    width,
                    sequences.offsets,
                    x,
                    weights,
                    out};
  requireOk(launch.device->ops().pool(&call, &args), launch, "pool");
}

void poolGradient(const Launch& launch, PoolOp op, const Sequences& sequences, std::int64_t width,
                  const PoolInputs& inputs, const float* dout, const PoolGradients& gradients) {
  requireWidth("poolGradient", width);
  requireSequences(launch, "poolGradient", sequences);
  requireWeights("poolGradient", op, inputs.weights);
  const PpCall call = makeCall(launch);
  const PpPoolGradient args{static_cast<std::int32_t>(op),
                            sequences.count,
                            sequences.positions,
                            width,
                            sequences.offsets,
                            inputs.x,
                            inputs.weights,
                            dout,
                            gradients.dx,
                            static_cast<std::int32_t>(gradients.accumulate),
                            op == PoolOp::kWeighted ? gradients.dweights : nullptr};
  requireOk(launch.device->ops().poolGradient(&call, &args), launch, "poolGradient");
}

void softmaxBySequence(const Launch& launch, const Sequences& sequences, const float* x, float* y) {
  requireSequences(launch, "softmaxBySequence", sequences);
  const PpCall call = makeCall(launch);
  const PpSoftmaxBySequence args{sequences.count, sequences.positions, sequences.offsets, x, y};
  requireOk(launch.device->ops().softmaxBySequence(&call, &args), launch, "softmaxBySequence");
}

void softmaxBySequenceGradient(const Launch& launch, const Sequences& sequences, const float* y,
                               const float* dy, float* dx) {
  requireSequences(launch, "softmaxBySequenceGradient", sequences);
  const PpCall call = makeCall(launch);
  const PpSoftmaxBySequenceGradient args{
      sequences.count, sequences.positions, sequences.offsets, y, dy, dx};
  requireOk(launch.device->ops().softmaxBySequenceGradient(&call, &args), launch,
            "softmaxBySequenceGradient");
}

}  // namespace parapet::tensor
