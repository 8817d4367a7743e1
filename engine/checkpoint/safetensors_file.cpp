// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/safetensors_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "engine/base/text.h"
#include "engine/checkpoint/element_type.h"

namespace parapet::checkpoint {
namespace {

/// IEEE binary16: sign, 5 bits of exponent (bias 15), 10 of fraction.
float fromHalf(std::uint16_t bits) {
  const std::uint32_t sign = std::uint32_t{bits & 0x8000u} << 16, fraction = bits & 0x3ffu;
  const std::uint32_t exponent = (bits >> 10) & 0x1fu;
  if (exponent == 0) {
    const float small = std::ldexp(static_cast<float>(fraction), -24);
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(small) | sign);
  }
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  return std::bit_cast<float>(sign | (exponent + 127 - 15) << 23 | fraction << 13);
}

/// The upper half of an f32.
float fromBf16(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

}  // namespace

Result<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& path) {
  SafetensorsFile opened;
  opened.path_ = path;
  PARAPET_ASSIGN(opened.file_, MappedFile::open(path));
  auto tensors = parseSafetensors(opened.file_.bytes());
  if (!tensors)
    return Error{ErrorCode::kData,
                 fmt::format("{}: {}", path.string(), tensors.error().message),
                 {},
                 path.string()};
  opened.tensors_ = std::move(tensors).value();
  return opened;
}

const TensorView* SafetensorsFile::find(std::string_view name) const {
  const auto found = std::ranges::find(tensors_, name, &TensorView::name);
  return found == tensors_.end() ? nullptr : &*found;
}

bool isFloat(ElementType type) {
  return type == ElementType::kF32 || type == ElementType::kF16 || type == ElementType::kBf16;
}

void readFloats(const TensorView& tensor, std::span<float> out) {
  requireConsistent(tensor);
  if (!isFloat(tensor.type) || tensor.bytes.size() != out.size() * elementBytes(tensor.type))
    throw InvalidArgument(fmt::format("[checkpoint.readFloats] \"{}\" of type {} into {} floats",
                                      printable(tensor.name), elementName(tensor.type),
                                      out.size()));
  if (tensor.type == ElementType::kF32) {
    std::memcpy(out.data(), tensor.bytes.data(), tensor.bytes.size());
    return;
  }
  const bool isHalf = tensor.type == ElementType::kF16;
  for (std::size_t index = 0; index < out.size(); ++index) {
    std::uint16_t bits = 0;
    // A file of others may have its data at an odd address.
    std::memcpy(&bits, tensor.bytes.data() + index * sizeof bits, sizeof bits);
    out[index] = isHalf ? fromHalf(bits) : fromBf16(bits);
  }
}

}  // namespace parapet::checkpoint
