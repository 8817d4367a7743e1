// SPDX-License-Identifier: Apache-2.0
// What happens to gradients before an optimizer gets them: merged by row, measured, clipped.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/selftest/cases.h"
#include "engine/selftest/measure.h"
#include "engine/selftest/row_gradients.h"

namespace parapet::selftest {
namespace {

using tensor::Device;

// The order of the rows is that of the target; sums of multiples of 1/64 are exact.
void mergeCase(const Device& device, Shape shape, Form form, Measure& measure) {
  const std::int64_t width = shape.width;
  const Gradients gradients(shape, form);
  GradientsHere gradientsHere(device, gradients, form);
  const tensor::UpdateTarget target = gradientsHere.target(nullptr, width);
  const std::vector<std::int32_t> rows = gradientsHere.rows();
  const auto rowOf = [&](std::int64_t u) { return rows[static_cast<std::size_t>(u)]; };
  auto out = DeviceFloats::unset(device, target.count * width);
  tensor::run({&device}, PpMergeRows{target, out.data()});
  const reference::Merged merged = gradients.merged(width);
  Exact expected(static_cast<std::size_t>(target.count * width));
  for (std::size_t u = 0; u < merged.rows.size(); ++u) {
    std::int64_t index = target.rows ? 0 : merged.rows[u];
    while (target.rows && index < target.count && rowOf(index) != merged.rows[u]) ++index;
    measure.require(index < target.count, fmt::format("row {} is not there", merged.rows[u]));
    for (std::size_t d = 0; index < target.count && d < static_cast<std::size_t>(width); ++d)
      expected.add(static_cast<std::size_t>(index * width) + d,
                   merged.grad.value[u * static_cast<std::size_t>(width) + d]);
  }
  measure.values("out", out.read(), expected);
}

// In double precision nothing is lost but the rounding of the reference itself.
void squaresCase(const Device& device, std::int64_t count, Measure& measure) {
  const auto values = samples(11, count, -3.0f, 3.0f);
  const DeviceFloats here(device, values);
  double expected = 0.0;
  for (const float value : values)
    expected += static_cast<double>(value) * static_cast<double>(value);
  // The op adds its result to the value that was there.
  DeviceDoubles sum(device, {0.5});
  tensor::run({&device}, PpSumSquares{here.data(), count, sum.data()});
  measure.value("sum", sum.read()[0], expected + 0.5, expected + 0.5);
}

void clipCase(const Device& device, std::int64_t count, float factor, float limit,
              Measure& measure) {
  auto values = samples(12, count, -3.0f, 3.0f);
  if (count > 5) values[5] = std::numeric_limits<float>::quiet_NaN();
  DeviceFloats here(device, values);
  tensor::run(
      {&device},
      PpScaleClamp{.values = here.data(), .count = count, .factor = factor, .limit = limit});
  const std::vector<float> found = here.read();
  measure.require(count <= 5 || std::isnan(found[5]), "NaN is no longer NaN");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    const float scaled = values[i] * factor;
    const float expected = std::min(std::max(scaled, -limit), limit);
    measure.value("value", static_cast<double>(found[i]), static_cast<double>(expected), 1.0);
  }
}

// Clipped where the norm is above the largest, and left alone where it is not.
void normCase(const Device& device, std::int64_t count, Measure& measure) {
  const auto values = samples(12, count, -3.0f, 3.0f);
  double squares = 0.0;
  for (const float value : values)
    squares += static_cast<double>(value) * static_cast<double>(value);
  const DeviceDoubles squaresHere(device, {squares});
  const double norm = std::sqrt(squares);
  for (const double largest : {0.5 * norm, 2.0 * norm}) {
    if (!(largest > 0.0)) continue;
    DeviceFloats here(device, values);
    tensor::run({&device}, PpScaleClamp{.values = here.data(),
                                        .count = count,
                                        .limit = tensor::kNoLimit,
                                        .squares = squaresHere.data(),
                                        .maxNorm = largest});
    const std::vector<float> found = here.read();
    for (std::size_t i = 0; i < values.size(); ++i)
      measure.value("value", static_cast<double>(found[i]),
                    static_cast<double>(values[i]) * std::min(1.0, largest / norm), 3.0);
  }
}

void productCase(const Device& device, std::int64_t count, Measure& measure) {
  const auto a = samples(13, count), b = samples(14, count);
  const DeviceFloats aHere(device, a), bHere(device, b);
  DeviceFloats out(device, std::vector<float>{0.5f});
  tensor::run({&device}, PpInnerProduct{aHere.data(), bHere.data(), count, -2.0f, out.data()});
  double expected = 0.5, magnitude = 0.5;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double term = -2.0 * static_cast<double>(a[i]) * static_cast<double>(b[i]);
    expected += term;
    magnitude += std::abs(term);
  }
  measure.value("out", static_cast<double>(out.read()[0]), expected, magnitude);
}

}  // namespace

void addClippingCases(const Device& device, std::vector<Case>& cases) {
  for (const Shape shape : oddShapes())
    for (const auto& [form, name] : kForms)
      cases.push_back(makeCase(
          "mergeRows", fmt::format("{} {}", name, shape.name()), 0.0,
          [=, form = form](Measure& measure) { mergeCase(device, shape, form, measure); }));
  for (const std::int64_t count : {0, 1, 7, 33, 1000, 200'000}) {
    cases.push_back(makeCase("sumSquares", fmt::format("{}", count), 1e-12,
                             [=](Measure& measure) { squaresCase(device, count, measure); }));
    cases.push_back(makeCase("scaleClamp", fmt::format("norm of {}", count), 2 * kUnit,
                             [=](Measure& measure) { normCase(device, count, measure); }));
    cases.push_back(makeCase("innerProduct", fmt::format("{}", count), 2 * kUnit,
                             [=](Measure& measure) { productCase(device, count, measure); }));
    for (const float limit : {1.0f, 0.0f, std::numeric_limits<float>::infinity()})
      cases.push_back(
          makeCase("scaleClamp", fmt::format("{} to {}", count, limit), 0.0,
                   [=](Measure& measure) { clipCase(device, count, 0.625f, limit, measure); }));
  }
}

}  // namespace parapet::selftest
