// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/selftest/case.h"
#include "engine/selftest/reference.h"

namespace parapet::selftest {

/// Unit of rounding: half the distance between 1 and the next f32.
inline constexpr double kUnit = 0x1p-24;

/// The gradient of a scalar function.
///
///   gradient[j] = (f(x + h·e_j) − f(x − h·e_j)) / 2h;  magnitude[j] = 1 + |gradient[j]|
///
/// In double precision with h = 1e-5 the quotient is good to about 1e-10, so what is measured
/// against it is the rounding of an op.
Exact centralDifferences(std::vector<double> x,
                         const std::function<double(const std::vector<double>&)>& f);
/// 1e-10 of the quotient is far below one unit; functions and sums of some 31 rows cost the rest.
inline constexpr double kGradientTolerance = 64 * kUnit;

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
  /// A claim without a value; `detail` says what is wrong.
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
