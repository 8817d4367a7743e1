// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/element_sums.h"

#include <bit>

#include "engine/tensor/ops/ops.h"

namespace parapet::mesh {
namespace {

template <class T>
void addParts(std::span<const void* const> parts, std::int64_t n, void* out) {
  for (std::int64_t i = 0; i < n; ++i) {
    T sum{};
    for (const void* part : parts) sum += static_cast<const T*>(part)[i];
    static_cast<T*>(out)[i] = sum;
  }
}

constexpr int kHalf = 16;

float wide(std::uint16_t half) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(half) << kHalf);
}

// To nearest, ties to even. A NaN keeps a bit of its mantissa, or it would become infinite.
std::uint16_t narrow(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  constexpr std::uint32_t kQuiet = 0x0040, kJustBelowHalf = 0x7fff;
  if (value != value) return static_cast<std::uint16_t>(bits >> kHalf | kQuiet);
  return static_cast<std::uint16_t>((bits + kJustBelowHalf + (bits >> kHalf & 1u)) >> kHalf);
}

void addHalves(std::span<const void* const> parts, std::int64_t n, void* out) {
  for (std::int64_t i = 0; i < n; ++i) {
    float sum = 0.0f;
    for (const void* part : parts) sum += wide(static_cast<const std::uint16_t*>(part)[i]);
    static_cast<std::uint16_t*>(out)[i] = narrow(sum);
  }
}

}  // namespace

void ElementSums::add(ElementType type, std::span<const void* const> parts, std::int64_t n,
                      void* out) {
  switch (type) {
    case ElementType::kF32:
      floats_.clear();
      for (const void* part : parts) floats_.push_back(static_cast<const float*>(part));
      return tensor::run(launch_, PpSumParts{.count = n,
                                             .parts = static_cast<std::int32_t>(floats_.size()),
                                             .in = floats_.data(),
                                             .out = static_cast<float*>(out)});
    case ElementType::kF64:
      return addParts<double>(parts, n, out);
    case ElementType::kBf16:
      return addHalves(parts, n, out);
    case ElementType::kI32:
      return addParts<std::uint32_t>(parts, n, out);
    case ElementType::kI64:
      return addParts<std::uint64_t>(parts, n, out);
    case ElementType::kBytes:
      return;
  }
}

}  // namespace parapet::mesh
