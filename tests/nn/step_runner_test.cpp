// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/step_runner.h"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <functional>

#include "engine/base/clock.h"
#include "tests/nn/sample_model.h"

using namespace parapet;
using experiment::Activation;
using experiment::Experiment;
using experiment::Precision;
using experiment::Reduction;
using nn::StepRunner;

namespace {

/// The message of the InvalidArgument that `misuse` throws; "" if it throws none.
std::string complaint(const std::function<void()>& misuse) {
  try {
    misuse();
  } catch (const InvalidArgument& exception) {
    return exception.what();
  }
  return {};
}

/// One user and one item of width 1, with weights p and q: score p·q.
struct Scalar {
  sample::Trainer trainer;
  Scalar(double rate, Reduction reduction) : trainer(model(rate, reduction), 2, 1, 8) {
    trainer.parameters[0].whole().weight.host()[0] = 0.5f;
    trainer.parameters[1].whole().weight.host()[0] = 0.25f;
  }
  static nn::Model model(double rate, Reduction reduction) {
    Experiment experiment = sample::plainDot(1);
    experiment.loss.reduction = reduction;
    experiment.optimizer = sample::sgd(rate);
    return sample::build(experiment, 1, 1);
  }
};

}  // namespace

class StepRunnerTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // Loss Σ w·(p·q − y)²/denominator: dp = Σ 2·w·(p·q − y)·q/denominator. All numbers are exact.
  void exampleWeightsEnterTheGradient_data() {
    QTest::addColumn<int>("reduction");
    QTest::addColumn<double>("denominator");
    QTest::newRow("mean") << static_cast<int>(Reduction::kMean) << 4.0;
    QTest::newRow("weighted mean") << static_cast<int>(Reduction::kWeightedMean) << 8.0;
    QTest::newRow("sum") << static_cast<int>(Reduction::kSum) << 1.0;
  }
  void exampleWeightsEnterTheGradient() {
    QFETCH(int, reduction);
    QFETCH(double, denominator);
    Scalar model(0.5, static_cast<Reduction>(reduction));
    const std::vector<float> labels{0.0f, 1.0f, 0.5f, 0.125f}, weights{1.0f, 2.0f, 0.0f, 5.0f};
    sample::Batch batch{4, {{0, 0, 0, 0}, {0, 0, 0, 0}}, labels, weights};
    QVERIFY(model.trainer.plan.train(batch.input(), 1).ok());
    const double score = 0.125;
    double squared = 0.0, slope = 0.0;
    for (std::size_t row = 0; row < 4; ++row) {
      const auto weight = static_cast<double>(weights[row]);
      const double error = score - static_cast<double>(labels[row]);
      squared += weight * error * error;
      slope += 2.0 * weight * error / denominator;
    }
    QCOMPARE(model.trainer.loss().numerator, squared);
    QCOMPARE(model.trainer.loss().denominator, denominator);
    QCOMPARE(static_cast<double>(model.trainer.weights()[0][0]), 0.5 - 0.5 * slope * 0.25);
    QCOMPARE(static_cast<double>(model.trainer.weights()[1][0]), 0.25 - 0.5 * slope * 0.5);
  }

  void withoutWeightsEveryExampleWeighsOne() {
    Scalar model(0.5, Reduction::kWeightedMean);
    sample::Batch batch{2, {{0, 0}, {0, 0}}, {0.0f, 1.0f}, {}};
    QVERIFY(model.trainer.plan.train(batch.input(), 1).ok());
    QCOMPARE(model.trainer.loss().denominator, 2.0);
    // dp = ((0.125 − 0) + (0.125 − 1))·q = −0.75·0.25
    QCOMPARE(model.trainer.weights()[0][0], 0.5f + 0.5f * 0.75f * 0.25f);
  }

  // 0/0 is no loss of 0, and no step of NaN either.
  void examplesOfNoWeightHaveNoLossAndMoveNothing() {
    Scalar model(0.5, Reduction::kWeightedMean);
    const auto before = model.trainer.weights();
    sample::Batch batch{2, {{0, 0}, {0, 0}}, {0.0f, 1.0f}, {0.0f, 0.0f}};
    QVERIFY(model.trainer.plan.train(batch.input(), 1).ok());
    QCOMPARE(model.trainer.loss().denominator, 0.0);
    QVERIFY(std::isnan(model.trainer.loss().mean()));
    QVERIFY(std::isnan(nn::totalLoss(model.trainer.model.graph, model.trainer.plan.losses())));
    QCOMPARE(model.trainer.weights(), before);
  }

  void aTableThatIsNotTrainedKeepsItsBits() {
    for (const bool dense : {false, true}) {
      Experiment experiment = dense ? sample::denseTowers(Activation::kRelu) : sample::plainDot();
      experiment.optimizer.kind = experiment::OptimizerKind::kAdam;
      experiment.tables[0].trainable = false;
      sample::Trainer trainer(sample::build(experiment), 3, 1, 16);
      QVERIFY(trainer.parameters[0].whole().slots.empty());
      const auto before = trainer.weights();
      for (std::int64_t step = 1; step <= 3; ++step) {
        sample::Batch batch = sample::batchOf(trainer.model, 10, static_cast<std::uint64_t>(step));
        QVERIFY(trainer.plan.train(batch.input(), step).ok());
      }
      const auto after = trainer.weights();
      QCOMPARE(after[0], before[0]);
      for (std::size_t p = 1; p < before.size(); ++p) QVERIFY(after[p] != before[p]);
    }
  }

  void theLossOfAFrozenModelIsToldAllTheSame() {
    Experiment experiment = sample::plainDot();
    for (experiment::Table& table : experiment.tables) table.trainable = false;
    sample::Trainer frozen(sample::build(experiment), 2, 1, 16),
        trained(sample::build(sample::plainDot()), 2, 1, 16);
    sample::Batch batch = sample::batchOf(frozen.model, 10, 1);
    const auto before = frozen.weights();
    QVERIFY(frozen.plan.train(batch.input(), 1).ok() && trained.plan.train(batch.input(), 1).ok());
    QVERIFY(trained.loss().numerator > 0.0);
    QCOMPARE(frozen.loss().numerator, trained.loss().numerator);
    QCOMPARE(frozen.weights(), before);
  }

  void ftrlWaitsWhileItsRateIsNothing() {
    Experiment experiment = sample::plainDot();
    experiment.optimizer.kind = experiment::OptimizerKind::kFtrl;
    experiment.schedule.warmupSteps = 2;
    sample::Trainer trainer(sample::build(experiment), 1, 1, 16);
    const auto before = trainer.weights();
    sample::Batch batch = sample::batchOf(trainer.model, 10, 1);
    QVERIFY(trainer.plan.train(batch.input(), 1).ok());
    QCOMPARE(trainer.weights(), before);
    QVERIFY(trainer.plan.train(batch.input(), 2).ok());
    const auto after = trainer.weights();
    QVERIFY(after != before);
    for (const float weight : after[0]) QVERIFY(std::isfinite(weight));
  }

  // Old values of a buffer that a rank without rows leaves alone must not enter the sum.
  void ranksWithoutRowsAddNothing() {
    Experiment experiment = sample::denseTowers(Activation::kTanh);
    sample::Trainer one(sample::build(experiment), 1, 1, 16),
        eight(sample::build(experiment), 8, 1, 16);
    for (std::int64_t step = 1; step <= 2; ++step)
      for (sample::Trainer* trainer : {&one, &eight}) {
        sample::Batch batch = sample::batchOf(trainer->model, step == 1 ? 16 : 2, 3);
        QVERIFY(trainer->plan.train(batch.input(), step).ok());
      }
    const auto expected = one.weights(), found = eight.weights();
    for (std::size_t p = 0; p < expected.size(); ++p)
      for (std::size_t i = 0; i < expected[p].size(); ++i)
        QVERIFY(std::abs(expected[p][i] - found[p][i]) <= 1e-6f);
  }

  void forwardGivesTheTargetsAndChangesNothing() {
    sample::Trainer trainer(sample::build(sample::plainDot()), 2, 1, 16);
    StepRunner forward(trainer.model.graph, trainer.parameters, trainer.mesh, *trainer.communicator,
                       trainer.workers, {.targets = {trainer.model.score}, .capacityRows = 16});
    sample::Batch batch = sample::batchOf(trainer.model, 5, 9);
    nn::StepBatch input = batch.input();
    input.labels = {};
    const auto before = trainer.weights();
    QVERIFY(forward.forward(input).ok());
    QCOMPARE(trainer.weights(), before);
    for (std::size_t row = 0; row < 5; ++row) {
      float score = 0.0f;
      for (std::size_t d = 0; d < 4; ++d)
        score += before[0][static_cast<std::size_t>(batch.ids[0][row]) * 4 + d] *
                 before[1][static_cast<std::size_t>(batch.ids[1][row]) * 4 + d];
      QVERIFY(std::abs(forward.output(trainer.model.score)[row] - score) <= 1e-6f);
    }
  }

  // A dry run allocates what a step does, batch by batch; weights come as the batches bring them.
  void dryRunsCountWhatStepsTake_data() {
    QTest::addColumn<int>("spaces");
    QTest::addColumn<int>("placement");
    QTest::addColumn<int>("batches");
    using experiment::MemorySpaces, experiment::Placement;
    const auto row = [](const char* name, MemorySpaces spaces, Placement placement, int batches) {
      QTest::newRow(name) << static_cast<int>(spaces) << static_cast<int>(placement) << batches;
    };
    row("one memory", MemorySpaces::kShared, Placement::kReplicated, 1);
    row("copies", MemorySpaces::kSeparate, Placement::kReplicated, 1);
    row("rows", MemorySpaces::kSeparate, Placement::kRow, 1);
    row("columns", MemorySpaces::kSeparate, Placement::kColumn, 1);
    row("several batches", MemorySpaces::kSeparate, Placement::kRow, 3);
  }
  void dryRunsCountWhatStepsTake() {
    QFETCH(int, spaces);
    QFETCH(int, placement);
    QFETCH(int, batches);
    Experiment clipped = sample::denseTowers(Activation::kRelu);
    clipped.optimizer.clipNorm = 1.0;
    for (const Experiment& experiment : {sample::plainDot(), sample::denseTowers(Activation::kRelu),
                                         sample::sharedTable(), clipped}) {
      // Limits that are never reached count what is really taken.
      const auto count = std::make_shared<tensor::MemoryLimit>("all", std::uint64_t{1} << 40);
      std::vector<tensor::Device> devices;
      for (int rank = 0; rank < 3; ++rank) devices.push_back(tensor::hostDevice().within(count));
      const auto mesh = mesh::DeviceMesh::arrange(devices, std::nullopt, {"data"},
                                                  static_cast<experiment::MemorySpaces>(spaces))
                            .value();
      nn::Model model = sample::build(experiment);
      std::vector<nn::Parameter> parameters = sample::Trainer::makeParameters(
          model.graph, mesh, static_cast<experiment::Placement>(placement));
      std::vector<mesh::Sharding> shardings;
      for (const nn::Parameter& parameter : parameters) shardings.push_back(parameter.sharding);
      const nn::StepTask task{.targets = {model.heads[0].lossValue},
                              .capacityRows = 100,
                              .purpose = nn::StepPurpose::kTrain,
                              .batchesPerStep = batches};
      Workers workers(2);
      const auto communicator = mesh::makeLocalCommunicator(mesh.devices(), &workers);
      const std::uint64_t before = count->inUse();
      StepRunner runner(model.graph, parameters, mesh, *communicator, workers, task);
      sample::Batch batch = sample::batchOf(model, 100, 1);
      nn::StepBatch input = batch.input();
      input.weights = {};
      input.batch = 1;
      for (int part = 0; part < batches; ++part)
        QVERIFY(runner.train(input, 1, &input, {part, part + 1 == batches}).ok());
      std::int64_t counted = 0;
      for (const std::int64_t bytes : nn::stepBytes(model.graph, shardings, mesh, task))
        counted += bytes;
      QCOMPARE(counted, static_cast<std::int64_t>(count->inUse() - before));
    }
  }

  // Work that all ranks do together is computing, too: nearly all of such a step.
  void nodesOverTheBatchCountAsCompute() {
    Experiment experiment = sample::plainDot(64);
    experiment.loss.kind = experiment::LossKind::kInBatchSoftmax;
    sample::Trainer trainer(sample::build(experiment), 2, 1, 2048);
    sample::Batch batch = sample::batchOf(trainer.model, 2048, 1);
    const Stopwatch clock;
    QVERIFY(trainer.plan.train(batch.input(), 1).ok());
    const double whole = clock.seconds();
    for (const double compute : trainer.plan.times().computeOfRank) {
      QVERIFY(compute > 0.5 * whole);
      QVERIFY(compute <= whole);
    }
  }

  void refusesInputThatDoesNotFit() {
    sample::Trainer trainer(sample::build(sample::plainDot()), 1, 1, 8);
    const auto train = [&](sample::Batch batch) {
      return complaint([&] { std::ignore = trainer.plan.train(batch.input(), 1); });
    };
    const sample::Batch good = sample::batchOf(trainer.model, 8, 1);
    QCOMPARE(train(good), std::string());
    sample::Batch bad = sample::batchOf(trainer.model, 9, 1);
    QCOMPARE(train(bad), std::string("[nn.StepRunner] 9 rows; the capacity is 8"));
    bad = good;
    bad.rows = -1;
    QCOMPARE(train(bad), std::string("[nn.StepRunner] -1 rows; the capacity is 8"));
    bad = good;
    bad.ids[1].pop_back();
    QCOMPARE(train(bad), std::string("[nn.LookupRows] 7 ids of feature 1; 8 are accepted"));
    bad = good;
    bad.ids.pop_back();
    QCOMPARE(train(bad), std::string("[nn.StepRunner] 1 features; the graph reads feature 1"));
    bad = good;
    bad.labels.clear();
    QCOMPARE(train(bad), std::string("[nn.StepRunner] 0 labels for 8 rows"));
    bad = good;
    bad.weights = {1.0f};
    QCOMPARE(train(bad), std::string("[nn.StepRunner] 1 weights for 8 rows"));
  }

  // Operands of bf16 have 8 bits: what they give is near, never the same, and tables stay fp32.
  void precisionIsThatOfTheProducts() {
    const auto lossAfter = [](Precision precision, int threads) {
      experiment::Experiment experiment = sample::denseTowers(Activation::kTanh);
      experiment.training.precision = precision;
      sample::Trainer trainer(sample::build(experiment), 1, threads, 64);
      for (int step = 1; step <= 5; ++step) {
        sample::Batch batch = sample::batchOf(trainer.model, 64, static_cast<std::uint64_t>(step));
        if (!trainer.plan.train(batch.input(), step).ok()) return -1.0;
      }
      return trainer.loss().numerator / trainer.loss().denominator;
    };
    const double fp32 = lossAfter(Precision::kFp32, 1), bf16 = lossAfter(Precision::kBf16, 1);
    QVERIFY(fp32 > 0.0 && bf16 != fp32);
    QVERIFY2(std::abs(bf16 / fp32 - 1.0) < 0.01, qPrintable(QString::number(bf16 / fp32)));
    QCOMPARE(lossAfter(Precision::kBf16, 2), bf16);
    // The CPU has no TF32: what was trained in it is evaluated in single precision.
    QCOMPARE(lossAfter(Precision::kTf32, 1), fp32);
  }

  void refusesIdsOutsideTheTable() {
    sample::Trainer trainer(sample::build(sample::plainDot()), 1, 1, 8);
    sample::Batch batch = sample::batchOf(trainer.model, 4, 1);
    batch.ids[1][2] = 7;
    const auto before = trainer.weights();
    QCOMPARE(complaint([&] { std::ignore = trainer.plan.train(batch.input(), 1); }),
             std::string("[tensor.groupRows] rows[2] is 7; accepted are 0 … 6"));
    QCOMPARE(trainer.weights(), before);
  }

  void refusesToTrainAForwardPlanAndToScoreWithoutLabels() {
    sample::Trainer trainer(sample::build(sample::plainDot()), 1, 1, 8);
    StepRunner forward(trainer.model.graph, trainer.parameters, trainer.mesh, *trainer.communicator,
                       trainer.workers,
                       {.targets = {trainer.model.heads[0].lossValue}, .capacityRows = 8});
    sample::Batch batch = sample::batchOf(trainer.model, 4, 1);
    nn::StepBatch input = batch.input();
    QVERIFY(complaint([&] { std::ignore = forward.train(input, 1); }).find("made for forward()") !=
            std::string::npos);
    input.labels = {};
    QVERIFY(complaint([&] { std::ignore = forward.forward(input); }).find("no labels") !=
            std::string::npos);
  }

  void refusesCapacityForNoRow() {
    QVERIFY_EXCEPTION_THROWN(sample::Trainer(sample::build(sample::plainDot()), 1, 1, 0),
                             InvalidArgument);
  }

  void anAbortedMeshEndsTheStep() {
    sample::Trainer trainer(sample::build(sample::denseTowers(Activation::kRelu)), 2, 1, 8);
    trainer.communicator->abort("stopped");
    sample::Batch batch = sample::batchOf(trainer.model, 4, 1);
    const Status trained = trainer.plan.train(batch.input(), 1);
    QVERIFY(!trained.ok());
    QCOMPARE(trained.error().code, ErrorCode::kPeer);
  }
};

QTEST_GUILESS_MAIN(StepRunnerTest)
#include "step_runner_test.moc"
