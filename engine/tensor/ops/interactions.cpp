// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/interactions.h"

#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {
namespace {

void requireShape(std::string_view op, std::int64_t rows, std::int64_t width) {
  requireArgument(rows >= 0, op, "rows", rows, "at least 0 is accepted");
  requireArgument(width >= 1, op, "width", width, "at least 1 is accepted");
}

void requirePairs(std::string_view op, std::int64_t parts, SelfInteraction self) {
  requireArgument(
      interactionWidth(parts, self) >= 1, op, "number of parts", parts,
      self == SelfInteraction::kYes ? "at least 1 is accepted" : "at least 2 are accepted");
}

}  // namespace

void cross(const Launch& launch, std::int64_t rows, std::int64_t width, const CrossInputs& inputs,
           float* y) {
  requireShape("cross", rows, width);
  const PpCall call = makeCall(launch);
  const PpCross args{rows, width, inputs.x0, inputs.x, inputs.u, inputs.diagScale, y};
  requireOk(launch.device->ops().cross(&call, &args), launch, "cross");
}

void crossGradient(const Launch& launch, std::int64_t rows, std::int64_t width,
                   const CrossInputs& inputs, const float* dy, const CrossGradients& gradients) {
  requireShape("crossGradient", rows, width);
  const PpCall call = makeCall(launch);
  const PpCrossGradient args{rows,
                             width,
                             inputs.x0,
                             inputs.x,
                             inputs.u,
                             inputs.diagScale,
                             dy,
                             gradients.dx0,
                             static_cast<std::int32_t>(gradients.accumulateX0),
                             gradients.dx,
                             static_cast<std::int32_t>(gradients.accumulateX),
                             gradients.du};
  requireOk(launch.device->ops().crossGradient(&call, &args), launch, "crossGradient");
}

std::int64_t interactionWidth(std::int64_t parts, SelfInteraction self) {
  return parts * (self == SelfInteraction::kYes ? parts + 1 : parts - 1) / 2;
}

void dotInteraction(const Launch& launch, std::int64_t rows, std::int64_t width,
                    std::span<const float* const> parts, SelfInteraction self, float* out) {
  constexpr std::string_view kOp = "dotInteraction";
  requireShape(kOp, rows, width);
  requirePairs(kOp, static_cast<std::int64_t>(parts.size()), self);
  const PpCall call = makeCall(launch);
  const PpDotInteraction args{
      rows,         width, static_cast<std::int32_t>(parts.size()), static_cast<std::int32_t>(self),
      parts.data(), out};
  requireOk(launch.device->ops().dotInteraction(&call, &args), launch, kOp);
}

void dotInteractionGradient(const Launch& launch, std::int64_t rows, std::int64_t width,
                            std::span<const float* const> parts, SelfInteraction self,
                            const float* dout, std::span<float* const> gradients,
                            std::span<const std::int32_t> accumulate) {
  constexpr std::string_view kOp = "dotInteractionGradient";
  requireShape(kOp, rows, width);
  requirePairs(kOp, static_cast<std::int64_t>(parts.size()), self);
  for (const std::size_t found : {gradients.size(), accumulate.size()})
    requireArgument(found == parts.size(), kOp, "number of gradients",
                    static_cast<std::int64_t>(found), "one of each part is accepted");
  const PpCall call = makeCall(launch);
  const PpDotInteractionGradient args{rows,
                                      width,
                                      static_cast<std::int32_t>(parts.size()),
                                      static_cast<std::int32_t>(self),
                                      parts.data(),
                                      dout,
                                      gradients.data(),
                                      accumulate.data()};
  requireOk(launch.device->ops().dotInteractionGradient(&call, &args), launch, kOp);
}

}  // namespace parapet::tensor
