// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/expected_learning.h"

#include <QtTest>
#include <algorithm>

#include "engine/workspace/plan.h"
#include "tests/workspace/sample_runs.h"

using namespace parapet;

class ExpectedLearningTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // 1,492,025 rows and 138,101 items, and both losses stayed within 0.0002 of ln 8192.
  void thePublishedRunWarnsAndSaysWhatToChange();
  // Before its first step, and after the epoch that shows it.
  void aRunThatWillNotLearnSaysSo();
  void aPlanSaysSoBeforeTheRun();
  void whatLearnsDoesNotWarn_data();
  void whatLearnsDoesNotWarn();

 private:
  static experiment::Experiment recipe(const char* name) {
    return experiment::parse(experiment::parseJson(experiment::findRecipe(name)->text).value())
        .experiment;
  }
  static std::optional<experiment::Problem> warningOf(const experiment::Experiment& experiment) {
    return workspace::warnOfNoLearning(experiment, 1'492'025,
                                       {{"uid", 52'501}, {"item_id", 138'102}, {"is_organic", 2}},
                                       experiment.dataset.batch.size.value_or(0));
  }
};

void ExpectedLearningTest::thePublishedRunWarnsAndSaysWhatToChange() {
  const auto warning = warningOf(recipe("yambda-context-as-published"));
  QVERIFY(warning.has_value());
  QCOMPARE(warning->pointer, std::string("/optimizer/learning_rate"));
  QVERIFY2(warning->message.find("ln B = 9.0109") != std::string::npos, warning->message.c_str());
  QVERIFY2(warning->accepted.find("adam") != std::string::npos, warning->accepted.c_str());
}

void ExpectedLearningTest::aRunThatWillNotLearnSaysSo() {
  testing::TemporaryWorkspace place;
  experiment::Experiment experiment = testing::smallSample();
  experiment.model.score = experiment::Score::kDot;
  experiment.loss = {.kind = experiment::LossKind::kInBatchSoftmax};
  experiment.optimizer = {.kind = experiment::OptimizerKind::kAdagrad, .learningRate = 1e-4};
  testing::RecordingSink sink;
  auto run = place->start(experiment, {.recipe = "sample", .threads = 1, .sink = &sink});
  QVERIFY2(run.ok(), run ? "" : run.error().text().c_str());
  QCOMPARE((*run)->wait().state, experiment::RunState::kFinished);
  int before = 0, after = 0;
  for (const experiment::RunWarning& warning : sink.all<experiment::RunWarning>()) {
    const bool isForecast = warning.message.starts_with("/optimizer/learning_rate: ");
    before += isForecast ? 1 : 0;
    if (isForecast)
      QVERIFY2(warning.message.find("; accepted: a rate some hundred times as large") !=
                   std::string::npos,
               warning.message.c_str());
    after += warning.message.starts_with("after epoch 1 the loss") ? 1 : 0;
  }
  QCOMPARE(before, 1);
  QCOMPARE(after, 1);
}

void ExpectedLearningTest::aPlanSaysSoBeforeTheRun() {
  testing::TemporaryWorkspace place;
  experiment::Experiment experiment = testing::smallSample();
  const auto warned = [&] {
    workspace::PlanOptions options;
    options.data = workspace::PlanOptions::Data::kImport;
    const auto plan = place->plan(experiment, options, {});
    return plan && std::ranges::count(plan->findings.warnings, "/optimizer/learning_rate",
                                      &experiment::Problem::pointer) == 1;
  };
  QVERIFY(!warned());
  experiment.model.score = experiment::Score::kDot;
  experiment.loss = {.kind = experiment::LossKind::kInBatchSoftmax};
  experiment.optimizer = {.kind = experiment::OptimizerKind::kAdagrad, .learningRate = 1e-4};
  QVERIFY(warned());
}

void ExpectedLearningTest::whatLearnsDoesNotWarn_data() {
  using Change = std::function<void(experiment::Experiment&)>;
  QTest::addColumn<Change>("change");
  QTest::newRow("a sum") << Change([](auto& e) { e.loss.reduction = experiment::Reduction::kSum; });
  QTest::newRow("Adam") << Change(
      [](auto& e) { e.optimizer.kind = experiment::OptimizerKind::kAdam; });
  QTest::newRow("a large rate") << Change([](auto& e) { e.optimizer.learningRate = 30.0; });
  QTest::newRow("a small batch") << Change([](auto& e) { e.dataset.batch.size = 64; });
  QTest::newRow("another loss") << Change(
      [](auto& e) { e.loss.kind = experiment::LossKind::kMse; });
}

void ExpectedLearningTest::whatLearnsDoesNotWarn() {
  QFETCH(std::function<void(experiment::Experiment&)>, change);
  experiment::Experiment experiment = recipe("yambda-context-as-published");
  change(experiment);
  const auto warning = warningOf(experiment);
  QVERIFY2(!warning, warning ? warning->message.c_str() : "");
}

QTEST_GUILESS_MAIN(ExpectedLearningTest)
#include "expected_learning_test.moc"
