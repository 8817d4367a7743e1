// SPDX-License-Identifier: Apache-2.0
// A steady-state training step asks for no memory.
#include <QtTest>
#include <cstdlib>

#include "tests/nn/counted_memory.h"
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
    QCOMPARE(sample::allocations(), before + 1);
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
    const nn::StepInput fullInput = full.input(), lastInput = last.input();
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
};

QTEST_GUILESS_MAIN(AllocationsTest)
#include "allocations_test.moc"
