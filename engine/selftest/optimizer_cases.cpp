// SPDX-License-Identifier: Apache-2.0
// One step of every optimizer in every convention from a random state. A step is at most a dozen
// roundings, so 16 units bound it; gradients that are merged on the way are exact sums.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

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
                     std::int32_t* placeOfRow)>
      apply;
  /// `meanSquare` is that of the gradients of the element's row.
  std::function<Element(const Element&, double grad, double meanSquare)> expected;
  bool rowwise = false;  ///< the slot has one number a row
};

Rule momentumRule(RowsMoved moved) {
  return {moved == RowsMoved::kEveryRow ? "momentum dense" : "momentum lazy", "sgd", moved,
          [moved](const Launch& launch, const UpdateTarget& target, float* velocity, float*,
                  std::int32_t* placeOfRow) {
            tensor::sgd(launch, target, kRate, kMomentum, velocity, moved, placeOfRow);
          },
          [](const Element& before, double grad, double) {
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
          [mode](const Element& before, double grad, double) {
            return twin::adagrad(before, grad, static_cast<double>(kRate),
                                 static_cast<double>(kEpsilon), mode);
          }};
}

Rule rowwiseRule(AdagradEpsilon mode) {
  return {mode == AdagradEpsilon::kInsideRoot ? "√(acc + ε)" : "√acc + ε",
          "rowwiseAdagrad",
          RowsMoved::kGradientRows,
          [mode](const Launch& launch, const UpdateTarget& target, float* accumulator, float*,
                 std::int32_t*) {
            tensor::rowwiseAdagrad(launch, target, kRate, kEpsilon, mode, accumulator);
          },
          [mode](const Element& before, double grad, double meanSquare) {
            return twin::rowwiseAdagrad(before, grad, meanSquare, static_cast<double>(kRate),
                                        static_cast<double>(kEpsilon), mode);
          },
          true};
}

Rule adamRule(bool corrected, RowsMoved moved, std::int64_t step) {
  const twin::AdamSettings settings{static_cast<double>(kRate),    kBeta1, kBeta2,
                                    static_cast<double>(kEpsilon), step,   corrected};
  const auto beta1 = static_cast<float>(kBeta1), beta2 = static_cast<float>(kBeta2);
  return {fmt::format("{} {} t={}", corrected ? "√v̂ + ε" : "√v + ε",
                      moved == RowsMoved::kEveryRow ? "dense" : "lazy", step),
          "adam", moved,
          [=](const Launch& launch, const UpdateTarget& target, float* moment, float* variance,
              std::int32_t* placeOfRow) {
            const auto factors =
                corrected ? AdamFactors::corrected(settings.rate, kBeta1, kBeta2, step)
                          : AdamFactors::uncorrected(settings.rate, kBeta1, kBeta2, step);
            tensor::adam(launch, target, factors, beta1, beta2, kEpsilon, moment, variance, moved,
                         placeOfRow);
          },
          [=](const Element& before, double grad, double) {
            return twin::adam(before, grad, settings, static_cast<double>(beta1),
                              static_cast<double>(beta2));
          }};
}

std::vector<Rule> allRules() {
  std::vector<Rule> rules;
  rules.push_back({"plain", "sgd", RowsMoved::kGradientRows,
                   [](const Launch& launch, const UpdateTarget& target, float*, float*,
                      std::int32_t* placeOfRow) {
                     tensor::sgd(launch, target, kRate, 0.0f, nullptr, RowsMoved::kEveryRow,
                                 placeOfRow);
                   },
                   [](const Element& before, double grad, double) {
                     return twin::sgd(before, grad, static_cast<double>(kRate));
                   }});
  for (const auto moved : {RowsMoved::kGradientRows, RowsMoved::kEveryRow})
    rules.push_back(momentumRule(moved));
  for (const auto mode : {AdagradEpsilon::kInsideRoot, AdagradEpsilon::kOutsideRoot})
    for (const auto& make : {adagradRule, rowwiseRule}) rules.push_back(make(mode));
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

/// How the gradient comes.
enum class Form {
  kRows,      ///< distinct rows of a larger table
  kDense,     ///< every row
  kGrouped,   ///< rows that repeat, merged while they are applied
  kFactored,  ///< the same, each a number times a picked row
};
constexpr std::pair<Form, const char*> kForms[] = {{Form::kRows, "rows"},
                                                   {Form::kDense, "dense"},
                                                   {Form::kGrouped, "grouped"},
                                                   {Form::kFactored, "factored"}};

/// A batch of gradients in one of the forms: what the op gets, and each place's gradient.
struct Gradients {
  std::int64_t tableRows;
  std::vector<std::int32_t> rows, picked;
  std::vector<float> grad, scale;
  std::vector<double> ofPlace;

  Gradients(Shape shape, Form form)
      : tableRows(form == Form::kDense  ? shape.rows
                  : form == Form::kRows ? shape.rows + 6
                                        : shape.rows / 3 + 6),
        grad(exactSamples(4, shape.size())) {
    const bool repeat = form == Form::kGrouped || form == Form::kFactored;
    rows = repeat ? sampleRows(5, shape.rows, tableRows) : distinctRows(5, shape.rows, tableRows);
    if (form == Form::kDense) std::iota(rows.begin(), rows.end(), 0);
    ofPlace = toDouble(grad);
    if (form != Form::kFactored) return;
    const auto cols = static_cast<std::size_t>(shape.width);
    picked = sampleRows(6, shape.rows, shape.rows);
    scale = exactSamples(7, shape.rows);
    for (std::size_t i = 0; i < ofPlace.size(); ++i)
      ofPlace[i] =
          static_cast<double>(scale[i / cols]) *
          static_cast<double>(grad[static_cast<std::size_t>(picked[i / cols]) * cols + i % cols]);
  }
};

// The target of an op for these gradients; `groups` is the memory of what it points to.
UpdateTarget targetOf(const Device& device, const Gradients& gradients, Form form,
                      const DeviceFloats& gradHere, const DeviceFloats& scaleHere, float* weight,
                      std::int64_t width, std::vector<std::int32_t> (&groups)[4]) {
  if (form == Form::kDense)
    return tensor::everyRow(weight, gradients.tableRows, width, gradHere.data());
  UpdateTarget target =
      tensor::someRows(weight, gradients.tableRows, width, gradients.rows, gradHere.data());
  static const std::int32_t kNone = 0;
  if (!target.rows) target.rows = &kNone;  // null would mean every row
  if (form == Form::kRows) return target;
  for (auto& group : groups) group.resize(gradients.rows.size() + 1);
  std::vector<std::int32_t> placeOfRow(static_cast<std::size_t>(gradients.tableRows), -1);
  target.count =
      tensor::groupRows({&device}, gradients.rows, gradients.tableRows, placeOfRow.data(),
                        {groups[0].data(), groups[1].data(), groups[2].data(), groups[3].data()});
  target.rows = groups[0].data();
  target.first = groups[1].data();
  target.next = groups[2].data();
  if (form == Form::kFactored) {
    target.scale = scaleHere.data();
    target.gradRows = gradients.picked.data();
  }
  return target;
}

void optimizerCase(const Device& device, const Rule& rule, Shape shape, Form form,
                   Measure& measure) {
  const std::int64_t width = shape.width;
  const Gradients gradients(shape, form);
  const ParameterState before(gradients.tableRows, width);
  const twin::Merged merged = twin::mergeRows(gradients.rows, gradients.ofPlace, width);
  std::vector<const double*> gradOfRow(static_cast<std::size_t>(gradients.tableRows), nullptr);
  for (std::size_t u = 0; u < merged.rows.size(); ++u)
    gradOfRow[static_cast<std::size_t>(merged.rows[u])] =
        merged.grad.value.data() + u * static_cast<std::size_t>(width);

  const DeviceFloats gradHere(device, gradients.grad), scaleHere(device, gradients.scale);
  DeviceFloats weight(device, before.weight), slot0(device, before.slot0),
      slot1(device, before.slot1);
  const std::vector<std::int32_t> none(static_cast<std::size_t>(gradients.tableRows), -1);
  std::vector<std::int32_t> placeOfRow = none, groups[4];
  const UpdateTarget target =
      targetOf(device, gradients, form, gradHere, scaleHere, weight.data(), width, groups);
  rule.apply({&device}, target, slot0.data(), slot1.data(), placeOfRow.data());
  const Expected after = expectedAfter(rule, before, gradOfRow, width);
  measure.values("weight", weight.read(), after.weight);
  measure.values("first slot", slot0.read(), after.slot0);
  measure.values("second slot", slot1.read(), after.slot1);
  measure.same("placeOfRow", placeOfRow, none);
}

}  // namespace

void addOptimizerCases(const Device& device, std::vector<Case>& cases) {
  for (const Rule& rule : allRules())
    for (const Shape shape : oddShapes()) {
      if (shape.width == 3 || shape.width == 16) continue;  // 1, 33 and 64 cover a row's loop
      for (const auto& [form, name] : kForms)
        cases.push_back(makeCase(rule.op, fmt::format("{} {} {}", rule.name, name, shape.name()),
                                 kTolerance, [=, form = form](Measure& measure) {
                                   optimizerCase(device, rule, shape, form, measure);
                                 }));
    }
}

}  // namespace parapet::selftest
