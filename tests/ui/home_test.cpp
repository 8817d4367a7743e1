// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/home/home_page.h"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QTreeView>

#include "tests/ui/test_bench.h"
#include "ui/forms/card.h"
#include "ui/models/experiments_model.h"
#include "ui/pages/home/run_glimpse.h"
#include "ui/style/theme.h"

using namespace parapet;
using namespace parapet::ui;

namespace {

constexpr int kLongMs = 60'000;

bool says(const QWidget& page, const QString& text) {
  for (const QLabel* label : page.findChildren<QLabel*>())
    if (label->text().contains(text)) return true;
  return false;
}

QPushButton* button(const QWidget& page, const QString& text) {
  for (QPushButton* found : page.findChildren<QPushButton*>())
    if (found->text() == text) return found;
  return nullptr;
}

/// The page over a workspace, as the window has it.
struct Home {
  TestBench bench;
  WorkspaceExperiments experiments{*bench.workspace, bench.editor,
                                   (bench.folder.path() + "/autosave").toStdString()};
  HomePage page{bench.bench, experiments};
  Home() { experiments.begin({}); }
};

}  // namespace

class HomeTest : public QObject {
  Q_OBJECT

 private slots:
  void everyRecipeHasATileThatOpensIt() {
    Home home;
    QSignalSpy opened(&home.page, &HomePage::recipeRequested);
    for (const experiment::Recipe& recipe : experiment::recipes()) {
      const QString name = QString::fromStdString(recipe.name);
      QVERIFY2(says(home.page, QString::fromStdString(recipe.title)), recipe.title.c_str());
      auto* use = home.page.findChild<QPushButton*>("useRecipe." + name);
      QVERIFY2(use, recipe.name.c_str());
      use->click();
      QCOMPARE(opened.back().front().toString(), name);
    }
    QVERIFY(says(home.page, "MovieLens 100K"));
    QVERIFY(says(home.page, "Published: "));
    QVERIFY(says(home.page, "Published, reproduced"));
  }

  void recipesThatWorkAtOnceComeFirst() {
    Home home;
    home.page.resize(1200, 2400);
    home.page.show();
    const auto top = [&](const QString& recipe) {
      auto* tile = home.page.findChild<QWidget*>("recipeTile." + recipe);
      return tile->mapTo(&home.page, QPoint(0, 0)).y();
    };
    for (const char* ready : {"sample", "dlrm", "dcn-v2"})
      for (const char* later : {"movielens-retrieval", "movielens-listwise"})
        QVERIFY2(top(ready) < top(later), later);
  }

  void aRecipeWithoutDataAsksForThem() {
    Home home;
    QSignalSpy downloads(&home.page, &HomePage::downloadRequested);
    auto* use = home.page.findChild<QPushButton*>("useRecipe.movielens-listwise");
    QCOMPARE(use->text(), QString("Open without data"));
    auto* download = home.page.findChild<QPushButton*>("downloadFor.movielens-listwise");
    download->click();
    QCOMPARE(downloads.back().front().toString(), QString("movielens-listwise"));
    QVERIFY(home.page.findChild<QPushButton*>("chooseData.movielens-listwise"));
    // Each by what its source is: a file of rows; texts in a file or a folder.
    QVERIFY(home.page.findChild<QPushButton*>("chooseData.frappe-context"));
    QVERIFY(!home.page.findChild<QPushButton*>("downloadFor.frappe-context"));
    QVERIFY(home.page.findChild<QPushButton*>("chooseData.bert-tiny-mlm"));
    QVERIFY(home.page.findChild<QPushButton*>("chooseFile.bert-tiny-mlm"));
  }

  void dataOfTheWorkspaceAreOfferedAndUsedByRecipes() {
    Home home;
    const QString folder = home.bench.folder.path() + "/ml-100k";
    QVERIFY(QDir().mkpath(folder));
    QFile ratings(folder + "/u.data");
    QVERIFY(ratings.open(QIODevice::WriteOnly));
    // As many as MovieLens 100K has, of as many users and items: recipes that are named after it take no other.
    QByteArray rows;
    for (int row = 0; row < 100'000; ++row)
      rows += QByteArray::number(1 + row % 943) + '\t' + QByteArray::number(1 + row % 1682) +
              "\t3\t4\n";
    ratings.write(rows);
    ratings.close();
    nlohmann::json document = sampleDocument(1);
    document["dataset"]["path"] = folder.toStdString();
    home.bench.editor.load(document, "sample");
    home.page.show();
    auto* list = home.page.findChild<QListWidget*>("usedData");
    QTRY_COMPARE_WITH_TIMEOUT(list->count(), 1, kLongMs);
    QCOMPARE(list->item(0)->text(), QString("ml-100k"));
    QSignalSpy dropped(&home.page, &HomePage::dropped);
    emit list->itemActivated(list->item(0));
    QCOMPARE(dropped.front().front().toString(), folder);
    auto* use = home.page.findChild<QPushButton*>("useRecipe.movielens-listwise");
    QCOMPARE(use->text(), QString("Use this recipe"));
    QSignalSpy opened(&home.page, &HomePage::recipeRequested);
    use->click();
    QCOMPARE(opened.front().at(1).toString(), folder);
    for (const char* other : {"frappe-context", "bert-tiny-mlm", "bert-tiny-mlm-as-published",
                              "yambda-context-as-published"})
      QCOMPARE(home.page.findChild<QPushButton*>(QString("useRecipe.") + other)->text(),
               QString("Open without data"));
  }

  void anEmptyWorkspaceSaysWhatToDo() {
    Home home;
    QVERIFY(QTest::qWaitFor([&] { return says(home.page, "No run yet"); }, kLongMs));
    QVERIFY(!button(home.page, "See its curves")->isEnabled());
    QVERIFY(!button(home.page, "Browse its lists")->isEnabled());
    QVERIFY(!home.page.findChild<QPushButton*>("watchSample")->isHidden());
    QVERIFY(says(home.page, "No experiments yet"));
  }

  void theNewestRunLeadsToItsPages() {
    Home home;
    const QString run = home.bench.train(2);
    QVERIFY(QTest::qWaitFor([&] { return says(home.page, "Finished · 2 of 2 epochs"); }, kLongMs));
    QSignalSpy shown(&home.page, &Page::showRunRequested);
    QSignalSpy browsed(&home.page, &Page::browseRequested);
    button(home.page, "See its curves")->click();
    button(home.page, "Browse its lists")->click();
    QCOMPARE(shown.front().front().toString(), run);
    QCOMPARE(browsed.front().front().toString(), run);
  }

  void theNewestRunIsSeenAtAGlance() {
    Home home;
    home.page.show();
    auto* curve = home.page.findChild<CurveThumbnail*>();
    QVERIFY(curve->isHidden());
    const QString run = home.bench.train(3);
    QTRY_VERIFY_WITH_TIMEOUT(curve->isVisible(), kLongMs);
    QTRY_COMPARE_WITH_TIMEOUT(curve->content().values.size(), std::size_t{3}, kLongMs);
    QCOMPARE(curve->content().name, QString("recall@10"));
    QCOMPARE(curve->content().levelName, QString("most popular"));
    QVERIFY2(curve->accessibleName().startsWith("recall@10 of the newest run: "),
             qPrintable(curve->accessibleName()));
    // Three titles of the user whom Train watches first.
    auto* items = home.page.findChild<ElidedLabel*>("newestList");
    QTRY_COMPARE_WITH_TIMEOUT(items->text().count('\n'), 2, kLongMs);
    const auto model = home.bench.workspace->recommender(run.toStdString(), {});
    const std::vector<std::string> users = (*model)->randomUsers(1, 1);
    const auto list = (*model)->recommend(users, 3, retrieval::SeenItems::kExcludeTrain);
    QVERIFY(says(home.page, "Top 3 of user " + QString::fromStdString(users.front())));
    for (const retrieval::RecommendedItem& item : list->front().items)
      QVERIFY(items->text().contains(QString::fromStdString(item.title)));
  }

  void longListsBeginWithSixRows() {
    Home home;
    for (int made = 0; made < 9; ++made) home.bench.editor.load(sampleDocument(made + 1), "sample");
    home.page.resize(1200, 900);
    home.page.show();
    auto* list = home.page.findChild<QTreeView*>("editedLast");
    QTRY_COMPARE(list->model()->rowCount(), 9);
    auto* card = home.page.findChild<QWidget*>("continueCard");
    auto* more = card->findChild<QToolButton*>("showAll");
    QTRY_COMPARE(more->text(), QString("Show all 9"));
    const auto seen = [list] {
      int rows = 0;
      for (int row = 0; row < 9; ++row) rows += list->isRowHidden(row, {}) ? 0 : 1;
      return rows;
    };
    QCOMPARE(seen(), 6);
    const int before = list->height();
    more->click();
    QCOMPARE(seen(), 9);
    QVERIFY(list->height() > before);
    QCOMPARE(list->verticalScrollBar()->maximum(), 0);
    QCOMPARE(more->text(), QString("Show fewer"));
  }

  void noPartOfThePageScrollsByItself() {
    Home home;
    for (int made = 0; made < 9; ++made) home.bench.editor.load(sampleDocument(made + 1), "sample");
    home.page.resize(860, 420);
    home.page.show();
    QCoreApplication::processEvents();
    for (const QAbstractScrollArea* area : home.page.findChildren<QAbstractScrollArea*>())
      if (area->parentWidget() != &home.page)
        QVERIFY2(area->verticalScrollBar()->maximum() == 0, qPrintable(area->objectName()));
  }

  void tilesThatNeedNoDataAreLow() {
    Home home;
    home.page.resize(1400, 900);
    home.page.show();
    QVERIFY(says(home.page, "Parapet is a workbench for two-tower recommenders"));
    auto* tile = home.page.findChild<QWidget*>("recipeTile.sample");
    auto* use = home.page.findChild<QPushButton*>("useRecipe.sample");
    QTRY_VERIFY(use->mapTo(tile, QPoint(0, 0)).x() > tile->width() / 2);
    QVERIFY2(tile->height() <= 5 * home.page.fontMetrics().lineSpacing() + 20,
             qPrintable(QString::number(tile->height())));
  }

  void aStoppedRunGoesOn() {
    Home home;
    home.page.show();
    QVERIFY(button(home.page, "Resume")->isHidden());
    const auto endless = experiment::parse(sampleDocument(1'000'000)).experiment;
    home.bench.runs.start(endless, "sample");
    QTRY_VERIFY_WITH_TIMEOUT(home.bench.runs.progress().epoch > 1, kLongMs);
    home.bench.runs.stop();
    QTRY_VERIFY_WITH_TIMEOUT(!home.bench.runs.active(), kLongMs);
    auto* resume = button(home.page, "Resume");
    QTRY_VERIFY_WITH_TIMEOUT(resume->isVisible() && resume->isEnabled(), kLongMs);
    const QString run = home.bench.runs.runId();
    QSignalSpy shown(&home.page, &Page::showRunRequested);
    resume->click();
    QCOMPARE(shown.back().front().toString(), run);
    QTRY_COMPARE_WITH_TIMEOUT(home.bench.runs.state(), experiment::RunState::kRunning, kLongMs);
    QCOMPARE(home.bench.runs.runId(), run);
    QTRY_VERIFY_WITH_TIMEOUT(!resume->isVisible(), kLongMs);
    home.bench.runs.stop();
    QTRY_VERIFY_WITH_TIMEOUT(!home.bench.runs.active(), kLongMs);
  }

  void aLanguageModelIsAskedAboutTexts() {
    Home home;
    home.page.show();
    store::RunRecord run;
    run.id = store::RunStore::newRunId();
    run.name = "words";
    run.model = "masked_lm";
    QVERIFY(home.bench.workspace->store().createRun(run).ok());
    QTRY_VERIFY_WITH_TIMEOUT(says(home.page, "words"), kLongMs);
    QVERIFY(button(home.page, "Ask it about a text") != nullptr);
    QVERIFY(button(home.page, "Browse its lists") == nullptr);
  }

  void theNewestRunOfAnotherProgramIsShown() {
    Home home;
    home.page.show();
    const auto other = store::RunStore::open(
        (home.bench.folder.path() + "/workspace/parapet.db").toStdString(), {});
    QVERIFY(other.ok());
    store::RunRecord run;
    run.id = store::RunStore::newRunId();
    run.name = "elsewhere";
    QVERIFY((*other)->createRun(run).ok());
    QTRY_VERIFY_WITH_TIMEOUT(says(home.page, "elsewhere"), kLongMs);
  }

  void theListCountsTheRunThatStandsAboveIt() {
    TestBench bench;
    // Not begun, so that nothing is looked at again by itself.
    WorkspaceExperiments experiments(*bench.workspace, bench.editor,
                                     (bench.folder.path() + "/autosave").toStdString());
    const auto made = bench.workspace->store().experiments().create(
        {"mine", sampleDocument(2).dump(), {}, "sample"});
    QVERIFY(made.ok());
    HomePage page(bench.bench, experiments);
    page.show();
    experiments.poll();
    const QAbstractItemModel* list = page.findChild<QTreeView*>("editedLast")->model();
    QTRY_COMPARE_WITH_TIMEOUT(list->rowCount(), 1, kLongMs);
    const auto runs = [list] { return list->index(0, ExperimentsModel::kRuns).data().toString(); };
    QCOMPARE(runs(), QString("no runs"));
    const auto other =
        store::RunStore::open((bench.folder.path() + "/workspace/parapet.db").toStdString(), {});
    QVERIFY(other.ok());
    store::RunRecord run;
    run.id = store::RunStore::newRunId();
    run.name = "mine";
    run.experimentId = made->id;
    QVERIFY((*other)->createRun(run).ok());
    QTRY_VERIFY_WITH_TIMEOUT(says(page, "Newest run: mine"), kLongMs);
    QTRY_COMPARE_WITH_TIMEOUT(runs(), QString("1 run"), kLongMs);
  }

  void cardsStandBelowEachOtherWhereTheyDoNotFitSideBySide() {
    Home home;
    home.page.show();
    auto* again = home.page.findChild<QWidget*>("continueCard");
    auto* own = home.page.findChild<QWidget*>("dataCard");
    auto* scroll = home.page.findChild<QScrollArea*>();
    const int wanted = again->minimumSizeHint().width() + own->minimumSizeHint().width() + 3 * 16;
    for (const auto& [width, below] : {std::pair(wanted + 40, false), std::pair(wanted - 40, true),
                                       std::pair(wanted + 40, false)}) {
      home.page.resize(width, 540);
      QTRY_COMPARE(own->geometry().top() > again->geometry().bottom(), below);
      QTRY_COMPARE(scroll->horizontalScrollBar()->maximum(), 0);
    }
  }

  void experimentsEditedLastOpenAgain() {
    Home home;
    home.bench.editor.load(sampleDocument(3), "sample");
    home.bench.editor.load(sampleDocument(4), "sample");
    auto* list = home.page.findChild<QTreeView*>("editedLast");
    QCOMPARE(list->model()->rowCount(), 2);
    QCOMPARE(list->model()->index(0, 0).data().toString(), QString("sample-2 (open)"));
    QSignalSpy pages(&home.page, &Page::pageRequested);
    emit list->activated(list->model()->index(1, 0));
    QCOMPARE(home.bench.editor.experimentName(), QString("sample-1"));
    QCOMPARE(home.bench.editor.experiment().training.epochs, 3);
    QCOMPARE(pages.back().front().toString(), QString("experiment"));
    QCOMPARE(home.page.terminalCommand(), QString("parapet-cli train sample-1"));
  }

  void oneClickToAMovingCurve() {
    Home home;
    QSignalSpy pages(&home.page, &Page::pageRequested);
    home.page.findChild<QPushButton*>("watchSample")->click();
    QCOMPARE(pages.back().front().toString(), QString("train"));
    QCOMPARE(home.bench.editor.experimentName(), QString("watch-sample"));
    QVERIFY(home.bench.runs.active());
    // The curve moves: epochs follow each other while it is watched.
    QVERIFY(QTest::qWaitFor([&] { return home.bench.runs.progress().epoch >= 3; }, kLongMs));
    QVERIFY(home.bench.runs.active());
    home.bench.runs.stop();
    QVERIFY(QTest::qWaitFor([&] { return !home.bench.runs.active(); }, kLongMs));
    // A second time it is the same experiment.
    home.page.watchSample();
    QCOMPARE(home.experiments.list().size(), std::size_t{1});
    home.bench.runs.stop();
    QVERIFY(QTest::qWaitFor([&] { return !home.bench.runs.active(); }, kLongMs));
    const auto runs = home.bench.workspace->store().runs();
    QCOMPARE(runs->front().experimentId, home.experiments.list().front().id);
    QCOMPARE(runs->front().name, std::string("watch-sample"));
  }

  void quietTextFollowsTheTheme() {
    Home home;
    applyTheme(Theme::kLight);
    home.page.show();
    for (const Theme theme : {Theme::kDark, Theme::kLight}) {
      applyTheme(theme);
      QCoreApplication::processEvents();
      for (const QLabel* label : home.page.findChildren<QuietLabel*>())
        QCOMPARE(label->palette().color(QPalette::WindowText), quietColor(QApplication::palette()));
    }
  }
};

QTEST_MAIN(HomeTest)
#include "home_test.moc"
