// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <csignal>
#include <thread>

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

}  // namespace

class StoreFaultsTest : public QObject {
  Q_OBJECT
 private slots:
  void diskFullWarnsOnceAndRecovers();
  void busyDatabaseIsWaitedFor();
  void readOnlyFolderIsNamed();
};

void StoreFaultsTest::diskFullWarnsOnceAndRecovers() {
  const QTemporaryDir folder;
  std::atomic<int> warnings = 0;
  auto store =
      RunStore::open(fs::path(folder.path().toStdString()) / "parapet.db",
                     {.onWarning = [&](const std::string&) { ++warnings; }, .readOnly = false})
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

int main(int count, char** values) {
  if (count > 1 && std::string(values[1]) == "--nobody") return openAsNobody(values[2]);
  QCoreApplication application(count, values);
  StoreFaultsTest test;
  return QTest::qExec(&test, count, values);
}

#include "faults_test.moc"
