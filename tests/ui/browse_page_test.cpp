// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/browse_page.h"

#include <QAction>
#include <QComboBox>
#include <QCompleter>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSlider>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <set>

#include "engine/retrieval/list_comparison.h"
#include "tests/experiment/sample_document.h"
#include "ui/pages/browse/browse_bar.h"
#include "ui/pages/browse/browse_export.h"
#include "ui/pages/browse/context_control.h"
#include "ui/pages/browse/history_strip.h"
#include "ui/pages/browse/item_table.h"
#include "ui/pages/browse/rank_panel.h"
#include "ui/pages/browse/similar_panel.h"
#include "ui/pages/browse/user_finder.h"
#include "ui/pages/browse/why_panel.h"

using namespace parapet;
using namespace parapet::ui;
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

/// Listening events whose contexts decide: whether a listen is organic, and the hour as a number.
experiment::Experiment eventsInContext(std::uint64_t seed) {
  constexpr const char* kDocument = R"({"parapet": 1, "name": "events",
    "dataset": {"source": "generated",
      "generator": {"kind": "events", "users": 40, "items": 60, "events": 4000, "seed": 7,
                    "context_strength": 0.9},
      "label": {"column": null},
      "derived": [{"name": "part_of_day", "kind": "time_of_day", "from": "timestamp"},
                  {"name": "hour", "kind": "hour", "from": "timestamp"}],
      "columns": [{"name": "user", "role": "user", "from": "uid"},
                  {"name": "item", "role": "item", "from": "item_id"},
                  {"name": "part_of_day", "role": "context"},
                  {"name": "hour", "role": "context"},
                  {"name": "time", "role": "time", "from": "timestamp"}],
      "vocabularies": [{"name": "user", "kind": "compressed"}, {"name": "item", "kind": "compressed"},
                       {"name": "part_of_day", "kind": "compressed"},
                       {"name": "hour", "kind": "compressed"}],
      "split": {"kind": "random", "train": 0.7, "validation": 0.3, "test": 0, "seed": 42},
      "batch": {"size": 64}},
    "tables": [{"name": "user", "vocabulary": "user", "embedding_dim": 8},
               {"name": "item", "vocabulary": "item", "embedding_dim": 8},
               {"name": "part_of_day", "vocabulary": "part_of_day", "embedding_dim": 8},
               {"name": "hour", "vocabulary": "hour", "embedding_dim": 8}],
    "features": [{"name": "user", "column": "user", "table": "user"},
                 {"name": "part_of_day", "column": "part_of_day", "table": "part_of_day"},
                 {"name": "hour", "column": "hour", "table": "hour"},
                 {"name": "item", "column": "item", "table": "item", "tower": "candidate"}],
    "model": {"kind": "retrieval", "query": [{"kind": "dense", "units": 8}]},
    "loss": {"kind": "in_batch_softmax"},
    "optimizer": {"kind": "adagrad", "learning_rate": 0.2},
    "training": {"epochs": 4, "validate_every": 4, "seed": 5,
                 "checkpoints": {"every": 1, "keep": 10, "best": null}},
    "evaluation": {"k": [10]}})";
  auto document = experiment::parseJson(kDocument).value();
  document["training"]["seed"] = seed;
  return experiment::test::parsedDocument(document);
}

std::string train(workspace::Workspace& workspace, const experiment::Experiment& experiment) {
  auto handle = workspace.start(experiment, {});
  if (!handle.ok()) return "";
  const auto outcome = (*handle)->wait();
  return outcome.state == experiment::RunState::kFinished ? outcome.runId : "";
}

}  // namespace

class BrowsePageTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_, contextFolder_;
  std::unique_ptr<Bench> bench_, contextBench_;
  std::unique_ptr<BrowsePage> page_;
  std::string run_, otherRun_, otherData_, contextRun_, otherContextRun_;
  std::string listener_;  ///< of the events
  RecommenderPtr engine_, contextEngine_;

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
  void trigger(const QString& action) {
    const auto actions = page_->pageActions();
    const auto found = std::ranges::find(actions, action, &QAction::text);
    QVERIFY2(found != actions.end(), qPrintable(action));
    (*found)->trigger();
  }
  /// The page with a model that reads contexts.
  void openContextRun(QString user = {}) {
    if (user.isEmpty()) user = QString::fromStdString(listener_);
    page_ = std::make_unique<BrowsePage>(contextBench_->workbench);
    page_->resize(1280, 720);
    page_->show();
    page_->showUser(QString::fromStdString(contextRun_), user);
    QTRY_VERIFY_WITH_TIMEOUT(!page_->board().columns().empty(), kPatienceMs);
    QTRY_VERIFY_WITH_TIMEOUT(list(0).rowCount() == 10, kPatienceMs);
    QTRY_COMPARE_WITH_TIMEOUT(page_->bar().column().controls().size(), std::size_t{2}, kPatienceMs);
  }
  ContextControl& partOfDay() { return *page_->bar().column().controls()[0]; }
  ContextControl& hour() { return *page_->bar().column().controls()[1]; }
  retrieval::Recommendation askedIn(const std::string& user,
                                    std::vector<retrieval::ContextValue> context) {
    const retrieval::Query query{user, std::move(context)};
    return contextEngine_->recommend({&query, 1}, 10, SeenItems::kExcludeTrain).value().front();
  }
  static std::vector<std::int32_t> rowsIn(const retrieval::Recommendation& list) {
    return retrieval::rowsOf(list.items);
  }
  /// Until a column shows the list of a context.
  void waitForContext(std::size_t column, const std::string& name, const std::string& value) {
    QTRY_VERIFY_WITH_TIMEOUT(
        [&] {
          for (const auto& context : list(column).list().context)
            if (context.name == name) return context.value == value;
          return false;
        }(),
        kPatienceMs);
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
    const RecommenderPtr& model = page_->session().model();
    return model ? QString::fromStdString(model->model().runId) : QString();
  }
  QString strip() { return page_->findChild<QLabel*>("shownRun")->text(); }
  RecommendationModel& list(std::size_t column) { return page_->board().columns()[column]->list(); }

 private slots:
  void initTestCase() {
    qRegisterMetaType<Error>();
    QVERIFY(folder_.isValid());
    bench_ = std::make_unique<Bench>(folder_.path());
    otherData_ = train(*bench_->workspace, smallSample(42, 50));
    otherRun_ = train(*bench_->workspace, smallSample(7, 80));
    run_ = train(*bench_->workspace, smallSample(42, 80));
    QVERIFY(!run_.empty() && !otherRun_.empty() && !otherData_.empty());
    engine_ = bench_->workspace->recommender(run_, {}).value();
    // Elsewhere, so that they are not the newest runs here.
    QVERIFY(contextFolder_.isValid());
    contextBench_ = std::make_unique<Bench>(contextFolder_.path());
    otherContextRun_ = train(*contextBench_->workspace, eventsInContext(6));
    contextRun_ = train(*contextBench_->workspace, eventsInContext(5));
    QVERIFY(!contextRun_.empty() && !otherContextRun_.empty());
    contextEngine_ = contextBench_->workspace->recommender(contextRun_, {}).value();
    listener_ = contextEngine_->findUsers("", retrieval::UserOrder::kById, 1).front().id;
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
    emit page_->board().removeRequested(1);
    QCOMPARE(page_->session().users(), (QStringList{"1", "3", "4", "5", "6"}));
  }

  void arrowKeysWalkBetweenColumns() {
    showUsers({"1", "2"});
    page_->board().focusColumn(0);
    QTest::keyClick(page_->board().columns()[0]->activeTable(), Qt::Key_Right);
    QCOMPARE(page_->board().current(), 1);
    QTest::keyClick(page_->board().columns()[1]->activeTable(), Qt::Key_Right);
    QCOMPARE(page_->board().current(), 1);
    QTest::keyClick(page_->board().columns()[1]->activeTable(), Qt::Key_Left);
    QCOMPARE(page_->board().current(), 0);
    QTest::keyClick(page_->board().columns()[0]->activeTable(), Qt::Key_Right, Qt::ControlModifier);
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
    page_->similar().showItem(0, QString::fromStdString(item), "an item");
    page_->why().showItem(0, "1", QString::fromStdString(item), "an item");
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
    QVERIFY(!page_->session().opening());
    QVERIFY(!list(0).hasMoves());
    emit page_->bar().updateRequested();
    QTRY_VERIFY_WITH_TIMEOUT(list(0).hasMoves(), kPatienceMs);
    QVERIFY(!page_->bar().offersNewer());
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

  void theFirstColumnHasNoModelOfItsOwn() {
    page_->session().setModel(0, ModelChoice{QString::fromStdString(otherRun_), {}});
    QVERIFY(!page_->session().columns()[0].model);
    QVERIFY(!page_->bar().column().model().isVisible());
    QVERIFY(page_->bar().column().controls().empty());
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
    QTest::keyClick(page_->board().columns()[1]->activeTable(), Qt::Key_Space);
    QTRY_VERIFY_WITH_TIMEOUT(rowsIn(list(0).list()) == second, kPatienceMs);
    QTRY_VERIFY_WITH_TIMEOUT(rowsIn(list(1).list()) == first, kPatienceMs);
    QCOMPARE(shownRun(), other);
    QVERIFY2(strip().contains(other.left(6)), qPrintable(strip()));
  }

  void contextsHaveTheirValuesByFrequency() {
    openContextRun();
    const auto domains = contextEngine_->contextDomains(100);
    auto* values = partOfDay().findChild<QComboBox*>();
    QVERIFY(values && !partOfDay().findChild<QSlider*>());
    QCOMPARE(values->count(), 5);
    QVERIFY2(values->itemText(0).startsWith("As in the last row: "),
             qPrintable(values->itemText(0)));
    for (int row = 1; row < 5; ++row)
      QCOMPARE(values->itemData(row).toString().toStdString(),
               domains[0].values[static_cast<std::size_t>(row) - 1].value);
    auto* slider = hour().findChild<QSlider*>();
    QVERIFY(slider && !hour().findChild<QComboBox*>());
    QCOMPARE(slider->maximum() - slider->minimum(), 23);
  }

  void aContextIsAnsweredAndNamed() {
    openContextRun();
    const auto usual = askedIn(listener_, {});
    compareLists(list(0).list(), usual);
    QVERIFY(page_->board().columns()[0]->caption().contains("as in the last row"));
    auto* values = partOfDay().findChild<QComboBox*>();
    const int row = values->findData("night");
    values->setCurrentIndex(row);
    emit values->activated(row);
    waitForContext(0, "part_of_day", "night");
    compareLists(list(0).list(), askedIn(listener_, {{"part_of_day", "night"}}));
    QVERIFY2(page_->board().columns()[0]->caption().startsWith("part_of_day night"),
             qPrintable(page_->board().columns()[0]->caption()));
    QVERIFY(page_->terminalCommand().contains("--context part_of_day=night"));
    hour().findChild<QSlider*>()->setValue(23);
    waitForContext(0, "hour", "23");
    compareLists(list(0).list(), askedIn(listener_, {{"part_of_day", "night"}, {"hour", "23"}}));
    // Back to the last row.
    emit values->activated(0);
    hour().findChild<QToolButton*>()->click();
    QTRY_VERIFY_WITH_TIMEOUT(!list(0).list().context.empty() && !list(0).list().context[0].given &&
                                 !list(0).list().context[1].given,
                             kPatienceMs);
    compareLists(list(0).list(), usual);
  }

  void arrowKeysStepTheContext() {
    openContextRun();
    auto* values = partOfDay().findChild<QComboBox*>();
    page_->board().focusColumn(0);
    const QString before = QString::fromStdString(list(0).list().context[0].value);
    const int row = values->findData(before);
    QTest::keyClick(page_->board().columns()[0]->activeTable(), Qt::Key_Right);
    waitForContext(0, "part_of_day", values->itemData(row % 4 + 1).toString().toStdString());
    QTest::keyClick(page_->board().columns()[0]->activeTable(), Qt::Key_Left);
    waitForContext(0, "part_of_day", before.toStdString());
    // The one that was touched last.
    emit hour().entered();
    hour().setValue("7", true);
    QTest::keyClick(page_->board().columns()[0]->activeTable(), Qt::Key_Right);
    waitForContext(0, "hour", "8");
  }

  void aValueNeverSeenIsSaid() {
    openContextRun();
    auto* values = partOfDay().findChild<QComboBox*>();
    values->setFocus();
    values->lineEdit()->selectAll();
    QTest::keyClicks(values->lineEdit(), "teatime");
    QTest::keyClick(values->lineEdit(), Qt::Key_Return);
    waitForContext(0, "part_of_day", "teatime");
    const QString warnings = page_->board().columns()[0]->warnings();
    QVERIFY2(warnings.contains("teatime") && warnings.contains("out of vocabulary"),
             qPrintable(warnings));
    compareLists(list(0).list(), askedIn(listener_, {{"part_of_day", "teatime"}}));
    QCOMPARE(values->currentText(), QStringLiteral("teatime"));
    auto* number = hour().findChild<QLineEdit*>();
    number->setText("noon");
    emit number->editingFinished();
    QTRY_VERIFY_WITH_TIMEOUT(page_->board().columns()[0]->warnings().contains("noon"), kPatienceMs);
  }

  void somebodyUnknownIsAnsweredFromTheContext() {
    openContextRun("nobody");
    QVERIFY(page_->board().columns()[0]->errorText().isEmpty());
    const QString warnings = page_->board().columns()[0]->warnings();
    QVERIFY2(warnings.contains("rests on the context"), qPrintable(warnings));
    for (const auto& value : list(0).list().context) QVERIFY(!value.given);
    QVERIFY2(page_->board().columns()[0]->caption().contains("(the most frequent)"),
             qPrintable(page_->board().columns()[0]->caption()));
    QCOMPARE(page_->board().columns()[0]->history().rowCount(), 0);
    compareLists(list(0).list(), askedIn("nobody", contextEngine_->usualContext()));
    // Nothing of somebody else stays.
    page_->session().setUsers({QString::fromStdString(listener_)});
    QTRY_VERIFY_WITH_TIMEOUT(page_->board().columns()[0]->history().rowCount() > 0, kPatienceMs);
    page_->session().setUser(0, QStringLiteral("nobody"));
    QTRY_COMPARE_WITH_TIMEOUT(page_->board().columns()[0]->history().rowCount(), 0, kPatienceMs);
  }

  void columnsOfOneUserInTwoContexts() {
    openContextRun();
    page_->board().focusColumn(0);
    trigger("Duplicate the column");
    QTRY_COMPARE_WITH_TIMEOUT(page_->board().columns().size(), std::size_t{2}, kPatienceMs);
    page_->session().setContext(0, "part_of_day", QStringLiteral("morning"));
    page_->session().setContext(1, "part_of_day", QStringLiteral("evening"));
    waitForContext(0, "part_of_day", "morning");
    waitForContext(1, "part_of_day", "evening");
    compareLists(list(0).list(), askedIn(listener_, {{"part_of_day", "morning"}}));
    compareLists(list(1).list(), askedIn(listener_, {{"part_of_day", "evening"}}));
    const auto moves = retrieval::movesSince(rowsIn(list(0).list()), rowsIn(list(1).list()));
    for (int row = 0; row < 10; ++row) {
      const QString text = list(1).index(row, RecommendationModel::kMove).data().toString();
      const Move& move = moves[static_cast<std::size_t>(row)];
      QCOMPARE(text, move.kind == MoveKind::kIn     ? QString("new")
                     : move.kind == MoveKind::kUp   ? QString("▲ %1").arg(move.by)
                     : move.kind == MoveKind::kDown ? QString("▼ %1").arg(move.by)
                                                    : QString());
    }
    const auto seen = SeenItems::kExcludeTrain;
    const auto json = nlohmann::json::parse(listsAsJson(page_->session().answers(), seen));
    QCOMPARE(json[1]["context"]["part_of_day"].get<std::string>(), std::string("evening"));
    QCOMPARE(json[1]["given"], nlohmann::json::array({"part_of_day"}));
    QCOMPARE(json[1]["against_column_1"]["overlap"].get<double>(),
             retrieval::overlap(rowsIn(list(0).list()), rowsIn(list(1).list())).share);
    QVERIFY(json[0]["against_column_1"].is_null());
    const QString csv = QString::fromStdString(listsAsCsv(page_->session().answers(), seen));
    QVERIFY(csv.contains("part_of_day=evening"));
    // The state comes back.
    const nlohmann::json state = page_->saveState();
    page_ = std::make_unique<BrowsePage>(contextBench_->workbench);
    page_->show();
    page_->restoreState(nlohmann::json::parse(state.dump()));
    QTRY_VERIFY_WITH_TIMEOUT(page_->board().columns().size() == 2 && list(1).rowCount() == 10,
                             kPatienceMs);
    compareLists(list(1).list(), askedIn(listener_, {{"part_of_day", "evening"}}));
  }

  void replaysHowTheListGrew() {
    openContextRun();
    ReplayBar& replay = page_->bar().replay();
    QTRY_VERIFY_WITH_TIMEOUT(replay.isVisible(), kPatienceMs);
    const auto steps = replay.steps();
    QVERIFY(steps.size() >= 4);
    QCOMPARE(list(0).list().step, steps.back());
    auto* slider = replay.findChild<QSlider*>();
    const auto atStep = [&](std::int64_t step) {
      const auto model = contextBench_->workspace
                             ->recommender(contextRun_, {workspace::WhichCheckpoint::kStep, step})
                             .value();
      return model->recommend(std::span(&listener_, 1), 10, SeenItems::kExcludeTrain)->front();
    };
    slider->setFocus();
    QTest::keyClick(slider, Qt::Key_Home);
    QTRY_COMPARE_WITH_TIMEOUT(list(0).list().step, steps.front(), kPatienceMs);
    compareLists(list(0).list(), atStep(steps.front()));
    QTest::keyClick(slider, Qt::Key_Right);
    QTRY_COMPARE_WITH_TIMEOUT(list(0).list().step, steps[1], kPatienceMs);
    const QString changes = page_->board().columns()[0]->changes();
    QVERIFY2(changes.startsWith(QString("Since step %1").arg(steps[0])), qPrintable(changes));
    QVERIFY(list(0).hasMoves());
    compareLists(list(0).list(), atStep(steps[1]));
    // What was read is at hand: the same object answers.
    const auto second = page_->session().model();
    QTest::keyClick(slider, Qt::Key_Left);
    QTRY_COMPARE_WITH_TIMEOUT(list(0).list().step, steps[0], kPatienceMs);
    QTest::keyClick(slider, Qt::Key_Right);
    QTRY_COMPARE_WITH_TIMEOUT(list(0).list().step, steps[1], kPatienceMs);
    QCOMPARE(page_->session().model().get(), second.get());
    // By itself, to the last.
    page_->findChild<QToolButton*>("playCheckpoints")->click();
    QTRY_COMPARE_WITH_TIMEOUT(list(0).list().step, steps.back(), kPatienceMs);
    QTRY_VERIFY_WITH_TIMEOUT(!replay.playing(), kPatienceMs);
    // A column with a model of its own goes alone.
    page_->session().duplicate(0);
    page_->session().setModel(1, ModelChoice{QString::fromStdString(otherContextRun_), {}});
    QTRY_VERIFY_WITH_TIMEOUT(page_->board().columns().size() == 2 &&
                                 page_->board().columns()[1]->caption().contains(
                                     QString::fromStdString(otherContextRun_).left(6)),
                             kPatienceMs);
    page_->board().focusColumn(1);
    QTRY_COMPARE_WITH_TIMEOUT(replay.steps().size(), steps.size(), kPatienceMs);
    slider->setFocus();
    QTest::keyClick(slider, Qt::Key_Home);
    QTRY_COMPARE_WITH_TIMEOUT(list(1).list().step, steps.front(), kPatienceMs);
    QCOMPARE(list(0).list().step, steps.back());
  }

  void aCancelledLoadLeavesTheList() {
    openContextRun();
    QTRY_VERIFY_WITH_TIMEOUT(page_->bar().replay().isVisible(), kPatienceMs);
    const auto steps = page_->bar().replay().steps();
    emit page_->bar().replay().stepRequested(steps.front());
    QVERIFY(page_->session().opening());
    QTest::keyClick(page_->bar().replay().findChild<QSlider*>(), Qt::Key_Escape);
    QVERIFY(!page_->session().opening());
    QTest::qWait(100);
    QCOMPARE(list(0).list().step, steps.back());
  }

  void whySplitsTheScoreByFeature() {
    openContextRun();
    page_->session().setContext(0, "part_of_day", QStringLiteral("morning"));
    waitForContext(0, "part_of_day", "morning");
    const std::string item = list(0).list().items[1].id;
    page_->board().columns()[0]->selectItem(QString::fromStdString(item));
    const retrieval::Query query{listener_, {{"part_of_day", "morning"}}};
    const auto expected = contextEngine_->explain(query, item, 10).value();
    using M = FeatureSharesModel;
    const M& model = page_->why().features();
    QTRY_VERIFY_WITH_TIMEOUT(
        model.rowCount() == 3 && model.rows()[0].without == expected.features[0].without,
        kPatienceMs);
    for (int row = 0; row < 3; ++row) {
      const auto& feature = expected.features[static_cast<std::size_t>(row)];
      QCOMPARE(model.index(row, M::kFeature).data().toString().toStdString(), feature.feature);
      QCOMPARE(model.index(row, M::kWithout).data(Qt::EditRole).toFloat(), feature.without);
      QCOMPARE(model.index(row, M::kShare).data(Qt::EditRole).toFloat(), feature.share);
    }
    QCOMPARE(model.index(1, M::kValue).data().toString(), QStringLiteral("morning"));
    QVERIFY2(page_->why().sum().contains("the shares of its features"),
             qPrintable(page_->why().sum()));
  }

  void usersComeBySensitivityToContext() {
    openContextRun();
    QTRY_COMPARE_WITH_TIMEOUT(page_->finder().found().rowCount(), 40, kPatienceMs);
    page_->finder().setOrder(BrowseSession::Order::kSensitive);
    const auto& users = page_->finder().found().users();
    QTRY_VERIFY_WITH_TIMEOUT(!users.empty() && users[0].sensitivity.has_value(), kPatienceMs);
    std::vector<std::int32_t> rows;
    for (const auto& user : users) rows.push_back(user.row);
    QCOMPARE(rows.size(), std::size_t{40});
    const auto expected = contextEngine_->contextSensitivity(rows, {}).value();
    for (std::size_t i = 0; i < users.size(); ++i) {
      QCOMPARE(*users[i].sensitivity, expected[i]);
      QVERIFY(i == 0 || expected[i] <= expected[i - 1]);
    }
    QVERIFY(expected.front() > expected.back());
    // A search keeps the order and measures nobody twice.
    page_->finder().findChild<QLineEdit*>()->setText(QString::fromStdString(listener_));
    QTRY_VERIFY_WITH_TIMEOUT(users.size() < 40, kPatienceMs);
    for (std::size_t i = 1; i < users.size(); ++i)
      QVERIFY(*users[i].sensitivity <= *users[i - 1].sensitivity);
    emit page_->finder().findChild<QPushButton*>("cancelSensitivity")->clicked();
    QCOMPARE(page_->finder().order(), BrowseSession::Order::kById);
  }

  void sensitivityNeedsAModelThatReadsAContext() {
    auto* order = page_->finder().findChild<QComboBox*>();
    const QModelIndex index =
        order->model()->index(static_cast<int>(BrowseSession::Order::kSensitive), 0);
    QVERIFY(!index.flags().testFlag(Qt::ItemIsEnabled));
    QVERIFY(index.data(Qt::ToolTipRole).toString().contains("no context"));
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
    QCOMPARE(page_->saveState()["model"], state["model"]);
    page_->restoreState(nlohmann::json::parse(R"({"users": 3, "k": "x"})"));
  }

  void aHistoryIsEditedAndTheListIsRankedAnew() {
    QTemporaryDir folder;
    Bench bench(folder.path());
    experiment::Experiment reads = smallSample(42, 80);
    reads.features[0] = {.name = "history", .column = "item", .table = "item"};
    reads.features[0].history = experiment::History{.length = 3};
    const QString run = QString::fromStdString(train(*bench.workspace, reads));
    QVERIFY(!run.isEmpty());
    page_ = std::make_unique<BrowsePage>(bench.workbench);
    page_->resize(1280, 720);
    page_->show();
    page_->showUser(run, "1");
    HistoryStrip& strip = page_->historyStrip();
    QTRY_VERIFY_WITH_TIMEOUT(strip.isVisible(), kPatienceMs);
    QTRY_COMPARE_WITH_TIMEOUT(strip.items().count(), 3, kPatienceMs);
    const QStringList own = strip.ids();
    // That of the answer: a list that stays the same is not replaced by it.
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
    // It comes back after a restart, and leads back to the user's own.
    const nlohmann::json state = page_->saveState();
    QCOMPARE(state["columns"][0]["history"].size(), std::size_t{3});
    QToolButton* back = nullptr;
    for (auto* button : strip.findChildren<QToolButton*>())
      if (button->text() == "Own") back = button;
    QVERIFY(back != nullptr && back->isEnabled());
    back->click();
    QTRY_COMPARE_WITH_TIMEOUT(strip.ids(), own, kPatienceMs);
    QVERIFY(!shown().given);
    page_.reset();
  }

  void commandDoesTheSameInATerminal() {
    QCOMPARE(page_->terminalCommand(),
             QStringLiteral("parapet-cli recommend %1 --user 1 -k 10 --exclude-seen")
                 .arg(QString::fromStdString(run_)));
  }

  void everyControlHasANameAndATooltip_data() {
    QTest::addColumn<bool>("context");
    QTest::newRow("users") << false;
    QTest::newRow("contexts") << true;
  }
  void everyControlHasANameAndATooltip() {
    QFETCH(bool, context);
    if (context) openContextRun();
    for (QWidget* widget : page_->findChildren<QWidget*>()) {
      const bool control = widget->inherits("QComboBox") || widget->inherits("QSpinBox") ||
                           widget->inherits("QPushButton") || widget->inherits("QLineEdit") ||
                           widget->inherits("QSlider");
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
