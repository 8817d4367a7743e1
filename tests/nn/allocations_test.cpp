// SPDX-License-Identifier: Apache-2.0
// A steady-state training step asks for no memory.
#include <QtTest>
#include <cstdlib>

#include "engine/mesh/placement.h"
#include "tests/base/counted_memory.h"
#include "tests/nn/sample_model.h"

using namespace parapet;

class AllocationsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // Volatile, or the compiler may leave a pair of new and delete out.
  void counterCounts() {
    std::int64_t before = sample::allocations();
    std::vector<int>* volatile numbers = new std::vector<int>(100);
    QVERIFY(sample::allocations() >= before + 2);
    delete numbers;
    before = sample::allocations();
    void* volatile memory = std::malloc(100);
    QCOMPARE(sample::allocations(), before + 1);
    std::free(memory);
    before = sample::allocations();
    const tensor::Buffer<float> buffer(tensor::hostDevice(), 100);
    if (sample::kCountsLibraries) QCOMPARE(sample::allocations(), before + 1);
  }

  void aStepTakesNoMemory_data() {
    QTest::addColumn<bool>("dense");
    QTest::addColumn<int>("ranks");
    QTest::addColumn<int>("threads");
    for (const bool dense : {false, true})
      for (const int ranks : {1, 4})
        for (const int threads : {1, 3})
          QTest::addRow("%s, %d ranks, %d threads", dense ? "dense layers" : "plain dot", ranks,
                        threads)
              << dense << ranks << threads;
  }
  void aStepTakesNoMemory() {
    QFETCH(bool, dense);
    QFETCH(int, ranks);
    QFETCH(int, threads);
    experiment::Experiment experiment = dense ? sample::sharedTable() : sample::plainDot(32);
    experiment.optimizer.kind = experiment::OptimizerKind::kAdam;
    sample::Trainer trainer(sample::build(experiment), ranks, threads, 500);
    sample::Batch full = sample::batchOf(trainer.model, 500, 1);
    sample::Batch last = sample::batchOf(trainer.model, 301, 2);
    const nn::StepBatch fullInput = full.input(), lastInput = last.input();
    bool ok = true;
    for (std::int64_t step = 1; step <= 3; ++step)
      ok = ok && trainer.plan.train(fullInput, step).ok();
    const std::int64_t before = sample::allocations();
    for (std::int64_t step = 4; step < 54; ++step)
      ok = ok && trainer.plan.train(step % 10 == 0 ? lastInput : fullInput, step).ok();
    const std::int64_t taken = sample::allocations() - before;
    QVERIFY(ok);
    QCOMPARE(taken, std::int64_t{0});
  }

  // Devices whose memory is their own, so that all that they exchange is staged on the host.
  void aStepOfDevicesApartTakesNoMemory_data() {
    QTest::addColumn<int>("placement");
    QTest::newRow("replicated") << static_cast<int>(experiment::Placement::kReplicated);
    QTest::newRow("row") << static_cast<int>(experiment::Placement::kRow);
    QTest::newRow("column") << static_cast<int>(experiment::Placement::kColumn);
  }
  void aStepOfDevicesApartTakesNoMemory() {
    QFETCH(int, placement);
    PpDevice apart = tensor::hostDevice().backend();
    apart.memoryKind = PP_MEMORY_DEVICE;
    std::vector<tensor::Device> devices;
    for (int index = 0; index < 3; ++index)
      devices.emplace_back("apart:" + std::to_string(index), apart, index, "portable");
    experiment::Experiment experiment = sample::denseTowers(experiment::Activation::kRelu, 32);
    experiment.optimizer.clipNorm = 1.0;  // squares and mean squares cross, too
    sample::Trainer trainer(sample::build(experiment),
                            mesh::DeviceMesh::arrange(devices, std::nullopt, {"data"},
                                                      experiment::MemorySpaces::kShared)
                                .value(),
                            2, 500, {}, static_cast<experiment::Placement>(placement));
    sample::Batch batches[2] = {sample::batchOf(trainer.model, 500, 1),
                                sample::batchOf(trainer.model, 301, 2)};
    nn::StepBatch inputs[2] = {batches[0].input(), batches[1].input()};
    bool ok = true;
    std::int64_t before = 0;
    for (std::int64_t step = 1; step <= 30; ++step) {
      if (step == 7) before = sample::allocations();
      nn::StepBatch &now = inputs[step % 2], &next = inputs[(step + 1) % 2];
      now.batch = step;
      next.batch = step + 1;
      ok = ok && trainer.plan.train(now, step, &next).ok();
    }
    const std::int64_t taken = sample::allocations() - before;
    QVERIFY(ok);
    QCOMPARE(taken, std::int64_t{0});
  }

  // Rows come from their shards, gradients go back, and the ids of the next batch are sorted ahead.
  void aStepOfSplitTablesTakesNoMemory() {
    const nn::Model model = sample::build(sample::denseTowers(experiment::Activation::kRelu, 32));
    const auto mesh = mesh::DeviceMesh::create({.devices = {"cpu*4"},
                                                .shape = {},
                                                .axes = {"data"},
                                                .spaces = experiment::MemorySpaces::kSeparate})
                          .value();
    std::vector<nn::Parameter> parameters;
    for (const nn::ParameterSpec& spec : model.graph.parameters()) {
      experiment::Table table;
      table.embeddingDim = spec.cols;
      table.placement =
          spec.sparse ? experiment::Placement::kRow : experiment::Placement::kReplicated;
      const mesh::Sharding sharding =
          mesh::heldSharding(mesh::placeTable(table, mesh, spec.rows, "").value(), mesh);
      parameters.push_back(
          nn::makeParameter(spec, sharding, mesh::devicesOf(sharding, mesh), 42).value());
    }
    Workers workers(3);
    const auto communicator = mesh::makeLocalCommunicator(4, {&tensor::hostDevice(), &workers});
    nn::StepRunner plan(model.graph, parameters, mesh, *communicator, workers,
                        {.targets = {model.heads[0].lossValue},
                         .capacityRows = 500,
                         .purpose = nn::StepPurpose::kTrain});
    sample::Batch batches[2] = {sample::batchOf(model, 500, 1), sample::batchOf(model, 301, 2)};
    nn::StepBatch inputs[2] = {batches[0].input(), batches[1].input()};
    bool ok = true;
    std::int64_t before = 0;
    for (std::int64_t step = 1; step <= 50; ++step) {
      if (step == 7) before = sample::allocations();
      nn::StepBatch &now = inputs[step % 2], &next = inputs[(step + 1) % 2];
      now.batch = step;
      next.batch = step + 1;
      ok = ok && plan.train(now, step, &next).ok();
    }
    const std::int64_t taken = sample::allocations() - before;
    QVERIFY(ok);
    QCOMPARE(taken, std::int64_t{0});
  }
};

QTEST_GUILESS_MAIN(AllocationsTest)
#include "allocations_test.moc"
