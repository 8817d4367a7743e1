// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/browse_page.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <set>

#include "ui/pages/browse/browse_bar.h"
#include "ui/pages/browse/browse_export.h"
#include "ui/pages/browse/item_table.h"
#include "ui/pages/browse/rank_panel.h"
#include "ui/pages/browse/similar_panel.h"
#include "ui/pages/browse/user_finder.h"
#include "ui/pages/browse/why_panel.h"

using namespace parapet;
using namespace parapet::ui;
using Side = BrowseSession::Side;
using retrieval::SeenItems;

namespace {

constexpr int kPatienceMs = 60'000;

/// A workspace and what a page works on.
struct Bench {
  explicit Bench(const QString& folder)
      : workspace(std::move(workspace::Workspace::open(folder.toStdString()).value())),
        runs(*workspace, bridge),
        workbench{*workspace, bridge, runs, editor} {}
  std::unique_ptr<workspace::Workspace> workspace;
  RunBridge bridge;
  RunController runs;
  ExperimentEditor editor;
  Workbench workbench;
};

experiment::Experiment smallSample(std::uint64_t seed, std::int64_t items) {
  auto document = experiment::parseJson(experiment::findRecipe("sample")->text).value();
  document["dataset"]["generator"] = {
      {"users", 60}, {"items", items}, {"events", 2000}, {"seed", 7}};
  document["dataset"]["split"]["seed"] = 42;  // else it follows the seed of the training
  document["training"]["epochs"] = 2;
  document["training"]["seed"] = seed;
  return experiment::parse(document).experiment;
}

std::string train(workspace::Workspace& workspace, std::uint64_t seed, std::int64_t items) {
  auto handle = workspace.start(smallSample(seed, items), {});
  if (!handle.ok()) return "";
  const auto outcome = (*handle)->wait();
  return outcome.state == experiment::RunState::kFinished ? outcome.runId : "";
}

}  // namespace

class BrowsePageTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  std::unique_ptr<Bench> bench_;
  std::unique_ptr<BrowsePage> page_;
  std::string run_, otherRun_, otherData_;
  RecommenderPtr engine_;

  // Lists of these users, up to date.
  void showUsers(const QStringList& users) {
    page_->session().setUsers(users);
    QTRY_COMPARE_WITH_TIMEOUT(page_->session().answers().size(),
                              static_cast<std::size_t>(users.size()), kPatienceMs);
    QTRY_COMPARE_WITH_TIMEOUT(page_->board().columns().back()->user(), users.back(), kPatienceMs);
    QTRY_COMPARE_WITH_TIMEOUT(page_->board().columns().front()->user(), users.front(), kPatienceMs);
  }
  retrieval::Recommendation asked(const std::string& user, std::int64_t k, SeenItems seen) {
    return engine_->recommend(std::span(&user, 1), k, seen).value().front();
  }
  static void compareLists(const retrieval::Recommendation& shown,
                           const retrieval::Recommendation& expected) {
    QCOMPARE(shown.items.size(), expected.items.size());
    QCOMPARE(shown.candidates, expected.candidates);
    for (std::size_t i = 0; i < shown.items.size(); ++i) {
      QCOMPARE(shown.items[i].row, expected.items[i].row);
      QCOMPARE(shown.items[i].score, expected.items[i].score);
      QCOMPARE(shown.items[i].rank, expected.items[i].rank);
    }
  }
  QString shownRun() {
    const RecommenderPtr& model = page_->session().model(Side::kShown);
    return model ? QString::fromStdString(model->model().runId) : QString();
  }
  QString strip() { return page_->findChild<QLabel*>("shownRun")->text(); }
  RecommendationModel& list(std::size_t column) { return page_->board().columns()[column]->list(); }

 private slots:
  void initTestCase() {
    qRegisterMetaType<Error>();
    QVERIFY(folder_.isValid());
    bench_ = std::make_unique<Bench>(folder_.path());
    otherData_ = train(*bench_->workspace, 42, 50);
    otherRun_ = train(*bench_->workspace, 7, 80);
    run_ = train(*bench_->workspace, 42, 80);
    QVERIFY(!run_.empty() && !otherRun_.empty() && !otherData_.empty());
    engine_ = bench_->workspace->recommender(run_, {}).value();
  }

  void init() {
    page_ = std::make_unique<BrowsePage>(bench_->workbench);
    page_->resize(1280, 720);
    page_->show();
    page_->showUser(QString::fromStdString(run_), QStringLiteral("1"));
    QTRY_VERIFY_WITH_TIMEOUT(!page_->board().columns().empty(), kPatienceMs);
    QTRY_VERIFY_WITH_TIMEOUT(list(0).rowCount() == 10, kPatienceMs);
  }
  void cleanup() { page_.reset(); }

  void topTenIsTheEngines() {
    compareLists(list(0).list(), asked("1", 10, SeenItems::kExcludeTrain));
    QVERIFY(page_->message().isEmpty());
  }

  void twoUsersStandSideBySide() {
    showUsers({"1", "2"});
    compareLists(list(0).list(), asked("1", 10, SeenItems::kExcludeTrain));
    compareLists(list(1).list(), asked("2", 10, SeenItems::kExcludeTrain));
    const auto history = engine_->history("2").value();
    QCOMPARE(page_->board().columns()[1]->history().rowCount(), static_cast<int>(history.size()));
  }

  void atMostSixUsersFit() {
    showUsers({"1", "2", "3", "4", "5", "6"});
    emit page_->finder().addRequested("7");
    QCOMPARE(page_->session().users().size(), 6);
    QVERIFY(!page_->bar().notice().isEmpty());
    emit page_->board().removeRequested("2");
    QCOMPARE(page_->session().users(), (QStringList{"1", "3", "4", "5", "6"}));
  }

  void arrowKeysWalkBetweenUsers() {
    showUsers({"1", "2"});
    page_->board().focusColumn(0);
    QTest::keyClick(page_->board().columns()[0]->activeTable(), Qt::Key_Right);
    QCOMPARE(page_->board().current(), 1);
    QTest::keyClick(page_->board().columns()[1]->activeTable(), Qt::Key_Right);
    QCOMPARE(page_->board().current(), 1);
    QTest::keyClick(page_->board().columns()[1]->activeTable(), Qt::Key_Left);
    QCOMPARE(page_->board().current(), 0);
  }

  void lengthOfTheListsFollowsK() {
    page_->bar().setList(3, SeenItems::kExcludeTrain);
    QTRY_COMPARE_WITH_TIMEOUT(list(0).rowCount(), 3, kPatienceMs);
    page_->bar().setList(500, SeenItems::kExcludeTrain);
    QTRY_VERIFY_WITH_TIMEOUT(page_->board().columns()[0]->errorText().contains("k is 500"),
                             kPatienceMs);
  }

  void excludingSeenItemsChangesTheCandidates() {
    std::vector<std::int64_t> candidates;
    for (const SeenItems seen :
         {SeenItems::kKeep, SeenItems::kExcludeTrain, SeenItems::kExcludeAll}) {
      page_->bar().setList(10, seen);
      const auto expected = asked("1", 10, seen);
      QTRY_COMPARE_WITH_TIMEOUT(list(0).list().candidates, expected.candidates, kPatienceMs);
      compareLists(list(0).list(), expected);
      candidates.push_back(expected.candidates);
    }
    QVERIFY(candidates[0] > candidates[1]);
    QVERIFY(candidates[1] > candidates[2]);
  }

  void hitsAreTheHeldOutItems() {
    page_->bar().setList(50, SeenItems::kKeep);
    QTRY_COMPARE_WITH_TIMEOUT(list(0).rowCount(), 50, kPatienceMs);
    std::set<std::string> heldOut;
    const auto history = engine_->history("1").value();
    for (const auto& item : history)
      if (item.part == experiment::SplitPart::kValidation ||
          item.part == experiment::SplitPart::kTest)
        heldOut.insert(item.id);
    int hits = 0;
    for (int row = 0; row < list(0).rowCount(); ++row) {
      const QModelIndex index = list(0).index(row, RecommendationModel::kHeldOut);
      const auto id = index.data(RecommendationModel::kItemIdRole).toString().toStdString();
      QCOMPARE(index.data(RecommendationModel::kHitRole).toBool(), heldOut.contains(id));
      QCOMPARE(index.data().toString() == "hit", heldOut.contains(id));
      hits += heldOut.contains(id) ? 1 : 0;
    }
    QVERIFY(hits > 0);
  }

  void ranksAreTheEngines() {
    showUsers({"1", "2"});
    const std::string item = engine_->findItems("", 80).back().id;
    page_->rankPanel().showItem(QString::fromStdString(item), "an item");
    using M = ItemRanksModel;
    const M& model = page_->rankPanel().ranks();
    QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 2, kPatienceMs);
    for (int row = 0; row < 2; ++row) {
      const auto user = model.index(row, M::kUser).data().toString().toStdString();
      const auto expected = engine_->rankOf(user, item, 10, SeenItems::kExcludeTrain).value();
      QCOMPARE(model.index(row, M::kRank).data(Qt::EditRole).toLongLong(), expected.rank);
      QCOMPARE(model.index(row, M::kScore).data(Qt::EditRole).toFloat(), expected.score);
      QCOMPARE(model.index(row, M::kGap).data(Qt::EditRole).toFloat(), expected.gapToKth);
      QCOMPARE(model.index(row, M::kStatus).data().toString().startsWith("excluded"),
               expected.excluded);
    }
  }

  void similarItemsAndReasonsAreTheEngines() {
    const std::string item = list(0).list().items[2].id;
    page_->similar().showItem(QString::fromStdString(item), "an item");
    page_->why().showItem("1", QString::fromStdString(item), "an item");
    const auto similar = engine_->similarItems(item, 20).value();
    const auto reasons = engine_->explain("1", item, 10).value();
    QTRY_COMPARE_WITH_TIMEOUT(page_->similar().items().rowCount(), 20, kPatienceMs);
    for (std::size_t i = 0; i < similar.size(); ++i) {
      QCOMPARE(page_->similar().items().items()[i].row, similar[i].row);
      QCOMPARE(page_->similar().items().items()[i].cosine, similar[i].cosine);
    }
    const double score = static_cast<double>(reasons.score);
    QTRY_VERIFY_WITH_TIMEOUT(std::abs(page_->why().terms().sum() - score) < 1e-5, kPatienceMs);
    QCOMPARE(page_->why().terms().rowCount(), static_cast<int>(reasons.terms.size()));
    QCOMPARE(page_->why().nearest().items().front().row, reasons.nearestHistory.front().row);
  }

  void exportedLinesAreTheLists() {
    showUsers({"1", "2"});
    const ModelNames names{engine_, nullptr, "a", "", SeenItems::kExcludeTrain};
    const auto& answers = page_->session().answers();
    const QStringList lines = QString::fromStdString(listsAsCsv(answers, names)).split('\n');
    QCOMPARE(lines.size(), 1 + 20 + 1);
    QVERIFY(lines[0].startsWith("user,run,step,data,candidates,seen,rank,id,title,score,"));
    for (int line = 0; line < 20; ++line) {
      const auto& item = list(line < 10 ? 0 : 1).list().items[static_cast<std::size_t>(line % 10)];
      const QStringList fields = lines[line + 1].split(',');
      QCOMPARE(fields[0], line < 10 ? QStringLiteral("1") : QStringLiteral("2"));
      QCOMPARE(fields[1], QString::fromStdString(run_));
      QCOMPARE(fields[6].toLongLong(), item.rank);
      QCOMPARE(fields[7], QString::fromStdString(item.id));
      QVERIFY(lines[line + 1].contains(QString::fromStdString(item.title)));
    }
    const auto json = nlohmann::json::parse(listsAsJson(answers, names));
    QCOMPARE(json.size(), std::size_t{2});
    QCOMPARE(json[1]["items"][4]["score"].get<float>(), list(1).list().items[4].score);
    QCOMPARE(json[1]["items"][4]["id"].get<std::string>(), list(1).list().items[4].id);
  }

  void unknownUserShowsTheEnginesMessage() {
    showUsers({"1", "nobody"});
    QTRY_VERIFY_WITH_TIMEOUT(
        page_->board().columns()[1]->errorText().contains("user \"nobody\" is not in the data"),
        kPatienceMs);
    QVERIFY(page_->board().columns()[0]->errorText().isEmpty());
    QCOMPARE(list(0).rowCount(), 10);
  }

  void worstServedUsersComeFirst() {
    QTRY_VERIFY_WITH_TIMEOUT(page_->finder().found().rowCount() == 60, kPatienceMs);
    page_->finder().setOrder(BrowseSession::Order::kWorst);
    const auto expected = engine_->findUsers("", retrieval::UserOrder::kWorst, 1000);
    QTRY_COMPARE_WITH_TIMEOUT(page_->finder().found().userAt(0).toStdString(), expected[0].id,
                              kPatienceMs);
    const auto& users = page_->finder().found().users();
    for (std::size_t i = 1; i < users.size(); ++i)
      QVERIFY(std::isnan(users[i].recall) || users[i - 1].recall <= users[i].recall);
  }

  void randomOrderHoldsEveryUserOnce() {
    page_->finder().setOrder(BrowseSession::Order::kRandom);
    QSignalSpy found(&page_->finder(), &UserFinder::foundUsers);
    QVERIFY(found.wait(kPatienceMs));
    std::set<std::string> ids;
    for (const auto& user : page_->finder().found().users()) ids.insert(user.id);
    QCOMPARE(ids.size(), std::size_t{60});
    const auto inOrder = engine_->findUsers("", retrieval::UserOrder::kById, 60);
    bool same = true;
    for (int i = 0; i < 60; ++i)
      same = same && page_->finder().found().userAt(i).toStdString() ==
                         inOrder[static_cast<std::size_t>(i)].id;
    QVERIFY(!same);
  }

  void newerModelIsOnlyOffered() {
    const auto step = engine_->model().step;
    const QString run = QString::fromStdString(run_);
    emit bench_->bridge.checkpointWritten("another", {step + 5, 3, "", 0, false, 0.0});
    emit bench_->bridge.checkpointWritten(run, {step, 3, "", 0, false, 0.0});
    QVERIFY(!page_->bar().offersNewer());
    emit bench_->bridge.checkpointWritten(run, {step + 5, 3, "", 0, false, 0.0});
    QVERIFY(page_->bar().offersNewer());
    QVERIFY(!page_->session().opening(Side::kShown));
    QVERIFY(!list(0).hasMoves());
    emit page_->bar().updateRequested();
    QTRY_VERIFY_WITH_TIMEOUT(list(0).hasMoves(), kPatienceMs);
    QVERIFY(!page_->bar().offersNewer());
  }

  void comparesTwoRunsOfTheSameData() {
    page_->session().open(Side::kCompared, {QString::fromStdString(otherRun_), {}});
    auto& compared = page_->board().columns()[0]->compared();
    QTRY_COMPARE_WITH_TIMEOUT(compared.rowCount(), 10, kPatienceMs);
    const auto other = bench_->workspace->recommender(otherRun_, {}).value();
    const std::string user = "1";
    compareLists(compared.list(),
                 other->recommend(std::span(&user, 1), 10, SeenItems::kExcludeTrain)->front());
    int entered = 0, left = 0;
    for (int row = 0; row < 10; ++row) {
      const auto move = RecommendationModel::kMove;
      entered += compared.index(row, move).data().toString() == "new" ? 1 : 0;
      left += list(0).index(row, move).data().toString() == "out" ? 1 : 0;
    }
    QCOMPARE(entered, left);
    QVERIFY(entered > 0);
    emit page_->bar().compared().cleared();
    QTRY_COMPARE_WITH_TIMEOUT(compared.rowCount(), 0, kPatienceMs);
  }

  void refusesToCompareRunsOfOtherData() {
    page_->session().open(Side::kCompared, {QString::fromStdString(otherData_), {}});
    QTRY_VERIFY_WITH_TIMEOUT(page_->bar().notice().contains("only runs of the same data"),
                             kPatienceMs);
    QCOMPARE(list(0).rowCount(), 10);
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
    QTest::qWait(50);
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
    QTest::qWait(50);
    QCOMPARE(shownRun(), run);
    QVERIFY2(strip().contains("012345 of Train has no checkpoint yet"), qPrintable(strip()));
  }

  void greysRunsOfOtherDataWithTheReason() {
    auto* runs = page_->bar().compared().findChildren<QComboBox*>().front();
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

  void idsStandInTheOrderOfNumbers() {
    QTRY_COMPARE_WITH_TIMEOUT(page_->finder().found().rowCount(), 60, kPatienceMs);
    for (int row = 1; row < 60; ++row)
      QVERIFY(page_->finder().found().userAt(row - 1).toInt() <
              page_->finder().found().userAt(row).toInt());
  }

  void aRankingExplainsItselfWithoutTerms() {
    auto document = experiment::toJson(smallSample(3, 60));
    document["model"] = nlohmann::json::parse(
        R"({"kind": "ranking", "layers": [{"kind": "dense", "units": 8, "activation": "relu"},
                                          {"kind": "dense", "units": 1}]})");
    document["loss"] = {{"kind", "mse"}};
    const auto parsed = experiment::parse(document);
    QVERIFY2(parsed.findings.problems.empty(),
             parsed.findings.problems.empty() ? "" : parsed.findings.problems[0].message.c_str());
    auto handle = bench_->workspace->start(parsed.experiment, {});
    QVERIFY2(handle.ok(), handle.ok() ? "" : handle.error().text().c_str());
    const auto outcome = (*handle)->wait();
    QCOMPARE(outcome.state, experiment::RunState::kFinished);
    page_->showUser(QString::fromStdString(outcome.runId), "1");
    QTRY_COMPARE_WITH_TIMEOUT(shownRun().toStdString(), outcome.runId, kPatienceMs);
    auto* noTerms = page_->findChild<QLabel*>("noTerms");
    page_->why().showItem("1", "1", "1");
    QTRY_VERIFY_WITH_TIMEOUT(noTerms->isVisible(), kPatienceMs);
    for (const auto* label : page_->why().findChildren<QLabel*>())
      QVERIFY2(!label->text().contains("0 terms"), qPrintable(label->text()));
    page_->showUser(QString::fromStdString(run_), "1");
    QTRY_COMPARE_WITH_TIMEOUT(shownRun().toStdString(), run_, kPatienceMs);
    page_->why().showItem("1", "1", "1");
    QTRY_VERIFY_WITH_TIMEOUT(page_->why().terms().rowCount() > 0, kPatienceMs);
    QVERIFY(!noTerms->isVisible());
  }

  void stateComesBack() {
    page_->bar().setList(5, SeenItems::kKeep);
    showUsers({"3", "4"});
    const nlohmann::json state = page_->saveState();
    page_ = std::make_unique<BrowsePage>(bench_->workbench);
    page_->restoreState(nlohmann::json::parse(state.dump()));
    QTRY_COMPARE_WITH_TIMEOUT(page_->board().columns().size(), std::size_t{2}, kPatienceMs);
    QTRY_COMPARE_WITH_TIMEOUT(list(1).rowCount(), 5, kPatienceMs);
    QCOMPARE(page_->session().users(), (QStringList{"3", "4"}));
    QCOMPARE(page_->session().seen(), SeenItems::kKeep);
    QCOMPARE(page_->saveState()["model"], state["model"]);
    page_->restoreState(nlohmann::json::parse(R"({"users": 3, "k": "x"})"));
  }

  void commandDoesTheSameInATerminal() {
    QCOMPARE(page_->terminalCommand(),
             QStringLiteral("parapet-cli recommend %1 --user 1 -k 10 --exclude-seen")
                 .arg(QString::fromStdString(run_)));
  }

  void everyControlHasANameAndATooltip() {
    for (QWidget* widget : page_->findChildren<QWidget*>()) {
      const bool control = widget->inherits("QComboBox") || widget->inherits("QSpinBox") ||
                           widget->inherits("QPushButton") || widget->inherits("QLineEdit");
      if (!control || widget->objectName().startsWith("qt_") ||
          widget->parent()->inherits("QSpinBox"))
        continue;
      QVERIFY2(!widget->accessibleName().isEmpty(), widget->metaObject()->className());
      QVERIFY2(!widget->toolTip().isEmpty(), qPrintable(widget->accessibleName()));
    }
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

QTEST_MAIN(BrowsePageTest)
#include "browse_page_test.moc"
