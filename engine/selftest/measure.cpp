// SPDX-License-Identifier: Apache-2.0
#include "engine/selftest/measure.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <exception>
#include <limits>

namespace parapet::selftest {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

double errorOf(double found, double expected, double magnitude) {
  if (found == expected) return 0.0;
  const double error = std::abs(found - expected) / magnitude;
  return std::isnan(error) ? kInfinite : error;
}

}  // namespace

Exact centralDifferences(std::vector<double> x,
                         const std::function<double(const std::vector<double>&)>& f) {
  constexpr double kStep = 1e-5;
  Exact gradient(x.size());
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double at = x[j];
    x[j] = at + kStep;
    const double above = f(x);
    x[j] = at - kStep;
    const double below = f(x);
    x[j] = at;
    gradient.value[j] = (above - below) / (2.0 * kStep);
    gradient.magnitude[j] = 1.0 + std::abs(gradient.value[j]);
  }
  return gradient;
}

void Measure::keep(double error, std::string detail) {
  if (error <= outcome_.maxError) return;
  outcome_.maxError = error;
  outcome_.detail = std::move(detail);
}

void Measure::value(std::string_view what, double found, double expected, double magnitude) {
  const double error = errorOf(found, expected, magnitude);
  if (error > outcome_.maxError)
    keep(error, fmt::format("{} is {}; the reference is {}", what, found, expected));
}

void Measure::values(std::string_view what, std::span<const float> found, const Exact& expected) {
  if (found.size() != expected.value.size())
    return keep(kInfinite, fmt::format("{} has {} elements; the reference has {}", what,
                                       found.size(), expected.value.size()));
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double error =
        errorOf(static_cast<double>(found[i]), expected.value[i], expected.magnitude[i]);
    if (error > outcome_.maxError)
      keep(error,
           fmt::format("{}[{}] is {}; the reference is {}", what, i, found[i], expected.value[i]));
  }
}

void Measure::same(std::string_view what, std::span<const float> found,
                   std::span<const float> expected) {
  require(found.size() == expected.size(), fmt::format("{} has a wrong size", what));
  if (found.size() != expected.size()) return;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (std::bit_cast<std::uint32_t>(found[i]) != std::bit_cast<std::uint32_t>(expected[i]))
      return keep(kInfinite,
                  fmt::format("{}[{}] is {}; exactly {} is right", what, i, found[i], expected[i]));
}

void Measure::same(std::string_view what, std::span<const std::int32_t> found,
                   std::span<const std::int32_t> expected) {
  require(found.size() == expected.size(), fmt::format("{} has a wrong size", what));
  if (found.size() != expected.size()) return;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i] != expected[i])
      return keep(kInfinite,
                  fmt::format("{}[{}] is {}; {} is right", what, i, found[i], expected[i]));
}

void Measure::require(bool holds, std::string_view detail) {
  if (!holds) keep(kInfinite, std::string(detail));
}

Outcome Measure::outcome() const {
  Outcome outcome = outcome_;
  outcome.passed = outcome.maxError <= outcome.tolerance;
  return outcome;
}

Case makeCase(std::string op, std::string_view variant, double tolerance,
              std::function<void(Measure&)> body) {
  std::string name = fmt::format("{} {}", op, variant);
  return {std::move(name), std::move(op), [tolerance, body = std::move(body)] {
            Measure measure(tolerance);
            try {
              body(measure);
            } catch (const std::exception& exception) {
              measure.require(false, exception.what());
            }
            return measure.outcome();
          }};
}

}  // namespace parapet::selftest
