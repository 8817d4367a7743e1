// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <algorithm>

#include "tests/ui/test_bench.h"
#include "ui/bridge/run_queue.h"
#include "ui/pages/frame/main_window.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/train/train_page.h"

using namespace parapet;
using namespace parapet::ui;
using experiment::RunState;

namespace {

constexpr int kLongMs = 60'000;
/// More epochs than any test waits for.
constexpr int kEndless = 100'000;

/// A window of a workspace, with the pages that show runs.
struct Window {
  explicit Window(const QString& folder)
      : workspace(workspace::Workspace::open((folder + "/workspace").toStdString()).value()),
        runs(*workspace, bridge),
        bench{*workspace, bridge, runs, editor},
        settings(settingsFolder.path().toStdString()),
        window(bench, settings, log, settingsFolder.path().toStdString()),
        train(new TrainPage(bench)),
        list(new RunsPage(bench)) {
    window.addPage("train", train);
    window.addPage("runs", list);
    QObject::connect(&window, &MainWindow::showRunRequested, train, &TrainPage::showRun);
  }
  ~Window() {
    runs.queue().hold();
    if (!runs.active()) return;
    runs.stop();
    (void)QTest::qWaitFor([this] { return !runs.active(); }, kLongMs);
  }
  bool open() {
    window.restore();
    window.show();
    return QTest::qWaitForWindowActive(&window);
  }
  void load(int epochs, const char* name) {
    nlohmann::json document = sampleDocument(epochs);
    document["name"] = name;
    editor.load(document, "sample");
  }
  QAction* action(const QString& name) {
    for (QAction* found : window.allActions())
      if (found->objectName() == name) return found;
    return nullptr;
  }
  QToolButton* queued() { return window.findChild<QToolButton*>("queuedRuns"); }
  bool says(const QString& text) {
    for (const auto* label : window.notices().findChildren<QLabel*>())
      if (label->isVisible() && label->text().contains(text)) return true;
    return false;
  }
  bool press(const QString& text) {
    for (auto* button : window.notices().findChildren<QPushButton*>())
      if (button->isVisible() && button->text() == text) return button->click(), true;
    return false;
  }
  bool trains() {
    return QTest::qWaitFor([this] { return runs.state() == RunState::kRunning; }, kLongMs);
  }
  QStringList waiting() {
    QStringList names;
    for (const store::RunRecord& run : runs.queue().waiting())
      names << QString::fromStdString(run.name);
    return names;
  }

  QTemporaryDir settingsFolder;
  std::unique_ptr<workspace::Workspace> workspace;
  RunBridge bridge;
  RunController runs;
  ExperimentEditor editor;
  Workbench bench;
  LogCollector log;
  AppSettings settings;
  MainWindow window;
  TrainPage* train;
  RunsPage* list;
};

QAction* pageAction(Page& page, const QString& text) {
  for (QAction* action : page.pageActions())
    if (action->text() == text) return action;
  return nullptr;
}

}  // namespace

/// The queue of a workspace as a person sees it, in one window and in two.
class QueueTest : public QObject {
  Q_OBJECT

  std::unique_ptr<QTemporaryDir> folder_;

  store::RunRecord stored(Window& window, const QString& name) {
    const auto runs = window.workspace->store().runs();
    for (const store::RunRecord& run : runs.value())
      if (run.name == name.toStdString()) return window.workspace->store().find(run.id).value();
    return {};
  }
  std::size_t count(Window& window, RunState state) {
    const auto runs = window.workspace->store().runs().value();
    return static_cast<std::size_t>(std::ranges::count(runs, state, &store::RunRecord::state));
  }

 private slots:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  void runQueuesWhileAnotherTrains() {
    Window one(folder_->path());
    QVERIFY(one.open());
    one.load(kEndless, "first");
    QVERIFY(!one.queued()->isVisible());
    QTest::keyClick(&one.window, Qt::Key_F5);
    QVERIFY(one.trains());
    QCOMPARE(one.window.currentPage(), QString("train"));
    one.load(2, "second");
    QAction* run = one.action("run.run");
    QVERIFY(run->isEnabled());
    QCOMPARE(run->text().remove('&'), QString("Queue after first"));
    QVERIFY2(run->toolTip().contains("when first has ended"), qPrintable(run->toolTip()));
    QTest::keyClick(&one.window, Qt::Key_F5);
    QTRY_COMPARE(one.waiting(), QStringList{"second"});
    QTRY_VERIFY(one.queued()->isVisible());
    QCOMPARE(one.queued()->text(), QString("1 queued"));
    QVERIFY(one.says("second was put into the queue"));
    // A document that is edited later is another experiment.
    one.editor.setValue("/training/epochs", 77, "x");
    one.load(1, "third");
    one.action("run.run")->trigger();
    QTRY_COMPARE(one.waiting(), (QStringList{"second", "third"}));
    QCOMPARE(one.queued()->text(), QString("2 queued"));
    QSignalSpy started(&one.runs.queue(), &RunQueue::started);
    one.action("run.stop")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(count(one, RunState::kFinished), std::size_t{2}, kLongMs);
    QTRY_VERIFY(!one.runs.active());
    QCOMPARE(started.size(), 2);
    QCOMPARE(started[0][1].toString(), QString("second"));
    QCOMPARE(stored(one, "first").state, RunState::kStopped);
    QCOMPARE(stored(one, "second").epochs, 2);
    QCOMPARE(stored(one, "third").epochs, 1);
    QTRY_VERIFY(!one.queued()->isVisible());
    QCOMPARE(one.action("run.run")->text().remove('&'), QString("Run"));
  }

  void anUndoTakesItOutAgain() {
    Window one(folder_->path());
    QVERIFY(one.open());
    one.load(kEndless, "first");
    one.action("run.run")->trigger();
    QVERIFY(one.trains());
    one.load(1, "second");
    one.action("run.run")->trigger();
    QTRY_COMPARE(one.waiting(), QStringList{"second"});
    QVERIFY(one.press("Undo"));
    QTRY_VERIFY(one.waiting().isEmpty());
    QCOMPARE(stored(one, "second").state, RunState::kStopped);
    QVERIFY(one.says("Taken out of the queue: second"));
    QVERIFY(one.press("Undo"));
    QTRY_COMPARE(one.waiting(), QStringList{"second"});
  }

  void whatIsWrongIsNotQueued() {
    Window one(folder_->path());
    QVERIFY(one.open());
    one.load(kEndless, "first");
    one.action("run.run")->trigger();
    QVERIFY(one.trains());
    one.editor.load(
        experiment::parseJson(experiment::findRecipe("movielens-retrieval")->text).value(), "x");
    QSignalSpy chosen(&one.window, &MainWindow::problemChosen);
    one.action("run.run")->trigger();
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen[0][0].toString(), QString("/dataset/path"));
    QVERIFY(one.waiting().isEmpty());
    one.load(2, "second");
    one.editor.setValue("/training/epochs", -1, "x");
    QVERIFY(!one.action("run.run")->isEnabled());
  }

  void twoWindowsStartEachOnce() {
    Window one(folder_->path()), other(folder_->path());
    QVERIFY(one.open());
    other.window.restore();
    other.window.show();
    one.load(kEndless, "first");
    one.action("run.run")->trigger();
    QVERIFY(one.trains());
    QSignalSpy here(&one.runs.queue(), &RunQueue::started),
        there(&other.runs.queue(), &RunQueue::started);
    for (const char* name : {"a", "b", "c", "d"}) {
      one.load(1, name);
      one.action("run.run")->trigger();
    }
    QTRY_COMPARE(other.waiting(), (QStringList{"a", "b", "c", "d"}));
    QTRY_VERIFY(other.queued()->isVisible());
    one.action("run.stop")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(count(one, RunState::kFinished), std::size_t{4}, kLongMs);
    QCOMPARE(here.size() + there.size(), 4);
    QCOMPARE(one.workspace->store().runs()->size(), std::size_t{5});
  }

  void anotherWindowPausesAndStopsIt() {
    Window one(folder_->path()), other(folder_->path());
    QVERIFY(one.open());
    other.window.restore();
    other.window.show();
    QVERIFY(!other.action("run.stop")->isEnabled());
    one.load(kEndless, "first");
    one.action("run.run")->trigger();
    QVERIFY(one.trains());
    QTRY_VERIFY(other.action("run.stop")->isEnabled());
    auto* progress = other.window.findChild<QWidget*>("runProgress");
    QVERIFY(progress->findChild<QLabel*>()->text().startsWith("first · Running in process"));
    // The page of the run has buttons of its own.
    other.window.showPage("train");
    other.train->showRun(one.runs.runId());
    auto* stop = other.train->findChild<QPushButton*>("stopElsewhere");
    auto* pause = other.train->findChild<QPushButton*>("pauseElsewhere");
    QTRY_VERIFY(stop->isVisible() && pause->isVisible());
    QTRY_COMPARE(other.runs.queue().elsewhere().front().state, RunState::kRunning);
    pause->click();
    QVERIFY(!pause->isEnabled());
    QVERIFY2(pause->toolTip().contains("asked"), qPrintable(pause->toolTip()));
    QVERIFY(!other.action("run.pause")->isEnabled());
    QVERIFY(progress->findChild<QLabel*>()->text().endsWith("was asked to pause"));
    QTRY_COMPARE_WITH_TIMEOUT(one.runs.state(), RunState::kPaused, kLongMs);
    QTRY_COMPARE(pause->text(), QString("Continue"));
    QVERIFY(pause->isEnabled());
    other.action("run.pause")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(one.runs.state(), RunState::kRunning, kLongMs);
    QTRY_COMPARE(pause->text(), QString("Pause"));
    other.action("run.stop")->trigger();
    QVERIFY(!other.action("run.stop")->isEnabled());
    QVERIFY2(other.action("run.stop")->toolTip().contains("was asked to stop"),
             qPrintable(other.action("run.stop")->toolTip()));
    QTRY_VERIFY_WITH_TIMEOUT(!one.runs.active(), kLongMs);
    QCOMPARE(stored(one, "first").state, RunState::kStopped);
    QTRY_VERIFY(other.runs.queue().elsewhere().empty());
    QVERIFY(!other.action("run.stop")->isEnabled());
    QTRY_VERIFY(!stop->isVisible());
  }

  void whatWaitedBeforeIsOfferedAndNotStarted() {
    {
      Window one(folder_->path());
      QVERIFY(one.open());
      one.load(kEndless, "first");
      one.action("run.run")->trigger();
      QVERIFY(one.trains());
      one.load(1, "second");
      one.action("run.run")->trigger();
      QTRY_COMPARE(one.waiting(), QStringList{"second"});
    }
    Window again(folder_->path());
    QVERIFY(again.open());
    QCOMPARE(again.waiting(), QStringList{"second"});
    QVERIFY(again.runs.queue().held());
    QVERIFY(again.says("second waits in the queue"));
    QCOMPARE(again.queued()->text(), QString("1 queued, on hold"));
    QTest::qWait(2 * RunQueue::kPollMs);
    QVERIFY(!again.runs.active());
    QVERIFY(again.press("Go on with the queue"));
    QTRY_COMPARE_WITH_TIMEOUT(stored(again, "second").state, RunState::kFinished, kLongMs);
    QTRY_VERIFY(!again.queued()->isVisible());
  }

  void dataThatAreGoneFailTheRunAndTheNextStarts() {
    Window one(folder_->path());
    QVERIFY(one.open());
    one.load(kEndless, "first");
    one.action("run.run")->trigger();
    QVERIFY(one.trains());
    const QString path = folder_->path() + "/rows.csv";
    QFile rows(path);
    QVERIFY(rows.open(QIODevice::WriteOnly));
    rows.write("user,item\n1,2\n2,3\n3,4\n");
    rows.close();
    nlohmann::json document = sampleDocument(1);
    document["name"] = "gone";
    document["dataset"] = {
        {"source", "csv"},
        {"path", path.toStdString()},
        {"columns", {{{"name", "user"}, {"role", "user"}}, {{"name", "item"}, {"role", "item"}}}},
        {"vocabularies",
         {{{"name", "user"}, {"kind", "compressed"}}, {{"name", "item"}, {"kind", "compressed"}}}},
        {"batch", {{"size", 2}}}};
    document["loss"] = {{"kind", "in_batch_softmax"}};
    one.runs.queue().add(experiment::parse(document).experiment, "file", {});
    one.load(1, "next");
    one.action("run.queue")->trigger();
    QTRY_COMPARE(one.waiting(), (QStringList{"gone", "next"}));
    QVERIFY(QFile::remove(path));
    one.action("run.stop")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(stored(one, "next").state, RunState::kFinished, kLongMs);
    const store::RunRecord gone = stored(one, "gone");
    QCOMPARE(gone.state, RunState::kFailed);
    QVERIFY2(gone.error.find("rows.csv") != gone.error.npos, gone.error.c_str());
  }

  void runsShowsThemInTheirOrder() {
    Window one(folder_->path());
    QVERIFY(one.open());
    one.load(kEndless, "first");
    one.action("run.run")->trigger();
    QVERIFY(one.trains());
    for (const char* name : {"a", "b", "c"}) {
      one.load(1, name);
      one.action("run.run")->trigger();
    }
    QTRY_VERIFY(one.queued()->isVisible());
    one.queued()->click();
    QCOMPARE(one.window.currentPage(), QString("runs"));
    const auto names = [&] {
      QStringList found;
      for (int row = 0; row < one.list->filter().rowCount(); ++row)
        found << one.list->filter().index(row, RunsModel::kName).data().toString();
      return found;
    };
    QTRY_COMPARE(names(), (QStringList{"a", "b", "c", "first"}));
    QCOMPARE(one.list->filter().index(1, RunsModel::kState).data().toString(),
             QString("Queued, 2."));
    const auto choose = [&](const char* name) {
      one.list->table().choose({QString::fromStdString(stored(one, name).id)});
    };
    // A run that trains, one that waits, a paused one: no button moves under the mouse.
    const auto places = [&] {
      QCoreApplication::processEvents();
      QList<QRect> found;
      for (const auto* button : one.list->findChildren<QToolButton*>())
        if (button->defaultAction()) found << button->geometry();
      return found;
    };
    choose("first");
    const QList<QRect> before = places();
    choose("a");
    QCOMPARE(places(), before);
    pageAction(*one.list, "Pause")->setText("Continue");
    QCOMPARE(places(), before);
    pageAction(*one.list, "Continue")->setText("Pause");
    const auto saying = [&](const QString& text) {
      int count = 0;
      for (const auto* button : one.list->findChildren<QAbstractButton*>())
        if (button->isVisible() && button->text() == text) ++count;
      return count;
    };
    QCOMPARE(saying("Take out of the queue"), 1);
    QVERIFY(!pageAction(*one.list, "Earlier")->isEnabled());
    choose("c");
    QVERIFY(!pageAction(*one.list, "Later")->isEnabled());
    pageAction(*one.list, "Earlier")->trigger();
    QTRY_COMPARE(names(), (QStringList{"a", "c", "b", "first"}));
    pageAction(*one.list, "Stop")->trigger();
    QTRY_COMPARE(one.waiting(), (QStringList{"a", "b"}));
    QTRY_COMPARE(stored(one, "c").state, RunState::kStopped);
    choose("first");
    QVERIFY(pageAction(*one.list, "Pause")->isEnabled());
    // Deleted, it does not wait any more.
    choose("a");
    pageAction(*one.list, "Move to trash")->trigger();
    QTRY_COMPARE(one.waiting(), QStringList{"b"});
  }

  void closingLeavesTheQueueAlone() {
    Window one(folder_->path());
    QVERIFY(one.open());
    one.load(kEndless, "first");
    one.action("run.run")->trigger();
    QVERIFY(one.trains());
    one.load(1, "second");
    one.action("run.run")->trigger();
    QTRY_COMPARE(one.waiting(), QStringList{"second"});
    one.window.quitWithCheckpoint();
    QTRY_VERIFY_WITH_TIMEOUT(!one.window.isVisible(), kLongMs);
    QTest::qWait(2 * RunQueue::kPollMs);
    QVERIFY(!one.runs.active());
    QVERIFY(stored(one, "second").isWaiting());
  }
};

QTEST_MAIN(QueueTest)
#include "queue_test.moc"
