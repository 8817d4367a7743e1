// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include "tests/ui/test_bench.h"
#include "ui/forms/card.h"
#include "ui/pages/start/start_page.h"
#include "ui/style/theme.h"

using namespace parapet;
using namespace parapet::ui;

namespace {

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

}  // namespace

class StartTest : public QObject {
  Q_OBJECT

 private slots:
  void everyRecipeHasATileThatOpensIt() {
    TestBench bench;
    AppSettings settings(bench.folder.path().toStdString());
    StartPage page(bench.bench, settings);
    QSignalSpy opened(&page, &StartPage::openRequested);
    for (const experiment::Recipe& recipe : experiment::recipes()) {
      const QString name = QString::fromStdString(recipe.name);
      QVERIFY2(says(page, QString::fromStdString(recipe.title)), recipe.title.c_str());
      auto* use = page.findChild<QPushButton*>("useRecipe." + name);
      QVERIFY2(use, recipe.name.c_str());
      use->click();
      QCOMPARE(opened.back().front().toString(), name);
    }
    QVERIFY(says(page, "MovieLens 100K"));
    QVERIFY(says(page, "Published: "));
  }

  void anEmptyWorkspaceSaysWhatToDo() {
    TestBench bench;
    AppSettings settings(bench.folder.path().toStdString());
    StartPage page(bench.bench, settings);
    QVERIFY(QTest::qWaitFor([&] { return says(page, "No run yet"); }, 10'000));
    QVERIFY(!button(page, "See its curves")->isEnabled());
    QVERIFY(!button(page, "Browse its lists")->isEnabled());
  }

  void theNewestRunLeadsToItsPages() {
    TestBench bench;
    AppSettings settings(bench.folder.path().toStdString());
    StartPage page(bench.bench, settings);
    const QString run = bench.train(2);
    QVERIFY(QTest::qWaitFor([&] { return says(page, "Finished · 2 of 2 epochs"); }, 10'000));
    QSignalSpy shown(&page, &Page::showRunRequested);
    QSignalSpy browsed(&page, &Page::browseRequested);
    button(page, "See its curves")->click();
    button(page, "Browse its lists")->click();
    QCOMPARE(shown.front().front().toString(), run);
    QCOMPARE(browsed.front().front().toString(), run);
  }

  void recentExperimentsOpenAgain() {
    TestBench bench;
    AppSettings settings(bench.folder.path().toStdString());
    StartPage page(bench.bench, settings);
    settings.addRecent("sample");
    settings.addRecent("/tmp/mine.json");
    auto* list = page.findChild<QListWidget*>();
    QCOMPARE(list->count(), 2);
    QCOMPARE(list->item(0)->text(), QString("mine.json"));
    QSignalSpy opened(&page, &StartPage::openRequested);
    list->setCurrentRow(1);
    QTest::keyClick(list, Qt::Key_Return);
    QCOMPARE(opened.front().front().toString(), QString("sample"));
  }

  void quietTextFollowsTheTheme() {
    TestBench bench;
    AppSettings settings(bench.folder.path().toStdString());
    applyTheme(Theme::kLight);
    StartPage page(bench.bench, settings);
    page.show();
    for (const Theme theme : {Theme::kDark, Theme::kLight}) {
      applyTheme(theme);
      QCoreApplication::processEvents();
      for (const QLabel* label : page.findChildren<QuietLabel*>())
        QCOMPARE(label->palette().color(QPalette::WindowText), quietColor(QApplication::palette()));
    }
  }
};

QTEST_MAIN(StartTest)
#include "start_test.moc"
