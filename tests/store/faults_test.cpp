// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "engine/store/check_database.h"
#include "engine/store/run_store.h"
#include "engine/store/sqlite.h"

using namespace parapet;
using namespace parapet::store;
using namespace parapet::experiment;
namespace fs = std::filesystem;

namespace {

/// The other process: opens as a user who may not write there. 0 if refused with the folder named.
int openAsNobody(const fs::path& path) {
  constexpr uid_t kNobody = 65534;
  if (::geteuid() == 0 && ::setuid(kNobody) != 0) return 77;
  const auto store = RunStore::open(path, {});
  if (store.ok()) return 1;
  if (store.error().code != ErrorCode::kIo) return 2;
  return store.error().message.find(path.parent_path().string()) != std::string::npos ? 0 : 3;
}

/// The other process: reads as a user who may not write there. 0 if the run is found, changes are
/// refused, and no file has come up.
int readAsNobody(const fs::path& path) {
  constexpr uid_t kNobody = 65534;
  if (::geteuid() == 0 && ::setuid(kNobody) != 0) return 77;
  const auto files = [&] {
    return std::distance(fs::directory_iterator(path.parent_path()), fs::directory_iterator());
  };
  const auto before = files();
  const auto store = RunStore::open(path, {.onWarning = {}, .access = RunStore::Access::kReadOnly});
  if (!store.ok()) return 1;
  const auto runs = (*store)->runs();
  if (!runs.ok() || runs->size() != 1) return 2;
  if ((*store)->rename(runs->front().id, "x").ok()) return 3;
  return files() == before ? 0 : 4;
}

/// Fills the disk to its last byte.
void fill(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const std::string block(4096, 'x');
  while (::write(descriptor, block.data(), block.size()) > 0) continue;
  ::close(descriptor);
}

/// The other process: records a run on a disk of its own of 4 MiB that fills up before the run ends.
/// 0 if the end can be read once there is room again; 77 if it may not mount.
int endOnAFullDisk(const fs::path& folder, int events) {
  if (::unshare(CLONE_NEWNS) != 0 ||
      ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=4m") != 0)
    return 77;
  const fs::path path = folder / "parapet.db";
  std::string id;
  {
    const auto store = RunStore::open(path, {}).value();
    RunRecord run;
    run.id = id = RunStore::newRunId();
    if (!store->createRun(run).ok() || !store->flush().ok()) return 1;
    fill(folder / "filler");
    store->sink().onEvent(id, RunWarning{"the disk is full"});
    if (store->flush().ok()) return 2;
    for (int i = 0; i < events; ++i) store->sink().onEvent(id, RunWarning{std::string(500, 'w')});
    RunEnded ended;
    ended.state = RunState::kDiskFull;
    store->sink().onEvent(id, ended);
    (void)store->flush();
  }
  fs::remove(folder / "filler");
  const auto store = RunStore::open(path, {}).value();
  return store->find(id)->state == RunState::kDiskFull ? 0 : 3;
}

}  // namespace

class StoreFaultsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void diskFullWarnsOnceAndRecovers();
  void busyDatabaseIsWaitedFor();
  void readOnlyFolderIsNamed();
  void readOnlyFolderCanBeRead();
  void theEndOnAFullDiskIsRecorded_data();
  void theEndOnAFullDiskIsRecorded();
  void aRemovedDatabaseIsWrittenAnew_data();
  void aRemovedDatabaseIsWrittenAnew();
};

void StoreFaultsTest::diskFullWarnsOnceAndRecovers() {
  const QTemporaryDir folder;
  std::atomic<int> warnings = 0;
  auto store = RunStore::open(fs::path(folder.path().toStdString()) / "parapet.db",
                              {.onWarning = [&](const std::string&) { ++warnings; }})
                   .value();
  RunRecord run;
  run.id = RunStore::newRunId();
  QVERIFY(store->createRun(run).ok());
  const auto tell = [&](int from, int to) {
    for (int i = from; i <= to; ++i) {
      store->sink().onEvent(run.id, RunWarning{std::string(500, 'w')});
      store->sink().onStep(run.id, {i, 1, i == 250 ? 1e9 : 1.0, 0.0});
    }
  };
  rlimit before{};
  QCOMPARE(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto previous = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 4096;
  QCOMPARE(::setrlimit(RLIMIT_FSIZE, &small), 0);
  tell(1, 500);
  const Status first = store->flush();
  tell(501, 20'000);  // more than the queue: nobody may wait for the disk
  const Status second = store->flush();
  QCOMPARE(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, previous);
  QVERIFY(!first.ok() && !second.ok());
  QCOMPARE(first.error().code, ErrorCode::kIo);
  QCOMPARE(warnings.load(), 1);

  store->sink().onEvent(run.id, RunEnded{});
  const Status third = store->flush();
  QVERIFY2(third.ok(), third.ok() ? "" : third.error().text().c_str());
  QCOMPARE(warnings.load(), 2);  // tells how many events were beyond the bound
  QVERIFY(store->find(run.id)->state == RunState::kFinished);
  QCOMPARE(store->events(run.id)->size(), std::size_t{16384});
  const auto steps = store->steps(run.id).value();
  QCOMPARE(steps.front().firstStep, 1);
  QCOMPARE(steps.back().lastStep, 20'000);
  QVERIFY(std::ranges::any_of(steps, [](const StepBucket& bucket) { return bucket.max == 1e9; }));
}

void StoreFaultsTest::busyDatabaseIsWaitedFor() {
  const QTemporaryDir folder;
  const fs::path path = fs::path(folder.path().toStdString()) / "parapet.db";
  auto store = RunStore::open(path, {}).value();
  RunRecord run;
  run.id = RunStore::newRunId();
  QVERIFY(store->createRun(run).ok());
  auto other = Database::open(path, Database::Access::kReadWrite).value();
  std::optional<Transaction> transaction = Transaction::begin(other).value();
  std::jthread release([&] {
    ::usleep(300'000);
    transaction.reset();
  });
  QVERIFY(store->rename(run.id, "after waiting").ok());
  store->sink().onEvent(run.id, RunWarning{"w"});
  QVERIFY(store->flush().ok());
}

void StoreFaultsTest::readOnlyFolderIsNamed() {
  const QTemporaryDir folder;
  const fs::path root = folder.path().toStdString();
  fs::permissions(root, fs::perms(0555));
  const int outcome =
      QProcess::execute(QCoreApplication::applicationFilePath(),
                        {"--nobody", QString::fromStdString((root / "parapet.db").string())});
  fs::permissions(root, fs::perms(0755));
  QCOMPARE(outcome, 0);
}

void StoreFaultsTest::readOnlyFolderCanBeRead() {
  const QTemporaryDir folder;
  const fs::path root = folder.path().toStdString();
  RunRecord run;
  run.id = RunStore::newRunId();
  QVERIFY(RunStore::open(root / "parapet.db", {}).value()->createRun(run).ok());
  fs::permissions(root / "parapet.db", fs::perms(0444));
  fs::permissions(root, fs::perms(0555));
  const int outcome =
      QProcess::execute(QCoreApplication::applicationFilePath(),
                        {"--read", QString::fromStdString((root / "parapet.db").string())});
  fs::permissions(root, fs::perms(0755));
  QCOMPARE(outcome, 0);
}

void StoreFaultsTest::theEndOnAFullDiskIsRecorded_data() {
  QTest::addColumn<QString>("events");
  QTest::newRow("with what was told before") << "20";
  QTest::newRow("alone, as the rest is too much") << "4000";
}

void StoreFaultsTest::theEndOnAFullDiskIsRecorded() {
  QFETCH(const QString, events);
  const QTemporaryDir folder;
  const int outcome =
      QProcess::execute(QCoreApplication::applicationFilePath(), {"--full", folder.path(), events});
  if (outcome == 77) QSKIP("no right to mount a small disk");
  QCOMPARE(outcome, 0);
}

void StoreFaultsTest::aRemovedDatabaseIsWrittenAnew_data() {
  QTest::addColumn<QString>("what");
  QTest::newRow("the file") << "file";
  QTest::newRow("the folder") << "folder";
  QTest::newRow("replaced by another database") << "replaced";
}

void StoreFaultsTest::aRemovedDatabaseIsWrittenAnew() {
  QFETCH(const QString, what);
  const QTemporaryDir temporary;
  const fs::path folder = fs::path(temporary.path().toStdString()) / "workspace";
  const fs::path path = folder / "parapet.db", other = folder / "other.db";
  fs::create_directories(folder);
  std::atomic<int> warnings = 0;
  const auto store =
      RunStore::open(path, {.onWarning = [&](const std::string&) { ++warnings; }}).value();
  RunRecord run;
  run.id = RunStore::newRunId();
  run.name = "kept";
  run.experimentJson = "{}";
  QVERIFY(store->createRun(run).ok());
  const auto tell = [&](int epoch) {
    EpochSummary summary;
    summary.epoch = summary.step = epoch;
    summary.metrics = {{"val_loss", 1.0 / epoch}};
    store->sink().onStep(run.id, {epoch, epoch, 1.0, 0.0});
    store->sink().onEvent(run.id, EpochEnded{summary});
  };
  tell(1);
  tell(2);
  QVERIFY(store->flush().ok());
  RunRecord stranger;
  stranger.id = RunStore::newRunId();
  stranger.experimentJson = "{}";
  if (what == "folder") fs::remove_all(folder);
  if (what == "file") fs::remove(path);
  if (what == "replaced") {
    QVERIFY(RunStore::open(other, {}).value()->createRun(stranger).ok());
    fs::rename(other, path);
  }
  tell(3);
  store->sink().onEvent(run.id, RunEnded{});
  const Status flushed = store->flush();
  QVERIFY2(flushed.ok(), flushed.ok() ? "" : flushed.error().text().c_str());
  QCOMPARE(warnings.load(), 1);
  QCOMPARE(store->epochs(run.id)->size(), std::size_t{3});
  QVERIFY(store->rename(run.id, "renamed").ok());

  const auto reader = RunStore::open(path, {}).value();
  const RunRecord found = reader->find(run.id).value();
  QVERIFY(found.state == RunState::kFinished);
  QCOMPARE(found.name, std::string("renamed"));
  QCOMPARE(found.experimentJson, run.experimentJson);
  QCOMPARE(found.best->epoch, 3);
  QCOMPARE(reader->epochs(run.id)->size(), std::size_t{3});
  QCOMPARE(reader->epochs(run.id)->front().metrics.size(), std::size_t{1});
  QCOMPARE(reader->steps(run.id)->size(), std::size_t{3});
  auto database = Database::open(path, Database::Access::kReadOnly).value();
  QVERIFY(database.integer("SELECT count(*) FROM step_blocks").value() > 0);
  QVERIFY(checkDatabase(path)->ok());
  QCOMPARE(reader->events(run.id)->size(), std::size_t{2});  // the warning, the end
  QCOMPARE(reader->find(stranger.id).ok(), what == "replaced");
}

int main(int count, char** values) {
  if (count > 2 && std::string(values[1]) == "--read") return readAsNobody(values[2]);
  if (count > 3 && std::string(values[1]) == "--full")
    return endOnAFullDisk(values[2], std::atoi(values[3]));
  if (count > 1 && std::string(values[1]) == "--nobody") return openAsNobody(values[2]);
  QCoreApplication application(count, values);
  StoreFaultsTest test;
  return QTest::qExec(&test, count, values);
}

#include "faults_test.moc"
