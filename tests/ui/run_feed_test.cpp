// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controllers/run_feed.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace parapet;
using namespace parapet::ui;
using experiment::RunState;

namespace {

constexpr int kPatienceMs = 60'000;

}  // namespace

/// A run of another process as it reaches its curves. Its steps and events are written into the
/// store; the bridge knows only what a case tells it.
class RunFeedTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  std::unique_ptr<workspace::Workspace> workspace_;
  std::unique_ptr<RunBridge> bridge_;
  std::unique_ptr<RunController> controller_;
  std::unique_ptr<RunCurves> curves_;
  std::unique_ptr<RunFeed> feed_;

  store::RunStore& store() { return workspace_->store(); }
  // A run of the recipe `sample` that trains.
  QString addRun() {
    store::RunRecord run;
    run.id = store::RunStore::newRunId();
    run.experimentJson = experiment::findRecipe("sample")->text;
    if (!store().createRun(run)) return {};
    experiment::RunStarted started;
    started.stepsPerEpoch = 100;
    started.totalEpochs = 30;
    store().sink().onEvent(run.id, started);
    return QString::fromStdString(run.id);
  }
  void record(const QString& run, std::int64_t first, std::int64_t last) {
    for (std::int64_t step = first; step <= last; ++step) {
      store().sink().onStep(run.toStdString(), {step, 1, 1.0 / static_cast<double>(step), 0.0});
      if (step % 1000 == 0) QVERIFY(store().flush().ok());  // before the ring joins neighbours
    }
    QVERIFY(store().flush().ok());
  }
  static experiment::StepBucket oneStep(std::int64_t step) {
    return {.firstStep = step, .lastStep = step, .epoch = 1, .min = 0.5, .max = 0.5, .last = 0.5};
  }
  void showAndWait(const QString& run) {
    QSignalSpy loaded(feed_.get(), &RunFeed::loaded);
    feed_->show(run);
    QTRY_COMPARE_WITH_TIMEOUT(loaded.size(), 1, kPatienceMs);
  }

 private slots:
  void init() {
    QVERIFY(folder_.isValid());
    workspace_ = workspace::Workspace::open(folder_.path().toStdString()).value();
    bridge_ = std::make_unique<RunBridge>();
    controller_ = std::make_unique<RunController>(*workspace_, *bridge_);
    curves_ = std::make_unique<RunCurves>();
    feed_ = std::make_unique<RunFeed>(*workspace_, *bridge_, *controller_, *curves_);
  }
  void cleanup() {
    feed_.reset();
    curves_.reset();
    controller_.reset();
    bridge_.reset();
    workspace_.reset();
  }

  void showsWhatTheStoreHolds() {
    const QString run = addRun();
    record(run, 1, 30);
    showAndWait(run);
    QVERIFY(!feed_->loading() && !feed_->isOwn());
    QCOMPARE(curves_->facts().runId, run);
    QCOMPARE(curves_->lastStep(), 30);
    QCOMPARE(curves_->facts().totalEpochs, 30);
  }

  void aRunThatIsNotThereFailsAndLeavesNothing() {
    showAndWait(addRun());
    QSignalSpy failed(feed_.get(), &RunFeed::failed);
    feed_->show("ffffffffffff");
    QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, kPatienceMs);
    QVERIFY(failed[0][0].toString().contains("ffffffffffff"));
    QVERIFY(feed_->runId().isEmpty() && !feed_->loading() && curves_->empty());
  }

  void onlyTheLastOfTwoQuestionsIsAnswered() {
    const QString first = addRun(), second = addRun();
    record(second, 1, 5);
    QSignalSpy loaded(feed_.get(), &RunFeed::loaded);
    feed_->show(first);
    feed_->clear();
    QVERIFY(!feed_->loading());
    feed_->show(first);
    feed_->show(second);
    QTRY_COMPARE_WITH_TIMEOUT(loaded.size(), 1, kPatienceMs);
    QCOMPARE(curves_->facts().runId, second);
    QCOMPARE(curves_->lastStep(), 5);
  }

  void eventsOfOtherRunsDoNotCount() {
    const QString run = addRun(), other = addRun();
    record(run, 1, 3);
    showAndWait(run);
    emit bridge_->stepsArrived(other, {oneStep(4)});
    QCOMPARE(curves_->lastStep(), 3);
    emit bridge_->stepsArrived(run, {oneStep(4)});
    QCOMPARE(curves_->lastStep(), 4);
  }

  // The store was read before; what it does not hold is not lost.
  void eventsDuringTheReadingAreAppliedAfterIt() {
    const QString run = addRun();
    record(run, 1, 3);
    QSignalSpy loaded(feed_.get(), &RunFeed::loaded);
    feed_->show(run);
    experiment::EpochEnded ended;
    ended.summary.epoch = 1;
    ended.summary.step = 100;
    emit bridge_->epochEnded(run, ended);
    emit bridge_->stepsArrived(run, {oneStep(3), oneStep(4)});
    QVERIFY(feed_->loading() && curves_->empty());
    QTRY_COMPARE_WITH_TIMEOUT(loaded.size(), 1, kPatienceMs);
    QCOMPARE(curves_->lastEpoch(), 1);
    QCOMPARE(curves_->lastStep(), 4);
  }

  // By the rules of this version, before a resumed run goes on.
  void anEpochThatIsMeasuredAgainHasItsNewValues() {
    const QString run = addRun();
    record(run, 1, 3);
    showAndWait(run);
    experiment::EpochEnded ended;
    ended.summary.epoch = 1;
    ended.summary.step = 3;
    ended.summary.metrics = {{"masked_hits", 2.0}, {"val_loss", 0.5}, {"val_mrr", 0.1}};
    emit bridge_->epochEnded(run, ended);
    bridge_->onEvent(run.toStdString(), experiment::EpochMeasuredAgain{
                                            1, 3, {{"val_loss", 0.25}}, {}, {}, /*best=*/true});
    bridge_->drain();
    const EpochsModel& epochs = curves_->epochs();
    QCOMPARE(epochs.rowCount(), 1);
    QCOMPARE(epochs.lastMetric("val_loss").value_or(-1.0), 0.25);
    QVERIFY(!epochs.lastMetric("val_mrr"));
    // The metric of training stays.
    QCOMPARE(epochs.lastMetric("masked_hits").value_or(-1.0), 2.0);
  }

  void aRunOfAnotherProcessIsPolledUntilItEnds() {
    const QString run = addRun();
    record(run, 1, 3);
    showAndWait(run);
    feed_->setPolling(true);
    record(run, 4, 8);
    QTRY_COMPARE_WITH_TIMEOUT(curves_->lastStep(), 8, kPatienceMs);
    experiment::RunEnded ended;
    ended.state = RunState::kFinished;
    store().sink().onEvent(run.toStdString(), ended);
    QTRY_COMPARE_WITH_TIMEOUT(curves_->facts().state, RunState::kFinished, kPatienceMs);
  }

  // Points after the step that a run was resumed from did not happen.
  void aRunThatWasResumedFromAnEarlierStepIsReadAgain() {
    const QString run = addRun();
    record(run, 1, 10);
    showAndWait(run);
    emit bridge_->stepsArrived(run, {oneStep(500)});
    QCOMPARE(curves_->lastStep(), 500);
    QSignalSpy loaded(feed_.get(), &RunFeed::loaded);
    emit bridge_->stateChanged(run, {});
    QTRY_COMPARE_WITH_TIMEOUT(loaded.size(), 1, kPatienceMs);
    QCOMPARE(curves_->lastStep(), 10);
  }

  void aLongRunIsAPictureFirstAndAllItsStepsWhenAskedFor() {
    constexpr std::int64_t kSteps = 20'000;
    const QString run = addRun();
    record(run, 1, kSteps);
    std::size_t drawn = 0;
    connect(curves_.get(), &RunCurves::reset, this,
            [&](const RunCurves::StepBuckets& steps) { drawn = steps.size(); });
    showAndWait(run);
    QVERIFY(drawn > 0 && drawn <= std::size_t{RunFeed::kBucketsPerPixel} * 1200);
    QCOMPARE(curves_->lastStep(), kSteps);
    RunCurves::StepBuckets replaced;
    connect(curves_.get(), &RunCurves::stepsReplaced, this,
            [&](const RunCurves::StepBuckets& steps) { replaced = steps; });
    // One part closely, the others as they were; nothing twice and nothing left out.
    feed_->showDetail(1000, 1200);
    QTRY_VERIFY_WITH_TIMEOUT(!replaced.empty(), kPatienceMs);
    std::int64_t next = 1;
    for (const experiment::StepBucket& bucket : replaced) {
      QCOMPARE(bucket.firstStep, next);
      if (bucket.firstStep >= 1000 && bucket.lastStep <= 1200)
        QCOMPARE(bucket.firstStep, bucket.lastStep);
      next = bucket.lastStep + 1;
    }
    QCOMPARE(next, kSteps + 1);
    // A step that came since the picture was read is not lost with it.
    emit bridge_->stepsArrived(run, {oneStep(kSteps + 1)});
    feed_->showAllStepsNow();
    QCOMPARE(replaced.size(), std::size_t{kSteps + 1});
    // There is no picture any more that could be looked at closely.
    replaced.clear();
    feed_->showAllStepsNow();
    QVERIFY(replaced.empty());
  }
};

QTEST_GUILESS_MAIN(RunFeedTest)
#include "run_feed_test.moc"
