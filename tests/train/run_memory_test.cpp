// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run_memory.h"

#include <fmt/format.h>

#include <QtTest>

#include "engine/train/evaluator.h"
#include "engine/train/session_state.h"
#include "tests/nn/sample_model.h"
#include "tests/train/small_training.h"

using namespace parapet;
using experiment::Placement;

class RunMemoryTest : public QObject {
  Q_OBJECT

  testing::SmallTraining training_;

  train::RunMemory memoryOf(const experiment::Experiment& document, bool withData = true) const {
    const auto session = training_.session(document);
    const auto found =
        train::runMemory(document, session->model(), document.tables, {}, session->mesh(),
                         session->batchRows(), withData ? &session->dataset() : nullptr);
    if (!found) qFatal("%s", found.error().text().c_str());
    return *found;
  }

 private Q_SLOTS:
  void buffersAreThoseThatThePlansAllocate_data() {
    QTest::addColumn<int>("placement");
    QTest::addColumn<double>("tolerance");
    QTest::newRow("replicated") << static_cast<int>(Placement::kReplicated) << 0.02;
    // The planner counts gradients of exchanged rows as well, which a prediction has not.
    QTest::newRow("row") << static_cast<int>(Placement::kRow) << 0.25;
    QTest::newRow("column") << static_cast<int>(Placement::kColumn) << 0.25;
  }
  void buffersAreThoseThatThePlansAllocate() {
    QFETCH(int, placement);
    QFETCH(double, tolerance);
    constexpr std::int64_t kBatch = 500, kUsers = 3000, kItems = 2000;
    constexpr int kRanks = 2;
    experiment::Experiment document = sample::denseTowers(experiment::Activation::kRelu, 16);
    for (experiment::Table& table : document.tables)
      table.placement = static_cast<Placement>(placement);
    sample::Trainer of(sample::build(document, kUsers, kItems), kRanks, 1, kBatch, {},
                       static_cast<Placement>(placement));
    const nn::Model& model = of.model;
    const auto bytesOf = [&](std::vector<nn::Value> targets, std::int64_t rows) {
      return nn::StepPlan(model.graph, of.parameters, of.mesh, *of.communicator, of.workers,
                          std::move(targets), rows, nn::PlanPurpose::kForward)
          .bytes();
    };
    const auto allocated =
        static_cast<double>(bytesOf({model.heads[0].lossValue, model.heads[0].prediction}, kBatch) +
                            bytesOf({model.query}, train::kSnapshotRows) +
                            bytesOf({model.candidate}, train::kSnapshotRows));
    const auto counted = static_cast<double>(
        train::evaluationBufferBytes(document, model, document.tables, {}, of.mesh, kBatch));
    QVERIFY2(std::abs(counted / allocated - 1.0) <= tolerance,
             fmt::format("{} of {} bytes", counted, allocated).c_str());
  }

  void vectorsAreThoseOfTheSnapshot() {
    const experiment::Experiment document = testing::ratingsDocument();
    const auto session = training_.session(document);
    const data::Split split = testing::SmallTraining::split(document, *session);
    const retrieval::Interactions interactions(session->dataset(), "user", "item", split);
    const train::Evaluator evaluator(*session, document, split, &interactions,
                                     experiment::SplitPart::kValidation);
    QCOMPARE(memoryOf(document).catalogueVectors.value(), evaluator.lists()->cost().bytes);
    QVERIFY(evaluator.lists()->cost().bytes > 0);
  }

  void whatTrainingDoesNotMeasureTakesNothing() {
    experiment::Experiment document = testing::ratingsDocument();
    document.evaluation.catalogue = experiment::CatalogueTime::kNever;
    QCOMPARE(memoryOf(document).catalogueVectors, std::optional<std::int64_t>(0));
    document = testing::ratingsDocument();
    document.training.validateEvery = 0;
    QCOMPARE(memoryOf(document).catalogueVectors, std::optional<std::int64_t>(0));
    QCOMPARE(memoryOf(document).histories, std::optional<std::int64_t>(0));
  }

  void historiesCountOnceForAllFeaturesThatShareThem() {
    experiment::Experiment document = testing::ratingsDocument();
    document.model.query = {{.units = 4}};  // as wide as an item
    experiment::Feature history{"before", "item", "item", experiment::Tower::kQuery};
    history.history.emplace();
    history.history->order = experiment::HistoryOrder::kData;
    document.features.push_back(history);
    const std::int64_t one = memoryOf(document).histories.value();
    // 12 bytes of each of the 490 training rows, unless the data are in the order of the index.
    QVERIFY(one > 0 && one <= 490 * 12 + 8 + 8 * 32 + 8 * 11);
    history.name = "longer";
    history.history->length = 50;
    document.features.push_back(history);
    QCOMPARE(memoryOf(document).histories.value(), one);
  }

  void withoutDataWhatTheyDecideIsUnknown() {
    const train::RunMemory memory = memoryOf(testing::ratingsDocument(), false);
    QVERIFY(memory.evaluationBuffers > 0);
    QVERIFY(!memory.catalogueVectors);
    QCOMPARE(memory.histories, std::optional<std::int64_t>(0));
    QCOMPARE(memory.total(), memory.evaluationBuffers);
  }
};

QTEST_GUILESS_MAIN(RunMemoryTest)
#include "run_memory_test.moc"
