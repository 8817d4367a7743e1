// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/runs_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

using namespace parapet;
using namespace parapet::ui;
using experiment::RunState;

namespace {

/// Created `age` seconds after the first, so a larger age is a newer run.
RunRow runOf(const char* id, const char* name, std::int64_t age, double valLoss = NAN) {
  RunRow row;
  row.record.id = id;
  row.record.name = name;
  row.record.recipe = "sample";
  row.record.state = RunState::kFinished;
  row.record.createdMs = 1000 * (age + 1);
  row.bestValLoss = valLoss;
  return row;
}

QStringList column(const QAbstractItemModel& model, int of) {
  QStringList texts;
  for (int row = 0; row < model.rowCount(); ++row) texts << model.index(row, of).data().toString();
  return texts;
}

std::unique_ptr<store::RunStore> storeWith(const QTemporaryDir& folder,
                                           const std::vector<const char*>& ids) {
  auto store = store::RunStore::open(folder.filePath("runs.db").toStdString(), {});
  if (!store) return nullptr;
  for (const char* id : ids) {
    store::RunRecord record;
    record.id = id;
    record.name = id;
    record.createdMs = 1000;
    record.experimentJson = R"({"mesh":{"devices":["cpu*2"]}})";
    if (!(*store)->createRun(record)) return nullptr;
  }
  return std::move(*store);
}

experiment::EpochEnded epochOf(std::int64_t epoch, double loss, double valLoss) {
  experiment::EpochEnded event;
  event.summary.epoch = epoch;
  event.summary.step = epoch * 10;
  event.summary.loss = loss;
  event.summary.metrics = {{"val_loss", valLoss}, {"val_recall@10", 0.1 * double(epoch)}};
  return event;
}

}  // namespace

class RunsModelTest : public QObject {
  Q_OBJECT

 private slots:
  void keepsRowsOfRunsThatStay() {
    RunsModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setRows({runOf("c", "three", 3), runOf("b", "two", 2), runOf("a", "one", 1)});
    const QPersistentModelIndex two = model.index(1, 0);
    model.setRows({runOf("d", "four", 4), runOf("c", "three", 3), runOf("b", "two", 2)});
    QCOMPARE(two.row(), 2);
    QCOMPARE(two.data().toString(), QString("two"));
    QCOMPARE(column(model, RunsModel::kName), (QStringList{"four", "three", "two"}));
  }

  void showsDataModelAndDifferenceOfARun() {
    std::vector<RunRow> rows{runOf("c", "mine", 3), runOf("b", "mine", 2)};
    rows[0].record.data = "/data/ml-100k/";
    rows[0].record.model = "retrieval";
    rows[0].record.loss = "in_batch_softmax";
    rows[0].difference = "learning rate 0.1";
    RunsModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setRows(rows);
    QCOMPARE(column(model, RunsModel::kData), (QStringList{"ml-100k", ""}));
    QCOMPARE(column(model, RunsModel::kModel), (QStringList{"retrieval / in-batch softmax", ""}));
    QCOMPARE(column(model, RunsModel::kDifference), (QStringList{"learning rate 0.1", ""}));
    QCOMPARE(column(model, RunsModel::kId), (QStringList{"c", "b"}));
  }

  void tellsRunsOfOneNameApartAsTheTerminalDoes() {
    QTemporaryDir folder;
    const auto store = storeWith(folder, {});
    QVERIFY(store);
    const auto add = [&](const char* id, const char* name, double rate) {
      store::RunRecord run;
      run.id = id;
      run.name = name;
      run.experimentJson =
          nlohmann::json{{"optimizer", {{"kind", "adam"}, {"learning_rate", rate}}}}.dump();
      QVERIFY(store->createRun(run).ok());
    };
    add("aaaaaaaaaaaa", "mine", 0.1);
    add("bbbbbbbbbbbb", "mine", 0.2);
    add("cccccccccccc", "other", 0.3);
    const auto differences = [&](std::vector<RunRow>& known) {
      QStringList texts;
      known = readRunRows(*store, known).value();
      for (const RunRow& row : known) texts << row.difference;
      return texts;
    };
    std::vector<RunRow> known;
    const QStringList apart{"", "learning rate 0.2", "learning rate 0.1"};
    QCOMPARE(differences(known), apart);
    QCOMPARE(differences(known), apart);
    // Under a new name, which the model shows before the store has it, nothing is left to tell apart.
    for (RunRow& row : known)
      if (row.record.id == "bbbbbbbbbbbb") row.record.name = "new";
    QVERIFY(store->rename("bbbbbbbbbbbb", "new").ok());
    QCOMPARE(differences(known), (QStringList{"", "", ""}));
    QVERIFY(store->rename("bbbbbbbbbbbb", "other").ok());
    QCOMPARE(differences(known), (QStringList{"learning rate 0.3", "learning rate 0.2", ""}));
  }

  // A run of the queue is created anew when it starts.
  void aRunThatStartsKeepsItsRow() {
    RunsModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setRows({runOf("c", "three", 3), runOf("b", "two", 2), runOf("a", "one", 1)});
    const QPersistentModelIndex one = model.index(2, 0);
    model.setRows({runOf("a", "one", 4), runOf("c", "three", 3), runOf("b", "two", 2)});
    QVERIFY(one.isValid());
    QCOMPARE(one.row(), 0);
    QCOMPARE(column(model, RunsModel::kName), (QStringList{"one", "three", "two"}));
  }

  void changesOnlyWhatIsDifferent() {
    RunsModel model;
    model.setRows({runOf("b", "two", 2), runOf("a", "one", 1)});
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    model.setRows({runOf("b", "two", 2), runOf("a", "one", 1)});
    QCOMPARE(changed.size(), 0);
    model.setRows({runOf("b", "two", 2), runOf("a", "uno", 1)});
    QCOMPARE(changed.size(), 1);
    QCOMPARE(changed[0][0].toModelIndex().row(), 1);
  }

  // Sorted and filtered, while runs come, change and go.
  void staysConsistentUnderSortAndFilter() {
    RunsModel model;
    RunsFilter filter;
    filter.setSourceModel(&model);
    QAbstractItemModelTester source(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QAbstractItemModelTester proxy(&filter, QAbstractItemModelTester::FailureReportingMode::QtTest);
    filter.sort(RunsModel::kBestValLoss, Qt::AscendingOrder);
    filter.setText("keep");
    std::vector<RunRow> rows;
    for (int i = 0; i < 20; ++i) {
      const std::string id = "run" + std::to_string(i);
      rows.insert(rows.begin(), runOf(id.c_str(), i % 2 ? "keep" : "other", i, 1.0 / (i + 1)));
      model.setRows(rows);
    }
    QCOMPARE(filter.rowCount(), 10);
    rows[0].bestValLoss = 9.0;  // the newest becomes the worst
    rows.erase(rows.begin() + 2);
    model.setRows(rows);
    QCOMPARE(filter.rowCount(), 9);
    QCOMPARE(filter.index(8, RunsModel::kBestValLoss).data(RunsModel::kSortRole).toDouble(), 9.0);
    rows.clear();
    model.setRows(rows);
    QCOMPARE(filter.rowCount(), 0);
  }

  void sortsNumbersAsNumbersAndUnknownOnesLast() {
    RunsModel model;
    model.setRows(
        {runOf("c", "unknown", 3), runOf("b", "ten", 2, 10.0), runOf("a", "nine", 1, 9.0)});
    RunsFilter filter;
    filter.setSourceModel(&model);
    filter.sort(RunsModel::kBestValLoss, Qt::AscendingOrder);
    QCOMPARE(column(filter, RunsModel::kName), (QStringList{"nine", "ten", "unknown"}));
    filter.sort(RunsModel::kBestValLoss, Qt::DescendingOrder);
    QCOMPARE(column(filter, RunsModel::kName), (QStringList{"ten", "nine", "unknown"}));
  }

  void findsEveryWordInAnyField() {
    RunsModel model;
    std::vector<RunRow> rows{runOf("a1", "first", 2), runOf("b2", "second", 1)};
    rows[1].record.notes = "wide towers";
    model.setRows(rows);
    RunsFilter filter;
    filter.setSourceModel(&model);
    filter.setText("WIDE second");
    QCOMPARE(column(filter, RunsModel::kName), QStringList{"second"});
    filter.setText("wide first");
    QCOMPARE(filter.rowCount(), 0);
    filter.setText("a1");
    QCOMPARE(column(filter, RunsModel::kName), QStringList{"first"});
  }

  void partsTheTrashFromTheRest() {
    RunsModel model;
    std::vector<RunRow> rows{runOf("a", "kept", 2), runOf("b", "deleted", 1)};
    rows[1].record.trashed = true;
    model.setRows(rows);
    RunsFilter filter;
    filter.setSourceModel(&model);
    QCOMPARE(column(filter, RunsModel::kName), QStringList{"kept"});
    filter.setTrash(true);
    QCOMPARE(column(filter, RunsModel::kName), QStringList{"deleted"});
  }

  void renamesInPlaceAndRefusesNoName() {
    RunsModel model;
    model.setRows({runOf("a", "old", 1)});
    QSignalSpy renamed(&model, &RunsModel::renamed);
    QVERIFY(!model.setData(model.index(0, RunsModel::kName), "  "));
    QVERIFY(model.setData(model.index(0, RunsModel::kName), " new "));
    QCOMPARE(renamed.size(), 1);
    QCOMPARE(renamed[0], (QVariantList{"a", "new"}));
    QVERIFY(!model.setData(model.index(0, RunsModel::kSteps), 7));
    QVERIFY(!(model.flags(model.index(0, RunsModel::kSteps)) & Qt::ItemIsEditable));
  }

  void readsTheBestAndTheLastOfEachRun() {
    QTemporaryDir folder;
    const auto store = storeWith(folder, {"aaaaaaaaaaaa"});
    QVERIFY(store);
    experiment::RunSink& sink = store->sink();
    sink.onEvent("aaaaaaaaaaaa", epochOf(1, 0.9, 0.5));
    sink.onEvent("aaaaaaaaaaaa", epochOf(2, 0.8, 0.4));
    sink.onEvent("aaaaaaaaaaaa", epochOf(3, 0.7, 0.6));
    QVERIFY(store->flush().ok());
    const auto rows = readRunRows(*store, {});
    QVERIFY(rows.ok());
    QCOMPARE(rows->size(), std::size_t{1});
    const RunRow& row = rows->front();
    QCOMPARE(row.bestValLoss, 0.4);
    QCOMPARE(row.bestEpoch, std::int64_t{2});
    QCOMPARE(row.lastLoss, 0.7);
    QCOMPARE(row.headlineKey, std::string("val_recall@10"));
    QCOMPARE(row.headline, 0.1 * 3.0);
    QCOMPARE(row.devices, QString("cpu*2"));
  }

  void takesWhatIsKnownAndReadsWhatIsNew() {
    QTemporaryDir folder;
    const auto store = storeWith(folder, {"aaaaaaaaaaaa", "bbbbbbbbbbbb"});
    QVERIFY(store);
    auto known = readRunRows(*store, {});
    QVERIFY(known.ok());
    for (RunRow& row : *known) row.devices = "from before";
    store->sink().onEvent("bbbbbbbbbbbb", epochOf(1, 0.9, 0.5));
    QVERIFY(store->flush().ok());
    const auto rows = readRunRows(*store, *known);
    QVERIFY(rows.ok());
    for (const RunRow& row : *rows) {
      QCOMPARE(row.devices, QString("from before"));
      QCOMPARE(std::isnan(row.bestValLoss), row.record.id == "aaaaaaaaaaaa");
    }
  }

  void advisesForEveryState_data() {
    QTest::addColumn<int>("state");
    QTest::addColumn<int>("next");
    const auto row = [](RunState state, RunAdvice::Next next) {
      QTest::newRow(experiment::runStateName(state)) << int(state) << int(next);
    };
    row(RunState::kQueued, RunAdvice::Next::kWatch);
    row(RunState::kRunning, RunAdvice::Next::kWatch);
    row(RunState::kPaused, RunAdvice::Next::kWatch);
    row(RunState::kFinished, RunAdvice::Next::kBrowse);
    row(RunState::kStopped, RunAdvice::Next::kResume);
    row(RunState::kCrashed, RunAdvice::Next::kResume);
    row(RunState::kFailed, RunAdvice::Next::kClone);
    row(RunState::kDiverged, RunAdvice::Next::kClone);
    row(RunState::kDiskFull, RunAdvice::Next::kResume);
    row(RunState::kDeviceLost, RunAdvice::Next::kResume);
  }
  void advisesForEveryState() {
    QFETCH(int, state);
    QFETCH(int, next);
    store::RunRecord run;
    run.state = static_cast<RunState>(state);
    run.error = "because";
    const RunAdvice advice = adviceFor(run);
    QCOMPARE(int(advice.next), next);
    QVERIFY(!advice.why.isEmpty());
    QVERIFY(!advice.nextText.isEmpty());
    if (run.state == RunState::kFailed) QVERIFY(advice.why.contains("because"));
  }
};

QTEST_GUILESS_MAIN(RunsModelTest)
#include "runs_model_test.moc"
