// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/ops/elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/tensor/ops/dispatch.h"

namespace parapet::tensor {
namespace {

float positionAmong(std::span<const float> knots, float x) {
  const auto [low, high] = std::equal_range(knots.begin(), knots.end(), x);
  const auto first = knots.begin();
  if (low != high) return 0.5f * static_cast<float>((low - first) + (high - first - 1));
  if (low == knots.end()) return static_cast<float>(knots.size() - 1);
  if (low == first) return 0.0f;
  return static_cast<float>(low - first - 1) + (x - low[-1]) / (*low - low[-1]);
}

void quantileOnHost(std::span<const float> x, std::span<const float> knots, float* y) {
  const auto last = static_cast<float>(knots.size() - 1);
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = positionAmong(knots, x[i]) / last;
}

std::vector<float> onHost(const Launch& launch, const float* from, std::int64_t count) {
  std::vector<float> here(static_cast<std::size_t>(count));
  requireOk(
      launch.device->backend().copyToHost(nullptr, here.data(), from, here.size() * sizeof(float)),
      launch, "quantile");
  return here;
}

}  // namespace

void dropout(const Launch& launch, std::int64_t count, const float* x, double rate,
             std::uint64_t key, std::int64_t first, float* y) {
  requireArgument(count >= 0, "dropout", "count", count, "at least 0 is accepted");
  requireArgument(first >= 0, "dropout", "first element", first, "at least 0 is accepted");
  if (!(rate >= 0.0 && rate < 1.0))
    throw InvalidArgument(
        fmt::format("[tensor.dropout] rate is {}; at least 0 and below 1 is accepted", rate));
  // Draws have 24 bits.
  const auto dropBelow = static_cast<std::uint32_t>(std::ceil(rate * 0x1p24));
  const PpCall call = makeCall(launch);
  const PpDropout args{count,     x,
                       key,       static_cast<std::uint64_t>(first),
                       dropBelow, static_cast<float>(1.0 / (1.0 - rate)),
                       y};
  requireOk(launch.device->ops().dropout(&call, &args), launch, "dropout");
}

void signedLog(const Launch& launch, std::int64_t count, const float* x, float* y) {
  requireArgument(count >= 0, "signedLog", "count", count, "at least 0 is accepted");
  const PpCall call = makeCall(launch);
  const PpSignedLog args{count, x, y};
  requireOk(launch.device->ops().signedLog(&call, &args), launch, "signedLog");
}

void quantile(const Launch& launch, std::int64_t count, const float* x, std::int64_t knots,
              const float* values, float* y) {
  requireArgument(count >= 0, "quantile", "count", count, "at least 0 is accepted");
  requireArgument(knots >= 2, "quantile", "knots", knots, "at least 2 is accepted");
  const auto elements = static_cast<std::size_t>(count);
  if (launch.device->isHost())
    return quantileOnHost({x, elements}, {values, static_cast<std::size_t>(knots)}, y);
  std::vector<float> here = onHost(launch, x, count);
  quantileOnHost(here, onHost(launch, values, knots), here.data());
  requireOk(
      launch.device->backend().copyToDevice(nullptr, y, here.data(), elements * sizeof(float)),
      launch, "quantile");
}

}  // namespace parapet::tensor
