// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/selftest/reference.h"

namespace parapet::selftest {

/// How far a case was from its reference implementation.
struct Outcome {
  double maxError = 0.0;   ///< largest error in units of Σ|terms|; infinite for a wrong structure
  double tolerance = 0.0;  ///< largest error that rounding explains
  bool passed = false;
  std::string detail;  ///< where the largest error is, or what is wrong; empty if there is none
};

/// One claim about a device or a communicator.
struct Case {
  std::string name;              ///< "matmul a·bᵀ 7×33×16": unique among the cases of a list
  std::string op;                ///< "matmul"
  std::function<Outcome()> run;  ///< never throws; may be called again
  double unit = 0x1p-24;         ///< rounding of its operands: 2⁻⁹ of bf16
};

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
