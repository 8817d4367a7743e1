// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "engine/mesh/communicator.h"

namespace parapet::mesh {

/// Bytes of so many elements.
inline std::size_t bytesOf(ElementType type, std::int64_t count) {
  return static_cast<std::size_t>(count) * bytesOf(type);
}
/// The elements of a buffer from `begin` on.
inline const void* elementsAt(const void* buffer, std::int64_t begin, ElementType type) {
  return static_cast<const std::byte*>(buffer) + bytesOf(type, begin);
}
inline void* elementsAt(void* buffer, std::int64_t begin, ElementType type) {
  return static_cast<std::byte*>(buffer) + bytesOf(type, begin);
}
/// Moves bytes to where they are not yet; the two may overlap.
inline void moveBytes(void* out, const void* in, std::size_t bytes) {
  if (bytes > 0 && out != in) std::memmove(out, in, bytes);
}

/// Adds up arrays of one element type, in their order. `out` may be the first of them.
///
///   out[i] = parts[0][i] + parts[1][i] + …
///
/// Shapes   parts [P] arrays [n]; out [n].
/// Order    by part; f32 and f64 in their own precision, bf16 in f32 and rounded once, integers
///          modulo 2³² and 2⁶⁴.
/// Errors   none: bytes are refused before (requireAddable).
class ElementSums {
 public:
  explicit ElementSums(const tensor::Launch& launch) : launch_(launch) {}
  void add(ElementType type, std::span<const void* const> parts, std::int64_t n, void* out);

 private:
  tensor::Launch launch_;
  std::vector<const float*> floats_;  // scratch
};

}  // namespace parapet::mesh
