// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/parameters.h"

#include <QtTest>
#include <algorithm>

using namespace parapet;
using experiment::Optimizer;
using experiment::OptimizerKind;
using nn::Parameter;
using nn::ParameterSpec;

namespace {

using Names = std::vector<std::string>;

Optimizer optimizerOf(OptimizerKind kind, double momentum = 0.0) {
  Optimizer optimizer;
  optimizer.kind = kind;
  optimizer.momentum = momentum;
  return optimizer;
}

ParameterSpec specOf(const Optimizer& optimizer, bool sparse, bool trainable) {
  return {.name = "tables/user",
          .rows = 13,
          .cols = 5,
          .initializer = {},
          .optimizer = optimizer,
          .trainable = trainable,
          .sparse = sparse};
}

std::uint64_t slotBytes(const Parameter& parameter) {
  std::uint64_t bytes = 0;
  for (const nn::Slot& slot : parameter.slots) bytes += slot.values.bytes();
  return bytes;
}

const std::vector<std::pair<Optimizer, Names>>& optimizers() {
  static const std::vector<std::pair<Optimizer, Names>> all{
      {optimizerOf(OptimizerKind::kSgd), {}},
      {optimizerOf(OptimizerKind::kSgd, 0.9), {"velocity"}},
      {optimizerOf(OptimizerKind::kAdagrad), {"accumulator"}},
      {optimizerOf(OptimizerKind::kAdam), {"moment", "variance"}}};
  return all;
}

}  // namespace

class ParametersTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyOptimizerHasItsSlots() {
    for (const auto& [optimizer, names] : optimizers()) {
      QCOMPARE(nn::slotNames(optimizer), names);
      const Parameter parameter =
          nn::makeParameter(specOf(optimizer, true, true), tensor::hostDevice(), 1);
      Names found;
      for (const nn::Slot& slot : parameter.slots) {
        found.push_back(slot.name);
        QCOMPARE(slot.values.size(), parameter.size());
      }
      QCOMPARE(found, names);
    }
  }

  void slotsStartWhereTheOptimizerSays() {
    Optimizer adagrad = optimizerOf(OptimizerKind::kAdagrad);
    adagrad.initialAccumulator = 0.25;
    for (const auto& [optimizer, start] :
         {std::pair{adagrad, 0.25f}, std::pair{optimizerOf(OptimizerKind::kAdam), 0.0f},
          std::pair{optimizerOf(OptimizerKind::kSgd, 0.5), 0.0f}}) {
      const Parameter parameter =
          nn::makeParameter(specOf(optimizer, true, true), tensor::hostDevice(), 1);
      for (const nn::Slot& slot : parameter.slots) {
        QCOMPARE(nn::slotStart(optimizer, slot.name), start);
        QVERIFY(std::ranges::all_of(slot.values.host(), [&](float v) { return v == start; }));
      }
    }
  }

  void bytesAreWhatIsAllocated() {
    for (const auto& [optimizer, names] : optimizers())
      for (const bool sparse : {false, true})
        for (const bool trainable : {false, true}) {
          const ParameterSpec spec = specOf(optimizer, sparse, trainable);
          const Parameter parameter = nn::makeParameter(spec, tensor::hostDevice(), 1);
          const nn::ParameterBytes bytes = nn::parameterBytes(spec);
          QCOMPARE(bytes.weight, parameter.weight.bytes());
          QCOMPARE(bytes.slots, slotBytes(parameter));
          QCOMPARE(bytes.scratch, parameter.placeOfRow.bytes());
          QCOMPARE(bytes.total(), bytes.weight + bytes.slots + bytes.scratch);
        }
  }

  void aTableHasScratchThatNamesNoRow() {
    const Parameter table = nn::makeParameter(specOf(optimizerOf(OptimizerKind::kAdam), true, true),
                                              tensor::hostDevice(), 1);
    QCOMPARE(table.placeOfRow.size(), std::int64_t{13});
    QVERIFY(std::ranges::all_of(table.placeOfRow.host(), [](std::int32_t s) { return s == -1; }));
  }

  void whatIsNotTrainedHasWeightsOnly() {
    const Parameter frozen = nn::makeParameter(
        specOf(optimizerOf(OptimizerKind::kAdam), true, false), tensor::hostDevice(), 1);
    QVERIFY(frozen.slots.empty());
    QCOMPARE(frozen.placeOfRow.size(), std::int64_t{0});
    QCOMPARE(frozen.weight.size(), std::int64_t{65});
  }

  void weightsAreAFunctionOfSeedAndSpec() {
    const ParameterSpec spec = specOf(optimizerOf(OptimizerKind::kAdagrad), true, true);
    const auto make = [&](std::uint64_t seed) {
      return nn::makeParameter(spec, tensor::hostDevice(), seed);
    };
    const Parameter a = make(1), b = make(1), c = make(2);
    QVERIFY(std::ranges::equal(a.weight.host(), b.weight.host()));
    QVERIFY(!std::ranges::equal(a.weight.host(), c.weight.host()));
  }

  // A dense step of Adagrad by hand: acc = 0.1 + g², w −= lr·g/√(acc + ε).
  void updatesByTheOptimizerOfTheSpec() {
    Optimizer optimizer = optimizerOf(OptimizerKind::kAdagrad);
    optimizer.learningRate = 0.5;
    optimizer.epsilon = 0.04;
    ParameterSpec spec = specOf(optimizer, false, true);
    spec.initializer = {.kind = experiment::InitializerKind::kConstant};
    Parameter parameter = nn::makeParameter(spec, tensor::hostDevice(), 1);
    const std::vector<float> grad(65, 2.0f);
    nn::updateParameter({&tensor::hostDevice(), nullptr}, parameter,
                        tensor::everyRow(parameter.weight.data(), 13, 5, grad.data()), 1);
    for (const float accumulator : parameter.slots[0].values.host()) QCOMPARE(accumulator, 4.1f);
    for (const float w : parameter.weight.host()) QCOMPARE(w, -0.5f * 2.0f / std::sqrt(4.14f));
  }
};

QTEST_GUILESS_MAIN(ParametersTest)
#include "parameters_test.moc"
