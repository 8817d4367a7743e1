// SPDX-License-Identifier: Apache-2.0
// Derivatives of the ops against central differences of their references: d(Σ_i
// cotangent[i]·f(x)[i])/dx[j].
#include <fmt/format.h>

#include <cmath>

#include "engine/selftest/cases.h"
#include "engine/selftest/measure.h"
#include "engine/selftest/samples.h"

namespace parapet::selftest {
namespace {

using tensor::Accumulate;
using tensor::ActivationOp;
using tensor::Device;
using Values = std::vector<double>;

void dotGradient(const Device& device, Shape shape, Measure& measure) {
  const auto x = samples(1, shape.size()), y = samples(2, shape.size()),
             dout = samples(3, shape.rows);
  const DeviceFloats xHere(device, x), yHere(device, y), doutHere(device, dout);
  auto dx = DeviceFloats::unset(device, shape.size());
  auto dy = DeviceFloats::unset(device, shape.size());
  tensor::run({&device}, PpDotRowsGradient{.rows = shape.rows,
                                           .width = shape.width,
                                           .x = xHere.data(),
                                           .y = yHere.data(),
                                           .dout = doutHere.data(),
                                           .dx = dx.data(),
                                           .dy = dy.data()});
  const Values xExact = toDouble(x), yExact = toDouble(y), cotangent = toDouble(dout);
  measure.values("dx", dx.read(), centralDifferences(xExact, [&](const Values& at) {
                   return innerProduct(cotangent,
                                       reference::dotRows(shape.width, at, yExact).value);
                 }));
  measure.values("dy", dy.read(), centralDifferences(yExact, [&](const Values& at) {
                   return innerProduct(cotangent,
                                       reference::dotRows(shape.width, xExact, at).value);
                 }));
}

// Inputs whose sum with the bias keeps away from the kink of relu, where no derivative exists.
std::vector<float> awayFromKink(std::vector<float> x, const std::vector<float>& bias) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float z = x[i] + bias[i % bias.size()];
    if (std::abs(z) < 0.01f) x[i] += 0.05f;
  }
  return x;
}

void activationGradient(const Device& device, ActivationOp op, Shape shape, Measure& measure) {
  const auto bias = samples(4, shape.width);
  const auto x = awayFromKink(samples(5, shape.size(), -3.0f, 3.0f), bias);
  const auto dy = samples(6, shape.size());
  const DeviceFloats xHere(device, x), biasHere(device, bias), dyHere(device, dy);
  auto y = DeviceFloats::unset(device, shape.size());
  auto dx = DeviceFloats::unset(device, shape.size());
  auto dbias = DeviceFloats::unset(device, shape.width);
  const tensor::Launch launch{&device};
  tensor::run(launch, PpBiasActivation{.rows = shape.rows,
                                       .width = shape.width,
                                       .activation = numberOf(op),
                                       .x = xHere.data(),
                                       .bias = biasHere.data(),
                                       .y = y.data()});
  tensor::run(launch, PpBiasActivationGradient{.rows = shape.rows,
                                               .width = shape.width,
                                               .activation = numberOf(op),
                                               .x = xHere.data(),
                                               .bias = biasHere.data(),
                                               .y = y.data(),
                                               .dy = dyHere.data(),
                                               .dx = dx.data(),
                                               .dbias = dbias.data()});
  const Values xExact = toDouble(x), biasExact = toDouble(bias), cotangent = toDouble(dy);
  measure.values("dx", dx.read(), centralDifferences(xExact, [&](const Values& at) {
                   return innerProduct(
                       cotangent, reference::biasActivation(op, shape.width, at, biasExact).value);
                 }));
  measure.values("dbias", dbias.read(), centralDifferences(biasExact, [&](const Values& at) {
                   return innerProduct(
                       cotangent, reference::biasActivation(op, shape.width, xExact, at).value);
                 }));
}

void squaredErrorGradient(const Device& device, std::int64_t rows, bool weighted,
                          Measure& measure) {
  const auto prediction = samples(7, rows), label = samples(8, rows);
  const auto weight = samples(9, weighted ? rows : 0, 0.0f, 3.0f);
  const DeviceFloats predictionHere(device, prediction), labelHere(device, label),
      weightHere(device, weight);
  auto gradient = DeviceFloats::unset(device, rows);
  DeviceDoubles sums(device, {0.0, 0.0, 0.0});
  const float scale = 0.125f;
  tensor::run({&device}, PpSquaredError{.rows = rows,
                                        .prediction = predictionHere.data(),
                                        .label = labelHere.data(),
                                        .weight = weighted ? weightHere.data() : nullptr,
                                        .gradientScale = scale,
                                        .gradient = gradient.data(),
                                        .sums = sums.data()});
  const Values labelExact = toDouble(label), weightExact = toDouble(weight);
  measure.values("gradient", gradient.read(),
                 centralDifferences(toDouble(prediction), [&](const Values& at) {
                   return static_cast<double>(scale) *
                          reference::squaredError(at, labelExact, weightExact, 1.0).sums.value[0];
                 }));
}

// out = [a | b]: the gradient of each part is its slice of the cotangent.
void concatGradient(const Device& device, Shape shape, Measure& measure) {
  const std::int64_t widthB = 5, total = shape.width + widthB;
  const auto a = samples(10, shape.size()), b = samples(11, shape.rows * widthB);
  const auto dout = samples(12, shape.rows * total);
  const DeviceFloats doutHere(device, dout);
  auto da = DeviceFloats::unset(device, shape.size());
  auto db = DeviceFloats::unset(device, shape.rows * widthB);
  const tensor::Launch launch{&device};
  tensor::run(launch, PpCopyColumns{.rows = shape.rows,
                                    .width = shape.width,
                                    .in = doutHere.data(),
                                    .strideIn = total,
                                    .out = da.data(),
                                    .strideOut = shape.width});
  tensor::run(launch, PpCopyColumns{.rows = shape.rows,
                                    .width = widthB,
                                    .in = doutHere.data() + shape.width,
                                    .strideIn = total,
                                    .out = db.data(),
                                    .strideOut = widthB});
  const auto scalar = [&](const Values& left, const Values& right) {
    double sum = 0.0;
    for (std::int64_t row = 0; row < shape.rows; ++row)
      for (std::int64_t d = 0; d < total; ++d) {
        const double value = d < shape.width
                                 ? left[static_cast<std::size_t>(row * shape.width + d)]
                                 : right[static_cast<std::size_t>(row * widthB + d - shape.width)];
        sum += value * static_cast<double>(dout[static_cast<std::size_t>(row * total + d)]);
      }
    return sum;
  };
  const Values aExact = toDouble(a), bExact = toDouble(b);
  measure.values("da", da.read(),
                 centralDifferences(aExact, [&](const Values& at) { return scalar(at, bExact); }));
  measure.values("db", db.read(),
                 centralDifferences(bExact, [&](const Values& at) { return scalar(aExact, at); }));
}

}  // namespace

void addGradientCases(const Device& device, std::vector<Case>& cases) {
  constexpr const char* kNames[] = {"linear", "relu",      "tanh", "sigmoid",
                                    "gelu",   "gelu_tanh", "silu"};
  for (const std::int64_t rows : {0, 1, 7, 31})
    for (const std::int64_t width : {1, 3, 16}) {
      const Shape shape{rows, width};
      cases.push_back(makeCase("dotRowsGradient", shape.name(), kGradientTolerance,
                               [=](Measure& measure) { dotGradient(device, shape, measure); }));
      cases.push_back(makeCase("copyColumns", "gradient of concat " + shape.name(),
                               kGradientTolerance,
                               [=](Measure& measure) { concatGradient(device, shape, measure); }));
      for (std::int32_t index = PP_LINEAR; index <= PP_SILU; ++index) {
        const auto op = static_cast<ActivationOp>(index);
        cases.push_back(
            makeCase("biasActivationGradient", fmt::format("{} {}", kNames[index], shape.name()),
                     kGradientTolerance,
                     [=](Measure& measure) { activationGradient(device, op, shape, measure); }));
      }
    }
  for (const std::int64_t rows : {0, 1, 7, 31})
    for (const bool weighted : {false, true})
      cases.push_back(makeCase(
          "squaredError", fmt::format("gradient {}{}", rows, weighted ? " weighted" : ""),
          kGradientTolerance,
          [=](Measure& measure) { squaredErrorGradient(device, rows, weighted, measure); }));
}

}  // namespace parapet::selftest
