// SPDX-License-Identifier: GPL-3.0-or-later
// Lists, users, what is said of an item, and files of them.
#include "ui/pages/browse/browse_page.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QScrollBar>
#include <QTabBar>
#include <cmath>
#include <map>
#include <set>

#include "tests/ui/browse_fixture.h"
#include "ui/forms/card.h"
#include "ui/pages/browse/browse_export.h"
#include "ui/pages/browse/history_strip.h"
#include "ui/pages/browse/item_table.h"
#include "ui/pages/browse/rank_panel.h"
#include "ui/pages/browse/user_finder.h"
#include "ui/pages/browse/why_panel.h"

using namespace parapet;
using namespace parapet::ui;

class BrowsePageTest : public BrowseFixture {
  Q_OBJECT

 private slots:
  void initTestCase() { trainRuns(); }
  void init() { openPage(*bench_, run_, QStringLiteral("1")); }
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
    // One history for all columns, that of the current one.
    page_->board().setCurrent(1);
    QCOMPARE(page_->history().model().rowCount(), static_cast<int>(history.size()));
    QCOMPARE(page_->board().columns()[0]->title(), QString("User 1"));
    QCOMPARE(page_->board().columns()[1]->title(), QString("User 2"));
  }

  /// Rank k stands beside rank k, whatever is said above the lists.
  void listsSideBySideBeginAtOneHeight() {
    for (const int width : {1400, 1010}) {
      page_->resize(width, 900);
      showUsers({"1", "2"});
      const auto& columns = page_->board().columns();
      const auto top = [&](std::size_t column) {
        return columns[column]->table().mapTo(page_.get(), QPoint()).y();
      };
      QTRY_VERIFY(!columns[1]->changes().isEmpty());
      QTRY_COMPARE(top(0), top(1));
      QCOMPARE(columns[0]->table().height(), columns[1]->table().height());
    }
  }

  void listsAreThoseThatTheRunMeasuresUnlessAsked() {
    QVERIFY(!page_->bar().seen());
    QCOMPARE(page_->session().seen(), page_->session().model()->recallRule().seen);
  }

  void atMostSixUsersFit() {
    showUsers({"1", "2", "3", "4", "5", "6"});
    emit page_->finder().addRequested("7");
    QCOMPARE(page_->session().users().size(), 6);
    QVERIFY(!page_->bar().notice().isEmpty());
    emit page_->board().removeRequested(1);
    QCOMPARE(page_->session().users(), (QStringList{"1", "3", "4", "5", "6"}));
  }

  void arrowKeysWalkBetweenColumns() {
    showUsers({"1", "2"});
    page_->board().focusColumn(0);
    QTest::keyClick(&page_->board().columns()[0]->table(), Qt::Key_Right);
    QCOMPARE(page_->board().current(), 1);
    QTest::keyClick(&page_->board().columns()[1]->table(), Qt::Key_Right);
    QCOMPARE(page_->board().current(), 1);
    QTest::keyClick(&page_->board().columns()[1]->table(), Qt::Key_Left);
    QCOMPARE(page_->board().current(), 0);
    QTest::keyClick(&page_->board().columns()[0]->table(), Qt::Key_Right, Qt::ControlModifier);
    QCOMPARE(page_->board().current(), 1);
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

  // An item with a label below the threshold is none: recall does not count it either.
  void hitsAreTheHeldOutItemsThatAreRelevant() {
    const QStringList users{"1", "2", "3", "4", "5", "6"};
    showUsers(users);
    page_->bar().setList(50, SeenItems::kKeep);
    const double threshold = engine_->recallRule().relevantFrom.value();
    int hits = 0, others = 0;
    for (int column = 0; column < users.size(); ++column) {
      const RecommendationModel& shown = list(static_cast<std::size_t>(column));
      QTRY_COMPARE_WITH_TIMEOUT(shown.rowCount(), 50, kPatienceMs);
      std::map<std::string, double> heldOut;
      const auto history = engine_->history(users[column].toStdString()).value();
      for (const auto& item : history)
        if (item.part == experiment::SplitPart::kValidation ||
            item.part == experiment::SplitPart::kTest)
          heldOut.emplace(item.id, item.label);
      for (int row = 0; row < shown.rowCount(); ++row) {
        const QModelIndex index = shown.index(row, RecommendationModel::kHeldOut);
        const auto found =
            heldOut.find(index.data(RecommendationModel::kItemIdRole).toString().toStdString());
        const bool isHit = found != heldOut.end() && found->second >= threshold;
        QCOMPARE(index.data(RecommendationModel::kHitRole).toBool(), isHit);
        QCOMPARE(index.data().toString() == "hit", isHit);
        hits += isHit ? 1 : 0;
        others += found != heldOut.end() && !isHit ? 1 : 0;
      }
    }
    QVERIFY(hits > 0);
    QVERIFY(others > 0);
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
    page_->similar().showItem(0, QString::fromStdString(item), "an item");
    page_->why().showItem(0, "1", QString::fromStdString(item), "an item");
    const auto similar = engine_->similarItems(item, 20).value();
    const auto reasons = engine_->explain("1", item, 10).value();
    QTRY_COMPARE_WITH_TIMEOUT(page_->similar().items().rowCount(), 20, kPatienceMs);
    for (std::size_t i = 0; i < similar.size(); ++i) {
      QCOMPARE(page_->similar().items().items()[i].item, similar[i].item);
      QCOMPARE(page_->similar().items().items()[i].cosine, similar[i].cosine);
    }
    const double score = static_cast<double>(reasons.score);
    QTRY_VERIFY_WITH_TIMEOUT(std::abs(page_->why().terms().sum() - score) < 1e-5, kPatienceMs);
    QCOMPARE(page_->why().terms().rowCount(), static_cast<int>(reasons.terms.size()));
    QCOMPARE(page_->why().nearest().items().front().item, reasons.nearestHistory.front().item);
    // Held-out and given items are among them, if the model reads a history.
    const auto captions = page_->why().findChildren<ElidedLabel*>();
    QVERIFY(std::ranges::any_of(captions, [](const ElidedLabel* each) {
      return each->text() == "“an item” for user 1: nearest of the history";
    }));
  }

  void exportedLinesAreTheLists() {
    showUsers({"1", "2"});
    const auto answers = page_->session().answers();
    const auto seen = SeenItems::kExcludeTrain;
    const QStringList lines = QString::fromStdString(listsAsCsv(answers, seen)).split('\n');
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
    const auto json = nlohmann::json::parse(listsAsJson(answers, seen));
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
    // The first user alone may be the same in the order of ids.
    std::vector<std::string> expected;
    for (const auto& user : engine_->findUsers("", retrieval::UserOrder::kWorst, 1000))
      expected.push_back(user.id);
    const auto shownIds = [this] {
      std::vector<std::string> ids;
      for (const auto& user : page_->finder().found().users()) ids.push_back(user.id);
      return ids;
    };
    QTRY_VERIFY_WITH_TIMEOUT(shownIds() == expected, kPatienceMs);
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

  void theFirstColumnHasNoModelOfItsOwn() {
    page_->session().setModel(0, ModelChoice{QString::fromStdString(otherRun_), {}});
    QVERIFY(!page_->session().columns()[0].model);
    QVERIFY(!page_->bar().column().model().isVisible());
    QVERIFY(page_->bar().column().controls().empty());
  }

  void sensitivityNeedsAModelThatReadsAContext() {
    auto* order = page_->finder().findChild<QComboBox*>();
    const QModelIndex index =
        order->model()->index(static_cast<int>(BrowseSession::Order::kSensitive), 0);
    QVERIFY(!index.flags().testFlag(Qt::ItemIsEnabled));
    QVERIFY(index.data(Qt::ToolTipRole).toString().contains("no context"));
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
    page_->why().showItem(0, "1", "1", "1");
    QTRY_VERIFY_WITH_TIMEOUT(noTerms->isVisible(), kPatienceMs);
    for (const auto* label : page_->why().findChildren<QLabel*>())
      QVERIFY2(!label->text().contains("0 terms"), qPrintable(label->text()));
    page_->showUser(QString::fromStdString(run_), "1");
    QTRY_COMPARE_WITH_TIMEOUT(shownRun().toStdString(), run_, kPatienceMs);
    page_->why().showItem(0, "1", "1", "1");
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
    // The list of users begins with the one that is shown.
    const auto& table = *page_->finder().findChild<ItemTable*>();
    QTRY_COMPARE_WITH_TIMEOUT(page_->finder().found().rowCount(), 60, kPatienceMs);
    QTRY_COMPARE(page_->finder().found().userAt(table.currentIndex().row()), QString("3"));
    QCOMPARE(page_->saveState()["model"], state["model"]);
    for (const char* broken : {R"({"users": 3, "k": "x"})", R"({"columns": 3, "k": "x"})"})
      page_->restoreState(nlohmann::json::parse(broken));
    // A version before columns remembered their users alone.
    page_->restoreState(nlohmann::json::parse(R"({"users": ["5", "6"]})"));
    QCOMPARE(page_->session().users(), (QStringList{"5", "6"}));
  }

  /// The window remembers one view for all workspaces.
  void runsOfAnotherWorkspaceAreNotAskedFor() {
    showUsers({"3", "4"});
    nlohmann::json state = nlohmann::json::parse(page_->saveState().dump());
    state["columns"][1]["model"] = {{"run", "0123456789ab"}};
    page_ = std::make_unique<BrowsePage>(bench_->workbench);
    QSignalSpy failed(&page_->session(), &BrowseSession::openFailed);
    page_->restoreState(state);
    QCOMPARE(page_->session().users(), QStringList{"3"});
    state["model"]["run"] = "0123456789ab";
    state["pinned"] = true;
    state["k"] = 7;
    page_ = std::make_unique<BrowsePage>(bench_->workbench);
    QSignalSpy failedToo(&page_->session(), &BrowseSession::openFailed);
    page_->restoreState(state);
    QVERIFY(page_->session().users().isEmpty());
    QVERIFY(!page_->session().opening() && !page_->bar().pinned());
    QCOMPARE(page_->bar().k(), std::int64_t{7});
    page_->show();
    QTRY_VERIFY_WITH_TIMEOUT(!shownRun().isEmpty(), kPatienceMs);
    QCOMPARE(failed.count() + failedToo.count(), 0);
  }

  void aHistoryIsEditedAndTheListIsRankedAnew() {
    QTemporaryDir folder;
    Bench bench(folder.path());
    experiment::Experiment reads = smallSample(42, 80);
    reads.features[0] = {.name = "history", .column = "item", .table = "item"};
    reads.features[0].history = experiment::History{.length = 3};
    const QString run = QString::fromStdString(trainRun(*bench.workspace, reads));
    QVERIFY(!run.isEmpty());
    page_ = std::make_unique<BrowsePage>(bench.workbench);
    page_->resize(1280, 720);
    page_->show();
    page_->showUser(run, "1");
    HistoryStrip& strip = page_->historyStrip();
    QTRY_VERIFY_WITH_TIMEOUT(strip.isVisible(), kPatienceMs);
    QTRY_COMPARE_WITH_TIMEOUT(strip.items().count(), 3, kPatienceMs);
    const QStringList own = strip.ids();
    // The history of the answer: a list that stays the same is not replaced by it.
    const auto shown = [this] {
      return page_->session().answers().front().list.history.value_or(retrieval::QueryHistory());
    };
    const auto first = [&shown] {
      const auto items = shown().items;
      return items.empty() ? QString() : QString::fromStdString(items.front());
    };
    // Removed by the key: the list rests on what is left.
    strip.items().setCurrentRow(0);
    QTest::keyClick(&strip.items(), Qt::Key_Delete);
    QTRY_COMPARE_WITH_TIMEOUT(shown().items.size(), std::size_t{2}, kPatienceMs);
    QVERIFY(shown().given);
    QCOMPARE(strip.ids(), own.mid(1));
    // Moved.
    QTest::keyClick(&strip.items(), Qt::Key_Right, Qt::AltModifier);
    const QStringList moved{own[2], own[1]};
    QCOMPARE(strip.ids(), moved);
    QTRY_COMPARE_WITH_TIMEOUT(first(), moved[0], kPatienceMs);
    // Added by its id, and the answer is that of the engine.
    strip.items().clearSelection();
    auto* line = strip.findChild<QLineEdit*>();
    QTest::keyClicks(line, "7");
    auto* completer = strip.findChild<QCompleter*>();
    QTRY_VERIFY_WITH_TIMEOUT(completer->completionModel()->rowCount() > 0, kPatienceMs);
    strip.addItem("7", "Seven");
    QTRY_COMPARE_WITH_TIMEOUT(shown().items.size(), std::size_t{3}, kPatienceMs);
    retrieval::Query query("1");
    query.history = {moved[0].toStdString(), moved[1].toStdString(), "7"};
    const auto engine = bench.workspace->recommender(run.toStdString(), {}).value();
    compareLists(list(0).list(),
                 engine->recommend({&query, 1}, 10, SeenItems::kExcludeTrain).value().front());
    QVERIFY2(
        page_->terminalCommand().contains(QString("--history %1,%2,7").arg(moved[0], moved[1])),
        qPrintable(page_->terminalCommand()));
    // The given history comes back after a restart, and leads back to the user's own.
    const nlohmann::json state = page_->saveState();
    QCOMPARE(state["columns"][0]["history"].size(), std::size_t{3});
    QToolButton* back = nullptr;
    for (auto* button : strip.findChildren<QToolButton*>())
      if (button->text() == "Own") back = button;
    QVERIFY(back != nullptr && back->isEnabled());
    back->click();
    QTRY_COMPARE_WITH_TIMEOUT(strip.ids(), own, kPatienceMs);
    QVERIFY(!shown().given);
    // Another user begins with their own, in this column and in a new one.
    strip.items().setCurrentRow(0);
    QTest::keyClick(&strip.items(), Qt::Key_Delete);
    QTRY_VERIFY_WITH_TIMEOUT(shown().given, kPatienceMs);
    emit page_->finder().addRequested("2");
    QCOMPARE(page_->session().count(), 2);
    QVERIFY(page_->session().columns()[0].history && !page_->session().columns()[1].history);
    page_->session().makeFirst(1);
    QVERIFY(!page_->session().columns()[0].history && page_->session().columns()[1].history);
    page_->session().makeFirst(1);
    page_->session().remove(1);
    emit page_->finder().showRequested("4");
    QVERIFY(!page_->session().columns().front().history);
    const retrieval::Query other("4");
    const auto others =
        engine->recommend({&other, 1}, 10, SeenItems::kExcludeTrain).value().front();
    QTRY_VERIFY_WITH_TIMEOUT(shown().items == others.history->items, kPatienceMs);
    QVERIFY(!shown().given);
    page_.reset();
  }

  void enterInTheHistoryAddsOrSaysThatThereIsNone() {
    QTemporaryDir folder;
    Bench bench(folder.path());
    experiment::Experiment reads = smallSample(42, 80);
    reads.features[0] = {.name = "history", .column = "item", .table = "item"};
    reads.features[0].history = experiment::History{.length = 3};
    const QString run = QString::fromStdString(trainRun(*bench.workspace, reads));
    page_ = std::make_unique<BrowsePage>(bench.workbench);
    page_->resize(1280, 720);
    page_->show();
    page_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(page_.get()));
    page_->showUser(run, "1");
    HistoryStrip& strip = page_->historyStrip();
    QTRY_COMPARE_WITH_TIMEOUT(strip.items().count(), 3, kPatienceMs);
    auto* line = strip.findChild<QLineEdit*>();
    line->setFocus();
    QTest::keyClicks(line, "no such item");
    QTest::keyClick(line, Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(page_->bar().notice().contains("no such item"), kPatienceMs);
    QCOMPARE(strip.items().count(), 3);
    // A single hit is seen whole, however narrow the line is.
    const RecommenderPtr model = page_->session().model();
    const auto items = model->findItems("", 80);
    const auto only = std::ranges::find_if(
        items, [&](const auto& item) { return model->findItems(item.title, 2).size() == 1; });
    QVERIFY(only != items.end());
    const QString title = QString::fromStdString(only->title);
    line->clear();
    line->setFixedWidth(40);
    QTest::keyClicks(line, title);
    auto* popup = strip.findChild<QCompleter*>()->popup();
    QTRY_VERIFY_WITH_TIMEOUT(popup->isVisible(), kPatienceMs);
    QCOMPARE(popup->model()->rowCount(), 1);
    QVERIFY(!popup->horizontalScrollBar()->isVisible());
    QVERIFY(popup->viewport()->height() >= popup->sizeHintForRow(0));
    popup->hide();
    // Enter waits for the search that it is too early for.
    line->clear();
    QTest::keyClicks(line, title);
    QTest::keyClick(line, Qt::Key_Return);
    QTRY_COMPARE_WITH_TIMEOUT(strip.items().count(), 4, kPatienceMs);
    QCOMPARE(strip.ids().back(), QString::fromStdString(only->id));
    page_.reset();
  }

  void commandDoesTheSameInATerminal() {
    QCOMPARE(page_->terminalCommand(),
             QStringLiteral("parapet-cli recommend %1 --user 1 -k 10 --exclude-seen")
                 .arg(QString::fromStdString(run_)));
  }

  /// At 960 × 540 the page has 870 × 440 of them.
  void panelsFoldWhereThePageIsLow() {
    FoldingTabs& details = page_->details();
    QVERIFY(!details.isFolded());
    page_->resize(870, 440);
    QTRY_VERIFY(details.isFolded());
    QVERIFY(!page_->history().isVisibleTo(page_.get()));
    const ItemTable& table = page_->board().columns()[0]->table();
    const auto shownRows = [&table] { return table.viewport()->height() / table.rowHeight(0); };
    QTRY_VERIFY2(shownRows() >= 6, qPrintable(QString::number(shownRows())));
    // A title unfolds its panel, the arrow folds it again.
    QTest::mouseClick(details.tabBar(), Qt::LeftButton, {}, details.tabBar()->tabRect(1).center());
    QVERIFY(!details.isFolded());
    QCOMPARE(details.currentWidget(), static_cast<QWidget*>(&page_->rankPanel()));
    QTRY_VERIFY(details.height() > 100);
    QTest::mouseClick(details.findChild<QToolButton*>("foldTabs"), Qt::LeftButton);
    QVERIFY(details.isFolded());
    // A command that asks for a panel unfolds it.
    trigger("Find the rank of an item");
    QVERIFY(!details.isFolded());
    details.setFolded(true);
    page_->resize(1280, 720);
    QTRY_VERIFY(!details.isFolded() && page_->history().isVisibleTo(page_.get()));
    QVERIFY(details.height() > 100);
  }

  void idsHaveTheRoomWhereNothingElseIsKnownOfUsers() {
    QTRY_COMPARE_WITH_TIMEOUT(page_->finder().found().rowCount(), 60, kPatienceMs);
    const auto& table = *page_->finder().findChild<ItemTable*>();
    QVERIFY(!table.isColumnHidden(UserListModel::kAttributes));
    auto document = experiment::toJson(smallSample(42, 80));
    document["dataset"]["generator"] = {
        {"kind", "events"}, {"users", 60}, {"items", 80}, {"events", 2000}, {"seed", 7}};
    document["dataset"]["label"] = {{"column", nullptr}};
    document["dataset"]["columns"] = nlohmann::json::parse(
        R"([{"name": "user", "role": "user", "from": "uid"},
            {"name": "item", "role": "item", "from": "item_id"}])");
    document["dataset"]["vocabularies"] = nlohmann::json::parse(
        R"([{"name": "user", "kind": "compressed"}, {"name": "item", "kind": "compressed"}])");
    const auto parsed = experiment::parse(document);
    QVERIFY2(parsed.findings.problems.empty(),
             parsed.findings.problems.empty() ? "" : parsed.findings.problems[0].message.c_str());
    const QString run = QString::fromStdString(trainRun(*bench_->workspace, parsed.experiment));
    page_->showUser(run, {});
    QTRY_COMPARE_WITH_TIMEOUT(shownRun(), run, kPatienceMs);
    QTRY_VERIFY_WITH_TIMEOUT(table.isColumnHidden(UserListModel::kAttributes), kPatienceMs);
    QVERIFY(table.columnWidth(UserListModel::kId) > 80);
  }

  /// Neither an order nor days are claimed of rows without times, and a list says where a score is
  /// that of a shared row.
  void aHistoryWithoutTimesHasNoOrderAndSharedRowsAreSaid() {
    const auto captions = [this] {
      QString all;
      for (const auto* each : page_->findChildren<ElidedLabel*>())
        all += each->text() + QLatin1Char('\n');
      return all;
    };
    const auto history = [this] { return &page_->history().table(); };
    QVERIFY(captions().contains("newest first"));
    QVERIFY(!captions().contains("shared row"));
    QVERIFY(!history()->isColumnHidden(HistoryModel::kTime));
    auto document = experiment::toJson(smallSample(42, 80));
    document["dataset"]["generator"] = {
        {"kind", "events"}, {"users", 60}, {"items", 80}, {"events", 2000}, {"seed", 7}};
    document["dataset"]["label"] = {{"column", nullptr}};
    document["dataset"]["columns"] = nlohmann::json::parse(
        R"([{"name": "user", "role": "user", "from": "uid"},
            {"name": "item", "role": "item", "from": "item_id"}])");
    document["dataset"]["vocabularies"] = nlohmann::json::parse(
        R"([{"name": "user", "kind": "compressed"}, {"name": "item", "kind": "hash", "size": 20}])");
    const auto parsed = experiment::parse(document);
    QVERIFY2(parsed.findings.problems.empty(),
             parsed.findings.problems.empty() ? "" : parsed.findings.problems[0].message.c_str());
    const QString run = QString::fromStdString(trainRun(*bench_->workspace, parsed.experiment));
    QVERIFY(!run.isEmpty());
    page_->showUser(run, {});
    QTRY_COMPARE_WITH_TIMEOUT(shownRun(), run, kPatienceMs);
    QTRY_VERIFY_WITH_TIMEOUT(captions().contains("shared row"), kPatienceMs);
    QVERIFY(captions().contains("equal scores, ordered by a hash of the id"));
    QVERIFY2(!captions().contains("newest first"), qPrintable(captions()));
    QVERIFY(history()->isColumnHidden(HistoryModel::kTime));
    QVERIFY(!history()->isColumnHidden(HistoryModel::kTitle));
  }

  /// Other columns give way before a title is cut to its first letters, at every width.
  void titlesHaveTheirRoomAtEveryWidth() {
    for (const int width : {1400, 1280, 1120, 1010, 960, 900, 870}) {
      page_->resize(width, 720);
      for (const auto* table : {&page_->board().columns()[0]->table(), &page_->history().table()}) {
        const int title = table->accessibleName() == "History" ? int(HistoryModel::kTitle)
                                                               : int(RecommendationModel::kTitle);
        QTRY_VERIFY2(
            table->columnWidth(title) >= table->fontMetrics().horizontalAdvance("00000000"),
            qPrintable(QString("%1: %2 at %3")
                           .arg(table->accessibleName())
                           .arg(table->columnWidth(title))
                           .arg(width)));
      }
    }
  }

  void everyControlHasANameAndATooltip() {
    const QString bad = controlWithoutAName(*page_);
    QVERIFY2(bad.isEmpty(), qPrintable(bad));
  }
};

QTEST_MAIN(BrowsePageTest)
#include "browse_page_test.moc"
