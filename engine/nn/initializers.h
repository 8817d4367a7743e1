// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/experiment/document.h"

namespace parapet::nn {

/// Initial weights of a parameter, a pure function of (seed, name, row, column).
///
///   uniform            U[min, max)
///   normal             mean + stddev·N(0,1); truncated_normal redraws outside ±2σ
///   variance_scaling   n = fan_in | fan_out | their mean; σ = √(scale/n): normal σ, uniform ±√3·σ,
///                      truncated normal σ/0.87962566103423978 so that the truncated variance is σ²
///   glorot_uniform     U(±√(6/(fan_in + fan_out)))
///   constant           value
///
/// Shapes   weight [rows, cols]; fan_in = rows, fan_out = cols (for a table fan_out is the width).
/// Source   Keras 3 initializers.
/// Thread   pure.
void initialize(const experiment::Initializer& spec, std::uint64_t seed, std::string_view name,
                std::int64_t rows, std::int64_t cols, std::span<float> weight);

}  // namespace parapet::nn
