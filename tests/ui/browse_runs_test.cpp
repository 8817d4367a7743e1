// SPDX-License-Identifier: GPL-3.0-or-later
// Which run the page shows: that of Train, a pinned one, the newest; and runs beside each other.
#include "tests/ui/browse_fixture.h"
#include "ui/pages/browse/browse_page.h"
#include "ui/pages/browse/candidate_bar.h"
#include "ui/pages/browse/item_table.h"
#include "ui/pages/browse/user_finder.h"

using namespace parapet;
using namespace parapet::ui;

class BrowseRunsTest : public BrowseFixture {
  Q_OBJECT

  /// The items of a list as the engine has it, of those that a filter leaves.
  retrieval::Recommendation askedWhere(const std::string& user, const std::string& value) {
    retrieval::Query query(user);
    query.candidates = engine_->candidatesOf({.where = {{"genres", {value}}}}).value();
    return engine_->recommend({&query, 1}, 10, SeenItems::kExcludeTrain).value().front();
  }

 private slots:
  void initTestCase() { trainRuns(); }
  void init() { openPage(*bench_, run_, QStringLiteral("1")); }
  void cleanup() { page_.reset(); }

  void newerModelIsOnlyOffered() {
    const auto step = engine_->model().step;
    const QString run = QString::fromStdString(run_);
    emit bench_->bridge.checkpointWritten("another", {step + 5, 3, "", 0, false, 0.0});
    emit bench_->bridge.checkpointWritten(run, {step, 3, "", 0, false, 0.0});
    QVERIFY(!page_->bar().offersNewer());
    emit bench_->bridge.checkpointWritten(run, {step + 5, 3, "", 0, false, 0.0});
    QVERIFY(page_->bar().offersNewer());
    QVERIFY(!page_->session().opening());
    QVERIFY(!list(0).hasMoves());
    emit page_->bar().updateRequested();
    QTRY_VERIFY_WITH_TIMEOUT(list(0).hasMoves(), kPatienceMs);
    QVERIFY(!page_->bar().offersNewer());
  }

  /// A terminal beside the window: its run is offered as soon as somebody looks.
  void runsOfOtherProgramsAreListed() {
    page_->hide();
    const auto other = workspace::Workspace::open(bench_->workspace->folder()).value();
    const std::string run = trainRun(*other, smallSample(11, 80));
    QVERIFY(!run.empty());
    auto* runs = page_->bar().shown().findChild<QComboBox*>();
    QCOMPARE(runs->findData(QString::fromStdString(run)), -1);
    page_->show();
    QTRY_VERIFY_WITH_TIMEOUT(runs->findData(QString::fromStdString(run)) >= 0, kPatienceMs);
    QCOMPARE(page_->bar().shown().newestRun(), QString::fromStdString(run));
    QVERIFY(bench_->workspace->store().trash(run).ok());
  }

  void whatWasWrittenWhileNobodyLookedIsShown() {
    const auto newer = engine_->model().step + 5;
    const QString run = QString::fromStdString(run_);
    page_->hide();
    emit bench_->bridge.checkpointWritten(run, {newer, 3, "", 0, false, 0.0});
    QVERIFY(page_->bar().offersNewer());
    page_->show();
    // Lists that were seen before tell what moved.
    QTRY_VERIFY_WITH_TIMEOUT(list(0).hasMoves(), kPatienceMs);
    QVERIFY(!page_->bar().offersNewer());
    // A checkpoint that was chosen stays.
    emit page_->bar().replay().stepRequested(engine_->model().step);
    page_->hide();
    emit bench_->bridge.checkpointWritten(run, {newer, 3, "", 0, false, 0.0});
    page_->show();
    QVERIFY(page_->bar().offersNewer());
  }

  void listsThatNobodySawAreOfTheNewestModel() {
    page_ = std::make_unique<BrowsePage>(bench_->workbench);
    page_->resize(1280, 720);
    page_->showUser(QString::fromStdString(run_), "1");
    QTRY_VERIFY_WITH_TIMEOUT(page_->session().model() != nullptr, kPatienceMs);
    const RecommenderPtr early = page_->session().model();
    emit bench_->bridge.checkpointWritten(QString::fromStdString(run_),
                                          {early->model().step + 5, 3, "", 0, false, 0.0});
    page_->show();
    QTRY_VERIFY_WITH_TIMEOUT(page_->session().model() != early, kPatienceMs);
    QTRY_COMPARE_WITH_TIMEOUT(list(0).rowCount(), 10, kPatienceMs);
    QVERIFY(!page_->bar().offersNewer());
    QVERIFY(!list(0).hasMoves());
  }

  void comparesTwoRunsOfTheSameData() {
    QTest::mouseClick(page_->findChild<QPushButton*>("duplicateColumn"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(page_->board().columns().size(), std::size_t{2}, kPatienceMs);
    QCOMPARE(page_->board().current(), 1);
    emit page_->bar().column().model().chosen({QString::fromStdString(otherRun_), {}});
    auto& compared = list(1);
    const auto other = bench_->workspace->recommender(otherRun_, {}).value();
    const std::string user = "1";
    const auto expected =
        other->recommend(std::span(&user, 1), 10, SeenItems::kExcludeTrain)->front();
    QTRY_VERIFY_WITH_TIMEOUT(rowsIn(compared.list()) == rowsIn(expected), kPatienceMs);
    compareLists(compared.list(), expected);
    QVERIFY(
        page_->board().columns()[1]->caption().contains(QString::fromStdString(otherRun_).left(6)));
    int entered = 0, left = 0;
    for (int row = 0; row < 10; ++row) {
      const auto move = RecommendationModel::kMove;
      entered += compared.index(row, move).data().toString() == "new" ? 1 : 0;
      left += list(0).index(row, move).data().toString() == "out" ? 1 : 0;
    }
    QCOMPARE(entered, left);
    QVERIFY(entered > 0);
    const auto own = rowsIn(list(0).list()), others = rowsIn(compared.list());
    const QString changes = page_->board().columns()[1]->changes();
    QVERIFY2(changes.startsWith("Against column 1: overlap@10"), qPrintable(changes));
    QVERIFY2(changes.contains(
                 QString("RBO %1").arg(retrieval::rankBiasedOverlap(own, others), 0, 'f', 2)),
             qPrintable(changes));
    emit page_->bar().column().model().cleared();
    QTRY_VERIFY_WITH_TIMEOUT(rowsIn(compared.list()) == own, kPatienceMs);
    QVERIFY(page_->board().columns()[1]->changes().contains("overlap@10 100 % · RBO 1.00"));
    trigger("Remove the current column");
    QTRY_COMPARE_WITH_TIMEOUT(page_->board().columns().size(), std::size_t{1}, kPatienceMs);
  }

  void refusesToCompareRunsOfOtherData() {
    page_->session().duplicate(0);
    page_->session().setModel(1, ModelChoice{QString::fromStdString(otherData_), {}});
    QTRY_VERIFY_WITH_TIMEOUT(
        page_->board().columns().size() == 2 &&
            page_->board().columns()[1]->errorText().contains("only runs of the same data"),
        kPatienceMs);
    QCOMPARE(list(0).rowCount(), 10);
  }

  void spaceMakesAColumnTheFirst() {
    page_->session().duplicate(0);
    page_->session().setModel(1, ModelChoice{QString::fromStdString(otherRun_), {}});
    const QString other = QString::fromStdString(otherRun_);
    QTRY_VERIFY_WITH_TIMEOUT(page_->board().columns().size() == 2 &&
                                 page_->board().columns()[1]->caption().contains(other.left(6)),
                             kPatienceMs);
    const auto first = rowsIn(list(0).list()), second = rowsIn(list(1).list());
    page_->board().focusColumn(1);
    QTest::keyClick(&page_->board().columns()[1]->table(), Qt::Key_Space);
    QTRY_VERIFY_WITH_TIMEOUT(rowsIn(list(0).list()) == second, kPatienceMs);
    QTRY_VERIFY_WITH_TIMEOUT(rowsIn(list(1).list()) == first, kPatienceMs);
    QCOMPARE(shownRun(), other);
    QVERIFY2(strip().contains(other.left(6)), qPrintable(strip()));
  }

  void onlyWhereListsItemsWithAValueInAllColumns() {
    showUsers({"1", "2"});
    CandidateBar& bar = page_->bar().column().candidates();
    auto* attribute = bar.findChild<QComboBox*>(QStringLiteral("candidateAttribute"));
    auto* value = bar.findChild<QComboBox*>(QStringLiteral("candidateValue"));
    auto* count = bar.findChild<QLabel*>(QStringLiteral("candidateCount"));
    QVERIFY(bar.isVisible() && attribute->isVisible() && !value->isVisible());
    // Reached and chosen by keys alone.
    trigger(QStringLiteral("Choose which items are listed"));
    QTRY_VERIFY(attribute->hasFocus());
    while (attribute->currentData().toString() != QLatin1String("genres")) {
      QVERIFY(attribute->currentIndex() + 1 < attribute->count());
      QTest::keyClick(attribute, Qt::Key_Down);
    }
    QTRY_VERIFY_WITH_TIMEOUT(value->isVisible() && value->count() > 2, kPatienceMs);
    compareLists(list(0).list(), asked("1", 10, SeenItems::kExcludeTrain));
    QTest::keyClick(attribute, Qt::Key_Tab);
    QTRY_VERIFY(value->hasFocus());
    QTest::keyClick(value, Qt::Key_Down);
    const auto values = engine_->attributeValues("genres").value();
    const retrieval::Recommendation first = askedWhere("1", values[0].value);
    QTRY_COMPARE_WITH_TIMEOUT(list(0).list().candidates, first.candidates, kPatienceMs);
    compareLists(list(0).list(), first);
    QTRY_COMPARE_WITH_TIMEOUT(list(1).list().candidates,
                              askedWhere("2", values[0].value).candidates, kPatienceMs);
    compareLists(list(1).list(), askedWhere("2", values[0].value));
    QCOMPARE(count->text(),
             QStringLiteral("%1 of %2 items").arg(values[0].items).arg(engine_->candidates()));
    QVERIFY2(page_->terminalCommand().contains("--where genres="),
             qPrintable(page_->terminalCommand()));
    QVERIFY2(controlWithoutAName(*page_).isEmpty(), qPrintable(controlWithoutAName(*page_)));
    // The number has room beside the lists of a small window.
    QVERIFY(count->geometry().right() <= bar.width() && bar.geometry().right() < page_->width());

    // Remembered values come back, and typed values count.
    const nlohmann::json state = page_->saveState();
    page_ = std::make_unique<BrowsePage>(bench_->workbench);
    page_->resize(1280, 720);
    page_->show();
    page_->restoreState(state);
    QTRY_VERIFY_WITH_TIMEOUT(page_->board().columns().size() == 2, kPatienceMs);
    QTRY_COMPARE_WITH_TIMEOUT(list(0).list().candidates, first.candidates, kPatienceMs);
    compareLists(list(0).list(), first);
    CandidateBar& again = page_->bar().column().candidates();
    auto* typed = again.findChild<QComboBox*>(QStringLiteral("candidateValue"));
    QTRY_COMPARE_WITH_TIMEOUT(typed->currentData().toString().toStdString(), values[0].value,
                              kPatienceMs);
    QTest::mouseClick(typed->lineEdit(), Qt::LeftButton);
    typed->lineEdit()->selectAll();
    QTest::keyClicks(typed->lineEdit(), QString::fromStdString(values[1].value));
    QTest::keyClick(typed->lineEdit(), Qt::Key_Return);
    QTRY_COMPARE_WITH_TIMEOUT(list(0).list().candidates,
                              askedWhere("1", values[1].value).candidates, kPatienceMs);
    auto* all = again.findChild<QComboBox*>(QStringLiteral("candidateAttribute"));
    all->setFocus();
    QTest::keyClick(all, Qt::Key_Home);
    QTRY_COMPARE_WITH_TIMEOUT(list(0).list().candidates,
                              asked("1", 10, SeenItems::kExcludeTrain).candidates, kPatienceMs);
    QVERIFY(!typed->isVisible() && !page_->terminalCommand().contains("--where"));
  }

  void missingRunShowsTheErrorAndWhatToDoNext() {
    page_ = std::make_unique<BrowsePage>(bench_->workbench);
    page_->show();
    page_->showUser("0123456789ab", QString());
    QTRY_VERIFY_WITH_TIMEOUT(
        page_->message().contains("0123456789ab") && page_->message().contains("cannot be opened"),
        kPatienceMs);
    QSignalSpy asked(page_.get(), &Page::pageRequested);
    for (auto* button : page_->findChildren<QPushButton*>())
      if (button->isVisible() && button->text() == "Choose another run") button->click();
    QCOMPARE(asked.count(), 1);
  }

  /// A run that is opened before its first checkpoint is opened again when it has one.
  void aRunWithoutACheckpointOpensWhenItHasOne() {
    const QTemporaryDir folder;
    Bench bench(folder.path());
    page_ = std::make_unique<BrowsePage>(bench.workbench);
    page_->resize(1280, 720);
    page_->show();
    auto endless = smallSample(1, 50);
    endless.training.epochs = 1'000'000;
    endless.training.checkpoints.best.reset();
    bench.runs.start(endless, "sample");
    QTRY_COMPARE_WITH_TIMEOUT(bench.runs.state(), experiment::RunState::kRunning, kPatienceMs);
    page_->showUser(bench.runs.runId(), "1");
    QTRY_VERIFY_WITH_TIMEOUT(page_->message().contains("cannot be opened"), kPatienceMs);
    QTRY_VERIFY_WITH_TIMEOUT(bench.runs.progress().done > 0, kPatienceMs);
    bench.runs.stop();
    QTRY_VERIFY_WITH_TIMEOUT(!page_->board().columns().empty() && list(0).rowCount() == 10,
                             kPatienceMs);
    QTRY_VERIFY_WITH_TIMEOUT(!bench.runs.active(), kPatienceMs);
    page_.reset();
  }

  void followsTheRunOfTrainAndOffersTheNewest() {
    const QString run = QString::fromStdString(run_), other = QString::fromStdString(otherRun_);
    auto* newest = page_->findChild<QPushButton*>("newestRun");
    QVERIFY2(strip().contains(run.left(6)), qPrintable(strip()));
    QVERIFY(!newest->isVisible());
    // Lists that are being looked at stay.
    page_->follow(other);
    QCOMPARE(shownRun(), run);
    page_->hide();
    page_->show();
    QTRY_COMPARE_WITH_TIMEOUT(shownRun(), other, kPatienceMs);
    QVERIFY2(strip().contains(other.left(6)), qPrintable(strip()));
    QTRY_VERIFY_WITH_TIMEOUT(newest->isVisible(), kPatienceMs);
    QVERIFY(newest->text().contains(run.left(6)));
    newest->click();
    QTRY_COMPARE_WITH_TIMEOUT(shownRun(), run, kPatienceMs);
    // Chosen by hand, so it is pinned against the run of Train.
    QVERIFY(page_->findChild<QToolButton*>("pinRun")->isChecked());
    QVERIFY(!newest->isVisible());
  }

  void aPinnedRunStays() {
    const QString run = QString::fromStdString(run_), other = QString::fromStdString(otherRun_);
    auto* pin = page_->findChild<QToolButton*>("pinRun");
    QVERIFY(pin->isVisible() && !pin->isChecked());
    QTest::mouseClick(pin, Qt::LeftButton);
    page_->hide();
    page_->follow(other);
    page_->show();
    waitForWork();
    QCOMPARE(shownRun(), run);
    QVERIFY2(strip().contains("pinned"), qPrintable(strip()));
    // Remembered over a restart, and released again.
    QVERIFY(page_->saveState()["pinned"].get<bool>());
    QTest::mouseClick(pin, Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(shownRun(), other, kPatienceMs);
  }

  void followsARunWithoutACheckpointNowhere() {
    const QString run = QString::fromStdString(run_);
    page_->hide();
    page_->follow("0123456789ab");
    page_->show();
    waitForWork();
    QCOMPARE(shownRun(), run);
    QVERIFY2(strip().contains("012345 of Train has no checkpoint yet"), qPrintable(strip()));
  }

  /// A run that stays because that of Train has no model is shown at its newest step.
  void aRunThatStaysIsShownAtItsNewestStep() {
    page_ = std::make_unique<BrowsePage>(bench_->workbench);
    page_->resize(1280, 720);
    page_->showUser(QString::fromStdString(run_), "1");
    QTRY_VERIFY_WITH_TIMEOUT(page_->session().model() != nullptr, kPatienceMs);
    const RecommenderPtr early = page_->session().model();
    emit bench_->bridge.checkpointWritten(QString::fromStdString(run_),
                                          {early->model().step + 5, 3, "", 0, false, 0.0});
    QVERIFY(page_->bar().offersNewer());
    // The command asks for what is shown.
    QVERIFY2(page_->terminalCommand().contains("--checkpoint"),
             qPrintable(page_->terminalCommand()));
    page_->follow("0123456789ab");
    page_->show();
    QTRY_VERIFY_WITH_TIMEOUT(page_->session().model() != early, kPatienceMs);
    QVERIFY(!page_->bar().offersNewer());
    QVERIFY(!page_->terminalCommand().contains("--checkpoint"));
  }

  void greysRunsOfOtherDataWithTheReason() {
    auto* runs = page_->bar().column().model().findChildren<QComboBox*>().front();
    const auto rowOf = [&](const std::string& id) {
      return runs->findData(QString::fromStdString(id));
    };
    QTRY_VERIFY_WITH_TIMEOUT(rowOf(otherData_) >= 0, kPatienceMs);
    const auto enabled = [&](const std::string& id) {
      return runs->model()->flags(runs->model()->index(rowOf(id), 0)).testFlag(Qt::ItemIsEnabled);
    };
    QTRY_VERIFY_WITH_TIMEOUT(!enabled(otherData_), kPatienceMs);
    QVERIFY(enabled(otherRun_) && enabled(run_));
    QVERIFY(runs->itemText(rowOf(otherData_)).contains("other data"));
    QVERIFY(runs->itemData(rowOf(otherData_), Qt::ToolTipRole).toString().contains("Trained on"));
  }

  /// Both are called "sample"; they differ in the seed.
  void tellsRunsOfOneNameApart() {
    auto* runs = page_->bar().shown().findChildren<QComboBox*>().front();
    const auto textOf = [&](const std::string& id) {
      return runs->itemText(runs->findData(QString::fromStdString(id)));
    };
    QTRY_VERIFY_WITH_TIMEOUT(textOf(otherRun_).contains("seed 7"), kPatienceMs);
    QVERIFY2(textOf(run_).contains("seed 42"), qPrintable(textOf(run_)));
  }

  void emptyWorkspaceTrainsTheSampleAndShowsIt() {
    QTemporaryDir empty;
    Bench bench(empty.path());
    page_ = std::make_unique<BrowsePage>(bench.workbench);
    page_->show();
    QTRY_VERIFY_WITH_TIMEOUT(page_->message().contains("No trained model yet"), kPatienceMs);
    for (auto* button : page_->findChildren<QPushButton*>())
      if (button->isVisible() && button->text() == "Train the sample") button->click();
    QTRY_VERIFY_WITH_TIMEOUT(page_->message().isEmpty(), kPatienceMs);
    QTRY_VERIFY_WITH_TIMEOUT(!page_->board().columns().empty() && list(0).rowCount() == 10,
                             kPatienceMs);
    page_.reset();
    QTRY_VERIFY_WITH_TIMEOUT(!bench.runs.active(), kPatienceMs);
  }
};

QTEST_MAIN(BrowseRunsTest)
#include "browse_runs_test.moc"
