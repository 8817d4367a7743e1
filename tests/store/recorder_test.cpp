// SPDX-License-Identifier: Apache-2.0
#include "engine/store/recorder.h"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "engine/experiment/metric_key.h"
#include "engine/store/run_store.h"
#include "engine/store/schema.h"
#include "tests/store/run_database.h"

using namespace parapet;
using namespace parapet::store;
using namespace parapet::experiment;

namespace {

constexpr const char* kRun = "aaaa11112222";

EpochSummary epochOf(std::int64_t epoch, double loss) {
  EpochSummary summary;
  summary.epoch = epoch;
  summary.step = 10 * epoch;
  summary.loss = loss;
  summary.metrics = {{"val_loss", loss}};
  return summary;
}

}  // namespace

/// Changes of an event in the tables, without the store's threads.
class RecorderTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    database_ = databaseWithRun(*folder_, kRun);
    QVERIFY(database_);
  }
  void cleanup() {
    QVERIFY(database_->run("ROLLBACK").ok());
    database_.reset();
  }

  // A run that starts paused stays so.
  void aStartMakesAQueuedRunRunAndLeavesOthers() {
    RunStarted started;
    started.stepsPerEpoch = 8;
    started.totalEpochs = 3;
    tell(started);
    QCOMPARE(text("SELECT state FROM runs"), QString("Running"));
    QCOMPARE(count("SELECT steps_per_epoch FROM runs"), 8);
    tell(StateChanged{RunState::kPaused});
    started.firstStep = 5;
    tell(started);
    QCOMPARE(text("SELECT state FROM runs"), QString("Paused"));
    QCOMPARE(text("SELECT message FROM events ORDER BY id DESC LIMIT 1"),
             QString("resumed from step 5"));
  }

  // A run that goes on from a checkpoint trains an epoch again.
  void anEpochThatIsToldAgainReplacesTheFirst() {
    tell(EpochEnded{epochOf(1, 0.5)});
    tell(EpochEnded{epochOf(2, 0.4)});
    tell(EpochEnded{epochOf(2, 0.3)});
    QCOMPARE(count("SELECT count(*) FROM epochs"), 2);
    QCOMPARE(count("SELECT count(*) FROM epoch_metrics"), 2);
    QCOMPARE(count("SELECT count(*) FROM epochs WHERE epoch=2 AND loss=0.3"), 1);
    QCOMPARE(count("SELECT steps FROM runs"), 20);
    QCOMPARE(count("SELECT best_epoch FROM runs"), 2);
  }

  // Epochs of older rules have no part in the best one, until their checkpoints are measured again.
  void anEpochThatIsMeasuredAgainFollowsTheRulesOfThisProgram() {
    for (const std::int64_t epoch : {1, 2, 3}) {
      EpochSummary summary = epochOf(epoch, 1.0 / static_cast<double>(epoch));
      summary.metrics.insert(summary.metrics.begin(), {"rmse", 0.5});
      tell(EpochEnded{summary});
      tell(CheckpointWritten{.step = 10 * epoch, .epoch = epoch, .path = "c", .best = true});
    }
    const std::string sound = "SELECT count(*) FROM epochs WHERE hash=" PARAPET_EPOCH_HASH;
    QVERIFY(database_
                ->script("UPDATE runs SET rules=1; UPDATE epochs SET rules=1;"
                         "UPDATE epochs SET hash=" PARAPET_EPOCH_HASH
                         "; UPDATE epochs SET hash='of another' WHERE epoch=3")
                .ok());
    tell(EpochMeasuredAgain{1, 10, {{"val_loss", 0.75}, {"val_mrr", 0.25}}, {}, {}, /*best=*/true});
    QCOMPARE(count("SELECT rules FROM runs"), kMetricRules);
    QCOMPARE(count("SELECT best_epoch FROM runs"), 1);
    QCOMPARE(count("SELECT step FROM checkpoints WHERE best=1"), 10);
    QCOMPARE(count("SELECT rules FROM epochs WHERE epoch=1"), kMetricRules);
    QCOMPARE(text("SELECT group_concat(key || ' ' || value, ', ') FROM"
                  " (SELECT * FROM epoch_metrics WHERE epoch=1 ORDER BY position)"),
             QString("rmse 0.5, val_loss 0.75, val_mrr 0.25"));
    tell(EpochMeasuredAgain{3, 30, {{"val_loss", 0.875}}, {}, {}, /*best=*/false});
    QCOMPARE(count("SELECT best_epoch FROM runs"), 1);
    QCOMPARE(count("SELECT rules FROM epochs WHERE epoch=2"), 1);
    // A change of before stays marked, and an epoch that was lost stays so.
    QCOMPARE(count(sound), 2);
    tell(EpochMeasuredAgain{7, 70, {{"val_loss", 0.125}}, {}, {}, /*best=*/false});
    QCOMPARE(count("SELECT count(*) FROM epoch_metrics WHERE epoch=7"), 0);
  }

  void oneCheckpointIsTheBest() {
    for (const std::int64_t step : {10, 20})
      tell(CheckpointWritten{.step = step, .epoch = step / 10, .path = "c", .best = true});
    tell(CheckpointWritten{.step = 30, .epoch = 3, .path = "c", .best = false});
    QCOMPARE(count("SELECT step FROM checkpoints WHERE best=1"), 20);
    tell(CheckpointRemoved{10});
    QCOMPARE(count("SELECT count(*) FROM checkpoints"), 2);
  }

  void theEndHasItsStateErrorAndTest() {
    RunEnded ended;
    ended.state = RunState::kDiverged;
    ended.error = Error{ErrorCode::kDiverged, "the loss became nan"};
    ended.testMetrics = {{"test_loss", 0.25}};
    ended.seconds = NAN;  // of a run that never trained
    tell(ended);
    QCOMPARE(text("SELECT state FROM runs"), QString("Diverged"));
    QVERIFY(text("SELECT error FROM runs").contains("became nan"));
    QVERIFY(text("SELECT test_json FROM runs").contains("0.25"));
    QCOMPARE(count("SELECT seconds=0 FROM runs"), 1);
  }

  void aRunThatIsNotThereIsPassedOver() {
    QVERIFY(recordEvent(*database_, {"cccc11112222", 1, RunWarning{"w"}}).ok());
    QVERIFY(recordEvent(*database_, {"cccc11112222", 1, EpochEnded{epochOf(1, 0.5)}}).ok());
    QVERIFY(
        recordSteps(*database_, "cccc11112222", std::vector<StepBucket>{{1, 1, 1, 0, 0, 0, 0, 0}})
            .ok());
    for (const char* table : {"events", "epochs", "steps", "step_blocks"})
      QCOMPARE(count(std::string("SELECT count(*) FROM ") + table), 0);
  }

  void pathsBelowTheWorkspaceAreRelative() {
    const std::string folder = folder_->path().toStdString();
    QCOMPARE(pathInWorkspace(*database_, folder + "/checkpoints/a/c"),
             std::string("checkpoints/a/c"));
    for (const char* elsewhere : {"/elsewhere/c", "/"})
      QCOMPARE(pathInWorkspace(*database_, elsewhere), std::string(elsewhere));
    QCOMPARE(pathInWorkspace(*database_, folder + "-other/c"), folder + "-other/c");
  }

 private:
  void tell(const RunEvent& event) {
    const Status recorded = recordEvent(*database_, {kRun, 1000, event});
    QVERIFY2(recorded.ok(), recorded.ok() ? "" : recorded.error().text().c_str());
  }
  std::int64_t count(const std::string& sql) { return database_->integer(sql).value(); }
  QString text(const char* sql) {
    QString found;
    const Status read = database_->each(
        sql, [&](Statement& row) { found = QString::fromStdString(std::string(row.text(0))); });
    return read.ok() ? found : QString();
  }

  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<Database> database_;
};

QTEST_GUILESS_MAIN(RecorderTest)
#include "recorder_test.moc"
