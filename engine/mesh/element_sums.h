// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/mesh/communicator.h"

namespace parapet::mesh {

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
