// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include <QStandardPaths>
#include <QtTest>

#include "tests/cli/cli_process.h"

using nlohmann::json;
using parapet::test::Cli;
using parapet::test::CliResult;

namespace {

// Long enough that a run is still under way when its first epoch is seen.
const QString kManyEpochs = "100000";

}  // namespace

/// Ctrl-C, closed pipes, and going on after both.
class InterruptsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void ctrlCStopsWithACheckpoint() {
    const CliResult result = interrupted({"train", "sample", "--epochs", kManyEpochs, "--json"}, 1);
    QVERIFY2(result.code == 4, result.err.constData());
    const json answer = result.json();
    QCOMPARE(answer["state"].get<std::string>(), std::string("Stopped"));
    QVERIFY(answer["checkpoint"].is_string());
    QCOMPARE(answer["error"]["code"].get<std::string>(), std::string("cancelled"));
    QCOMPARE(cli_.ask({"show", "latest"}).json()["state"].get<std::string>(),
             std::string("Stopped"));
  }

  void ctrlCTwiceEndsAtOnceAndLeavesNothingHalf() {
    const CliResult result = interrupted({"train", "sample", "--epochs", kManyEpochs, "--json"}, 2);
    QVERIFY2(result.code == 4, result.err.constData());
    const CliResult runs = cli_.ask({"runs"});
    QCOMPARE(runs.code, 0);
    QVERIFY2(!runs.err.contains("warning"), runs.err.constData());
  }

  void sigtermAtAnyMomentKeepsWhatWasTrained_data() {
    QTest::addColumn<QString>("moment");
    QTest::addColumn<int>("sentSignals");
    for (const char* moment : {"run ", "epoch 1/", "epoch 2/", "epoch 3/", "epoch 9/"})
      for (const int sentSignals : {1, 2, 9})
        QTest::addRow("%d at %s", sentSignals, moment) << QString(moment) << sentSignals;
  }
  // `timeout` sends SIGTERM to the process and then to its group, so it arrives once or twice.
  void sigtermAtAnyMomentKeepsWhatWasTrained() {
    QFETCH(QString, moment);
    QFETCH(int, sentSignals);
    const auto process = cli_.start({"train", "sample", "--epochs", kManyEpochs, "--json"});
    QByteArray seen;
    QVERIFY2(Cli::waitForStderr(*process, moment.toUtf8(), seen), seen.constData());
    for (int sent = 0; sent < sentSignals; ++sent) {
      ::kill(static_cast<pid_t>(process->processId()), SIGTERM);
      // Signals that are pending together count as one; these are seen one by one.
      QThread::msleep(sent % 3 == 2 ? 5 : 0);
    }
    const CliResult result = Cli::finish(*process);
    QVERIFY2(result.code == 4, result.err.constData());
    const json answer = result.json();
    QCOMPARE(answer["state"].get<std::string>(), std::string("Stopped"));
    const bool trained = answer["steps"].get<int>() > 0;
    QVERIFY2(answer["checkpoint"].is_string() == trained, result.out.constData());
    const json stored = cli_.ask({"show", "latest"}).json();
    QCOMPARE(stored["state"], json("Stopped"));
    QCOMPARE(stored["checkpoints"].empty(), !trained);
    if (!trained) return;
    QVERIFY(QFile::exists(QString::fromStdString(answer["checkpoint"].get<std::string>())));
    QCOMPARE(stored["checkpoints"].back()["step"], answer["steps"]);
  }

  void theProgramTimeoutKeepsACheckpoint() {
    const QString timeout = QStandardPaths::findExecutable("timeout");
    if (timeout.isEmpty()) QSKIP("timeout is not installed");
    QProcess process;
    process.start(timeout, {"--preserve-status", "5", PARAPET_CLI, "--workspace", cli_.workspace(),
                            "train", "sample", "--epochs", kManyEpochs, "--json"});
    const CliResult result = Cli::finish(process);
    QVERIFY2(result.code == 4, result.err.constData());
    // On a machine that is busy elsewhere the five seconds may end before the first step.
    if (result.json()["steps"] > 0) QVERIFY(result.json()["checkpoint"].is_string());
  }

  void aStoppedRunIsNoError() {
    const CliResult result = interrupted({"train", "sample", "--epochs", kManyEpochs}, 1);
    QCOMPARE(result.code, 4);
    QVERIFY2(!result.err.contains("error: "), result.err.constData());
    QVERIFY2(result.err.contains("stopped: run ") && result.err.contains("its checkpoint is "),
             result.err.constData());
    QVERIFY(result.out.contains("train --resume"));
  }

  void aRemovedDatabaseIsReportedOnce() {
    const QString folder = cli_.folder("removed");
    const auto process =
        cli_.start({"train", "sample", "--epochs", kManyEpochs, "--workspace", folder});
    QByteArray seen;
    QVERIFY2(Cli::waitForStderr(*process, "epoch 2/", seen), seen.constData());
    for (const char* name : {"parapet.db", "parapet.db-wal", "parapet.db-shm"})
      QFile::remove(folder + "/" + name);
    QVERIFY2(Cli::waitForStderr(*process, "removed or replaced", seen), seen.constData());
    ::kill(static_cast<pid_t>(process->processId()), SIGTERM);
    seen += Cli::finish(*process).err;
    QCOMPARE(seen.count("removed or replaced"), 1);
    QCOMPARE(cli_.ask({"runs", "--workspace", folder}).json().size(), std::size_t{1});
  }

  void ctrlCWhileGeneratingLeavesNothing() {
    const QString folder = cli_.folder("generated");
    QVERIFY(QDir().mkpath(folder));
    const auto process = cli_.start(
        {"generate", "events", "--out", folder + "/rows.csv", "--events", "4000000000", "--json"});
    // The command has begun when the file that is to be renamed is there.
    QTRY_COMPARE_WITH_TIMEOUT(QDir(folder).entryList(QDir::Files).size(), 1, 30'000);
    ::kill(static_cast<pid_t>(process->processId()), SIGINT);
    const CliResult result = Cli::finish(*process);
    QVERIFY2(result.code == 4, result.err.constData());
    QCOMPARE(result.json()["error"]["code"].get<std::string>(), std::string("cancelled"));
    QVERIFY(QDir(folder).isEmpty());
  }

  // All but train and sweep end where they are, also where nothing looks at the request.
  void otherCommandsEndAtOnce_data() {
    QTest::addColumn<int>("signal");
    QTest::newRow("SIGINT") << SIGINT;
    QTest::newRow("SIGTERM") << SIGTERM;
  }
  void otherCommandsEndAtOnce() {
    QFETCH(int, signal);
    json document = cli_.ask({"recipe", "sample"}).json();
    const json feature = document["features"][0];
    for (int copy = 0; copy < 60'000; ++copy) {
      document["features"].push_back(feature);
      document["features"].back()["name"] = "f" + std::to_string(copy);
    }
    const QString path = cli_.write("large.json", QByteArray::fromStdString(document.dump()));
    const auto process = cli_.start({"validate", path, "--json"});
    QThread::msleep(300);
    ::kill(static_cast<pid_t>(process->processId()), signal);
    const CliResult result = Cli::finish(*process);
    QVERIFY2(result.code == 4, result.err.constData());
    QCOMPARE(result.json()["error"]["code"], json("cancelled"));
    QVERIFY2(result.err.contains("stopped: "), result.err.constData());
  }

  // All of its files, or none; what it was writing goes with the next export.
  void aKilledExportLeavesNothing() {
    QCOMPARE(cli_.ask({"train", "sample", "--epochs", "1"}).code, 0);
    const QString folder = cli_.folder("exports"), out = folder + "/tables";
    QVERIFY(QDir().mkpath(folder));
    const QStringList arguments{"export",   "latest", "--what", "tables",
                                "--format", "npy",    "--out",  out};
    QCOMPARE(cli_.ask(arguments).code, 0);
    const QStringList whole = QDir(out).entryList(QDir::Files);
    QVERIFY(whole.size() > 1);
    for (const unsigned long ms : {0, 20, 40, 60, 80, 100, 150, 200}) {
      QVERIFY(QDir(out).removeRecursively());
      const auto process = cli_.start(arguments);
      QThread::msleep(ms);
      process->kill();
      (void)Cli::finish(*process);
      if (QDir(out).exists()) QCOMPARE(QDir(out).entryList(QDir::Files), whole);
    }
    QCOMPARE(cli_.ask(arguments).code, 0);
    QCOMPARE(QDir(folder).entryList(QDir::AllEntries | QDir::NoDotAndDotDot),
             QStringList{"tables"});
  }

  void aStoppedRunGoesOn() {
    const CliResult first = interrupted({"train", "sample", "--epochs", kManyEpochs, "--json"}, 1);
    const json before = first.json();
    const CliResult second = interrupted({"train", "--resume", "latest", "--json"}, 1);
    const json after = second.json();
    QCOMPARE(after["run_id"], before["run_id"]);
    QVERIFY(after["steps"].get<int>() > before["steps"].get<int>());
    QVERIFY(after["epochs"].size() > before["epochs"].size());
  }

  void resumingEqualsAStraightRun() {
    // Epochs of many rows: the signal has a second or more to arrive in.
    const QStringList document{
        "train",
        "sample",
        "--epochs",
        "12",
        "--threads",
        "1",
        "--set",
        "/training/validate_every=4",
        "--set",
        R"(/dataset/generator={"users": 4000, "items": 1000, "events": 400000, "seed": 7})"};
    CliResult stopped = interrupted(document + QStringList{"--json"}, 1);
    // On a machine that is busy elsewhere even that may be too short.
    for (int again = 0; stopped.code == 0 && again < 4; ++again)
      stopped = interrupted(document + QStringList{"--json"}, 1);
    QVERIFY2(stopped.code == 4, stopped.err.constData());
    const CliResult resumes = cli_.ask({"train", "--resume", "latest"});
    QVERIFY2(resumes.code == 0, resumes.err.constData());
    const CliResult whole = cli_.ask(document);
    QVERIFY2(whole.code == 0, whole.err.constData());
    const json resumed = resumes.json(), straight = whole.json();
    QCOMPARE(resumed["state"].get<std::string>(), std::string("Finished"));
    QCOMPARE(resumed["epochs"].size(), std::size_t{12});
    for (std::size_t e = 0; e < 12; ++e) {
      QCOMPARE(resumed["epochs"][e]["loss"], straight["epochs"][e]["loss"]);
      QCOMPARE(resumed["epochs"][e]["val_loss"], straight["epochs"][e]["val_loss"]);
    }
  }

  void aClosedPipeEndsQuietly() {
    const QString bash = QStandardPaths::findExecutable("bash");
    if (bash.isEmpty()) QSKIP("bash is not installed");
    QProcess shell;
    shell.start(bash,
                {"-c", "set -o pipefail; (sleep 0.3; exec \"$0\" schema) | true", PARAPET_CLI});
    const CliResult result = Cli::finish(shell);
    QCOMPARE(result.code, 0);
    QCOMPARE(result.err, QByteArray());
  }

  void aFullDiskBehindStdoutIsAFailure() {
    if (!QFile::exists("/dev/full")) QSKIP("/dev/full is not there");
    QProcess process;
    process.setStandardOutputFile("/dev/full");
    process.start(PARAPET_CLI, {"schema"});
    const CliResult result = Cli::finish(process);
    QCOMPARE(result.code, 1);
    QVERIFY(result.err.contains("error: "));
  }

 private:
  // Starts a training, waits for its first epoch and presses Ctrl-C.
  [[nodiscard]] CliResult interrupted(const QStringList& arguments, int times) const {
    const auto process = cli_.start(arguments);
    QByteArray seen;
    if (!Cli::waitForStderr(*process, "epoch ", seen)) return {-1, {}, seen};
    const auto press = [&process] { ::kill(static_cast<pid_t>(process->processId()), SIGINT); };
    press();
    // Signals that are pending together count as one, so the second waits for the answer to the
    // first.
    if (times == 2 && Cli::waitForStderr(*process, "press Ctrl-C again", seen)) press();
    CliResult result = Cli::finish(*process);
    result.err.prepend(seen);
    return result;
  }

  Cli cli_;
};

QTEST_GUILESS_MAIN(InterruptsTest)
#include "interrupts_test.moc"
