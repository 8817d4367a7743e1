// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/element_type.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <limits>

#include "engine/base/text.h"

namespace parapet::checkpoint {
namespace {

struct ElementTraits {
  ElementType type;
  const char* name;
  const char* npy;
  std::size_t bytes;
};

constexpr std::array kElements{
    ElementTraits{ElementType::kF32, "F32", "<f4", 4},
    ElementTraits{ElementType::kF64, "F64", "<f8", 8},
    ElementTraits{ElementType::kI32, "I32", "<i4", 4},
    ElementTraits{ElementType::kI64, "I64", "<i8", 8},
    ElementTraits{ElementType::kU8, "U8", "|u1", 1},
    ElementTraits{ElementType::kF16, "F16", "<f2", 2},
    // NumPy has no type of it; the bytes are there.
    ElementTraits{ElementType::kBf16, "BF16", "|V2", 2},
};

const ElementTraits& traitsOf(ElementType type) {
  for (const ElementTraits& traits : kElements)
    if (traits.type == type) return traits;
  throw InvalidArgument(fmt::format("checkpoint: {} is no element type", static_cast<int>(type)));
}

}  // namespace

std::size_t elementBytes(ElementType type) {
  return traitsOf(type).bytes;
}
const char* elementName(ElementType type) {
  return traitsOf(type).name;
}
const char* npyDescription(ElementType type) {
  return traitsOf(type).npy;
}

std::optional<ElementType> elementFromName(std::string_view name) {
  for (const ElementTraits& traits : kElements)
    if (name == traits.name) return traits.type;
  return std::nullopt;
}

std::optional<std::int64_t> tensorBytes(std::span<const std::int64_t> shape, ElementType type) {
  auto bytes = static_cast<std::int64_t>(elementBytes(type));
  bool empty = false;
  for (const std::int64_t extent : shape) {
    if (extent < 0) return std::nullopt;
    if (extent == 0) {
      empty = true;
      continue;
    }
    if (bytes > std::numeric_limits<std::int64_t>::max() / extent) return std::nullopt;
    bytes *= extent;
  }
  return empty ? 0 : bytes;
}

void requireConsistent(const TensorView& tensor) {
  const auto expected = tensorBytes(tensor.shape, tensor.type);
  if (expected && static_cast<std::uint64_t>(*expected) == tensor.bytes.size()) return;
  throw InvalidArgument(fmt::format(
      "checkpoint: tensor \"{}\" of shape [{}] and type {} has {} bytes", printable(tensor.name),
      fmt::join(tensor.shape, ", "), elementName(tensor.type), tensor.bytes.size()));
}

}  // namespace parapet::checkpoint
