// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run_memory.h"

#include <fmt/format.h>

#include <QtTest>

#include "engine/train/evaluator.h"
#include "engine/train/session_state.h"
#include "tests/nn/sample_model.h"
#include "tests/train/small_training.h"

using namespace parapet;

class RunMemoryTest : public QObject {
  Q_OBJECT

  testing::SmallTraining training_;

  train::RunMemory memoryOf(const experiment::Experiment& document, bool withData = true) const {
    const auto session = training_.session(document);
    const auto found =
        train::runMemory(document, session->resolved(), withData ? &session->dataset() : nullptr);
    if (!found) qFatal("%s", found.error().text().c_str());
    return *found;
  }

 private Q_SLOTS:
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
    history.history->order = experiment::EventOrder::kData;
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
