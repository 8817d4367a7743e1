// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/controllers/run_feed.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "engine/store/sqlite.h"

using namespace parapet;
using namespace parapet::ui;

class OwnerWatchTest : public QObject {
  Q_OBJECT

 private slots:
  void aRunWhoseProcessIsGoneIsFoundWhileTheWindowIsOpen_data() {
    QTest::addColumn<int>("silentMs");
    // Killed a moment ago, and silent for longer than a lost heartbeat.
    QTest::newRow("fresh heartbeat") << 0;
    QTest::newRow("lost heartbeat") << 60'000;
  }
  // Nobody looks at a list of runs here: the watch alone finds it.
  void aRunWhoseProcessIsGoneIsFoundWhileTheWindowIsOpen() {
    QFETCH(int, silentMs);
    const QTemporaryDir folder;
    const auto workspace =
        workspace::Workspace::open(folder.path().toStdString(), [](const std::string&) {}).value();
    OwnerWatch watch(*workspace);
    QSignalSpy crashed(&watch, &OwnerWatch::crashed);
    store::RunRecord run;
    run.id = store::RunStore::newRunId();
    QVERIFY(workspace->store().createRun(run).ok());
    {
      // As another program that was killed would have left it.
      auto other = store::Database::open(folder.filePath("parapet.db").toStdString(),
                                         store::Database::Access::kReadWrite)
                       .value();
      QVERIFY(other
                  .run("INSERT INTO runs (id, name, recipe, state, fingerprint, dataset,"
                       " created_ms, heartbeat_ms, owner_pid, owner_boot_id, owner_start)"
                       " SELECT 'eeeeeeeeeeee', 'n', 'r', 'Running', '', '', 1,"
                       " heartbeat_ms-?, 999999999, owner_boot_id, 1 FROM runs",
                       std::int64_t{silentMs})
                  .ok());
    }
    QVERIFY(crashed.wait(3 * OwnerWatch::kPollMs + 5000));
    QCOMPARE(crashed.front().front().toStringList(), QStringList{"eeeeeeeeeeee"});
    QCOMPARE(workspace->store().find("eeeeeeeeeeee")->state, experiment::RunState::kCrashed);
    QVERIFY(!experiment::isTerminal(workspace->store().find(run.id)->state));
  }

  void aWorkspaceFolderThatIsGoneIsSaidOnceAndThatItIsBack() {
    const QTemporaryDir folder;
    const auto workspace =
        workspace::Workspace::open((folder.path() + "/here").toStdString()).value();
    OwnerWatch watch(*workspace);
    QSignalSpy failed(&watch, &OwnerWatch::failed), recovered(&watch, &OwnerWatch::recovered);
    QVERIFY(QFile::rename(folder.filePath("here"), folder.filePath("there")));
    watch.poll();
    QVERIFY(failed.wait(3 * OwnerWatch::kPollMs));
    QVERIFY2(failed.front().front().toString().contains("is gone"),
             qPrintable(failed.front().front().toString()));
    QVERIFY(!failed.wait(OwnerWatch::kPollMs + 500));
    QVERIFY(QFile::rename(folder.filePath("there"), folder.filePath("here")));
    QVERIFY(recovered.wait(3 * OwnerWatch::kPollMs));
  }
};

QTEST_GUILESS_MAIN(OwnerWatchTest)
#include "owner_watch_test.moc"
