// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <QCoreApplication>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <set>

#include "engine/base/clock.h"
#include "engine/store/check_database.h"
#include "engine/store/run_store.h"
#include "engine/store/sqlite.h"

using namespace parapet;
using namespace parapet::store;
using namespace parapet::experiment;
namespace fs = std::filesystem;

namespace {

constexpr int kRaces = 40;

std::unique_ptr<RunStore> openStore(const fs::path& path) {
  return RunStore::open(path, {}).value();
}

RunRecord runNamed(const std::string& name) {
  RunRecord run;
  run.id = RunStore::newRunId();
  run.name = name;
  run.experimentJson = "{}";
  return run;
}

std::string enqueue(RunStore& store, const std::string& name) {
  const RunRecord run = runNamed(name);
  return store.enqueue(run).ok() ? run.id : std::string();
}

void end(RunStore& store, const std::string& id, RunState state = RunState::kFinished) {
  RunEnded ended;
  ended.state = state;
  store.sink().onEvent(id, ended);
  (void)store.flush();
}

std::vector<std::string> waiting(RunStore& store) {
  std::vector<std::string> names;
  const auto live = store.liveRuns();
  for (const RunRecord& run : live.value())
    if (run.isWaiting()) names.push_back(run.name);
  return names;
}

using Names = std::vector<std::string>;

/// Claims one run, says its id and holds it until it is killed.
int claimAndHold(const fs::path& path) {
  const auto store = openStore(path);
  const auto claimed = store->claimQueued();
  ::printf("%s\n", claimed.ok() && *claimed ? (*claimed)->c_str() : "none");
  ::fflush(stdout);
  ::sleep(60);
  return 0;
}

/// Takes and ends runs of the queue until none is left, and says which.
int drain(const fs::path& path) {
  const auto store = openStore(path);
  for (int idle = 0; idle < 200;) {
    const auto claimed = store->claimQueued();
    if (!claimed.ok()) return 1;
    if (!*claimed) {
      ++idle;
      ::usleep(2000);
      continue;
    }
    ::printf("%s\n", (*claimed)->c_str());
    end(*store, **claimed);
  }
  ::fflush(stdout);
  return 0;
}

/// A sweep between two of its runs, until it is killed.
int restBetweenRuns(const fs::path& path) {
  const auto store = openStore(path);
  RunRecord run = runNamed("of a sweep");
  run.group = RunStore::newRunId();
  if (!store->createRun(run).ok()) return 1;
  end(*store, run.id);
  ::printf("ended\n");
  ::fflush(stdout);
  ::sleep(60);
  return 0;
}

QStringList roleOf(const char* name, const fs::path& path) {
  return {name, QString::fromStdString(path.string())};
}

}  // namespace

/// The queue of a workspace, within one process and between several.
class QueueTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    path_ = fs::path(folder_.path().toStdString()) / QTest::currentTestFunction();
    store_ = openStore(path_);
  }
  void cleanup() { store_.reset(); }

  void runsWaitInTheirOrderOverARestart() {
    for (const char* name : {"a", "b", "c"}) QVERIFY(!enqueue(*store_, name).empty());
    store_ = openStore(path_);
    QCOMPARE(waiting(*store_), (Names{"a", "b", "c"}));
    const auto live = store_->liveRuns();
    for (const RunRecord& run : live.value()) {
      QVERIFY(run.state == RunState::kQueued);
      QCOMPARE(run.owner.pid, 0);
    }
    QVERIFY(store_->markCrashed()->empty());
    store_.reset();
    QVERIFY(checkDatabase(path_)->ok());
  }

  void oneIsTakenAndTheNextWhenItHasEnded() {
    const std::string first = enqueue(*store_, "a"), second = enqueue(*store_, "b");
    QCOMPARE(store_->claimQueued().value(), std::optional(first));
    QCOMPARE(store_->claimQueued().value(), std::optional<std::string>());
    store_->sink().onEvent(first, RunStarted{});
    QVERIFY(store_->flush().ok());
    QVERIFY(store_->find(first)->state == RunState::kRunning);
    QCOMPARE(store_->find(first)->queued, 0);
    QCOMPARE(store_->claimQueued().value(), std::optional<std::string>());
    end(*store_, first, RunState::kFailed);
    QCOMPARE(store_->claimQueued().value(), std::optional(second));
    end(*store_, second);
    QCOMPARE(store_->claimQueued().value(), std::optional<std::string>());
    QVERIFY(store_->liveRuns()->empty());
  }

  void nothingStartsBesideARunThatIsUnderWay() {
    const RunRecord running = runNamed("running");
    QVERIFY(store_->createRun(running).ok());
    QVERIFY(!enqueue(*store_, "a").empty());
    QCOMPARE(store_->claimQueued().value(), std::optional<std::string>());
    end(*store_, running.id);
    QVERIFY(store_->claimQueued()->has_value());
  }

  void theyAreMovedWithinTheirBounds() {
    const std::string a = enqueue(*store_, "a");
    (void)enqueue(*store_, "b");
    const std::string c = enqueue(*store_, "c");
    QVERIFY(store_->moveQueued(c, -1).ok());
    QCOMPARE(waiting(*store_), (Names{"a", "c", "b"}));
    QVERIFY(store_->moveQueued(c, -9).ok());
    QCOMPARE(waiting(*store_), (Names{"c", "a", "b"}));
    QVERIFY(store_->moveQueued(c, 9).ok());
    QCOMPARE(waiting(*store_), (Names{"a", "b", "c"}));
    QVERIFY(store_->moveQueued(a, 1).ok());
    QCOMPARE(waiting(*store_), (Names{"b", "a", "c"}));
    (void)enqueue(*store_, "d");
    QCOMPARE(waiting(*store_), (Names{"b", "a", "c", "d"}));
    QCOMPARE(store_->moveQueued("0123456789ab", 1).error().code, ErrorCode::kNotFound);
    end(*store_, a, RunState::kStopped);
    QCOMPARE(store_->moveQueued(a, 1).error().code, ErrorCode::kStore);
  }

  void oneThatLeavesIsStoppedAndCanComeBack() {
    const std::string a = enqueue(*store_, "a");
    (void)enqueue(*store_, "b");
    QVERIFY(store_->dequeue(a).ok());
    QCOMPARE(waiting(*store_), Names{"b"});
    RunRecord stopped = store_->find(a).value();
    QVERIFY(stopped.state == RunState::kStopped && stopped.endedMs > 0 && stopped.queued == 0);
    QCOMPARE(store_->dequeue(a).error().code, ErrorCode::kStore);
    QVERIFY(store_->requeue(a).ok());
    QCOMPARE(waiting(*store_), (Names{"b", "a"}));
    QCOMPARE(store_->find(a)->endedMs, 0);
    // Asked to stop it leaves as well; nobody is there to be asked for more.
    QCOMPARE(store_->request(a, Request::kPause).error().code, ErrorCode::kStore);
    QVERIFY(store_->request(a, Request::kStop).ok());
    QVERIFY(store_->find(a)->state == RunState::kStopped);
    QVERIFY(store_->takeRequests()->empty());
    // A run that has trained does not come back.
    const RunRecord trained = runNamed("trained");
    QVERIFY(store_->createRun(trained).ok());
    store_->sink().onStep(trained.id, {1, 1, 1.0, 0.0});
    end(*store_, trained.id, RunState::kStopped);
    QCOMPARE(store_->requeue(trained.id).error().code, ErrorCode::kStore);
    store_.reset();
    QVERIFY(checkDatabase(path_)->ok());
  }

  void theNewestRunIsOneThatHasBegun() {
    const RunRecord ran = runNamed("ran");
    QVERIFY(store_->createRun(ran).ok());
    end(*store_, ran.id);
    const std::string waits = enqueue(*store_, "waits");
    QCOMPARE(store_->find("latest")->id, ran.id);
    QTest::qWait(5);
    QCOMPARE(store_->claimQueued().value(), std::optional(waits));
    QCOMPARE(store_->find("latest")->id, waits);
    QVERIFY(store_->releaseQueued(waits).ok());
    QCOMPARE(store_->find("latest")->id, ran.id);
    QCOMPARE(waiting(*store_), Names{"waits"});
    // Taken out of the queue, it has not begun either.
    QVERIFY(store_->dequeue(waits).ok());
    QCOMPARE(store_->find("latest")->id, ran.id);
    QVERIFY(store_->trash(ran.id).ok());
    QCOMPARE(store_->find("latest").error().code, ErrorCode::kNotFound);
  }

  void whatIsInTheTrashDoesNotStart() {
    const std::string a = enqueue(*store_, "a");
    QVERIFY(store_->trash(a).ok());
    QCOMPARE(store_->claimQueued().value(), std::optional<std::string>());
    QVERIFY(store_->erase(a).ok());
  }

  void anOwnerThatIsKilledLeavesTheRunWaiting() {
    const std::string a = enqueue(*store_, "a"), b = enqueue(*store_, "b");
    QProcess other;
    other.start(QCoreApplication::applicationFilePath(), roleOf("--hold", path_));
    QVERIFY(other.waitForReadyRead(20000));
    QCOMPARE(other.readLine().trimmed().toStdString(), a);
    QCOMPARE(store_->claimQueued().value(), std::optional<std::string>());
    QCOMPARE(waiting(*store_), Names{"b"});
    other.kill();
    QVERIFY(other.waitForFinished());
    // The queued run has not crashed: it had not begun.
    QVERIFY(store_->markCrashed()->empty());
    QCOMPARE(waiting(*store_), (Names{"a", "b"}));
    QCOMPARE(store_->claimQueued().value(), std::optional(a));
    end(*store_, a);
    // The claim itself sees that an owner is gone.
    QProcess third;
    third.start(QCoreApplication::applicationFilePath(), roleOf("--hold", path_));
    QVERIFY(third.waitForReadyRead(20000));
    third.kill();
    QVERIFY(third.waitForFinished());
    QCOMPARE(store_->claimQueued().value(), std::optional(b));
  }

  void theRunsOfASweepAreNotPartedByOneOfTheQueue() {
    const std::string waits = enqueue(*store_, "waits");
    QProcess sweep;
    sweep.start(QCoreApplication::applicationFilePath(), roleOf("--sweep", path_));
    QVERIFY(sweep.waitForReadyRead(20000));
    QCOMPARE(store_->claimQueued().value(), std::optional<std::string>());
    sweep.kill();
    QVERIFY(sweep.waitForFinished());
    QCOMPARE(store_->claimQueued().value(), std::optional(waits));
  }

  void eachIsTakenOnceByTwoProcesses() {
    std::set<std::string> all;
    for (int i = 0; i < kRaces; ++i) all.insert(enqueue(*store_, "r" + std::to_string(i)));
    store_.reset();
    QProcess one, other;
    one.start(QCoreApplication::applicationFilePath(), roleOf("--drain", path_));
    other.start(QCoreApplication::applicationFilePath(), roleOf("--drain", path_));
    QVERIFY(one.waitForFinished(60000) && other.waitForFinished(60000));
    QCOMPARE(one.exitCode(), 0);
    QCOMPARE(other.exitCode(), 0);
    QByteArrayList taken = one.readAllStandardOutput().split('\n');
    taken += other.readAllStandardOutput().split('\n');
    taken.removeAll(QByteArray());
    QCOMPARE(taken.size(), kRaces);
    for (const QByteArray& id : taken) all.erase(id.toStdString());
    QVERIFY(all.empty());
  }

 private:
  QTemporaryDir folder_;
  fs::path path_;
  std::unique_ptr<RunStore> store_;
};

int main(int count, char** values) {
  const std::string as = count > 1 ? values[1] : "";
  if (as == "--hold") return claimAndHold(values[2]);
  if (as == "--drain") return drain(values[2]);
  if (as == "--sweep") return restBetweenRuns(values[2]);
  QCoreApplication application(count, values);
  QueueTest test;
  return QTest::qExec(&test, count, values);
}

#include "queue_test.moc"
