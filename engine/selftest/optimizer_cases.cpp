// SPDX-License-Identifier: Apache-2.0
// One step of every optimizer in every convention from a random state. A step is at most a dozen
// roundings, so 16 units bound it; gradients that are merged first are exact sums.
#include <fmt/format.h>

#include <algorithm>

#include "engine/selftest/cases.h"
#include "engine/selftest/measure.h"
#include "engine/selftest/samples.h"

namespace parapet::selftest {
namespace {

using tensor::AdagradEpsilon;
using tensor::AdamFactors;
using tensor::Device;
using tensor::Launch;
using tensor::RowsMoved;
using tensor::UpdateTarget;
using twin::Element;

constexpr double kTolerance = 16 * kUnit;
constexpr float kRate = 0.05f, kEpsilon = 1e-3f, kMomentum = 0.9f;
constexpr double kBeta1 = 0.9, kBeta2 = 0.999;

/// An optimizer with its settings: the op and the twin of one element.
struct Rule {
  std::string name;
  std::string op;
  RowsMoved moved;
  std::function<void(const Launch&, const UpdateTarget&, float* slot0, float* slot1,
                     std::int32_t* slotOfRow)>
      apply;
  std::function<Element(const Element&, double grad)> expected;
};

Rule momentumRule(RowsMoved moved) {
  return {moved == RowsMoved::kEveryRow ? "momentum dense" : "momentum lazy", "sgd", moved,
          [moved](const Launch& launch, const UpdateTarget& target, float* velocity, float*,
                  std::int32_t* slotOfRow) {
            tensor::sgd(launch, target, kRate, kMomentum, velocity, moved, slotOfRow);
          },
          [](const Element& before, double grad) {
            return twin::momentum(before, grad, static_cast<double>(kRate),
                                  static_cast<double>(kMomentum));
          }};
}

Rule adagradRule(AdagradEpsilon mode) {
  return {mode == AdagradEpsilon::kInsideRoot ? "√(acc + ε)" : "√acc + ε", "adagrad",
          RowsMoved::kGradientRows,
          [mode](const Launch& launch, const UpdateTarget& target, float* accumulator, float*,
                 std::int32_t*) {
            tensor::adagrad(launch, target, kRate, kEpsilon, mode, accumulator);
          },
          [mode](const Element& before, double grad) {
            return twin::adagrad(before, grad, static_cast<double>(kRate),
                                 static_cast<double>(kEpsilon), mode);
          }};
}

Rule adamRule(bool corrected, RowsMoved moved, std::int64_t step) {
  const twin::AdamSettings settings{static_cast<double>(kRate),    kBeta1, kBeta2,
                                    static_cast<double>(kEpsilon), step,   corrected};
  const auto beta1 = static_cast<float>(kBeta1), beta2 = static_cast<float>(kBeta2);
  return {fmt::format("{} {} t={}", corrected ? "√v̂ + ε" : "√v + ε",
                      moved == RowsMoved::kEveryRow ? "dense" : "lazy", step),
          "adam", moved,
          [=](const Launch& launch, const UpdateTarget& target, float* moment, float* variance,
              std::int32_t* slotOfRow) {
            const auto factors =
                corrected ? AdamFactors::corrected(settings.rate, kBeta1, kBeta2, step)
                          : AdamFactors::uncorrected(settings.rate, kBeta1, kBeta2, step);
            tensor::adam(launch, target, factors, beta1, beta2, kEpsilon, moment, variance, moved,
                         slotOfRow);
          },
          [=](const Element& before, double grad) {
            return twin::adam(before, grad, settings, static_cast<double>(beta1),
                              static_cast<double>(beta2));
          }};
}

std::vector<Rule> allRules() {
  std::vector<Rule> rules;
  rules.push_back({"plain", "sgd", RowsMoved::kGradientRows,
                   [](const Launch& launch, const UpdateTarget& target, float*, float*,
                      std::int32_t* slotOfRow) {
                     tensor::sgd(launch, target, kRate, 0.0f, nullptr, RowsMoved::kEveryRow,
                                 slotOfRow);
                   },
                   [](const Element& before, double grad) {
                     return twin::sgd(before, grad, static_cast<double>(kRate));
                   }});
  for (const auto moved : {RowsMoved::kGradientRows, RowsMoved::kEveryRow})
    rules.push_back(momentumRule(moved));
  for (const auto mode : {AdagradEpsilon::kInsideRoot, AdagradEpsilon::kOutsideRoot})
    rules.push_back(adagradRule(mode));
  for (const bool corrected : {false, true})
    for (const auto moved : {RowsMoved::kGradientRows, RowsMoved::kEveryRow})
      for (const std::int64_t step : {1, 1000}) rules.push_back(adamRule(corrected, moved, step));
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
    const double* grad = gradOfRow[i / cols];
    Element element{static_cast<double>(before.weight[i]),
                    {static_cast<double>(before.slot0[i]), static_cast<double>(before.slot1[i])}};
    if (grad || rule.moved == RowsMoved::kEveryRow)
      element = rule.expected(element, grad ? grad[i % cols] : 0.0);
    after.weight.value[i] = element.weight;
    after.weight.magnitude[i] = element.weightMagnitude;
    after.slot0.value[i] = element.slot[0];
    after.slot0.magnitude[i] = element.slotMagnitude[0];
    after.slot1.value[i] = element.slot[1];
    after.slot1.magnitude[i] = element.slotMagnitude[1];
  }
  return after;
}

void compare(const Rule& rule, const Device& device, const ParameterState& before,
             std::int64_t tableRows, std::int64_t width, std::span<const std::int32_t> rows,
             bool dense, const float* grad, std::int64_t count,
             const std::vector<const double*>& gradOfRow, Measure& measure) {
  DeviceFloats weight(device, before.weight), slot0(device, before.slot0),
      slot1(device, before.slot1);
  const std::vector<std::int32_t> none(static_cast<std::size_t>(tableRows), -1);
  std::vector<std::int32_t> slotOfRow = none;
  const UpdateTarget target{weight.data(), tableRows, width, dense ? nullptr : rows.data(),
                            count,         grad};
  rule.apply({&device}, target, slot0.data(), slot1.data(), slotOfRow.data());
  const Expected after = expectedAfter(rule, before, gradOfRow, width);
  measure.values("weight", weight.read(), after.weight);
  measure.values("first slot", slot0.read(), after.slot0);
  measure.values("second slot", slot1.read(), after.slot1);
  measure.same("slotOfRow", slotOfRow, none);
}

/// How the gradient comes.
enum class Form {
  kRows,        ///< distinct rows of a larger table
  kDense,       ///< every row
  kDuplicates,  ///< rows that repeat, merged first
};
const char* formName(Form form) {
  return form == Form::kRows ? "rows" : form == Form::kDense ? "dense" : "duplicates";
}

void optimizerCase(const Device& device, const Rule& rule, Shape shape, Form form,
                   Measure& measure) {
  const std::int64_t width = shape.width;
  const std::int64_t tableRows = form == Form::kDense  ? shape.rows
                                 : form == Form::kRows ? shape.rows + 6
                                                       : shape.rows / 3 + 6;
  const ParameterState before(tableRows, width);
  const auto grad = exactSamples(4, shape.size());
  const DeviceFloats gradHere(device, grad);
  auto rows = form == Form::kDuplicates ? sampleRows(5, shape.rows, tableRows)
                                        : distinctRows(5, shape.rows, tableRows);
  if (form == Form::kDense)
    for (std::size_t row = 0; row < rows.size(); ++row) rows[row] = static_cast<std::int32_t>(row);

  rows.reserve(1);  // null would mean every row
  const twin::Merged merged = twin::mergeRows(rows, toDouble(grad), width);
  std::vector<const double*> gradOfRow(static_cast<std::size_t>(tableRows), nullptr);
  for (std::size_t u = 0; u < merged.rows.size(); ++u)
    gradOfRow[static_cast<std::size_t>(merged.rows[u])] =
        merged.grad.value.data() + u * static_cast<std::size_t>(width);
  if (form != Form::kDuplicates)
    return compare(rule, device, before, tableRows, width, rows, form == Form::kDense,
                   gradHere.data(), shape.rows, gradOfRow, measure);

  std::vector<std::int32_t> slotOfRow(static_cast<std::size_t>(tableRows), -1),
      mergedRows(rows.size());
  mergedRows.reserve(1);
  auto mergedGrad = DeviceFloats::unset(device, shape.size());
  const std::int64_t count =
      tensor::mergeRows({&device}, rows, gradHere.data(), tableRows, width, slotOfRow.data(),
                        mergedRows.data(), mergedGrad.data());
  compare(rule, device, before, tableRows, width, mergedRows, false, mergedGrad.data(), count,
          gradOfRow, measure);
}

}  // namespace

void addOptimizerCases(const Device& device, std::vector<Case>& cases) {
  for (const Rule& rule : allRules())
    for (const Shape shape : oddShapes()) {
      if (shape.width == 3 || shape.width == 64) continue;  // 1, 16 and 33 cover a row's loop
      for (const Form form : {Form::kRows, Form::kDense, Form::kDuplicates})
        cases.push_back(makeCase(
            rule.op, fmt::format("{} {} {}", rule.name, formName(form), shape.name()), kTolerance,
            [=](Measure& measure) { optimizerCase(device, rule, shape, form, measure); }));
    }
}

}  // namespace parapet::selftest
