// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/sweep.h"

#include <QtTest>
#include <cmath>
#include <limits>

#include "engine/workspace/sweep_watch.h"
#include "tests/workspace/sample_runs.h"

using namespace parapet;
using experiment::RunState;
using experiment::SweepPoint;

/// Many runs of one document.
class SweepTest : public QObject {
  Q_OBJECT

  static std::vector<SweepPoint> points(
      const std::string& grid, std::int64_t seeds = 1,
      const experiment::Experiment& experiment = testing::smallSample()) {
    const nlohmann::json document(experiment::toJson(experiment));
    const auto list = experiment::parseSweepList(grid);
    return experiment::sweepPoints(document, {{list.value()}, {}, 0, seeds}).value();
  }

 private Q_SLOTS:
  void allRunsCarryTheirGroupAndSettings() {
    testing::TemporaryWorkspace place;
    workspace::SweepOptions options{.threads = 1, .metrics = {"val_loss"}};
    std::vector<std::size_t> ended;
    options.progress = [&](const workspace::SweepProgress& progress) {
      if (progress.ended) ended.push_back(progress.done);
    };
    const auto outcome = workspace::runSweep(
        *place.workspace, points("/optimizer/learning_rate=0.05,0.3", 2), options);
    QVERIFY2(outcome.ok(), outcome ? "" : outcome.error().text().c_str());
    QCOMPARE(outcome->runs.size(), std::size_t{4});
    QCOMPARE(ended, (std::vector<std::size_t>{1, 2, 3, 4}));
    const auto stored = place->store().runs({.group = outcome->group});
    QVERIFY(stored.ok());
    QCOMPARE(stored->size(), std::size_t{4});
    for (const workspace::SweepRun& run : outcome->runs) {
      QCOMPARE(run.state, RunState::kFinished);
      const auto record = place->store().find(run.runId);
      QVERIFY(record.ok());
      QCOMPARE(record->group, outcome->group);
      QCOMPARE(record->sweepJson, run.index < 2
                                      ? std::string(R"({"/optimizer/learning_rate":0.05})")
                                      : std::string(R"({"/optimizer/learning_rate":0.3})"));
      QCOMPARE(record->seed, std::uint64_t{42} + run.index % 2);
    }
    QCOMPARE(outcome->summary.size(), std::size_t{2});
    for (const workspace::SweepSetting& setting : outcome->summary)
      QCOMPARE(setting.metrics.at("val_loss").n, std::int64_t{2});
    // Imported once: every run has the same data.
    QCOMPARE(std::distance(std::filesystem::directory_iterator(place->folder() / "datasets"),
                           std::filesystem::directory_iterator()),
             1);
  }

  void severalAtATimeGiveTheSameBits() {
    testing::TemporaryWorkspace place;
    const auto all = points("/optimizer/learning_rate=0.05,0.1,0.2,0.3");
    workspace::SweepOptions options{.threads = 1, .metrics = {"val_loss"}};
    const auto alone = workspace::runSweep(*place.workspace, all, options);
    options.parallel = 3;
    const auto together = workspace::runSweep(*place.workspace, all, options);
    QVERIFY(alone.ok() && together.ok());
    QCOMPARE(together->runs.size(), alone->runs.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      QCOMPARE(together->runs[i].index, i);
      const auto valueOf = [](const workspace::SweepRun& run) {
        for (const auto& [key, value] : run.metrics)
          if (key == "val_loss") return value;
        return std::numeric_limits<double>::quiet_NaN();
      };
      QCOMPARE(valueOf(together->runs[i]), valueOf(alone->runs[i]));
    }
  }

  void aDivergedRunEndsNoOther() {
    testing::TemporaryWorkspace place;
    experiment::Experiment experiment = testing::smallSample();
    experiment.loss = {.kind = experiment::LossKind::kMse};
    experiment.model.score = experiment::Score::kDot;  // a cosine cannot grow
    experiment.optimizer = {.kind = experiment::OptimizerKind::kSgd, .learningRate = 0.1};
    const auto outcome = workspace::runSweep(
        *place.workspace, points("/optimizer/learning_rate=1000000,0.1", 1, experiment),
        {.threads = 1, .metrics = {"val_loss"}});
    QVERIFY2(outcome.ok(), outcome ? "" : outcome.error().text().c_str());
    QCOMPARE(outcome->runs.size(), std::size_t{2});
    QCOMPARE(outcome->runs[0].state, RunState::kDiverged);
    QCOMPARE(outcome->runs[1].state, RunState::kFinished);
    QCOMPARE(outcome->summary.front().setting, std::size_t{1});
    QCOMPARE(outcome->summary.back().metrics.at("val_loss").n, std::int64_t{0});
  }

  void aStopKeepsWhatIsDone() {
    testing::TemporaryWorkspace place;
    std::size_t done = 0;
    workspace::SweepOptions options{.threads = 1, .metrics = {"val_loss"}};
    options.progress = [&](const workspace::SweepProgress& progress) { done = progress.done; };
    options.asked = [&] {
      return done > 0 ? workspace::SweepRequest::kStop : workspace::SweepRequest::kGoOn;
    };
    const auto outcome = workspace::runSweep(
        *place.workspace, points("/optimizer/learning_rate=0.05,0.1,0.2"), options);
    QVERIFY(outcome.ok());
    QVERIFY(outcome->stopped);
    QCOMPARE(outcome->runs.size(), std::size_t{1});
    QCOMPARE(outcome->runs[0].state, RunState::kFinished);
  }

  void aStopBeforeTheFirstRunLeavesNone_data() {
    QTest::addColumn<bool>("inTheImport");
    QTest::newRow("in the import") << true;
    QTest::newRow("after it, before the split") << false;
  }
  void aStopBeforeTheFirstRunLeavesNone() {
    QFETCH(bool, inTheImport);
    testing::TemporaryWorkspace place;
    const auto settings = points("/optimizer/learning_rate=0.05,0.1");
    if (!inTheImport) {
      const auto first = experiment::parse(settings.front().document).experiment;
      QVERIFY(place->importData(first, {}).ok());
    }
    std::stop_source stop;
    workspace::SweepOptions options{.threads = 1, .metrics = {"val_loss"}};
    options.importing = [&](auto...) { stop.request_stop(); };
    options.stop = stop.get_token();
    if (!inTheImport) stop.request_stop();
    const auto outcome = workspace::runSweep(*place.workspace, settings, options);
    QVERIFY(!outcome.ok());
    QCOMPARE(outcome.error().code, ErrorCode::kCancelled);
    QVERIFY(place->store().runs()->empty());
  }

  void aStopWhileARunIsPreparedIsNoFailure() {
    testing::TemporaryWorkspace place;
    std::stop_source stop;
    workspace::SweepOptions options{.threads = 1, .metrics = {"val_loss"}};
    options.stop = stop.get_token();
    options.asked = [&] {  // first asked before the first run
      stop.request_stop();
      return workspace::SweepRequest::kGoOn;
    };
    const auto outcome =
        workspace::runSweep(*place.workspace, points("/optimizer/learning_rate=0.05,0.1"), options);
    QVERIFY2(outcome.ok(), outcome ? "" : outcome.error().text().c_str());
    QVERIFY(outcome->stopped);
    QVERIFY(outcome->runs.empty());
    QVERIFY(place->store().runs()->empty());
  }

  void aSettingThatCannotStartIsTold() {
    testing::TemporaryWorkspace place;
    const auto outcome =
        workspace::runSweep(*place.workspace, points("/dataset/batch/size=50,100000"),
                            {.threads = 1, .metrics = {"val_loss"}});
    QVERIFY2(outcome.ok(), outcome ? "" : outcome.error().text().c_str());
    QCOMPARE(outcome->runs[0].state, RunState::kFinished);
    QCOMPARE(outcome->runs[1].state, RunState::kFailed);
    QVERIFY(outcome->runs[1].error && outcome->runs[1].runId.empty());
  }

  void summaryHasMeanAndSampleDeviation() {
    std::vector<SweepPoint> four(4);
    for (std::size_t i = 0; i < 4; ++i) four[i].setting = i / 2;
    std::vector<workspace::SweepRun> runs;
    for (const double value : {0.5, 0.7, 0.2, 0.4}) {
      workspace::SweepRun run{.index = runs.size(), .state = RunState::kFinished};
      run.metrics = {{"val_recall@10", value}};
      runs.push_back(run);
    }
    // Checkpoints and early stopping often name the same metric.
    auto summary = workspace::summarize(four, runs, {"val_recall@10", "val_recall@10"});
    QCOMPARE(summary.size(), std::size_t{2});
    QCOMPARE(summary[0].setting, std::size_t{0});  // more recall is better
    const workspace::SweepStatistics& best = summary[0].metrics.at("val_recall@10");
    QVERIFY(std::abs(best.mean - 0.6) < 1e-12);
    QVERIFY(std::abs(best.sd - std::sqrt(0.02)) < 1e-12);
    QCOMPARE(best.n, std::int64_t{2});
    runs[1].state = RunState::kDiverged;
    summary = workspace::summarize(four, runs, {"val_recall@10"});
    QCOMPARE(summary[0].metrics.at("val_recall@10").n, std::int64_t{1});
    QVERIFY(std::isnan(summary[0].metrics.at("val_recall@10").sd));
    // A stop from outside says nothing of a setting; one for its own values does.
    runs[0].state = runs[1].state = runs[2].state = RunState::kStopped;
    runs[2].stoppedAsBad = true;
    summary = workspace::summarize(four, runs, {"val_recall@10"});
    QCOMPARE(summary.size(), std::size_t{1});
    QCOMPARE(summary[0].setting, std::size_t{1});
    QCOMPARE(summary[0].metrics.at("val_recall@10").n, std::int64_t{1});
  }

  void aRunBehindTheMedianIsBad() {
    workspace::SweepPace pace("val_loss");
    workspace::SweepWatch watch(pace, 3);
    const auto validate = [](workspace::SweepWatch& of, std::int64_t epoch, double loss) {
      experiment::EpochSummary summary;
      summary.epoch = epoch;
      summary.metrics = {{"val_loss", loss}};
      of.onEvent("r", experiment::EpochEnded{summary});
    };
    pace.add({0.9, 0.8, 0.7});
    pace.add({0.9, 0.6, 0.5});
    validate(watch, 1, 5.0);
    QVERIFY2(!watch.isBad(), "two runs are too few to judge by");
    pace.add({0.9, 0.4, 0.3});
    validate(watch, 2, 0.6);
    QVERIFY2(!watch.isBad(), "as good as the median");
    workspace::SweepWatch slow(pace, 3);
    validate(slow, 1, 0.8);
    validate(slow, 2, 0.7);
    QVERIFY(slow.isBad());
    QCOMPARE(slow.values(), (std::vector<double>{0.8, 0.7}));
    workspace::SweepWatch last(pace, 2);
    validate(last, 1, 0.8);
    validate(last, 2, 0.9);
    QVERIFY2(!last.isBad(), "after the last epoch there is nothing to stop");
  }
};

QTEST_GUILESS_MAIN(SweepTest)
#include "sweep_test.moc"
