// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/train/train_page.h"

#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTabBar>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include "tests/ui/recorded_runs.h"
#include "ui/models/runs_format.h"
#include "ui/pages/train/chart_grid.h"

using namespace parapet;
using namespace parapet::ui;
using experiment::RunState;

namespace {

constexpr int kLongMs = 60000;
constexpr std::int64_t kEpochs = 6;

/// The rows of one curve in the table of points.
struct CurveRows {
  qint64 rows = 0;
  qint64 steps = 0;  ///< covered by step rows
  QList<double> values;
};

CurveRows rowsOf(const CurveTableModel& table, const QString& series) {
  CurveRows found;
  const auto cell = [&](int row, int column) {
    return table.index(row, column).data(Qt::EditRole).toDouble();
  };
  for (int row = 0; row < table.rowCount(); ++row) {
    if (table.index(row, CurveTableModel::kSeries).data().toString() != series) continue;
    ++found.rows;
    found.steps += qint64(cell(row, CurveTableModel::kLastStep)) -
                   qint64(cell(row, CurveTableModel::kFirstStep)) + 1;
    found.values << cell(row, CurveTableModel::kLast);
  }
  return found;
}

QStringList seriesOf(const CurveTableModel& table) {
  QStringList names;
  for (int row = 0; row < table.rowCount(); ++row)
    if (const QString name = table.index(row, CurveTableModel::kSeries).data().toString();
        !names.contains(name))
      names << name;
  names.sort();
  return names;
}

bool hasMark(const RunCurves& curves, RunMark::Kind kind) {
  return std::ranges::any_of(curves.marks(),
                             [kind](const RunMark& mark) { return mark.kind == kind; });
}

/// The content of a picture, to compare a live one with a stored one.
QStringList picture(TrainPage& page) {
  QStringList lines = seriesOf(page.curvePanel().points());
  for (const RunMark& mark : page.curves().marks())
    lines << QString("%1 at %2: %3").arg(int(mark.kind)).arg(mark.step).arg(mark.text);
  const CurveTableModel& table = page.curvePanel().points();
  for (const char* name : {"epoch loss", "val_loss", "as displayed"})
    for (const double value : rowsOf(table, name).values)
      lines << QString("%1 %2").arg(name).arg(value, 0, 'g', 17);
  lines << QString("%1 steps").arg(rowsOf(table, "step loss").steps);
  return lines;
}

}  // namespace

class TrainPageTest : public QObject {
  Q_OBJECT

 private slots:
  void offersTheSampleWhenThereIsNothing() {
    RecordedBench bench;
    QVERIFY(bench.good());
    TrainPage page(bench.bench());
    page.show();
    auto* sample = page.findChild<QPushButton*>("trainSample");
    QVERIFY(sample && sample->isVisible());
    QSignalSpy started(&bench.runs(), &RunController::started);
    QSignalSpy ended(&bench.runs(), &RunController::ended);
    sample->click();
    QTRY_COMPARE_WITH_TIMEOUT(started.size(), 1, kLongMs);
    bench.runs().stop();
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, kLongMs);
  }

  /// The state is on the screen while thousands of epochs are still to be drawn.
  void showsTheEndBeforeTheFloodOfPoints() {
    RecordedBench bench;
    TrainPage page(bench.bench());
    page.show();
    bench.runs().start(recordedExperiment(1'000'000), "sample");
    QTRY_VERIFY_WITH_TIMEOUT(page.curves().facts().state == RunState::kRunning, kLongMs);
    const std::string run = page.runId().toStdString();
    bench.runs().pause();
    QTRY_VERIFY_WITH_TIMEOUT(page.curves().facts().state == RunState::kPaused, kLongMs);
    bench.bench().bridge.drain();
    const std::int64_t before = page.curves().lastStep();
    std::int64_t drawnAtEnd = -1;
    auto* state = page.findChild<QLabel*>("state");
    connect(&page.curves(), &RunCurves::factsChanged, &page, [&] {
      if (page.curves().facts().state == RunState::kDiverged && drawnAtEnd < 0)
        drawnAtEnd = page.curves().lastStep();
    });
    for (std::int64_t step = before + 1; step <= before + 50'000; ++step)
      bench.bench().bridge.onStep(run, {.step = step, .epoch = step, .loss = 1.0});
    bench.bench().bridge.onEvent(run, experiment::StateChanged{RunState::kDiverged});
    QTRY_VERIFY(state->text().contains("Diverged"));
    QCOMPARE(drawnAtEnd, before);
    QTRY_COMPARE(page.curves().lastStep(), before + 50'000);
  }

  void theShortLastBatchStandsApart_data() {
    QTest::addColumn<std::int64_t>("batch");
    QTest::addColumn<qint64>("apart");
    QTest::newRow("21 of 793") << std::int64_t{793} << qint64{3};
    QTest::newRow("all full") << std::int64_t{100} << qint64{0};
  }
  void theShortLastBatchStandsApart() {
    QFETCH(std::int64_t, batch);
    QFETCH(qint64, apart);
    RecordedBench bench;
    experiment::Experiment experiment = recordedExperiment(3);
    experiment.dataset.batch.size = batch;
    TrainPage page(bench.bench());
    page.resize(1200, 800);
    page.show();
    bench.runs().start(experiment, "sample");
    QTRY_VERIFY_WITH_TIMEOUT(page.curves().facts().state == RunState::kFinished, kLongMs);
    const auto check = [&] {
      QTRY_COMPARE_WITH_TIMEOUT(page.curves().lastEpoch(), 3, kLongMs);
      const CurveTableModel& points = page.curvePanel().points();
      QTRY_COMPARE_WITH_TIMEOUT(rowsOf(points, "step loss, short batch").rows, apart, kLongMs);
      const CurveRows line = rowsOf(points, "step loss");
      QCOMPARE(line.steps + apart, page.curves().lastStep());
      if (apart == 0) return;
      page.curvePanel().lossPlot().refreshNow();
      const double least = std::ranges::min(line.values);
      for (const double value : rowsOf(points, "step loss, short batch").values) {
        QVERIFY(value < least);
        QVERIFY(value < page.curvePanel().lossPlot().view().bottom);
      }
    };
    check();
    // As the store has it.
    const QString run = page.runId();
    TrainPage later(bench.bench());
    later.resize(1200, 800);
    later.show();
    QVERIFY(QTest::qWaitForWindowExposed(&later));
    later.showRun(run);
    QTRY_COMPARE_WITH_TIMEOUT(later.curves().lastEpoch(), 3, kLongMs);
    QTRY_COMPARE_WITH_TIMEOUT(rowsOf(later.curvePanel().points(), "step loss, short batch").rows,
                              apart, kLongMs);
  }

  /// Nothing can be read from the store: what the run tells is drawn all the same.
  /// The bridge has waited once already; the page does not wait again.
  void theStateIsWrittenWithTheNewsOfIt() {
    RecordedBench bench;
    const QString run = bench.record(recordedExperiment(2));
    TrainPage page(bench.bench());
    page.show();
    page.showRun(run);
    auto* state = page.findChild<QLabel*>("state");
    QTRY_VERIFY_WITH_TIMEOUT(state->text().contains(stateText(RunState::kFinished)), kLongMs);
    RunStatus news;
    news.state = RunState::kStopped;
    emit bench.bench().bridge.statusChanged(run, news);
    QVERIFY2(state->text().contains(stateText(RunState::kStopped)), qPrintable(state->text()));
  }

  /// Neither charts nor users of the run before.
  void aRunOfOtherDataHasItsOwnUsers() {
    RecordedBench bench;
    experiment::Experiment other = recordedExperiment(2);
    other.dataset.generator->seed = 8;
    other.dataset.generator->users = 40;
    const QString first = bench.record(recordedExperiment(2)), second = bench.record(other);
    TrainPage page(bench.bench());
    page.show();
    page.showRun(first);
    WatchedUsersModel& watched = page.watched().model();
    QTRY_COMPARE_WITH_TIMEOUT(watched.rowCount(), 2, kLongMs);
    QTRY_VERIFY_WITH_TIMEOUT(page.watched().source().ready(), kLongMs);
    page.watched().addUser("no user of either");
    const QStringList users = watched.users();
    QVERIFY(!second.isEmpty());
    page.showRun(second);
    QTRY_VERIFY_WITH_TIMEOUT(!watched.users().contains("no user of either"), kLongMs);
    QTRY_COMPARE_WITH_TIMEOUT(watched.rowCount(), 2, kLongMs);
    page.showRun(first);
    QTRY_COMPARE_WITH_TIMEOUT(watched.users(), users, kLongMs);
  }

  void aRunWithoutEpochsKeepsNoChartOfTheOneBefore() {
    RecordedBench bench;
    const QString run = bench.record(recordedExperiment(2));
    store::RunRecord empty = bench.workspace().store().find(run.toStdString()).value();
    empty.id = store::RunStore::newRunId();
    empty.epochs = empty.steps = 0;
    QVERIFY(bench.workspace().store().createRun(empty).ok());
    TrainPage page(bench.bench());
    page.show();
    page.showRun(run);
    QTRY_VERIFY_WITH_TIMEOUT(page.curvePanel().charts().charts().size() > 1, kLongMs);
    page.showRun(QString::fromStdString(empty.id));
    QTRY_COMPARE_WITH_TIMEOUT(page.curvePanel().charts().charts(), QStringList{"loss"}, kLongMs);
  }

  void drawsALiveRunWithoutTheStore() {
    RecordedBench bench;
    TrainPage page(bench.bench());
    page.show();
    bench.runs().start(recordedExperiment(1'000'000), "sample");
    QTRY_VERIFY_WITH_TIMEOUT(page.curves().lastStep() > 0, kLongMs);
    const QString run = bench.runs().runId();
    QVERIFY(bench.workspace().store().flush().ok());
    RunCurves curves;
    RunFeed feed(bench.workspace(), bench.bench().bridge, bench.runs(), curves);
    feed.show(run);
    QVERIFY(feed.loading());
    // No event of a worker is handled here: the answer of the store has not come.
    QCOMPARE(curves.facts().runId, run);
    bench.bench().bridge.onStep(run.toStdString(), {.step = 900'000, .epoch = 2, .loss = 3.0});
    bench.bench().bridge.drain();
    QVERIFY(feed.loading());
    QCOMPARE(curves.lastStep(), 900'000);
    bench.runs().stop();
    QTRY_VERIFY_WITH_TIMEOUT(!bench.runs().active(), kLongMs);
  }

  void drawsEveryStepAndEpochOfARun() {
    RecordedBench bench;
    TrainPage page(bench.bench());
    page.resize(1120, 640);
    page.show();
    QSignalSpy ended(&bench.runs(), &RunController::ended);
    bench.runs().start(recordedExperiment(kEpochs), "sample");
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, kLongMs);
    const auto run = bench.workspace().store().find("latest");
    QVERIFY(run.ok());
    QTRY_COMPARE(page.curves().lastEpoch(), kEpochs);
    const CurveTableModel& table = page.curvePanel().points();
    QCOMPARE(rowsOf(table, "step loss").steps, run->steps);
    QCOMPARE(run->steps, kEpochs * run->stepsPerEpoch);
    QCOMPARE(rowsOf(table, "epoch loss").rows, kEpochs);
    // The table has the values of the store.
    const auto epochs = bench.workspace().store().epochs(run->id);
    QVERIFY(epochs.ok());
    for (std::size_t i = 0; i < epochs->size(); ++i) {
      QCOMPARE(rowsOf(table, "epoch loss").values[qsizetype(i)], epochs->at(i).loss);
      QCOMPARE(rowsOf(table, "as displayed").values[qsizetype(i)], epochs->at(i).lossAsDisplayed);
    }
    QVERIFY(seriesOf(table).join('|').contains("equal scores"));
    auto* verdict = page.findChild<QLabel*>("verdict");
    QVERIFY(verdict && verdict->text().contains("recommending the most popular items"));
    // Three numbers and the reason, then every rival: those that take long are there in the end.
    const QString line = verdict->text().section('\n', 0, 0);
    QVERIFY2(line.contains(": ours ") && line.contains(" · most popular ") &&
                 line.contains("best rival") && (line.contains("✓") || line.contains("✗")),
             qPrintable(line));
    for (const char* rival :
         {"equal scores", "a random order", "a Markov chain", "item-kNN", "EASE"})
      QVERIFY2(verdict->text().section('\n', 1).contains(rival), qPrintable(verdict->text()));
    QTRY_VERIFY(page.findChild<QLabel*>("state")->text().contains("Finished"));
  }

  /// The curve has the new value in the place of the old one, not both.
  void anEpochThatIsMeasuredAgainReplacesItsPoint() {
    RunCurves curves;
    curves.begin("a", {});
    LossChart losses(curves);
    MetricChart recall(curves, "val_recall@10");
    for (const std::int64_t epoch : {1, 2}) {
      experiment::EpochSummary summary;
      summary.epoch = epoch;
      summary.step = 10 * epoch;
      summary.metrics = {{"val_loss", 0.5}, {"val_recall@10", 0.125}};
      curves.endEpoch(summary);
    }
    curves.measureAgain({1, 10, {{"val_loss", 0.25}, {"val_recall@10", 0.75}}, {}, {}, false});
    QCOMPARE(rowsOf(losses.table(), "val_loss").values, (QList<double>{0.25, 0.5}));
    QCOMPARE(rowsOf(recall.table(), "val_recall@10").values, (QList<double>{0.75, 0.125}));
    QCOMPARE(rowsOf(losses.table(), "epoch loss").rows, qint64(2));
    // Epochs that come later are appended as ever.
    experiment::EpochSummary third;
    third.epoch = 3;
    third.step = 30;
    third.metrics = {{"val_loss", 0.125}};
    curves.endEpoch(third);
    QCOMPARE(rowsOf(losses.table(), "val_loss").values, (QList<double>{0.25, 0.5, 0.125}));
  }

  void drawsRankingMetricsWithTheirBaselines() {
    RecordedBench bench;
    const QString run = bench.record(recordedExperiment(3));
    QVERIFY(!run.isEmpty());
    TrainPage page(bench.bench());
    page.show();
    page.showRun(run);
    QTRY_COMPARE(page.curves().lastEpoch(), std::int64_t{3});
    page.curvePanel().choose("val_recall@10");
    const QString series = seriesOf(page.curvePanel().points()).join('|');
    QVERIFY2(series.contains("most popular") && series.contains("random order"),
             qPrintable(series));
    QCOMPARE(rowsOf(page.curvePanel().points(), "val_recall@10").rows, qint64(3));
    page.curvePanel().choose("loss");
    QVERIFY(!page.curvePanel().metricChart());
  }

  /// Segments of the last epoch, hits that were masked, and what equal scores lose.
  void showsSegmentsMaskedHitsAndEqualScores() {
    RecordedBench bench;
    experiment::Experiment experiment = recordedExperiment(2);
    experiment.loss = {.kind = experiment::LossKind::kInBatchSoftmax};
    experiment.evaluation.segments = {"activity"};
    const QString run = bench.record(experiment);
    QVERIFY(!run.isEmpty());
    TrainPage page(bench.bench());
    page.show();
    page.showRun(run);
    QTRY_COMPARE(page.curves().lastEpoch(), std::int64_t{2});
    QVERIFY(seriesOf(page.curvePanel().points()).contains("equal scores"));
    auto* masked = page.findChild<QLabel*>("maskedHits");
    QTRY_VERIFY(masked->isVisible() && masked->text() != "0");
    auto* tabs = page.curvePanel().findChild<QTabBar*>();
    int tab = 0;
    while (tab < tabs->count() && tabs->tabText(tab) != "Segments") ++tab;
    QVERIFY(tab < tabs->count() && tabs->isTabVisible(tab));
    QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(tab).center());
    auto* table = page.findChild<QTableView*>("segments");
    QVERIFY(table->isVisible());
    const QAbstractItemModel& model = *table->model();
    QVERIFY(model.rowCount() > 0);
    QCOMPARE(model.index(0, 0).data().toString(), QString("user activity"));
    QCOMPARE(model.headerData(3, Qt::Horizontal).toString(), QString("recall@10"));
    double queries = 0.0, whole = 0.0;
    for (int row = 0; row < model.rowCount(); ++row) {
      const double count = model.index(row, 2).data(Qt::EditRole).toDouble();
      queries += count;
      whole += count * model.index(row, 3).data(Qt::EditRole).toDouble();
    }
    QVERIFY(std::abs(whole / queries - *page.curves().epochs().lastMetric("val_recall@10")) < 1e-9);
    // A run that measures none has no such tab.
    const QString other = bench.record(recordedExperiment(1));
    page.showRun(other);
    QTRY_VERIFY(!tabs->isTabVisible(tab));
    QVERIFY(!page.findChild<QLabel*>("maskedHits")->isVisible() ||
            experiment::usesNegatives(page.curves().facts().loss));
  }

  void chartsStandBesideEachOtherAndAreLinked() {
    RecordedBench bench;
    const QString run = bench.record(recordedExperiment(3));
    TrainPage page(bench.bench());
    page.resize(1120, 640);
    page.show();
    page.showRun(run);
    CurvePanel& panel = page.curvePanel();
    // The key metric stands beside the losses until a person pins something else.
    QTRY_COMPARE(panel.charts().charts(), QStringList({"loss", "val_recall@10"}));
    MetricChart* recall = panel.charts().metric("val_recall@10");
    QTRY_VERIFY(recall->isVisible() && panel.charts().losses().isVisible());
    QVERIFY(recall->height() >= ChartGrid::kMinHeight);
    panel.lossPlot().zoomTo({5, 20, 0, 10});
    QVERIFY(recall->plot().zoomedX() == std::pair(5.0, 20.0));
    emit recall->plot().pointedAt(10.0);
    QCOMPARE(panel.lossPlot().crosshair().value_or(-1.0), 10.0);
    // Axis and smoothing are those of all.
    panel.controls().findChild<QComboBox*>("axis")->setCurrentIndex(1);
    emit panel.controls().findChild<QComboBox*>("axis")->activated(1);
    QCOMPARE(recall->plot().xAxis(), XAxis::kEpoch);
    QVERIFY(!recall->plot().zoomedX());
    auto* pins = panel.controls().findChild<QPushButton*>("pinnedCharts");
    const auto toggle = [&](const QString& chart) {
      emit pins->menu()->aboutToShow();
      for (QAction* action : pins->menu()->actions())
        if (action->text() == chart) return action->trigger();
      QFAIL(qPrintable(chart));
    };
    toggle("val_recall@10");
    QCOMPARE(panel.charts().charts(), QStringList{"loss"});
    const QStringList measured = page.curves().charts();
    QVERIFY(measured.size() > 2);
    toggle(measured[1]);
    QCOMPARE(panel.charts().charts(), QStringList({"loss", measured[1]}));
    // The pinned chart comes back.
    TrainPage again(bench.bench());
    again.restoreState(page.saveState());
    again.show();
    QTRY_COMPARE(again.curvePanel().charts().charts(), QStringList({"loss", measured[1]}));
  }

  /// The rate of every step from the document, and that of each epoch as it was told, on one axis.
  void theLearningRateIsAChart() {
    RecordedBench bench;
    QVERIFY(bench.good());
    experiment::Experiment document = recordedExperiment(3);
    document.schedule.kind = experiment::ScheduleKind::kCosine;
    document.schedule.decaySteps = experiment::kStepsOfRun;
    const QString run = bench.record(document);
    TrainPage page(bench.bench());
    page.resize(1120, 640);
    page.show();
    page.showRun(run);
    CurvePanel& panel = page.curvePanel();
    QTRY_VERIFY(page.curves().charts().contains("learning_rate"));
    panel.choose("learning_rate");
    QTRY_VERIFY(panel.charts().metric("learning_rate") != nullptr);
    const CurveTableModel& table = panel.charts().metric("learning_rate")->table();
    QTRY_VERIFY(table.rowCount() > 3);
    QStringList series;
    double first = 0.0, last = 1e9;
    for (int row = 0; row < table.rowCount(); ++row) {
      const QString name = table.index(row, CurveTableModel::kSeries).data().toString();
      if (!series.contains(name)) series << name;
      if (!name.startsWith("schedule")) continue;
      const double rate = table.index(row, CurveTableModel::kLast).data(Qt::EditRole).toDouble();
      first = first == 0.0 ? rate : first;
      last = rate;
    }
    QVERIFY2(series.contains("learning_rate") && series.contains("schedule of the experiment"),
             qPrintable(series.join(" | ")));
    QCOMPARE(first, document.optimizer.learningRate);
    QVERIFY2(last < 0.01 * first, qPrintable(QString::number(last)));
    // The chart zooms with the others.
    panel.charts().plot("learning_rate").zoomTo({5, 20, 0, 1});
    QVERIFY(panel.charts().plot("learning_rate").zoomedX() == std::pair(5.0, 20.0));
  }

  void headSaysStepKeyMetricAndWhatDecidedTheEnd() {
    RecordedBench bench;
    experiment::Experiment experiment = recordedExperiment(9);
    // No epoch improves by so much.
    experiment.training.earlyStopping = experiment::EarlyStopping{"val_loss", 1, 100.0};
    const QString run = bench.record(experiment);
    QVERIFY(!run.isEmpty());
    TrainPage page(bench.bench());
    page.show();
    page.showRun(run);
    auto* decision = page.findChild<QLabel*>("decision");
    QTRY_VERIFY(decision->isVisible());
    QVERIFY2(decision->text().startsWith("Stopped early (patience 1): val_loss improved no more"),
             qPrintable(decision->text()));
    QTRY_COMPARE(page.findChild<QLabel*>("keyMetricName")->text(), QString("recall@10"));
    const auto epochs = bench.workspace().store().epochs(run.toStdString());
    for (const auto& [key, value] : epochs->back().metrics)
      if (key == "val_recall@10")
        QCOMPARE(page.findChild<QLabel*>("keyMetric")->text(), numberText(value));
    QVERIFY(
        page.findChild<QLabel*>("step")->text().startsWith(countText(page.curves().lastStep())));
  }

  void aSingleStepShowsItsBatch() {
    RecordedBench bench;
    TrainPage page(bench.bench());
    page.resize(1120, 640);
    page.show();
    bench.runs().start(recordedExperiment(1'000'000), "sample");
    QTRY_VERIFY_WITH_TIMEOUT(page.curves().facts().state == RunState::kRunning, kLongMs);
    auto* tabs = page.curvePanel().findChild<QTabBar*>();
    const int tab = tabs->count() - 1;
    QCOMPARE(tabs->tabText(tab), QString("This batch"));
    QVERIFY(!tabs->isTabVisible(tab));
    bench.runs().pause();
    QTRY_VERIFY_WITH_TIMEOUT(page.curves().facts().state == RunState::kPaused, kLongMs);
    const std::int64_t before = bench.runs().progress().done;
    bench.runs().step();
    QTRY_VERIFY_WITH_TIMEOUT(tabs->isTabVisible(tab), kLongMs);
    QCOMPARE(tabs->currentIndex(), tab);
    BatchTables& tables = page.curvePanel().batch().tables();
    auto* sentence = page.findChild<QLabel*>("batchSentence");
    QVERIFY2(sentence->text().startsWith("Step " + countText(before + 1)),
             qPrintable(sentence->text()));
    QVERIFY(sentence->isVisible());
    QCOMPARE(tables.features().rowCount(), 2);
    QCOMPARE(tables.losses().rowCount(), 1);
    QVERIFY(tables.parameters().rowCount() >= 2);
    QVERIFY(tables.examples().rowCount() > 0);
    QVERIFY(tables.parameters().index(0, 4).data(Qt::DisplayRole).toString() != numberText(NAN));
    // One table in one piece: nothing is sent.
    QCOMPARE(tables.routes().rowCount(), 0);
    bench.runs().step();
    QTRY_VERIFY_WITH_TIMEOUT(sentence->text().startsWith("Step " + countText(before + 2)), kLongMs);
    bench.runs().stop();
    QTRY_VERIFY_WITH_TIMEOUT(!bench.runs().active(), kLongMs);
  }

  void showsAStoredRunAsItWasLive() {
    RecordedBench bench;
    TrainPage live(bench.bench());
    live.show();
    QSignalSpy ended(&bench.runs(), &RunController::ended);
    bench.runs().start(recordedExperiment(kEpochs), "sample");
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, kLongMs);
    TrainPage stored(bench.bench());
    stored.show();
    stored.showRun(bench.runs().runId());
    QTRY_COMPARE(stored.curves().lastEpoch(), kEpochs);
    QTRY_COMPARE(picture(live), picture(stored));
  }

  void marksAPauseAndAResume() {
    RecordedBench bench;
    TrainPage page(bench.bench());
    page.show();
    QSignalSpy ended(&bench.runs(), &RunController::ended);
    bench.runs().start(recordedExperiment(2000), "sample");
    QTRY_VERIFY_WITH_TIMEOUT(page.curves().lastStep() > 0, kLongMs);
    bench.runs().pause();
    QTRY_VERIFY_WITH_TIMEOUT(hasMark(page.curves(), RunMark::Kind::kPause), kLongMs);
    // A page that is opened now has the steps before and goes on without a gap.
    TrainPage late(bench.bench());
    late.show();
    late.showRun(bench.runs().runId());
    bench.runs().resume();
    QTRY_VERIFY_WITH_TIMEOUT(hasMark(page.curves(), RunMark::Kind::kResume), kLongMs);
    bench.runs().stop();
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, kLongMs);
    const auto run = bench.workspace().store().find("latest");
    QVERIFY(run.ok());
    for (TrainPage* each : {&page, &late}) {
      QTRY_COMPARE(each->curves().lastStep(), run->steps);
      QCOMPARE(rowsOf(each->curvePanel().points(), "step loss").steps, run->steps);
    }
  }

  void leavesARunWhoseImportFailed() {
    RecordedBench bench;
    TrainPage page(bench.bench());
    page.show();
    const QString before = bench.record(recordedExperiment(2));
    page.showRun(before);
    QTRY_COMPARE_WITH_TIMEOUT(page.curves().lastEpoch(), std::int64_t{2}, kLongMs);
    experiment::Experiment experiment = recordedExperiment(2);
    experiment.dataset.source = experiment::SourceKind::kMovielens;
    experiment.dataset.path = "/nowhere/ml-100k";
    QSignalSpy failed(&bench.runs(), &RunController::failed);
    bench.runs().start(experiment, "file");
    QVERIFY(page.runId() != before);
    QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, kLongMs);
    QCOMPARE(page.runId(), before);
    QTRY_COMPARE_WITH_TIMEOUT(page.curves().facts().state, RunState::kFinished, kLongMs);
    // The run before is not what failed.
    auto* title = page.findChild<QLabel*>("didNotStart");
    QVERIFY(title->isVisible() && title->text().endsWith("did not start"));
    for (auto* button : page.findChildren<QPushButton*>())
      if (button->text() == "Show the run before") button->click();
    QVERIFY(!title->isVisible());
  }

  void offersResumeWhereARunCanGoOn() {
    RecordedBench bench;
    TrainPage page(bench.bench());
    page.show();
    QSignalSpy ended(&bench.runs(), &RunController::ended);
    experiment::Experiment experiment = recordedExperiment(1'000'000);
    experiment.training.checkpoints.best.reset();
    const auto resume = [&page] {
      for (QPushButton* button : page.findChildren<QPushButton*>())
        if (button->text() == "Resume") return button;
      return static_cast<QPushButton*>(nullptr);
    };
    bench.runs().start(experiment, "sample");
    QTRY_VERIFY_WITH_TIMEOUT(page.curves().lastStep() > 0, kLongMs);
    bench.runs().handle()->abort();
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, kLongMs);
    QVERIFY(!hasMark(page.curves(), RunMark::Kind::kCheckpoint));
    // Without a checkpoint it is begun anew.
    QTRY_VERIFY_WITH_TIMEOUT(resume() && !resume()->isHidden(), kLongMs);
    bench.runs().start(experiment, "sample");
    QTRY_VERIFY_WITH_TIMEOUT(resume()->isHidden(), kLongMs);
    QTRY_VERIFY_WITH_TIMEOUT(page.curves().lastStep() > 0, kLongMs);
    bench.runs().stop();
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 2, kLongMs);
    QTRY_VERIFY_WITH_TIMEOUT(hasMark(page.curves(), RunMark::Kind::kCheckpoint), kLongMs);
    QTRY_VERIFY_WITH_TIMEOUT(!resume()->isHidden(), kLongMs);
  }

  void nothingBelowTheSentencesMovesAsTheyCome() {
    HeadlineBar bar;
    bar.resize(900, bar.sizeHint().height());
    bar.QWidget::show();
    const auto height = [&bar] { return bar.layout()->heightForWidth(900); };
    bar.show({}, {});
    const int before = height();
    RunHeadline headline;
    headline.verdict = QString("a verdict that wraps ").repeated(60);
    bar.show(headline, QString("what decided the end ").repeated(20));
    QCOMPARE(height(), before);
    auto* verdict = bar.findChild<QLabel*>("verdict");
    auto* scroll = bar.findChild<QScrollArea*>();
    // All of it can be read.
    QTRY_VERIFY(scroll->verticalScrollBar()->maximum() > 0);
    QVERIFY(verdict->height() >= verdict->heightForWidth(verdict->width()));
  }

  void goesOnFromTheCheckpointOfAResumedRun() {
    constexpr int kEpochs = 1000;  // EASE comes long before the last
    RecordedBench bench;
    TrainPage page(bench.bench());
    page.show();
    QSignalSpy ended(&bench.runs(), &RunController::ended);
    experiment::Experiment experiment = recordedExperiment(kEpochs);
    bench.runs().start(experiment, "sample");
    QTRY_VERIFY_WITH_TIMEOUT(page.curves().lastEpoch() > 0, kLongMs);
    // One that is not measured at the start.
    const auto hasEase = [&page] {
      return page.curves().baseline("ease", "val_recall@10").has_value();
    };
    QTRY_VERIFY_WITH_TIMEOUT(hasEase(), kLongMs);
    bench.runs().stop();
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, kLongMs);
    QCOMPARE(page.curves().facts().state, experiment::RunState::kStopped);
    int looks = 0, gaps = 0;
    const auto look = [&] {
      ++looks;
      gaps += hasEase() && page.curves().lastEpoch() > 0 ? 0 : 1;
    };
    connect(&page.curves(), &RunCurves::reset, this, look);
    connect(&page.curves(), &RunCurves::factsChanged, this, look);
    bench.runs().resumeRun(bench.runs().runId());
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 2, 4 * kLongMs);
    QVERIFY(looks > 0);
    QCOMPARE(gaps, 0);
    const auto run = bench.workspace().store().find("latest");
    QTRY_COMPARE(page.curves().lastEpoch(), std::int64_t{kEpochs});
    QTRY_COMPARE(rowsOf(page.curvePanel().points(), "step loss").steps, run->steps);
    QTRY_VERIFY(hasMark(page.curves(), RunMark::Kind::kResume));
  }

  void overlaysThePublishedCurve() {
    RecordedBench bench;
    experiment::Experiment experiment = recordedExperiment(2);
    experiment.reference.curve = "keras-data-parallel-retrieval";
    const QString run = bench.record(experiment);
    TrainPage page(bench.bench());
    page.show();
    page.showRun(run);
    QTRY_COMPARE(page.curves().lastEpoch(), std::int64_t{2});
    const CurveTableModel& table = page.curvePanel().points();
    QCOMPARE(rowsOf(table, "published loss").rows, qint64(50));
    QCOMPARE(rowsOf(table, "published val_loss").rows, qint64(10));
    QCOMPARE(rowsOf(table, "as displayed: mean of 50 seeds ± 2 sd").rows, qint64(11));
    QCOMPARE(rowsOf(table, "val_loss: mean of 50 seeds ± 2 sd").rows, qint64(10));
    QVERIFY(page.findChild<QWidget*>("strip")->isVisible());
  }

  // The chart of a metric has the published values of that metric; where those alone were published
  // that a progress bar displayed, the chart of the true values says so.
  void overlaysPublishedMetrics() {
    experiment::Experiment experiment;
    experiment.reference.curve = "keras-distributed-embedding";
    RunCurves curves;
    curves.begin("a", experiment);
    MetricChart root(curves, "rmse"), displayed(curves, "rmse_as_displayed"),
        held(curves, "val_rmse"), recall(curves, "val_recall@10");
    const QString band = "mean of 20 seeds ± 2 sd";
    const auto sorted = [](QStringList names) {
      names.sort();
      return names;
    };
    QCOMPARE(sorted(seriesOf(root.table())), (QStringList{band, "published, as displayed"}));
    QCOMPARE(sorted(seriesOf(displayed.table())), (QStringList{band, "published"}));
    QCOMPARE(rowsOf(held.table(), band).values, (QList<double>{0.3202}));
    QCOMPARE(rowsOf(displayed.table(), "published").values,
             (QList<double>{0.5200, 0.3040, 0.3037, 0.3034, 0.3031}));
    QCOMPARE(rowsOf(held.table(), "published").values, (QList<double>{0.3118}));
    QVERIFY(seriesOf(recall.table()).isEmpty());
  }

  void watchesUsersAndRemembersThem() {
    RecordedBench bench;
    const QString run = bench.record(recordedExperiment(2));
    TrainPage page(bench.bench());
    page.show();
    page.showRun(run);
    WatchedUsersModel& watched = page.watched().model();
    QTRY_COMPARE_WITH_TIMEOUT(watched.rowCount(), 2, kLongMs);
    QTRY_COMPARE_WITH_TIMEOUT(watched.rowCount(watched.index(0, 0)), 10, kLongMs);
    page.watched().addUser("no such user");
    QTRY_VERIFY(watched.index(2, 0).data().toString().contains("no such user"));
    const nlohmann::json state = page.saveState();
    TrainPage again(bench.bench());
    again.restoreState(state);
    QCOMPARE(again.watched().model().users(), watched.users());
    // A run of another workspace, and its users.
    nlohmann::json foreign = state;
    foreign["run"] = "0123456789ab";
    TrainPage elsewhere(bench.bench());
    elsewhere.restoreState(foreign);
    QVERIFY(elsewhere.runId().isEmpty() && elsewhere.watched().model().users().isEmpty());
    elsewhere.show();
    QTRY_COMPARE_WITH_TIMEOUT(elsewhere.runId(), run, kLongMs);
  }

  void followsUsersWhileTheRunTrains() {
    RecordedBench bench;
    TrainPage page(bench.bench());
    page.show();
    QSignalSpy ended(&bench.runs(), &RunController::ended);
    bench.runs().start(recordedExperiment(100000), "sample");
    WatchedUsersModel& watched = page.watched().model();
    QTRY_VERIFY_WITH_TIMEOUT(watched.rowCount(watched.index(0, 0)) == 10, kLongMs);
    const auto moved = [&] {
      return watched.index(0, 0, watched.index(0, 0)).data(WatchedUsersModel::kMoveRole).isValid();
    };
    QTRY_VERIFY_WITH_TIMEOUT(moved(), kLongMs);
    bench.runs().stop();
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, kLongMs);
  }

  // 4 buckets per pixel make the picture; what needs every step reads every step.
  void readsOfALongRunWhatItsPictureNeeds() {
    constexpr std::int64_t kSteps = 60'000;
    constexpr std::int64_t kNaNStep = 41'234;
    RecordedBench bench;
    store::RunStore& store = bench.workspace().store();
    store::RunRecord record;
    record.id = store::RunStore::newRunId();
    record.name = "long";
    record.experimentJson = experiment::findRecipe("sample")->text;
    QVERIFY(store.createRun(record).ok());
    store.sink().onEvent(record.id, experiment::RunStarted{});
    for (std::int64_t step = 1; step <= kSteps; ++step) {
      const double loss = step == kNaNStep ? NAN : step == 20'001 ? 50.0 : 1.0;
      store.sink().onStep(record.id, {step, 1, loss, 0.001 * static_cast<double>(step)});
      // Before the ring of the store joins neighbours.
      if (step % 2000 == 0) QVERIFY(store.flush().ok());
    }
    store.sink().onEvent(record.id, experiment::RunEnded{});
    QVERIFY(store.flush().ok());
    QCOMPARE(store.steps(record.id)->size(), std::size_t{kSteps});

    TrainPage page(bench.bench());
    page.resize(1120, 640);
    page.show();
    std::size_t read = 0;
    connect(&page.curves(), &RunCurves::reset, this,
            [&](const RunCurves::StepBuckets& steps) { read += steps.size(); });
    connect(&page.curves(), &RunCurves::stepsReplaced, this,
            [&](const RunCurves::StepBuckets& steps) { read += steps.size(); });
    page.showRun(QString::fromStdString(record.id));
    QTRY_COMPARE_WITH_TIMEOUT(page.curves().lastStep(), kSteps, kLongMs);
    CurvePlot& plot = page.curvePanel().lossPlot();
    QTRY_VERIFY(!plot.dirty());
    QVERIFY2(read > 0 && read <= 4 * 1200, qPrintable(QString::number(read)));
    // Nothing is lost: neither the extreme nor the first step without a loss.
    QCOMPARE(page.curves().firstNonFinite(), kNaNStep);
    QCOMPARE(rowsOf(page.curvePanel().points(), "step loss").steps, qint64{kSteps});

    // A close look reads its part again.
    QVERIFY(!rowsOf(page.curvePanel().points(), "step loss").values.contains(50.0));
    read = 0;
    plot.zoomTo({.left = 20'000.0, .right = 20'400.0, .bottom = 0.0, .top = 60.0});
    QTRY_VERIFY_WITH_TIMEOUT(read > 0, kLongMs);
    QVERIFY2(read <= 8 * 1200, qPrintable(QString::number(read)));
    QTRY_VERIFY(rowsOf(page.curvePanel().points(), "step loss").values.contains(50.0));

    // A table of all points, and an average over them, need them all.
    page.findChild<QTabBar*>()->setCurrentIndex(2);
    QTRY_COMPARE_WITH_TIMEOUT(rowsOf(page.curvePanel().points(), "step loss").rows, qint64{kSteps},
                              kLongMs);
  }

  void drawsALaneForEachDevice() {
    RecordedBench bench;
    TrainPage page(bench.bench());
    page.resize(1120, 640);
    page.show();
    experiment::Experiment onThree = recordedExperiment(kEpochs);
    onThree.mesh.devices = {"cpu*3"};
    LaneView& lanes = page.curvePanel().lanes();
    QVERIFY(!lanes.isVisible());
    QSignalSpy ended(&bench.runs(), &RunController::ended);
    bench.runs().start(onThree, "sample");
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, kLongMs);
    QTRY_COMPARE(page.curves().lastEpoch(), kEpochs);
    QTRY_VERIFY(lanes.isVisible() && !page.curves().lanesLive());
    const LanesModel& model = page.curves().lanes();
    QCOMPARE(model.rowCount(), 3);
    for (int rank = 0; rank < 3; ++rank) {
      QVERIFY(model.share(rank, LanesModel::kCompute) > 0.0);
      QCOMPARE(lanes.spokenPart(rank).value, model.sentence(rank));
      const int fromBelow = (2 - rank) * 18 + 9;
      QCOMPARE(lanes.rankAt({lanes.width() / 2, lanes.height() - fromBelow}), rank);
    }
    QCOMPARE(lanes.rankAt({10, 1}), -1);
    // The lanes of a run are the same when it is read back.
    const QString before = lanes.spokenPart(2).value;
    TrainPage again(bench.bench());
    again.show();
    again.showRun(page.runId());
    LaneView& readBack = again.curvePanel().lanes();
    QTRY_COMPARE(readBack.spokenParts(), 3);
    QTRY_COMPARE(readBack.spokenPart(2).value, before);
    auto* table = again.findChild<QTableView*>("lanesTable");
    QVERIFY(table && table->model() == &again.curves().lanes());
  }

  void tellsWhatCachesOfDevicesFound() {
    RunCurves curves;
    CurvePanel panel(curves);
    panel.show();
    auto* hits = panel.findChild<QLabel*>("cacheHits");
    QVERIFY(hits && !hits->isVisible());
    experiment::TimeUse use;
    use.compute = {1.0, 1.0};
    use.seconds = 2.0;
    curves.spend(use);
    QVERIFY(!hits->isVisible());
    use.caches = {{"user", 1000, 931}, {"item", 10, 10}};
    curves.spend(use);
    QVERIFY(hits->isVisible());
    QCOMPARE(hits->text(), QString("Cache hits: user 93.1 %, item 100.0 %"));
    // A run that is read back tells it of all of its epochs.
    experiment::EpochSummary epoch;
    epoch.epoch = 1;
    epoch.timeUse = use;
    epoch.timeUse.caches = {{"user", 1000, 500}};
    RunCurves finished;
    CurvePanel later(finished);
    later.show();
    finished.endEpoch(epoch);
    QTRY_COMPARE(later.findChild<QLabel*>("cacheHits")->text(), QString("Cache hits: user 50.0 %"));
    QVERIFY(later.findChild<QLabel*>("cacheHits")->isVisible());
  }

  void tellsWhatDevicesReplayed() {
    RunCurves curves;
    CurvePanel panel(curves);
    panel.show();
    auto* replays = panel.findChild<QLabel*>("replays");
    QVERIFY(replays && !replays->isVisible());
    experiment::TimeUse use;
    use.compute = {1.0};
    use.seconds = 2.0;
    curves.spend(use);
    QVERIFY(!replays->isVisible());
    use.recorded = {1000, 984};
    curves.spend(use);
    QVERIFY(replays->isVisible());
    QCOMPARE(replays->text(), QString("Replayed: 98.4 % of the pieces of steps"));
  }

  void usersOfAnEarlierSessionThatTheDataLackAreReplaced() {
    RecordedBench bench;
    const QString run = bench.record(recordedExperiment(2));
    const auto usersAfter = [&](const nlohmann::json& users, qsizetype count) {
      TrainPage page(bench.bench());
      nlohmann::json state = page.saveState();
      state["users"] = users;
      state["run"] = run.toStdString();
      page.restoreState(state);
      page.show();
      (void)QTest::qWaitFor(
          [&] {
            const QStringList shown = page.watched().model().users();
            return shown.size() == count && !shown.contains("nobody");
          },
          kLongMs);
      return page.watched().model().users();
    };
    QCOMPARE(usersAfter({"nobody", "1"}, 1), QStringList{"1"});
    const QStringList drawn = usersAfter({"nobody"}, 2);
    QVERIFY2(drawn.size() == 2 && !drawn.contains("nobody"), qPrintable(drawn.join(' ')));
  }

  void remembersAxisScaleAndSmoothing() {
    RecordedBench bench;
    TrainPage page(bench.bench());
    nlohmann::json state = page.saveState();
    QCOMPARE(state["curves"]["smoothing"].get<int>(), 0);
    state["curves"]["axis"] = 1;
    state["curves"]["logarithmic"] = true;
    state["curves"]["smoothing"] = 60;
    page.restoreState(state);
    QCOMPARE(page.curvePanel().lossPlot().xAxis(), XAxis::kEpoch);
    QVERIFY(page.curvePanel().lossPlot().logarithmic());
    QVERIFY(page.saveState()["curves"] == state["curves"]);
  }

  void namesEveryControl() {
    RecordedBench bench;
    const QString run = bench.record(recordedExperiment(2));
    TrainPage page(bench.bench());
    page.show();
    page.showRun(run);
    QTRY_COMPARE(page.curves().lastEpoch(), std::int64_t{2});
    for (const QAbstractButton* button : page.findChildren<QAbstractButton*>())
      if (button->isVisible() && !button->inherits("QTabBar") &&
          button->objectName() != "qt_toolbar_ext_button" && button->parent() &&
          !button->parent()->inherits("QTabBar") && !button->parent()->inherits("QLineEdit"))
        QVERIFY2(!button->accessibleName().isEmpty() && !button->toolTip().isEmpty(),
                 qPrintable(button->text()));
  }
};

QTEST_MAIN(TrainPageTest)
#include "train_page_test.moc"
