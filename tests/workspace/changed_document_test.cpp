// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>
#include <filesystem>

#include "engine/store/sqlite.h"
#include "engine/workspace/comparison.h"
#include "engine/workspace/exports.h"
#include "engine/workspace/predict.h"
#include "tests/workspace/sample_runs.h"

using namespace parapet;
using experiment::RunState;
namespace fs = std::filesystem;

/// A run whose stored document is no longer the one that it was trained with.
class ChangedDocumentTest : public QObject {
  Q_OBJECT

  std::unique_ptr<testing::TemporaryWorkspace> place_;
  std::string run_;
  fs::path folder_;

  void changeRate() {
    auto database =
        store::Database::open(folder_ / "parapet.db", store::Database::Access::kReadWrite).value();
    QVERIFY(database
                .script("UPDATE documents SET experiment="
                        "json_set(experiment, '$.optimizer.learning_rate', 0.0625)")
                .ok());
    QVERIFY(database.changes() > 0);
  }
  /// Opened anew, as every command does.
  void reopen() {
    place_->workspace.reset();
    place_->warnings.clear();
    place_->workspace = place_->open();
    QVERIFY(place_->workspace);
  }
  bool isChangeTold(const std::string& run) const {
    return std::ranges::any_of(place_->warnings, [&](const std::string& text) {
      return text.find(run) != std::string::npos &&
             text.find(" takes its place") != std::string::npos;
    });
  }

 private Q_SLOTS:
  void init() {
    place_ = std::make_unique<testing::TemporaryWorkspace>();
    folder_ = place_->folder.path().toStdString();
    run_ = place_->train(testing::smallSample()).runId;
    QVERIFY(!run_.empty());
  }

  void whoeverReadsItGetsTheOneOfTheCheckpoint() {
    const experiment::Experiment trained = (*place_)->experimentOf(run_).value();
    const auto before = (*place_)->evaluate(run_, {}, {}).value();
    changeRate();
    reopen();
    const auto after = (*place_)->evaluate(run_, {}, {});
    QVERIFY2(after.ok(), after ? "" : after.error().text().c_str());
    QVERIFY(isChangeTold(run_));
    QCOMPARE(after->metrics, before.metrics);
    QCOMPARE(experiment::fingerprint((*place_)->experimentOf(run_).value()),
             experiment::fingerprint(trained));
    // A query leaves the database as it is: the next program is warned, too.
    reopen();
    QVERIFY((*place_)->recommender(run_, {}).ok());
    QVERIFY(isChangeTold(run_));
  }

  void aRunIsResumedWithWhatItWasTrainedWith() {
    testing::RecordingSink sink;
    auto started =
        (*place_)->start(testing::smallSample(), {.threads = 1, .sink = &sink, .paused = true});
    QVERIFY(started.ok());
    (*started)->step();
    QTRY_COMPARE(sink.steps().size(), std::size_t{1});
    (*started)->stop();
    const workspace::RunOutcome stopped = (*started)->wait();
    QCOMPARE(stopped.state, RunState::kStopped);
    changeRate();
    reopen();
    QVERIFY((*place_)->experimentOf(stopped.runId).ok());
    reopen();
    auto resumed = (*place_)->resume(stopped.runId, {.threads = 1});
    QVERIFY2(resumed.ok(), resumed ? "" : resumed.error().text().c_str());
    QVERIFY(isChangeTold(stopped.runId));
    const workspace::RunOutcome ended = (*resumed)->wait();
    const auto straight = (*place_)->store().epochs(run_).value();
    QCOMPARE(ended.epochs.back().loss, straight.back().loss);
    QCOMPARE(ended.epochs.back().learningRate, straight.back().learningRate);
    // The run that went on has its document again.
    reopen();
    QVERIFY((*place_)->experimentOf(stopped.runId).ok());
    QVERIFY(!isChangeTold(stopped.runId));
  }

  void withoutACheckpointItIsRefused() {
    fs::remove_all(folder_ / "checkpoints" / run_);
    changeRate();
    reopen();
    const auto isRefused = [](const auto& answer) {
      return !answer.ok() &&
             answer.error().text().find("has changed since it was stored") != std::string::npos;
    };
    QVERIFY(isRefused((*place_)->experimentOf(run_)));
    QVERIFY(isRefused((*place_)->evaluate(run_, {}, {})));
    QVERIFY(isRefused((*place_)->recommender(run_, {})));
    QVERIFY(isRefused((*place_)->forkOf(run_, {})));
    QVERIFY(isRefused((*place_)->resume(run_, {})));
    QVERIFY(isRefused((*place_)->compare({run_, run_}, {})));
    workspace::ExportOptions tables;
    tables.format = workspace::exportFormats(tables.what).front();
    tables.out = folder_ / "out" / "tables";
    QVERIFY(isRefused((*place_)->exportRun(run_, tables, {})));
    QVERIFY(isRefused((*place_)->predict(run_, {.input = folder_ / "parapet.db"}, {})));
    // The other records of the run can still be read.
    QCOMPARE((*place_)->store().epochs(run_)->size(), std::size_t{2});
    QVERIFY((*place_)->store().find(run_).ok());
  }

  void runsOfOtherRulesAreNotRanked() {
    const std::string other = place_->train(testing::smallSample()).runId;
    auto database =
        store::Database::open(folder_ / "parapet.db", store::Database::Access::kReadWrite).value();
    QVERIFY(database.run("UPDATE runs SET rules=1 WHERE id=?", other).ok());
    const auto comparison = (*place_)->compare({run_, other}, {});
    QVERIFY2(comparison.ok(), comparison ? "" : comparison.error().text().c_str());
    for (const auto& row : comparison->metrics)
      QVERIFY2(!workspace::bestRun(row), row.name.c_str());
    QVERIFY(std::ranges::any_of(comparison->metrics, [](const auto& row) {
      return row.notComparable.find("different rules") != std::string::npos;
    }));
  }
};

QTEST_GUILESS_MAIN(ChangedDocumentTest)
#include "changed_document_test.moc"
