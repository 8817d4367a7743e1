// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "engine/selftest/case.h"
#include "engine/selftest/twins.h"

namespace parapet::selftest {

/// Unit of rounding: half the distance between 1 and the next f32.
inline constexpr double kUnit = 0x1p-24;

/// Keeps the largest error of a case.
///
///   error[i] = |found[i] − expected[i]| / Σ|terms of expected[i]|
class Measure {
 public:
  explicit Measure(double tolerance) { outcome_.tolerance = tolerance; }

  void values(std::string_view what, std::span<const float> found, const Exact& expected);
  void value(std::string_view what, double found, double expected, double magnitude);
  /// Bit for bit.
  void same(std::string_view what, std::span<const float> found, std::span<const float> expected);
  void same(std::string_view what, std::span<const std::int32_t> found,
            std::span<const std::int32_t> expected);
  /// A claim without a number; `detail` says what is wrong.
  void require(bool holds, std::string_view detail);
  [[nodiscard]] Outcome outcome() const;

 private:
  void keep(double error, std::string detail);
  Outcome outcome_;
};

/// A case named "op variant" that runs `body`; an exception of `body` fails it.
Case makeCase(std::string op, std::string_view variant, double tolerance,
              std::function<void(Measure&)> body);

}  // namespace parapet::selftest
