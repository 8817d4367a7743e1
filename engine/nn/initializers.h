// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "engine/base/result.h"
#include "engine/experiment/document.h"

namespace parapet::nn {

/// Dense vectors of the data set by name, [rows, width]; empty if there are none of that name.
struct VectorRows {
  std::span<const float> values;
  std::int64_t width = 0;
};
using InitialVectors = std::function<VectorRows(std::string_view name)>;

/// out = the initial weights `first` … of a parameter, row by row; any of them, in any order.
using InitialWeights = std::function<void(std::int64_t first, std::span<float> out)>;

/// Initial weights of a parameter, a pure function of (seed, name, row, column).
///
///   uniform            U[min, max)
///   normal             mean + stddev·N(0,1); truncated_normal redraws outside ±2σ
///   variance_scaling   n = fan_in | fan_out | their mean; σ = √(scale/n): normal σ, uniform ±√3·σ,
///                      truncated normal σ/0.87962566103423978 so that the truncated variance is σ²
///   glorot_uniform     U(±√(6/(fan_in + fan_out)))
///   constant           value
///   file               a NumPy array of that shape
///   vectors            dense vectors of the data set, as wide as the table; they must outlive the
///                      function
///
/// Shapes   weight [rows, cols]; fan_in = rows, fan_out = cols (for a table fan_out is the width).
/// Errors   kData: a file that is missing, damaged, no f32 array, or of another shape; vectors that
///          are missing or of another shape.
/// Source   Keras 3 initializers.
/// Thread   pure.
Result<InitialWeights> initialWeights(const experiment::Initializer& spec, std::uint64_t seed,
                                      std::string_view name, std::int64_t rows, std::int64_t cols,
                                      const InitialVectors& vectors = {});

/// All of them: weight [rows, cols].
Status initialize(const experiment::Initializer& spec, std::uint64_t seed, std::string_view name,
                  std::int64_t rows, std::int64_t cols, std::span<float> weight,
                  const InitialVectors& vectors = {});

}  // namespace parapet::nn
