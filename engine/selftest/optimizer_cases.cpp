// SPDX-License-Identifier: Apache-2.0
// One step of every optimizer in every convention from a random state. A step is at most a dozen
// roundings, so 16 units bound it; gradients that are merged on the way are exact sums.
#include <fmt/format.h>

#include <utility>

#include "engine/selftest/cases.h"
#include "engine/selftest/measure.h"
#include "engine/selftest/row_gradients.h"

namespace parapet::selftest {
namespace {

using reference::Element;
using tensor::AdagradEpsilon;
using tensor::AdamFactors;
using tensor::Device;
using tensor::Launch;
using tensor::Rate;
using tensor::RowsMoved;
using tensor::UpdateTarget;

constexpr double kTolerance = 16 * kUnit;
constexpr float kRate = 0.05f, kEpsilon = 1e-3f, kMomentum = 0.9f;
constexpr double kBeta1 = 0.9, kBeta2 = 0.999;

/// An optimizer with its settings: the op and the reference of one element.
struct Rule {
  std::string name;
  std::string op;
  RowsMoved moved;
  /// `rates`: where the device has them; null: by value.
  std::function<void(const Launch&, const UpdateTarget&, float* slot0, float* slot1,
                     std::int32_t* indexOfRow, const float* rates)>
      apply;
  /// `meanSquare` is that of the gradients of the element's row.
  std::function<Element(const Element&, double grad, double meanSquare)> expected;
  bool rowwise = false;  ///< the slot has one element per row
  std::vector<float> rates{kRate};
};

/// How many rows there are, and the rates: as arguments, or in the memory of the device, where the
/// arguments are an upper limit and nothing.
enum class Given { kByValue, kInMemory };

Rate rateAt(const float* rates) {
  return {kRate, rates};
}

Rule momentumRule(RowsMoved moved) {
  return {moved == RowsMoved::kEveryRow ? "momentum dense" : "momentum lazy", "sgd", moved,
          [moved](const Launch& launch, const UpdateTarget& target, float* velocity, float*,
                  std::int32_t* indexOfRow, const float* rates) {
            const Rate rate = rateAt(rates);
            tensor::run(launch, PpSgd{target, rate.value, kMomentum, velocity, numberOf(moved),
                                      indexOfRow, rate.here});
          },
          [](const Element& before, double grad, double) {
            return reference::momentum(before, grad, static_cast<double>(kRate),
                                       static_cast<double>(kMomentum));
          }};
}

Rule adagradRule(AdagradEpsilon mode) {
  return {mode == AdagradEpsilon::kInsideRoot ? "√(acc + ε)" : "√acc + ε", "adagrad",
          RowsMoved::kGradientRows,
          [mode](const Launch& launch, const UpdateTarget& target, float* accumulator, float*,
                 std::int32_t*, const float* rates) {
            const Rate rate = rateAt(rates);
            tensor::run(launch, PpAdagrad{target, rate.value, kEpsilon, numberOf(mode), accumulator,
                                          rate.here});
          },
          [mode](const Element& before, double grad, double) {
            return reference::adagrad(before, grad, static_cast<double>(kRate),
                                      static_cast<double>(kEpsilon), mode);
          }};
}

Rule rowwiseRule(AdagradEpsilon mode) {
  return {mode == AdagradEpsilon::kInsideRoot ? "√(acc + ε)" : "√acc + ε",
          "rowwiseAdagrad",
          RowsMoved::kGradientRows,
          [mode](const Launch& launch, const UpdateTarget& target, float* accumulator, float*,
                 std::int32_t*, const float* rates) {
            const Rate rate = rateAt(rates);
            tensor::run(launch, PpRowwiseAdagrad{target, rate.value, kEpsilon, numberOf(mode),
                                                 accumulator, nullptr, rate.here});
          },
          [mode](const Element& before, double grad, double meanSquare) {
            return reference::rowwiseAdagrad(before, grad, meanSquare, static_cast<double>(kRate),
                                             static_cast<double>(kEpsilon), mode);
          },
          true};
}

Rule adamRule(bool corrected, RowsMoved moved, std::int64_t step) {
  const reference::AdamSettings settings{static_cast<double>(kRate),    kBeta1, kBeta2,
                                         static_cast<double>(kEpsilon), step,   corrected};
  const auto beta1 = static_cast<float>(kBeta1), beta2 = static_cast<float>(kBeta2);
  const AdamFactors given = corrected
                                ? AdamFactors::corrected(settings.rate, kBeta1, kBeta2, step)
                                : AdamFactors::uncorrected(settings.rate, kBeta1, kBeta2, step);
  return {fmt::format("{} {} t={}", corrected ? "√v̂ + ε" : "√v + ε",
                      moved == RowsMoved::kEveryRow ? "dense" : "lazy", step),
          "adam",
          moved,
          [=](const Launch& launch, const UpdateTarget& target, float* moment, float* variance,
              std::int32_t* indexOfRow, const float* rates) {
            tensor::run(launch, PpAdam{target, rates ? 0.0f : given.stepSize,
                                       rates ? 0.0f : given.rootScale, beta1, beta2, kEpsilon,
                                       moment, variance, numberOf(moved), indexOfRow, rates});
          },
          [=](const Element& before, double grad, double) {
            return reference::adam(before, grad, settings, static_cast<double>(beta1),
                                   static_cast<double>(beta2));
          },
          false,
          {given.stepSize, given.rootScale}};
}

/// Row-wise Adagrad as shards of columns do it: the means come from elsewhere. Half of their sum is
/// added twice, so that both ways of writing it are met.
Rule columnsRule() {
  Rule rule = rowwiseRule(AdagradEpsilon::kInsideRoot);
  rule.name = "of columns";
  rule.apply = [](const Launch& launch, const UpdateTarget& target, float* accumulator, float*,
                  std::int32_t*, const float* rates) {
    tensor::Buffer<float> means(*launch.device, target.count);
    for (const std::int32_t accumulate : {0, 1})
      tensor::run(launch, PpMeanSquares{target, 2 * target.width, means.data(), accumulate});
    const Rate rate = rateAt(rates);
    tensor::run(launch, PpRowwiseAdagrad{target, rate.value, kEpsilon, 1, accumulator, means.data(),
                                         rate.here});
  };
  return rule;
}

Rule ftrlRule(const reference::FtrlSettings& settings) {
  return {fmt::format("p={} l1={}", settings.learningRatePower, settings.l1), "ftrl",
          RowsMoved::kGradientRows,
          [settings](const Launch& launch, const UpdateTarget& target, float* accumulator,
                     float* linear, std::int32_t*, const float* rates) {
            const Rate rate = rateAt(rates);
            tensor::run(launch, PpFtrl{target, rate.value, settings.learningRatePower, settings.l1,
                                       settings.l2, settings.beta, accumulator, linear, rate.here});
          },
          [settings](const Element& before, double grad, double) {
            return reference::ftrl(before, grad, settings);
          }};
}

Rule decayRule(RowsMoved moved) {
  return {moved == RowsMoved::kEveryRow ? "every row" : "rows of the gradient", "decayRows", moved,
          [moved](const Launch& launch, const UpdateTarget& target, float*, float*, std::int32_t*,
                  const float* rates) {
            tensor::run(launch, tensor::decayOf(target, rateAt(rates), moved));
          },
          [](const Element& before, double, double) {
            return reference::sgd(before, before.weight, static_cast<double>(kRate));
          }};
}

std::vector<Rule> allRules() {
  std::vector<Rule> rules;
  rules.push_back(
      {"plain", "sgd", RowsMoved::kGradientRows,
       [](const Launch& launch, const UpdateTarget& target, float*, float*,
          std::int32_t* indexOfRow, const float* rates) {
         const Rate rate = rateAt(rates);
         tensor::run(launch, PpSgd{target, rate.value, 0.0f, nullptr, 1, indexOfRow, rate.here});
       },
       [](const Element& before, double grad, double) {
         return reference::sgd(before, grad, static_cast<double>(kRate));
       }});
  for (const auto moved : {RowsMoved::kGradientRows, RowsMoved::kEveryRow})
    rules.push_back(momentumRule(moved));
  for (const auto mode : {AdagradEpsilon::kInsideRoot, AdagradEpsilon::kOutsideRoot})
    for (const auto& make : {adagradRule, rowwiseRule}) rules.push_back(make(mode));
  for (const bool corrected : {false, true})
    for (const auto moved : {RowsMoved::kGradientRows, RowsMoved::kEveryRow})
      for (const std::int64_t step : {1, 1000}) rules.push_back(adamRule(corrected, moved, step));
  rules.push_back(columnsRule());
  rules.push_back(ftrlRule({kRate, -0.5f, 0.0f, 0.0f, 0.0f}));
  rules.push_back(ftrlRule({kRate, -0.7f, 0.5f, 0.25f, 0.125f}));
  for (const auto moved : {RowsMoved::kGradientRows, RowsMoved::kEveryRow})
    rules.push_back(decayRule(moved));
  return rules;
}

/// Weights and slots before the step. Slots are positive: accumulators and variances are.
struct ParameterState {
  std::vector<float> weight, slot0, slot1;
  ParameterState(std::int64_t tableRows, std::int64_t width)
      : weight(samples(1, tableRows * width)),
        slot0(samples(2, tableRows * width, 0.01f, 1.0f)),
        slot1(samples(3, tableRows * width, 0.01f, 1.0f)) {}
};

struct Expected {
  Exact weight, slot0, slot1;
};

// `gradOfRow[row]` is null for a row without a gradient.
Expected expectedAfter(const Rule& rule, const ParameterState& before,
                       const std::vector<const double*>& gradOfRow, std::int64_t width) {
  const std::size_t count = before.weight.size(), cols = static_cast<std::size_t>(width);
  Expected after{Exact(count), Exact(count), Exact(count)};
  for (std::size_t i = 0; i < count; ++i) {
    after.slot0.value[i] = static_cast<double>(before.slot0[i]);
    after.slot0.magnitude[i] = after.slot0.value[i];
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double* grad = gradOfRow[i / cols];
    const std::size_t slot = rule.rowwise ? i / cols : i;
    Element element{
        static_cast<double>(before.weight[i]),
        {static_cast<double>(before.slot0[slot]), static_cast<double>(before.slot1[i])}};
    if (grad || rule.moved == RowsMoved::kEveryRow) {
      double squares = 0.0;
      for (std::size_t d = 0; grad && d < cols; ++d) squares += grad[d] * grad[d];
      element =
          rule.expected(element, grad ? grad[i % cols] : 0.0, squares / static_cast<double>(width));
    }
    after.weight.value[i] = element.weight;
    after.weight.magnitude[i] = element.weightMagnitude;
    after.slot0.value[slot] = element.slot[0];
    after.slot0.magnitude[slot] = element.slotMagnitude[0];
    after.slot1.value[i] = element.slot[1];
    after.slot1.magnitude[i] = element.slotMagnitude[1];
  }
  return after;
}

void optimizerCase(const Device& device, const Rule& rule, Shape shape, Form form, Given given,
                   Measure& measure) {
  const std::int64_t width = shape.width;
  const Gradients gradients(shape, form);
  const ParameterState before(gradients.tableRows, width);
  const reference::Merged merged = gradients.merged(width);
  std::vector<const double*> gradOfRow(static_cast<std::size_t>(gradients.tableRows), nullptr);
  for (std::size_t u = 0; u < merged.rows.size(); ++u)
    gradOfRow[static_cast<std::size_t>(merged.rows[u])] =
        merged.grad.value.data() + u * static_cast<std::size_t>(width);

  GradientsHere gradientsHere(device, gradients, form);
  DeviceFloats weight(device, before.weight), slot0(device, before.slot0),
      slot1(device, before.slot1);
  const std::vector<std::int32_t> none(static_cast<std::size_t>(gradients.tableRows), -1);
  DeviceInts indexOfRow(device, none);
  UpdateTarget target = gradientsHere.target(weight.data(), width);
  const DeviceFloats rates(device, rule.rates);
  const DeviceInts counted(device, {static_cast<std::int32_t>(target.count)});
  const bool inMemory = given == Given::kInMemory;
  if (inMemory && target.rows) {
    target.counted = counted.data();
    target.count = target.tableRows;
    target.terms += target.tableRows;
  }
  rule.apply({&device}, target, slot0.data(), slot1.data(), indexOfRow.data(),
             inMemory ? rates.data() : nullptr);
  const Expected after = expectedAfter(rule, before, gradOfRow, width);
  measure.values("weight", weight.read(), after.weight);
  measure.values("first slot", slot0.read(), after.slot0);
  measure.values("second slot", slot1.read(), after.slot1);
  measure.same("indexOfRow", indexOfRow.read(), none);
}

}  // namespace

void addOptimizerCases(const Device& device, std::vector<Case>& cases) {
  for (const Rule& rule : allRules())
    for (const Shape shape : oddShapes()) {
      if (shape.width == 3 || shape.width == 16) continue;  // 1, 33 and 64 cover a row's loop
      for (const auto& [form, name] : kForms)
        for (const Given given : {Given::kByValue, Given::kInMemory})
          cases.push_back(makeCase(rule.op,
                                   fmt::format("{} {} {}{}", rule.name, name, shape.name(),
                                               given == Given::kInMemory ? " in memory" : ""),
                                   kTolerance, [=, form = form](Measure& measure) {
                                     optimizerCase(device, rule, shape, form, given, measure);
                                   }));
    }
}

}  // namespace parapet::selftest
