// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include "engine/base/clock.h"
#include "engine/base/text.h"
#include "engine/store/run_store.h"
#include "engine/store/sqlite.h"

using namespace parapet;
using namespace parapet::store;
using namespace parapet::experiment;
namespace fs = std::filesystem;

namespace {

constexpr int kEpochs = 40;

std::unique_ptr<RunStore> opened(const fs::path& path) {
  return RunStore::open(path, {}).value();
}

std::string addRun(RunStore& store) {
  RunRecord run;
  run.id = RunStore::newRunId();
  return store.createRun(run).ok() ? run.id : std::string();
}

/// Trains in words only: as many commits as it can, none of which may meet a busy database.
int train(const fs::path& path) {
  const auto store = opened(path);
  const std::string id = addRun(*store);
  if (id.empty()) return 1;
  for (int epoch = 1; epoch <= kEpochs; ++epoch) {
    EpochSummary summary;
    summary.epoch = epoch;
    summary.step = epoch;
    store->sink().onStep(id, {epoch, epoch, 1.0, 0.0});
    store->sink().onEvent(id, EpochEnded{summary});
    if (!store->flush().ok()) return 2;
    if (!store->setNotes(id, std::to_string(epoch)).ok()) return 3;
  }
  store->sink().onEvent(id, RunEnded{});
  return store->flush().ok() ? 0 : 4;
}

/// Waits for a stop request and answers it.
int obey(const fs::path& path) {
  const auto store = opened(path);
  const std::string id = addRun(*store);
  for (int i = 0; i < 3000; ++i) {
    const auto requests = store->takeRequests();
    if (!requests.ok()) return 1;
    for (const auto& [run, what] : *requests)
      if (run == id && what == Request::kStop) {
        RunEnded ended;
        ended.state = RunState::kStopped;
        store->sink().onEvent(id, ended);
        return store->flush().ok() ? 0 : 2;
      }
    ::usleep(10'000);
  }
  return 3;
}

QStringList role(const char* name, const fs::path& path) {
  return {name, QString::fromStdString(path.string())};
}

}  // namespace

class OwnersTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { path_ = fs::path(folder_.path().toStdString()) / QTest::currentTestFunction(); }
  void twoInstances();
  void requestsReachTheOwnerOnly();
  void aliveMeansThisVeryProcess();
  void deadOwnersRunsCrash_data();
  void deadOwnersRunsCrash();
  void aHeartbeatInTheFutureIsNoSignOfLife();
  void heartbeatIsRenewed();
  void killedOwnerIsFound();

 private:
  void set(const std::string& column, std::int64_t value) {
    auto database = Database::open(path_, Database::Access::kReadWrite).value();
    QVERIFY(database.run("UPDATE runs SET " + column + "=?", value).ok());
  }
  QTemporaryDir folder_;
  fs::path path_;
};

void OwnersTest::twoInstances() {
  QProcess other;
  other.start(QCoreApplication::applicationFilePath(), role("--train", path_));
  QVERIFY(other.waitForStarted());
  QCOMPARE(train(path_), 0);
  QVERIFY(other.waitForFinished(60000));
  QCOMPARE(other.exitCode(), 0);
  const auto store = opened(path_);
  const auto runs = store->runs().value();
  QCOMPARE(runs.size(), std::size_t{2});
  for (const RunRecord& run : runs) {
    QVERIFY(run.state == RunState::kFinished);
    QCOMPARE(store->epochs(run.id)->size(), std::size_t{kEpochs});
    QCOMPARE(store->steps(run.id)->size(), std::size_t{kEpochs});
  }
}

void OwnersTest::requestsReachTheOwnerOnly() {
  const auto store = opened(path_);
  QProcess other;
  other.start(QCoreApplication::applicationFilePath(), role("--obey", path_));
  QVERIFY(other.waitForStarted());
  QTRY_COMPARE_WITH_TIMEOUT(store->runs()->size(), std::size_t{1}, 20000);
  const std::string id = store->runs()->front().id;
  QVERIFY(store->request(id, Request::kPause).ok());
  QVERIFY(store->takeRequests()->empty());
  QCOMPARE(store->erase(id).error().code, ErrorCode::kStore);
  QCOMPARE(store->adoptRun(id, 0).error().code, ErrorCode::kStore);
  QVERIFY(store->request(id, Request::kStop).ok());
  QVERIFY(other.waitForFinished(30000));
  QCOMPARE(other.exitCode(), 0);
  QVERIFY(store->find(id)->state == RunState::kStopped);
  QCOMPARE(store->request(id, Request::kPause).error().code, ErrorCode::kStore);
  QCOMPARE(store->request("0123456789ab", Request::kStop).error().code, ErrorCode::kNotFound);

  const std::string own = addRun(*store);
  QVERIFY(store->request(own, Request::kPause).ok());
  QVERIFY(store->request(own, Request::kResume).ok());
  using Requests = std::vector<std::pair<std::string, Request>>;
  QVERIFY(store->takeRequests().value() ==
          (Requests{{own, Request::kPause}, {own, Request::kResume}}));
  QVERIFY(store->takeRequests()->empty());
}

void OwnersTest::aliveMeansThisVeryProcess() {
  const Owner self = Owner::thisProcess();
  QVERIFY(self.pid == ::getpid() && !self.bootId.empty() && self.startTicks > 0);
  QVERIFY(self.alive());
  Owner recycled = self;
  ++recycled.startTicks;
  QVERIFY(!recycled.alive());
  Owner earlierBoot = self;
  earlierBoot.bootId = "x";
  QVERIFY(!earlierBoot.alive());
  QVERIFY(!Owner{}.alive());
}

void OwnersTest::deadOwnersRunsCrash_data() {
  QTest::addColumn<QString>("column");
  QTest::addColumn<qint64>("value");
  QTest::addColumn<bool>("isElsewhere");
  QTest::addColumn<int>("crashedAtOnce");
  QTest::addColumn<int>("crashed");
  const qint64 gone = qint64{1} << 22;
  QTest::newRow("owner lives") << "trashed" << qint64{0} << false << 0 << 0;
  QTest::newRow("dead pid") << "owner_pid" << gone << false << 1 << 1;
  QTest::newRow("recycled pid") << "owner_start" << qint64{1} << false << 1 << 1;
  // An owner of another boot or container, whose processes cannot be seen: the heartbeat alone decides.
  QTest::newRow("pid elsewhere") << "owner_pid" << gone << true << 0 << 1;
}

void OwnersTest::deadOwnersRunsCrash() {
  QFETCH(const QString, column);
  QFETCH(const qint64, value);
  QFETCH(const bool, isElsewhere);
  QFETCH(const int, crashedAtOnce);
  QFETCH(const int, crashed);
  path_ += QTest::currentDataTag();
  const std::string id = addRun(*opened(path_));
  set(column.toStdString(), value);
  if (isElsewhere) {
    auto database = Database::open(path_, Database::Access::kReadWrite).value();
    QVERIFY(database.run("UPDATE runs SET owner_boot_id=owner_boot_id || '1'").ok());
  }
  set("heartbeat_ms", wallClockMs());
  const auto store = opened(path_);
  QCOMPARE(store->markCrashed()->size(), std::size_t(crashedAtOnce));  // the heartbeat is fresh
  set("heartbeat_ms", wallClockMs() - 11'000);
  QCOMPARE(store->markCrashed()->size(), std::size_t(crashed - crashedAtOnce));
  QCOMPARE(store->find(id)->state == RunState::kCrashed, crashed == 1);
  QVERIFY(store->markCrashed()->empty());
  QCOMPARE(store->events(id)->size(), std::size_t(crashed));
  QCOMPARE(store->adoptRun(id, 0).ok(), crashed == 1);
}

void OwnersTest::aHeartbeatInTheFutureIsNoSignOfLife() {
  const std::string id = addRun(*opened(path_));
  set("owner_pid", qint64{1} << 22);
  set("heartbeat_ms", wallClockMs() + 3'600'000);
  const auto store = opened(path_);
  QCOMPARE(store->markCrashed()->size(), std::size_t{1});
  QVERIFY(store->find(id)->state == RunState::kCrashed);
  QVERIFY(store->find(id)->endedMs <= wallClockMs());

  // A run of another machine, which can be judged by its heartbeat alone.
  const std::string elsewhere = addRun(*store);
  store->sink().onEvent(elsewhere, RunEnded{});
  QVERIFY(store->flush().ok());
  auto database = Database::open(path_, Database::Access::kReadWrite).value();
  QVERIFY(database
              .run("UPDATE runs SET state='Running', owner_boot_id='x', heartbeat_ms=? WHERE id=?",
                   wallClockMs() + 3'600'000, elsewhere)
              .ok());
  QVERIFY(store->erase(elsewhere).ok());
}

void OwnersTest::heartbeatIsRenewed() {
  const auto store = opened(path_);
  addRun(*store);
  set("heartbeat_ms", 5);
  QTRY_VERIFY(store->runs()->front().heartbeatMs > 5);
  QVERIFY(store->markCrashed()->empty());
}

void OwnersTest::killedOwnerIsFound() {
  const auto store = opened(path_);
  QProcess other;
  other.start(QCoreApplication::applicationFilePath(), role("--obey", path_));
  QVERIFY(other.waitForStarted());
  QTRY_COMPARE_WITH_TIMEOUT(store->runs()->size(), std::size_t{1}, 20000);
  other.kill();
  QVERIFY(other.waitForFinished());
  // At the first look, not when the heartbeat is lost.
  QCOMPARE(store->markCrashed()->size(), std::size_t{1});
  QVERIFY(store->adoptRun(store->runs()->front().id, 0).ok());
}

int main(int count, char** values) {
  const std::string as = count > 1 ? values[1] : "";
  if (as == "--train") return train(values[2]);
  if (as == "--obey") return obey(values[2]);
  QCoreApplication application(count, values);
  OwnersTest test;
  return QTest::qExec(&test, count, values);
}

#include "owners_test.moc"
