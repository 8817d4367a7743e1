// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_curves.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "engine/experiment/verdict_text.h"
#include "ui/models/runs_format.h"

using namespace parapet;
using namespace parapet::ui;
using experiment::RunState;
using experiment::StepBucket;

namespace {

StepBucket stepAt(std::int64_t step) {
  return {step, step, 1, 1.0, 1.0, 1.0, 0.1 * double(step), 0};
}

StepBucket bucketOf(std::int64_t first, std::int64_t last) {
  return {first, last, 1, 0.5, 2.0, 1.0, 0.1 * double(last), 0};
}

experiment::EpochSummary epochOf(std::int64_t epoch, double valLoss, double recall) {
  experiment::EpochSummary summary;
  summary.epoch = epoch;
  summary.step = 10 * epoch;
  summary.seconds = double(epoch);
  summary.metrics = {{"val_loss", valLoss}, {"val_recall@10", recall}};
  return summary;
}

/// Counts every step that a RunCurves hands on.
class StepCounter : public QObject {
 public:
  explicit StepCounter(RunCurves& curves) {
    connect(&curves, &RunCurves::reset, this, [this](const auto& steps) {
      seen.clear();
      count(steps);
    });
    connect(&curves, &RunCurves::stepsAdded, this, [this](const auto& steps) { count(steps); });
    connect(&curves, &RunCurves::truncated, this,
            [this](qint64 step) { seen.removeIf([&](auto s) { return s > step; }); });
  }
  void count(const RunCurves::StepBuckets& steps) {
    for (const StepBucket& bucket : steps)
      for (auto step = bucket.firstStep; step <= bucket.lastStep; ++step) seen << step;
  }
  QList<qint64> seen;
};

QList<qint64> upTo(qint64 last) {
  QList<qint64> steps;
  for (qint64 step = 1; step <= last; ++step) steps << step;
  return steps;
}

RunCurves& withBaselines(RunCurves& curves, double constant, double popular) {
  StoredRun run;
  run.record.id = "a";
  run.baselines = {{"constant", {{"val_loss", constant}}},
                   {"most_popular", {{"recall@10", popular}}}};
  curves.begin(run);
  return curves;
}

}  // namespace

class RunCurvesTest : public QObject {
  Q_OBJECT

 private slots:
  void showsEveryStepOnceWhenStoreAndBridgeOverlap() {
    RunCurves curves;
    StepCounter counter(curves);
    StoredRun stored;
    stored.record.id = "a";
    for (std::int64_t step = 1; step <= 20; ++step) stored.steps.push_back(stepAt(step));
    curves.begin(stored);
    const std::vector<StepBucket> live{stepAt(19), bucketOf(20, 23), stepAt(24)};
    curves.addSteps(live);
    QCOMPARE(counter.seen, upTo(24));
    QCOMPARE(curves.lastStep(), std::int64_t{24});
  }

  void goesBackToTheCheckpointOfAResumedRun() {
    RunCurves curves;
    StepCounter counter(curves);
    curves.begin("a", {});
    std::vector<StepBucket> steps;
    for (std::int64_t step = 1; step <= 25; ++step) steps.push_back(stepAt(step));
    curves.addSteps(steps);
    curves.endEpoch(epochOf(1, 0.5, 0.1));
    curves.endEpoch(epochOf(2, 0.4, 0.1));
    experiment::RunStarted resumed;
    resumed.firstStep = 10;
    curves.start(resumed);
    QCOMPARE(counter.seen, upTo(10));
    QCOMPARE(curves.lastEpoch(), std::int64_t{1});
    curves.addSteps(std::vector{bucketOf(11, 30)});
    QCOMPARE(counter.seen, upTo(30));
  }

  void tellsAnEpochOnce() {
    RunCurves curves;
    curves.begin("a", {});
    QSignalSpy changed(&curves, &RunCurves::epochsChanged);
    curves.endEpoch(epochOf(1, 0.5, 0.1));
    curves.endEpoch(epochOf(1, 0.5, 0.1));
    StoredTail tail;
    tail.record.id = "a";
    tail.epochs = {{epochOf(1, 0.5, 0.1), 1.0}, {epochOf(2, 0.4, 0.1), 2.0}};
    curves.add(tail);
    QCOMPARE(curves.epochs().rowCount(), 2);
    QCOMPARE(changed.size(), 2);
  }

  void remembersTheFirstStepThatIsNoNumber() {
    RunCurves curves;
    curves.begin("a", {});
    StepBucket bad = stepAt(2);
    bad.nonFinite = 1;
    bad.min = bad.max = bad.last = NAN;
    curves.addSteps(std::vector{stepAt(1), bad});
    QCOMPARE(curves.firstNonFinite(), std::int64_t{2});
  }

  void keepsEpochColumnsAndRowsConsistent() {
    RunCurves curves;
    QAbstractItemModelTester tester(&curves.epochs(),
                                    QAbstractItemModelTester::FailureReportingMode::QtTest);
    curves.begin("a", {});
    curves.endEpoch(epochOf(1, 0.5, 0.1));
    experiment::EpochSummary more = epochOf(2, 0.4, 0.2);
    more.metrics.emplace_back("val_rmse", 0.3);
    curves.endEpoch(more);
    QCOMPARE(curves.epochs().metrics(), (QStringList{"val_loss", "val_recall@10", "val_rmse"}));
    QCOMPARE(curves.epochs().index(1, EpochsModel::kFixedColumns).data(Qt::EditRole).toDouble(),
             0.4);
    QVERIFY(!curves.epochs().index(0, EpochsModel::kFixedColumns + 2).data(Qt::EditRole).isValid());
    QCOMPARE(curves.charts(), (QStringList{"loss", "val_recall@10", "val_rmse", "learning_rate"}));
    experiment::RunStarted restarted;
    restarted.firstStep = 10;
    curves.addSteps(std::vector{bucketOf(1, 20)});
    curves.start(restarted);
    QCOMPARE(curves.epochs().rowCount(), 1);
  }

  // One place decides: the window shows what the run said of itself.
  void showsTheVerdictsOfTheLastValidation() {
    const auto judged = [](double valLoss, double recall) {
      const experiment::PairedDifference paired{0.0, 0.001, 100};
      using experiment::BaselineKind;
      return std::vector{
          experiment::judge("constant", BaselineKind::kTrained, "val_loss", valLoss, 0.08, paired),
          experiment::judge("most_popular", BaselineKind::kTrained, "val_recall@10", recall, 0.2,
                            paired)};
    };
    RunCurves curves;
    withBaselines(curves, 0.08, 0.2);
    experiment::EpochSummary epoch = epochOf(1, 0.07, 0.3);
    epoch.verdicts = judged(0.07, 0.3);
    curves.endEpoch(epoch);
    curves.endEpoch(epochOf(2, 0.07, 0.3));  // without a validation against baselines
    QCOMPARE(headlineOf(curves).verdict, QString::fromStdString(experiment::verdictText(
                                             epoch.verdicts, "epoch 1 (last validated)")));
    QVERIFY(headlineOf(curves).verdict.contains(": ours 0.3000 · most popular "));
    QVERIFY(headlineOf(curves).verdict.contains("✓"));
    epoch = epochOf(3, 0.08, 0.3);
    epoch.verdicts = judged(0.08, 0.3);
    curves.endEpoch(epoch);
    QVERIFY(headlineOf(curves).verdict.contains(
        "✗ val_loss not distinguishable from mean label: ours minus rival +0.0000, within 3 "));
  }

  void baselinesThatTakeLongStandThroughAResume() {
    RunCurves curves;
    withBaselines(curves, 0.08, 0.2);
    curves.setBaselines({{{"constant", {{"val_loss", 0.08}}}, {"ease", {{"val_recall@10", 0.4}}}}});
    experiment::RunStarted resumed;
    resumed.firstStep = 10;
    resumed.baselines = {{"constant", {{"val_loss", 0.07}}}};
    curves.start(resumed);
    QCOMPARE(curves.baseline("constant", "val_loss"), std::optional(0.07));
    QCOMPARE(curves.baseline("ease", "val_recall@10"), std::optional(0.4));
    curves.setBaselines({resumed.baselines});
    QVERIFY(!curves.baseline("ease", "val_recall@10"));
  }

  void baselinesThatComeLateJudgeTheEpochAgain() {
    RunCurves curves;
    withBaselines(curves, 0.08, 0.2);
    const auto recall = [](const char* baseline, double reference) {
      return experiment::judge(baseline, experiment::BaselineKind::kTrained, "val_recall@10", 0.3,
                               reference, {0.3 - reference, 0.001, 100});
    };
    experiment::EpochSummary epoch = epochOf(1, 0.07, 0.3);
    epoch.verdicts = {recall("most_popular", 0.2)};
    curves.endEpoch(epoch);
    QVERIFY(headlineOf(curves).verdict.contains("✓"));
    const std::vector late{recall("most_popular", 0.2), recall("ease", 0.4)};
    curves.setBaselines({{{"ease", {{"val_recall@10", 0.4}}}}, 1, late});
    QVERIFY(
        headlineOf(curves).verdict.contains("best rival EASE 0.4000 · ✗ val_recall@10 worse than"));
    QCOMPARE(curves.baseline("ease", "val_recall@10"), std::optional(0.4));
    // The store tells the epoch once more to those who watch a run of another program, perhaps as it
    // was before.
    StoredTail tail;
    tail.record.id = curves.facts().runId.toStdString();
    tail.epochs = {{epoch}};
    curves.add(tail);
    QVERIFY(headlineOf(curves).verdict.contains("EASE"));
    epoch.verdicts = late;
    epoch.verdicts.push_back(recall("item_knn", 0.5));
    tail.epochs = {{epoch}};
    curves.add(tail);
    QVERIFY(headlineOf(curves).verdict.contains("best rival item-kNN 0.5000"));
    QCOMPARE(curves.epochs().rowCount(), 1);
  }

  // A resume under newer rules measures the epochs of kept checkpoints again.
  void anEpochThatWasMeasuredAgainShowsTheNewValues() {
    RunCurves curves;
    QAbstractItemModelTester tester(&curves.epochs(),
                                    QAbstractItemModelTester::FailureReportingMode::QtTest);
    curves.begin("a", {});
    curves.endEpoch(epochOf(1, 0.5, 0.1));
    curves.endEpoch(epochOf(2, 0.4, 0.2));
    QSignalSpy changed(&curves, &RunCurves::epochsChanged);
    StoredTail tail;
    tail.record.id = "a";
    tail.epochs = {{epochOf(1, 0.5, 0.3), NAN}, {epochOf(2, 0.4, 0.2), NAN}};
    tail.epochs[0].summary.metrics.emplace_back("val_mrr", 0.25);
    curves.add(tail);
    QCOMPARE(changed.size(), 1);
    QCOMPARE(EpochsModel::metricOf(curves.epochs().rows()[0], "val_recall@10"), std::optional(0.3));
    QCOMPARE(EpochsModel::metricOf(curves.epochs().rows()[0], "val_mrr"), std::optional(0.25));
    QCOMPARE(curves.epochs().rowCount(), 2);
    curves.add(tail);
    QCOMPARE(changed.size(), 1);
  }

  void theConstantIsNamedByTheHeadThatItIsOf() {
    const auto softmax = experiment::LossKind::kInBatchSoftmax;
    QCOMPARE(ui::baselineName("constant", softmax, "val_loss"), QString("equal scores"));
    QCOMPARE(ui::baselineName("constant", softmax, "val_rating_rmse"), QString("mean label"));
    QCOMPARE(ui::baselineName("ease", softmax, "val_recall@10"), QString("EASE"));
  }

  void countsAreShownAsWholeNumbers() {
    RunCurves curves;
    curves.begin("a", {});
    experiment::EpochSummary epoch = epochOf(1, 0.5, 0.1);
    epoch.metrics.emplace_back("masked_hits", 7146.0);
    curves.endEpoch(epoch);
    const int last = curves.epochs().columnCount() - 1;
    QCOMPARE(curves.epochs().index(0, last).data().toString(), QString("7,146"));
  }

  void saysWhatDecidedTheEnd() {
    RunCurves curves;
    StoredRun run;
    run.record.id = "abc";
    run.record.totalEpochs = 20;
    run.experiment.training.epochs = 20;
    run.experiment.training.earlyStopping = experiment::EarlyStopping{.patience = 3};
    for (std::int64_t epoch = 1; epoch <= 5; ++epoch)
      run.epochs.push_back({epochOf(epoch, epoch == 2 ? 0.3 : 0.5, 0.1 * double(epoch)), NAN});
    curves.begin(run);
    curves.setState(RunState::kRunning);
    QCOMPARE(decisionOf(curves), QString());
    curves.setState(RunState::kFinished);
    QCOMPARE(decisionOf(curves),
             QString("Stopped early (patience 3): val_loss improved no more; best epoch 2."));
    curves.setMarks({{RunMark::Kind::kWarning, 0, NAN, "3 lines were rejected"},
                     {RunMark::Kind::kWarning, 0, NAN,
                      "the split leaks: 2 of 10 validation rows equal a training row"},
                     {RunMark::Kind::kWarning, 0, NAN, "a baseline is left out: ease"}});
    QVERIFY(decisionOf(curves).endsWith(
        "The split leaks: 2 of 10 validation rows equal a training row. A baseline is left out: "
        "ease."));
    QVERIFY(!decisionOf(curves).contains("rejected"));
    curves.setMarks({});
    curves.setState(RunState::kStopped);
    QCOMPARE(decisionOf(curves), QString("Stopped by hand after epoch 5 of 20."));
    run.experiment.training.earlyStopping.reset();
    run.experiment.training.epochs = run.record.totalEpochs = 5;
    curves.begin(run);
    curves.setState(RunState::kFinished);
    QCOMPARE(decisionOf(curves), QString("Best epoch 2 of 5 by val_loss."));
  }

  void headHasStepAndKeyMetric() {
    RunCurves curves;
    StoredRun run;
    run.record.id = "abc";
    run.record.totalEpochs = 4;
    run.record.stepsPerEpoch = 10;
    run.epochs = {{epochOf(1, 0.5, 0.125), NAN}};
    run.steps = {bucketOf(1, 10)};
    curves.begin(run);
    const RunHeadline head = headlineOf(curves);
    QCOMPARE(head.step, QString("10 / 40"));
    QCOMPARE(head.keyLabel, QString("recall@10"));
    QCOMPARE(head.key, numberText(0.125));
    QCOMPARE(head.epoch, QString("1 / 4"));
    // The epoch that trains, until the run has ended.
    run.record.state = experiment::RunState::kRunning;
    run.steps = {bucketOf(1, 12)};
    curves.begin(run);
    QCOMPARE(headlineOf(curves).epoch, QString("2 / 4"));
    run.record.state = experiment::RunState::kStopped;
    curves.begin(run);
    QCOMPARE(headlineOf(curves).epoch, QString("1 / 4"));
  }

  void saysWhyAnAdoptedRunHasNoVerdict() {
    RunCurves curves;
    StoredRun run;
    run.record.id = "abc";
    run.record.recipe = experiment::kRecoveredRecipe;
    run.epochs = {{epochOf(1, 0.5, 0.125), NAN}};
    curves.begin(run);
    QVERIFY(headlineOf(curves).verdict.contains("adopted from a checkpoint"));
  }

  void saysNothingBeforeAValidation() {
    RunCurves curves;
    const RunHeadline head = headlineOf(withBaselines(curves, 0.08, 0.2));
    QVERIFY(head.verdict.isEmpty());
    QCOMPARE(head.valLoss, QString("–"));
  }

  void estimatesFromTheShortestAndTheLongestEpoch() {
    RunCurves curves;
    experiment::Experiment experiment;
    experiment.training.epochs = 10;
    curves.begin("a", experiment);
    curves.setState(RunState::kRunning);
    curves.endEpoch(epochOf(1, 0.5, 0.1));
    curves.endEpoch(epochOf(2, 0.5, 0.1));
    const RunEta eta = etaFromEpochs(curves);
    QCOMPARE(eta.lowSeconds, 8.0 * 1.0);
    QCOMPARE(eta.highSeconds, 8.0 * 2.0);
  }

  void readsMarksOfTheStoreWithoutWhatAResumeTookBack() {
    QTemporaryDir folder;
    auto opened = store::RunStore::open(folder.filePath("runs.db").toStdString(), {});
    QVERIFY(opened.ok());
    store::RunStore& store = **opened;
    store::RunRecord record;
    record.id = "aaaaaaaaaaaa";
    QVERIFY(store.createRun(record).ok());
    experiment::RunSink& sink = store.sink();
    sink.onEvent(record.id, experiment::RunStarted{});
    for (std::int64_t step = 1; step <= 10; ++step)
      sink.onStep(record.id, {step, 1, 1.0, 0.5 * double(step)});
    experiment::CheckpointWritten written;
    written.step = 5;
    sink.onEvent(record.id, written);
    QVERIFY(store.flush().ok());
    sink.onEvent(record.id, experiment::StateChanged{RunState::kPaused});
    sink.onEvent(record.id, experiment::StateChanged{RunState::kRunning});
    sink.onEvent(record.id, experiment::RunWarning{"odd"});
    QVERIFY(store.flush().ok());
    auto marks = readMarks(store, record.id);
    QVERIFY(marks.ok());
    QCOMPARE(marks->size(), std::size_t{4});
    QCOMPARE(marks->at(0).step, std::int64_t{5});
    QCOMPARE(marks->at(0).seconds, 2.5);
    QCOMPARE(int(marks->at(1).kind), int(RunMark::Kind::kPause));
    QCOMPARE(int(marks->at(2).kind), int(RunMark::Kind::kResume));
    QCOMPARE(int(marks->at(3).kind), int(RunMark::Kind::kWarning));
    experiment::RunStarted resumed;
    resumed.firstStep = 5;
    sink.onEvent(record.id, resumed);
    QVERIFY(store.flush().ok());
    marks = readMarks(store, record.id);
    QVERIFY(marks.ok());
    QCOMPARE(marks->size(), std::size_t{2});
    QCOMPARE(int(marks->at(1).kind), int(RunMark::Kind::kResume));
  }

  void writesNumbersWithoutLocale_data() {
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("text");
    QTest::newRow("small") << 0.079 << "0.0790";
    QTest::newRow("tens") << 12.3456 << "12.35";
    QTest::newRow("thousands") << 12345.6 << "12346";
    QTest::newRow("a large count") << 1217620.0 << "1,217,620";
    QTest::newRow("large") << 1217620.5 << "1.218e+06";
    QTest::newRow("tiny") << 0.00001234 << "1.234e-05";
    QTest::newRow("unknown") << double(NAN) << "–";
  }
  void writesNumbersWithoutLocale() {
    QFETCH(double, value);
    QTEST(numberText(value), "text");
  }
};

QTEST_GUILESS_MAIN(RunCurvesTest)
#include "run_curves_test.moc"
