// SPDX-License-Identifier: Apache-2.0
// A mesh whose devices share no memory trains the same model as one device: losses and tensors
// within rounding, whatever looks at the whole batch.
#include <fmt/format.h>

#include <QtTest>
#include <cmath>

#include "tests/base/counted_memory.h"
#include "tests/mesh/thread_processes.h"
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

/// trained() by several processes, which share the ranks: the outcome of each.
std::vector<Outcome> trainedByProcesses(const Kind& kind, int ranks, int processes,
                                        Placement placement) {
  const mesh::DeviceMesh whole = sample::Trainer::meshOf(ranks, MemorySpaces::kSeparate);
  const std::vector<int> firstRanks = sample::firstRanksOf(ranks, processes);
  const auto post = std::make_shared<sample::Post>();
  std::vector<Outcome> outcomes(static_cast<std::size_t>(processes));
  sample::asProcesses(processes, [&](int process) {
    nn::Model model = sample::modelOf(kind);
    auto idsPerRow = sample::idsPerRow(model);
    const mesh::DeviceMesh mesh = whole.divided(firstRanks, process);
    sample::Trainer trainer(std::move(model), mesh, process + 1, kExamples + kind.extra,
                            std::move(idsPerRow), placement,
                            mesh::makeProcessCommunicator(
                                std::make_shared<sample::PostTransport>(post, processes, process),
                                firstRanks, mesh.devices(), nullptr));
    outcomes[static_cast<std::size_t>(process)] = sample::trained(trainer, kind.extra);
  });
  return outcomes;
}

/// Counts what is added up; groups count with it.
class CountingCommunicator : public mesh::Communicator {
 public:
  CountingCommunicator(std::unique_ptr<mesh::Communicator> inner, std::vector<std::int64_t>& sums)
      : inner_(std::move(inner)), sums_(sums) {}
  [[nodiscard]] int ranks() const override { return inner_->ranks(); }
  Result<std::unique_ptr<Communicator>> group(std::span<const int> ranks) override {
    PARAPET_ASSIGN(auto inner, inner_->group(ranks));
    return std::unique_ptr<Communicator>(
        std::make_unique<CountingCommunicator>(std::move(inner), sums_));
  }
  Status allReduce(Buffers buffers, std::int64_t n, mesh::ElementType type,
                   mesh::Memory memory) override {
    if (type == mesh::ElementType::kF32) sums_.push_back(n);
    return inner_->allReduce(buffers, n, type, memory);
  }
  Status reduceScatter(ConstBuffers in, Buffers out, Counts counts, mesh::ElementType type,
                       mesh::Memory memory) override {
    return inner_->reduceScatter(in, out, counts, type, memory);
  }
  Status allGather(ConstBuffers in, Buffers out, Counts counts, mesh::ElementType type,
                   mesh::Memory memory) override {
    return inner_->allGather(in, out, counts, type, memory);
  }
  Status allToAll(ConstBuffers in, std::span<const mesh::PeerCounts> counts, Buffers out,
                  mesh::ElementType type, mesh::Memory memory) override {
    return inner_->allToAll(in, counts, out, type, memory);
  }
  Status barrier() override { return inner_->barrier(); }
  void abort(const std::string& reason) override { inner_->abort(reason); }

 private:
  std::unique_ptr<mesh::Communicator> inner_;
  std::vector<std::int64_t>& sums_;
};

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

  // The arrays of a process are zero where it has no part of a table.
  void processesTrainTheSameBits_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("ranks");
    QTest::addColumn<int>("processes");
    for (std::size_t kind = 0; kind < kinds().size(); ++kind)
      for (const auto& [ranks, processes] : {std::pair{2, 2}, {3, 2}, {8, 4}})
        QTest::addRow("%s, %d spaces, %d processes", kinds()[kind].name, ranks, processes)
            << static_cast<int>(kind) << ranks << processes;
  }
  void processesTrainTheSameBits() {
    QFETCH(int, kind);
    QFETCH(int, ranks);
    QFETCH(int, processes);
    const Kind& of = kinds()[static_cast<std::size_t>(kind)];
    for (const Placement placement :
         {Placement::kReplicated, Placement::kRow, Placement::kTable, Placement::kColumn}) {
      if (placement == Placement::kColumn && ranks > 3) continue;  // of four columns
      const Outcome whole = trained(of, ranks, MemorySpaces::kSeparate, 1, placement);
      QCOMPARE(whole.losses.size(), static_cast<std::size_t>(kSteps) + 1);
      const auto parts = trainedByProcesses(of, ranks, processes, placement);
      const std::size_t outputs =
          whole.arrays.size() - sample::modelOf(of).graph.parameters().size();
      std::vector<std::vector<float>> parameters;
      for (std::size_t i = outputs; i < whole.arrays.size(); ++i)
        parameters.emplace_back(whole.arrays[i].size(), 0.0f);
      for (const Outcome& part : parts) {
        QCOMPARE(part.losses, whole.losses);
        QCOMPARE(part.masked, whole.masked);
        QCOMPARE(part.arrays.size(), whole.arrays.size());
        for (std::size_t i = 0; i < outputs; ++i) QCOMPARE(part.arrays[i], whole.arrays[i]);
        for (std::size_t i = 0; i < parameters.size(); ++i)
          std::ranges::transform(parameters[i], part.arrays[outputs + i], parameters[i].begin(),
                                 std::plus<>{});
      }
      for (std::size_t i = 0; i < parameters.size(); ++i)
        QCOMPARE(parameters[i], whole.arrays[outputs + i]);
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
    std::vector<nn::StepBatch> inputs;
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

  // Kernels of more than a bucket are added up on their own, in the backward pass.
  void gradientsAreAddedUpInBuckets() {
    Experiment experiment = sample::plainDot(6);
    experiment.model.kind = experiment::ModelKind::kRanking;
    const experiment::Layer wide{.units = 1100, .activation = experiment::Activation::kTanh};
    experiment.model.layers = {wide, wide, wide, {.units = 1}};
    constexpr std::int64_t kRows = 70;
    std::vector<std::int64_t> sums;
    const auto trained = [&](MemorySpaces spaces, int threads) {
      const mesh::DeviceMesh mesh = sample::Trainer::meshOf(2, spaces);
      auto counted = std::make_unique<CountingCommunicator>(
          mesh::makeLocalCommunicator(2, {&tensor::hostDevice(), nullptr}), sums);
      sample::Trainer trainer(sample::build(experiment, 500, 400), mesh, threads, kRows, {},
                              Placement::kRow, std::move(counted));
      Outcome out;
      sums.clear();
      for (std::int64_t step = 1; step <= 3; ++step) {
        sample::Batch batch =
            sample::batchOf(trainer.model, kRows, static_cast<std::uint64_t>(step));
        if (!trainer.plan.train(batch.input(), step).ok()) return out;
        out.losses.push_back(nn::totalLoss(trainer.model.graph, trainer.plan.losses()));
      }
      for (const nn::Parameter& parameter : trainer.parameters)
        nn::gatherRows(parameter, -1,
                       out.arrays.emplace_back(static_cast<std::size_t>(parameter.size())));
      return out;
    };
    const Outcome one = trained(MemorySpaces::kShared, 1);
    QCOMPARE(sums.size(), std::size_t{0});
    const Outcome alone = trained(MemorySpaces::kSeparate, 1);
    QCOMPARE(sums.size(), std::size_t{9});
    constexpr std::int64_t kKernel = 1100 * 1100;
    for (std::size_t step = 0; step < 3; ++step) {
      QCOMPARE(sums[3 * step], kKernel + 1100 + 1100 + 1);
      QCOMPARE(sums[3 * step + 1], kKernel + 1100);
      QCOMPARE(sums[3 * step + 2], std::int64_t{12 * 1100 + 1100});
    }
    const Outcome several = trained(MemorySpaces::kSeparate, 3);
    QCOMPARE(several.losses, alone.losses);
    QVERIFY(several.arrays == alone.arrays);
    QVERIFY(distance(alone.losses, one.losses) <= 1e-5);
    for (std::size_t i = 0; i < one.arrays.size(); ++i)
      QVERIFY(distance(alone.arrays[i], one.arrays[i]) <= 1e-5);
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
