// SPDX-License-Identifier: Apache-2.0
// Several batches of a step are one batch of all their examples, whatever the loss, the optimizer and
// the mesh.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "tests/train/small_training.h"

using namespace parapet;
using experiment::Experiment;
using testing::EventList;

using Change = std::function<void(Experiment&)>;

namespace {

std::vector<float> weightsOf(train::Session& session) {
  std::vector<float> weights;
  for (const checkpoint::TensorView& tensor : session.tensors()) {
    if (tensor.type != checkpoint::ElementType::kF32) continue;
    const auto* values = reinterpret_cast<const float*>(tensor.bytes.data());
    weights.insert(weights.end(), values, values + tensor.bytes.size() / sizeof(float));
  }
  return weights;
}

void requireSame(const std::vector<float>& found, const std::vector<float>& expected) {
  QCOMPARE(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    QVERIFY2(std::abs(found[i] - expected[i]) <= 1e-4f * std::max(1.0f, std::abs(expected[i])),
             qPrintable(QString("%1: %2, not %3").arg(i).arg(found[i]).arg(expected[i])));
}

/// A table whose rows are bags, layers and a table that both towers read, so that every kind of
/// gradient is added up.
Experiment layeredDocument() {
  Experiment document = testing::ratingsDocument();
  document.model.query = {{.units = 6, .activation = experiment::Activation::kRelu}, {.units = 4}};
  document.model.candidate = {{.units = 4}};
  return document;
}

void useAdam(Experiment& document, experiment::SparseUpdate update) {
  document.optimizer = {
      .kind = experiment::OptimizerKind::kAdam, .learningRate = 0.01, .sparseUpdate = update};
}

}  // namespace

class AccumulationTest : public QObject {
  Q_OBJECT

  testing::SmallTraining training_;

 private Q_SLOTS:
  void partsAreOneBatch_data() {
    QTest::addColumn<Change>("change");
    const auto row = [](const char* name, const Change& change) { QTest::newRow(name) << change; };
    row("two tables", [](Experiment&) {});
    row("layers", [](Experiment& e) { e = layeredDocument(); });
    row("sum", [](Experiment& e) {
      e.loss.reduction = experiment::Reduction::kSum;
      e.optimizer.learningRate = 0.01;
    });
    row("adam, dense", [](Experiment& e) { useAdam(e, experiment::SparseUpdate::kDense); });
    row("adam, lazy", [](Experiment& e) { useAdam(e, experiment::SparseUpdate::kLazy); });
    row("rowwise adagrad by columns", [](Experiment& e) {
      e.optimizer.kind = experiment::OptimizerKind::kRowwiseAdagrad;
      e.mesh.devices = {"cpu*2"};
      e.mesh.spaces = experiment::MemorySpaces::kSeparate;
      for (experiment::Table& table : e.tables) table.placement = experiment::Placement::kColumn;
    });
    row("clipped", [](Experiment& e) {
      e = layeredDocument();
      e.optimizer.globalClipNorm = 0.01;
    });
    row("a schedule", [](Experiment& e) {
      e.schedule = {.kind = experiment::ScheduleKind::kPolynomial,
                    .decaySteps = experiment::kStepsOfRun};
    });
    for (const bool separate : {false, true})
      for (const auto placement : {experiment::Placement::kRow, experiment::Placement::kReplicated})
        QTest::addRow("cpu*3, %d, %d", separate, static_cast<int>(placement))
            << Change([=](Experiment& e) {
                 e = layeredDocument();
                 e.mesh.devices = {"cpu*3"};
                 if (separate) e.mesh.spaces = experiment::MemorySpaces::kSeparate;
                 for (experiment::Table& table : e.tables) table.placement = placement;
               });
  }
  /// 490 rows: the last step of an epoch has 42 of them, in parts of 16, 16 and 10.
  void partsAreOneBatch() {
    QFETCH(Change, change);
    Experiment whole = testing::ratingsDocument();
    change(whole);
    Experiment parts = whole;
    parts.dataset.batch.size = 16;
    parts.optimizer.accumulateSteps = 4;
    EventList wholeEvents, partEvents;
    const auto expected = training_.train(whole, "whole", wholeEvents);
    const auto found = training_.train(parts, "parts", partEvents);
    QCOMPARE(found.result.steps, expected.result.steps);
    QCOMPARE(found.result.steps, std::int64_t{16});
    QCOMPARE(partEvents.steps.size(), wholeEvents.steps.size());
    for (std::size_t step = 0; step < partEvents.steps.size(); ++step) {
      const bool isSum = whole.loss.reduction == experiment::Reduction::kSum;
      if (!isSum)
        QVERIFY(std::abs(partEvents.steps[step].loss - wholeEvents.steps[step].loss) < 1e-5);
      QCOMPARE(partEvents.steps[step].step, wholeEvents.steps[step].step);
    }
    for (std::size_t epoch = 0; epoch < expected.result.epochs.size(); ++epoch)
      QCOMPARE(found.result.epochs[epoch].learningRate, expected.result.epochs[epoch].learningRate);
    requireSame(weightsOf(*found.session), weightsOf(*expected.session));
  }

  void aLazyUpdateMovesTheRowsOfAllPartsAndNoOthers() {
    Experiment document = testing::ratingsDocument();
    useAdam(document, experiment::SparseUpdate::kLazy);
    document.dataset.batch.size = 2;
    document.optimizer.accumulateSteps = 3;
    const auto session = training_.session(document);
    const auto before = weightsOf(*session);
    const data::Split split = testing::SmallTraining::split(document, *session);
    session->useHistory(split.train);
    const auto loader = session->loader(split, experiment::SplitPart::kTrain);
    loader->begin(1);
    std::set<std::int32_t> users;
    for (int part = 0; part < 3; ++part) {
      const data::Batch* batch = loader->next();
      users.insert(batch->features[0].ids.begin(), batch->features[0].ids.end());
      const Status trained = session->train(*batch, 1, nullptr, session->partOf(*batch, 0, 245));
      QVERIFY(trained.ok());
      if (part < 2) QVERIFY(weightsOf(*session) == before);
    }
    const auto rows = session->parameters()[0].whole().weight.host();
    const auto after = weightsOf(*session);
    QVERIFY(after != before);
    const auto initial = training_.session(document);
    const auto start = initial->parameters()[0].whole().weight.host();
    for (std::int32_t user = 0; user < static_cast<std::int32_t>(rows.size() / 4); ++user) {
      const bool moved = !std::equal(rows.begin() + 4 * user, rows.begin() + 4 * user + 4,
                                     start.begin() + 4 * user);
      QCOMPARE(moved, users.contains(user));
    }
  }

  /// A stop waits for the update, so a checkpoint never lies between two parts.
  void aStoppedRunGoesOnWithTheSameBits() {
    Experiment document = layeredDocument();
    document.dataset.batch.size = 16;
    document.optimizer.accumulateSteps = 4;
    EventList events;
    const auto straight = training_.train(document, "straight", events);
    const auto stopped = training_.train(document, "halves", events, 5);
    QCOMPARE(stopped.result.steps, std::int64_t{5});
    auto from = checkpoint::open(stopped.result.checkpoint);
    QVERIFY(from.ok());
    QCOMPARE(from->manifest().batch, std::int64_t{20});
    const auto resumed = training_.train(document, "halves", events, 0, std::move(from).value());
    QCOMPARE(resumed.result.epochs.back().metrics, straight.result.epochs.back().metrics);
    QVERIFY(weightsOf(*resumed.session) == weightsOf(*straight.session));
  }

  void thePlanCountsTheBytesOfSums_data() {
    QTest::addColumn<QString>("devices");
    QTest::addColumn<bool>("separate");
    QTest::newRow("alone") << "cpu*1" << false;
    QTest::newRow("a space") << "cpu*2" << false;
    QTest::newRow("two spaces") << "cpu*2" << true;
  }
  void thePlanCountsTheBytesOfSums() {
    QFETCH(QString, devices);
    QFETCH(bool, separate);
    const auto bytesWith = [&](std::int64_t steps) {
      Experiment document = layeredDocument();
      document.mesh.devices = {devices.toStdString()};
      if (separate) document.mesh.spaces = experiment::MemorySpaces::kSeparate;
      document.optimizer.accumulateSteps = steps;
      const auto session = training_.session(document);
      std::int64_t counted = 0;
      for (const mesh::DevicePlan& device : session->resolved().plan.devices)
        counted += device.bytes();
      return counted;
    };
    QVERIFY(bytesWith(4) > bytesWith(1));
  }

  void lossesOfTheWholeBatchAreRefused() {
    const auto problemAt = [](const Experiment& document) {
      const auto parsed = experiment::parse(experiment::toJson(document));
      return parsed.findings.problems.empty() ? std::string() : parsed.findings.problems[0].pointer;
    };
    Experiment document = layeredDocument();
    document.optimizer.accumulateSteps = 2;
    QCOMPARE(problemAt(document), std::string());
    document.loss.kind = experiment::LossKind::kInBatchSoftmax;
    QCOMPARE(problemAt(document), std::string("/optimizer/accumulate_steps"));
    document = layeredDocument();
    document.optimizer.accumulateSteps = 2;
    document.model.query.insert(document.model.query.begin(),
                                {.kind = experiment::LayerKind::kBatchNorm});
    QCOMPARE(problemAt(document), std::string("/optimizer/accumulate_steps"));
    document = layeredDocument();
    document.tables[0].optimizer = document.optimizer;
    document.tables[0].optimizer->accumulateSteps = 2;
    QCOMPARE(problemAt(document), std::string("/tables/0/optimizer/accumulate_steps"));
  }
};

QTEST_APPLESS_MAIN(AccumulationTest)
#include "accumulation_test.moc"
