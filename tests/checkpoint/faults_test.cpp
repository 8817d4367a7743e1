// SPDX-License-Identifier: Apache-2.0
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>

#include "engine/base/text.h"
#include "tests/checkpoint/sample.h"

using namespace parapet;
using namespace parapet::checkpoint;
using parapet::checkpoint::test::kSampleRun;
using parapet::checkpoint::test::sameContent;
using parapet::checkpoint::test::sample;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kRows = 2000;  // half a megabyte: long enough to be hit in the middle

/// How often a commit is killed; PARAPET_KILL_ROUNDS asks for more than a change has to wait for.
int killRounds() {
  constexpr int kRounds = 30;
  return qEnvironmentVariableIsSet("PARAPET_KILL_ROUNDS")
             ? qEnvironmentVariableIntValue("PARAPET_KILL_ROUNDS")
             : kRounds;
}

/// The other process: commits checkpoints, every third one twice, until it is killed.
int commitForEver(const fs::path& folder, std::int64_t step) {
  for (;; ++step) {
    const auto made = sample(step, kRows);
    for (int times = step % 3 == 0 ? 2 : 1; times > 0; --times)
      if (!write(folder, made.manifest, made.tensors).ok()) return 1;
    if (step > 4 && !checkpoint::remove(folder / ("ckpt-" + std::to_string(step - 3))).ok())
      return 2;
  }
}

bool inTheMiddle(const fs::path& root) {
  for (const fs::directory_entry& entry : fs::directory_iterator(root))
    if (entry.path().extension() == ".tmp") return true;
  return false;
}

/// The state letter of /proc/PID/stat is T once a SIGSTOP has taken hold.
bool isStopped(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  std::getline(file, line);
  return line.find(") T ") != std::string::npos;
}

/// Stops the process at random moments until one of them is within a commit.
bool stoppedInTheMiddle(pid_t process, const fs::path& root, const Random& random,
                        std::uint64_t round) {
  for (std::uint64_t attempt = 0; attempt < 2000; ++attempt) {
    QThread::usleep(static_cast<unsigned long>(random.below(round * 2000 + attempt, 10'000)));
    ::kill(process, SIGSTOP);
    if (!QTest::qWaitFor([&] { return isStopped(process); }, 10'000)) return false;
    if (inTheMiddle(root)) return true;
    ::kill(process, SIGCONT);
  }
  return false;
}

/// The other process: writes as a user who may not.
int writeAsNobody(const fs::path& folder) {
  constexpr uid_t kNobody = 65534;
  if (::geteuid() == 0 && ::setuid(kNobody) != 0) return 77;
  const auto made = sample(2, 1);
  const auto written = write(folder, made.manifest, made.tensors);
  if (written.ok()) return 1;
  return written.error().code == ErrorCode::kIo ? 0 : 2;
}

QStringList arguments(const char* role, const fs::path& folder, const char* extra = "0") {
  return {role, QString::fromStdString(folder.string()), extra};
}

}  // namespace

class CheckpointFaultsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void kill9MidCheckpoint();
  void diskFull();
  void fileSizeLimit();
  void readOnlyFolder();

 private:
  /// A failed commit of step 2 leaves step 1 and nothing else.
  void leavesTheOldOne(const fs::path& root, const Result<fs::path>& written, int reason) {
    QVERIFY(!written.ok());
    QCOMPARE(written.error().code, ErrorCode::kIo);
    const std::string text = written.error().text();
    QVERIFY2(text.find(std::strerror(reason)) != std::string::npos, text.c_str());
    QVERIFY2(text.find(root.string()) != std::string::npos, text.c_str());
    QVERIFY(!fs::exists(root / "ckpt-2.tmp"));
    const auto latest = openOfRun(root, kSampleRun);
    QVERIFY(latest.ok());
    QVERIFY(sameContent(latest->checkpoint, sample(1, 8)));
    QVERIFY(latest->warnings.empty());
  }
};

void CheckpointFaultsTest::kill9MidCheckpoint() {
  const QTemporaryDir folder;
  const fs::path root = folder.path().toStdString();
  const Random random(5, RandomPurpose::kGenerator);
  const int rounds = killRounds();
  QVERIFY2(rounds > 0, "PARAPET_KILL_ROUNDS is not a number of rounds");
  std::int64_t newest = 0;
  for (int round = 0; round < rounds; ++round) {
    qInfo("round %d of %d", round + 1, rounds);
    QProcess child;
    child.start(QCoreApplication::applicationFilePath(),
                arguments("--commit", root, std::to_string(newest + 1).c_str()));
    QVERIFY(child.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(!list(root).empty() && list(root).back().step > newest, 30000);
    QVERIFY2(stoppedInTheMiddle(static_cast<pid_t>(child.processId()), root, random,
                                static_cast<std::uint64_t>(round)),
             "no moment within a commit was found");
    child.kill();
    QVERIFY(child.waitForFinished());
    QCOMPARE(child.exitStatus(), QProcess::CrashExit);
    for (const Listed& listed : list(root)) {
      const auto opened = open(listed.folder);
      QVERIFY2(opened.ok(), opened.ok() ? "" : opened.error().text().c_str());
      QVERIFY(sameContent(*opened, sample(listed.step, kRows)));
    }
    QVERIFY(removeTemporaries(root) > 0);
    const auto latest = openOfRun(root, kSampleRun);
    QVERIFY2(latest.ok(), latest.ok() ? "" : latest.error().text().c_str());
    QVERIFY2(latest->warnings.empty(), latest->warnings.empty() ? "" : latest->warnings[0].c_str());
    const std::int64_t step = latest->checkpoint.manifest().step;
    QVERIFY(step > newest);
    QVERIFY(sameContent(latest->checkpoint, sample(step, kRows)));
    newest = step;
  }
}

void CheckpointFaultsTest::diskFull() {
  const QTemporaryDir folder;
  const fs::path root = fs::path(folder.path().toStdString()) / "small";
  fs::create_directory(root);
  if (::mount("tmpfs", root.c_str(), "tmpfs", 0, "size=1m") != 0)
    QSKIP(qPrintable(QString("cannot mount a small disk: %1").arg(std::strerror(errno))));
  const auto old = sample(1, 8);
  QVERIFY(write(root, old.manifest, old.tensors).ok());
  const auto large = sample(2, 20'000);
  const auto written = write(root, large.manifest, large.tensors);
  leavesTheOldOne(root, written, ENOSPC);
  QCOMPARE(::umount2(root.c_str(), MNT_DETACH), 0);
}

void CheckpointFaultsTest::fileSizeLimit() {
  const QTemporaryDir folder;
  const fs::path root = folder.path().toStdString();
  const auto old = sample(1, 8);
  QVERIFY(write(root, old.manifest, old.tensors).ok());
  rlimit before{};
  QCOMPARE(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto previous = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 100'000;
  QCOMPARE(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto large = sample(2, kRows);
  const auto written = write(root, large.manifest, large.tensors);
  QCOMPARE(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, previous);
  leavesTheOldOne(root, written, EFBIG);
  // The commit that was refused goes through once there is room.
  QVERIFY(write(root, large.manifest, large.tensors).ok());
}

void CheckpointFaultsTest::readOnlyFolder() {
  const QTemporaryDir folder;
  const fs::path root = folder.path().toStdString();
  const auto old = sample(1, 8);
  QVERIFY(write(root, old.manifest, old.tensors).ok());
  fs::permissions(root, fs::perms(0555));
  QCOMPARE(QProcess::execute(QCoreApplication::applicationFilePath(), arguments("--nobody", root)),
           0);
  fs::permissions(root, fs::perms(0755));
  QVERIFY(openOfRun(root, kSampleRun).ok());
}

int main(int count, char** values) {
  const std::string role = count > 1 ? values[1] : "";
  if (role == "--commit") return commitForEver(values[2], parseInt(values[3]).value_or(1));
  if (role == "--nobody") return writeAsNobody(values[2]);
  QCoreApplication application(count, values);
  CheckpointFaultsTest test;
  return QTest::qExec(&test, count, values);
}

#include "faults_test.moc"
