// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <sys/wait.h>

#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <thread>

#include "engine/base/files.h"
#include "engine/base/plugin_trial.h"
#include "engine/base/text.h"
#include "engine/tensor/plugin_abi.h"

using namespace parapet;
namespace fs = std::filesystem;

namespace {

constexpr const char* kTry = "--try";
// No case waits for it: it only ends a trial that should have ended by itself.
constexpr std::chrono::minutes kPatience{5};

Trial trialOf(const std::string& sample, std::chrono::milliseconds limit = kPatience) {
  const fs::path file =
      fs::path(PARAPET_SAMPLE_PLUGINS) / sample / ("parapet_sample_" + sample + ".so");
  return tryInChild(file, {PP_ABI_VERSION, PARAPET_BUILD_TAG, PluginKind::kDevice}, limit);
}

/// Whether a process is there and is no zombie that nobody has collected.
bool lives(int pid) {
  const QByteArray stat = [&] {
    QFile file(QString("/proc/%1/stat").arg(pid));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }();
  return !stat.isEmpty() && stat.mid(stat.lastIndexOf(')') + 2, 1) != "Z";
}

}  // namespace

/// Sample plugins that do the worst while they are loaded.
class PluginTrialTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  [[nodiscard]] QString began() const { return folder_.filePath("began"); }

 private Q_SLOTS:
  // ThreadSanitizer would put an exit code of its own in the place of the plugin's.
  void initTestCase() { qputenv("TSAN_OPTIONS", qgetenv("TSAN_OPTIONS") + ":exitcode=0"); }

  void init() { qputenv("SAMPLE_BEGAN", began().toUtf8()); }
  void cleanup() {
    setTrialStop({});
    QFile::remove(began());
    qunsetenv("SAMPLE_BEGAN");
    QVERIFY2(::waitpid(-1, nullptr, WNOHANG) == -1, "every child is collected");
  }

  void whateverComesBackPasses_data() {
    QTest::addColumn<QString>("sample");
    for (const char* sample : {"good", "wrong-abi", "wrong-tag", "missing-symbol", "unsupported",
                               "broken", "short-ops", "no-such-file"})
      QTest::newRow(sample) << sample;
  }
  void whateverComesBackPasses() {
    QFETCH(QString, sample);
    const Trial trial = trialOf(sample.toStdString());
    QVERIFY2(trial.end == TrialEnd::kReturned, trial.reason.c_str());
    QCOMPARE(trial.reason, std::string());
  }

  void whatEndsItsProcessDies_data() {
    QTest::addColumn<QString>("sample");
    QTest::addColumn<QString>("says");
    QTest::newRow("exits") << "exits"
                           << "exit code 0";
    QTest::newRow("aborts") << "aborts"
                            << "signal 6";
    QTest::newRow("faults") << "faults"
                            << "";
  }
  void whatEndsItsProcessDies() {
    QFETCH(QString, sample);
    QFETCH(QString, says);
    const Trial trial = trialOf(sample.toStdString());
    QCOMPARE(trial.end, TrialEnd::kDied);
    QVERIFY2(QString::fromStdString(trial.reason).contains(says), trial.reason.c_str());
  }

  void whatCrashesInItsProbeDies() {
    qputenv("SAMPLE_CRASH", "1");
    const Trial trial = trialOf("good");
    qunsetenv("SAMPLE_CRASH");
    QCOMPARE(trial.end, TrialEnd::kDied);
    QVERIFY2(trial.reason.find("signal 9") != std::string::npos, trial.reason.c_str());
  }

  void whatHangsIsEndedAtTheLimit() {
    const Trial trial = trialOf("hangs", std::chrono::milliseconds(200));
    QCOMPARE(trial.end, TrialEnd::kHung);
    QVERIFY2(trial.reason.find("0.2 s") != std::string::npos, trial.reason.c_str());
  }

  void theUserNeedNotWaitForTheLimit() {
    setTrialStop([this] { return QFile::exists(began()); });
    QCOMPARE(trialOf("hangs").end, TrialEnd::kStopped);
    QFile file(began());
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(!lives(file.readAll().toInt()));
  }

  void aKilledProgramTakesItsTrialAlong() {
    QProcess program;
    program.start(QCoreApplication::applicationFilePath(), {kTry});
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(began()), 60'000);
    QFile file(began());
    QVERIFY(file.open(QIODevice::ReadOnly));
    const int child = file.readAll().toInt();
    QVERIFY(lives(child));
    program.kill();
    QVERIFY(program.waitForFinished(60'000));
    QTRY_VERIFY_WITH_TIMEOUT(!lives(child), 60'000);
  }

  void manyThreadsMayTryAtOnce() {
    std::vector<Trial> trials(8);
    {
      std::vector<std::jthread> threads;
      for (Trial& trial : trials) threads.emplace_back([&trial] { trial = trialOf("good"); });
    }
    for (const Trial& trial : trials)
      QVERIFY2(trial.end == TrialEnd::kReturned, trial.reason.c_str());
  }
};

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == kTry) {
    (void)trialOf("hangs");
    return 0;
  }
  QCoreApplication application(argc, argv);
  PluginTrialTest test;
  return QTest::qExec(&test, argc, argv);
}
#include "plugin_trial_test.moc"
