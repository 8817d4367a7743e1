// SPDX-License-Identifier: Apache-2.0
// A mesh whose devices share no memory trains the same model as one device: losses and tensors
// within rounding, whatever looks at the whole batch.
#include <fmt/format.h>

#include <QtTest>
#include <cmath>

#include "tests/base/counted_memory.h"
#include "tests/nn/sample_kinds.h"

using namespace parapet;
using experiment::Experiment;
using experiment::MemorySpaces;
using experiment::Placement;

namespace {

using sample::distance, sample::kExamples, sample::kinds, sample::kSteps;
using sample::Kind, sample::Outcome, sample::Steps;

sample::Trainer trainerOf(const Kind& kind, int ranks, MemorySpaces spaces, int threads,
                          Placement placement = Placement::kReplicated) {
  nn::Model model = sample::modelOf(kind);
  auto idsPerRow = sample::idsPerRow(model);
  return {std::move(model),     ranks,     threads, kExamples + kind.extra,
          std::move(idsPerRow), placement, spaces};
}

Outcome trained(const Kind& kind, int ranks, MemorySpaces spaces, int threads,
                Placement placement = Placement::kReplicated) {
  sample::Trainer trainer = trainerOf(kind, ranks, spaces, threads, placement);
  return sample::trained(trainer, kind.extra);
}

}  // namespace

class SpacesTest : public QObject {
  Q_OBJECT

  static void addKindsByRanks() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("ranks");
    for (std::size_t kind = 0; kind < kinds().size(); ++kind)
      for (const int ranks : {1, 2, 3, 8})
        QTest::addRow("%s, %d spaces", kinds()[kind].name, ranks)
            << static_cast<int>(kind) << ranks;
  }

 private Q_SLOTS:
  void trainTheSameModel_data() { addKindsByRanks(); }
  void trainTheSameModel() {
    QFETCH(int, kind);
    QFETCH(int, ranks);
    const Kind& of = kinds()[static_cast<std::size_t>(kind)];
    const Outcome whole = trained(of, of.dependsOnRanks ? ranks : 1, MemorySpaces::kShared, 1);
    for (const Placement placement : {Placement::kReplicated, Placement::kRow}) {
      const Outcome separate = trained(of, ranks, MemorySpaces::kSeparate, 1, placement);
      QCOMPARE(separate.losses.size(), static_cast<std::size_t>(kSteps) + 1);
      const double loss = distance(separate.losses, whole.losses);
      QVERIFY2(loss <= 1e-5, fmt::format("losses: {}", loss).c_str());
      QCOMPARE(separate.masked, whole.masked);
      const bool isKnown = std::isfinite(whole.equalScores[0]);
      const double equal = isKnown ? distance(separate.equalScores, whole.equalScores) : 0.0;
      QVERIFY2(equal <= 1e-5, fmt::format("equal scores: {}", equal).c_str());
      QCOMPARE(separate.arrays.size(), whole.arrays.size());
      for (std::size_t i = 0; i < whole.arrays.size(); ++i) {
        const double apart = distance(separate.arrays[i], whole.arrays[i]);
        QVERIFY2(apart <= 1e-5, fmt::format("array {}: {}", i, apart).c_str());
      }
    }
  }

  void threadsChangeNoBit_data() { addKindsByRanks(); }
  void threadsChangeNoBit() {
    QFETCH(int, kind);
    QFETCH(int, ranks);
    const Kind& of = kinds()[static_cast<std::size_t>(kind)];
    const Outcome alone = trained(of, ranks, MemorySpaces::kSeparate, 1);
    const Outcome several = trained(of, ranks, MemorySpaces::kSeparate, 3);
    QCOMPARE(several.losses, alone.losses);
    QVERIFY(several.arrays == alone.arrays);
  }

  // Every space has the same bits of what it has a copy of.
  void copiesStayTheSame_data() { addKindsByRanks(); }
  void copiesStayTheSame() {
    QFETCH(int, kind);
    QFETCH(int, ranks);
    const Kind& of = kinds()[static_cast<std::size_t>(kind)];
    sample::Trainer trainer = trainerOf(of, ranks, MemorySpaces::kSeparate, 2);
    Steps steps(trainer.model, of.extra);
    for (std::size_t step = 0; step < steps.batches.size(); ++step)
      QVERIFY(trainer.plan.train(steps.input(step), static_cast<std::int64_t>(step) + 1).ok());
    for (const nn::Parameter& parameter : trainer.parameters) {
      QCOMPARE(parameter.copies(), ranks);
      for (int copy = 1; copy < ranks; ++copy)
        QVERIFY2(std::ranges::equal(parameter.whole(copy).weight.host(),
                                    parameter.whole().weight.host()),
                 parameter.spec.name.c_str());
    }
  }

  void aStepTakesNoMemory_data() { addKindsByRanks(); }
  void aStepTakesNoMemory() {
    QFETCH(int, kind);
    QFETCH(int, ranks);
    const Kind& of = kinds()[static_cast<std::size_t>(kind)];
    sample::Trainer trainer = trainerOf(of, ranks, MemorySpaces::kSeparate, 2);
    Steps steps(trainer.model, of.extra);
    bool ok = true;
    std::vector<nn::StepInput> inputs;
    for (std::size_t step = 0; step < steps.batches.size(); ++step)
      inputs.push_back(steps.input(step));
    const auto run = [&](std::int64_t step) {
      ok = ok &&
           trainer.plan.train(inputs[static_cast<std::size_t>(step) % inputs.size()], step).ok();
    };
    for (std::int64_t step = 1; step <= 8; ++step) run(step);
    const std::int64_t before = sample::allocations();
    for (std::int64_t step = 9; step <= 40; ++step) run(step);
    const std::int64_t taken = sample::allocations() - before;
    QVERIFY(ok);
    QCOMPARE(taken, std::int64_t{0});
  }

  // The comparison notices a slightly different learning rate, or it would prove nothing.
  void comparisonNoticesAChange() {
    Kind kind = kinds()[4];
    const Outcome before = trained(kind, 3, MemorySpaces::kSeparate, 1);
    kind.experiment = [] {
      Experiment changed = kinds()[4].experiment();
      changed.optimizer.learningRate *= 1.001;
      return changed;
    };
    const Outcome after = trained(kind, 3, MemorySpaces::kSeparate, 1);
    QVERIFY(distance(before.arrays[1], after.arrays[1]) > 1e-5);
  }
};

QTEST_GUILESS_MAIN(SpacesTest)
#include "spaces_test.moc"
