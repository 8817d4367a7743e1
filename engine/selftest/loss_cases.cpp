// SPDX-License-Identifier: Apache-2.0
// Losses: sums and gradients against their references, and the references' gradients with them
// against central differences.
#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "engine/selftest/cases.h"
#include "engine/selftest/loss_reference.h"
#include "engine/selftest/measure.h"
#include "engine/selftest/samples.h"

namespace parapet::selftest {
namespace {

using tensor::Device;
using tensor::PairLossOp;
using Values = std::vector<double>;

constexpr float kScale = 0.125f;

/// An empty list, one of a single row, a few short ones and `longest` rows at the end.
std::vector<std::int32_t> offsetsWith(std::int32_t longest) {
  std::vector<std::int32_t> offsets{0, 0, 1};
  for (std::int32_t rows = 2; rows < 20; rows += 3) offsets.push_back(offsets.back() + rows);
  offsets.push_back(offsets.back() + longest);
  return offsets;
}

/// Labels −1 … 4: rows that are left out, and ties.
std::vector<float> gradedLabels(std::uint64_t seed, std::int64_t count) {
  std::vector<float> labels = samples(seed, count, -1.0f, 5.0f);
  for (float& label : labels) label = std::floor(label);
  return labels;
}

struct Lists {
  std::vector<std::int32_t> offsets;
  std::vector<float> score, label, weight;
  float temperature;

  Lists(std::int32_t longest, bool weighted, float temperatureOf)
      : offsets(offsetsWith(longest)), temperature(temperatureOf) {
    const std::int64_t rows = offsets.back();
    score = samples(21, rows, -3.0f, 3.0f);
    label = gradedLabels(22, rows);
    weight = samples(23, weighted ? rows : 0, 0.0f, 3.0f);
  }
};

/// The sum that `run(sum)` leaves in the device's memory.
double sumOf(const Device& device, const std::function<void(double*)>& run) {
  DeviceDoubles sum(device, {0.0});
  run(sum.data());
  return sum.read()[0];
}

/// Runs an op over the lists and measures it against its reference implementation and, where the
/// lists are short, the reference against central differences. `op(arguments)`,
/// `referenceOf(inputs)`.
template <class Op, class ReferenceOf>
void listCase(const Device& device, const Lists& lists, const Op& op,
              const ReferenceOf& referenceOf, Measure& measure) {
  const auto rows = static_cast<std::int64_t>(lists.score.size());
  const DeviceFloats score(device, lists.score), label(device, lists.label),
      weight(device, lists.weight);
  const DeviceInts offsets(device, lists.offsets);
  auto gradient = DeviceFloats::unset(device, rows);
  auto order = DeviceInts::unset(device, rows);
  PpListMle args{.lists = offsets.data(),
                 .listCount = std::ssize(lists.offsets) - 1,
                 .score = score.data(),
                 .label = label.data(),
                 .weight = lists.weight.empty() ? nullptr : weight.data(),
                 .temperature = lists.temperature,
                 .gradientScale = kScale,
                 .order = order.data(),
                 .gradient = gradient.data(),
                 .sum = nullptr};
  const auto sumHere = [&] {
    return sumOf(device, [&](double* sum) {
      args.sum = sum;
      op(args);
    });
  };
  const double sum = sumHere();
  const Values scoreExact = toDouble(lists.score), labelExact = toDouble(lists.label),
               weightExact = toDouble(lists.weight);
  const auto inputs = [&](const Values& scores) {
    return reference::ListInputs{lists.offsets, scores, labelExact, weightExact,
                                 static_cast<double>(lists.temperature)};
  };
  const reference::ScoreLoss expected = referenceOf(inputs(scoreExact));
  measure.value("sum", sum, expected.sum.value[0], expected.sum.magnitude[0]);
  measure.values("gradient", gradient.read(), expected.gradient);
  args.gradient = nullptr;
  measure.require(sumHere() == sum, "the sum differs when no gradient is wanted");
  if (rows > 100) return;
  const Exact slopes = centralDifferences(scoreExact, [&](const Values& at) {
    return static_cast<double>(kScale) * referenceOf(inputs(at)).sum.value[0];
  });
  for (std::size_t row = 0; row < slopes.value.size(); ++row)
    measure.require(
        std::abs(slopes.value[row] - expected.gradient.value[row]) < 1e-6 * slopes.magnitude[row],
        fmt::format("the gradient at {} is not that of the sum", row));
}

void addListCases(const Device& device, std::vector<Case>& cases) {
  constexpr std::pair<PairLossOp, const char*> kKinds[] = {
      {PairLossOp::kHinge, "hinge"},
      {PairLossOp::kLogistic, "logistic"},
      {PairLossOp::kSoftZeroOne, "soft zero-one"},
      {PairLossOp::kSquared, "squared"}};
  for (const std::int32_t longest : {33, 1000})
    for (const bool weighted : {false, true})
      for (const float temperature : {1.0f, 0.3f}) {
        const std::string variant =
            fmt::format("{}{} temperature {}", longest, weighted ? " weighted" : "", temperature);
        // A row's gradient is a sum over its list in f32.
        for (const auto& [kind, name] : kKinds)
          cases.push_back(
              makeCase("pairLoss", fmt::format("{} {}", name, variant), (longest + 16) * kUnit,
                       [=, kind = kind](Measure& measure) {
                         listCase(
                             device, Lists(longest, weighted, temperature),
                             [&](const PpListMle& of) {
                               tensor::run({&device},
                                           PpPairLoss{numberOf(kind), of.lists, of.listCount,
                                                      of.score, of.label, of.weight, of.temperature,
                                                      of.gradientScale, of.gradient, of.sum});
                             },
                             [&](const reference::ListInputs& lists) {
                               return reference::pairLoss(kind, lists, static_cast<double>(kScale));
                             },
                             measure);
                       }));
        cases.push_back(makeCase("listMle", variant, 16 * kUnit, [=](Measure& measure) {
          listCase(
              device, Lists(longest, weighted, temperature),
              [&](const PpListMle& of) { tensor::run({&device}, of); },
              [](const reference::ListInputs& lists) {
                return reference::listMle(lists, static_cast<double>(kScale));
              },
              measure);
        }));
      }
}

void logisticCase(const Device& device, std::int64_t rows, bool weighted, Measure& measure) {
  // Beyond ±88 e^s leaves f32; the loss does not.
  const auto logit = samples(24, rows, -120.0f, 120.0f), label = samples(25, rows, 0.0f, 1.0f);
  const auto weight = samples(26, weighted ? rows : 0, 0.0f, 3.0f);
  const DeviceFloats logitHere(device, logit), labelHere(device, label), weightHere(device, weight);
  const float* weights = weighted ? weightHere.data() : nullptr;
  auto gradient = DeviceFloats::unset(device, rows);
  const auto run = [&](float* out) {
    return sumOf(device, [&](double* sum) {
      tensor::run({&device}, PpLogisticLoss{rows, logitHere.data(), labelHere.data(), weights,
                                            kScale, out, sum});
    });
  };
  const double sum = run(gradient.data());
  const auto expected = reference::logisticLoss(toDouble(logit), toDouble(label), toDouble(weight),
                                                static_cast<double>(kScale));
  measure.value("sum", sum, expected.sum.value[0], expected.sum.magnitude[0]);
  measure.values("gradient", gradient.read(), expected.gradient);
  measure.require(run(nullptr) == sum, "the sum differs when no gradient is wanted");
}

void logisticGradient(const Device& device, Measure& measure) {
  const auto logit = samples(27, 31, -4.0f, 4.0f), label = samples(28, 31, 0.0f, 1.0f);
  const DeviceFloats logitHere(device, logit), labelHere(device, label);
  auto gradient = DeviceFloats::unset(device, 31);
  DeviceDoubles sum(device, {0.0});
  tensor::run({&device}, PpLogisticLoss{.rows = 31,
                                        .logit = logitHere.data(),
                                        .label = labelHere.data(),
                                        .gradientScale = kScale,
                                        .gradient = gradient.data(),
                                        .sum = sum.data()});
  const Values labelExact = toDouble(label);
  measure.values("gradient", gradient.read(),
                 centralDifferences(toDouble(logit), [&](const Values& at) {
                   return static_cast<double>(kScale) *
                          reference::logisticLoss(at, labelExact, {}, 1.0).sum.value[0];
                 }));
}

}  // namespace

void addLossCases(const Device& device, std::vector<Case>& cases) {
  for (const std::int64_t rows : {0, 1, 3, 7, 31, 1000, 20000})
    for (const bool weighted : {false, true})
      cases.push_back(makeCase(
          "logisticLoss", fmt::format("{}{}", rows, weighted ? " weighted" : ""), 8 * kUnit,
          [=](Measure& measure) { logisticCase(device, rows, weighted, measure); }));
  cases.push_back(makeCase("logisticLoss", "gradient", kGradientTolerance,
                           [=](Measure& measure) { logisticGradient(device, measure); }));
  addListCases(device, cases);
}

}  // namespace parapet::selftest
