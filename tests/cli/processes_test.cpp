// SPDX-License-Identifier: Apache-2.0
#include <QRegularExpression>
#include <QtTest>
#include <csignal>

#include "tests/cli/cli_process.h"

using nlohmann::json;
using parapet::test::Cli;
using parapet::test::CliResult;

namespace {

QStringList sample(const char* epochs) {
  return {"train",     "sample",
          "--epochs",  epochs,
          "--devices", "cpu*2",
          "--set",     "/mesh/spaces=\"separate\"",
          "--set",     "/tables/0/placement=\"row\""};
}

/// The processes that a process has started.
QList<qint64> childrenOf(qint64 pid) {
  QList<qint64> children;
  QFile list(QStringLiteral("/proc/%1/task/%1/children").arg(pid));
  if (list.open(QIODevice::ReadOnly))
    for (const QByteArray& child : list.readAll().split(' '))
      if (const qint64 found = child.trimmed().toLongLong(); found > 0) children += found;
  return children;
}

bool isRank(qint64 pid, const QByteArray& rank) {
  QFile line(QStringLiteral("/proc/%1/cmdline").arg(pid));
  const auto words = line.open(QIODevice::ReadOnly) ? line.readAll().split('\0') : QByteArrayList();
  return words.indexOf(rank) == words.indexOf("--rank") + 1;
}

}  // namespace

/// A document trained by several processes of one machine.
class ProcessesCliTest : public QObject {
  Q_OBJECT

  std::unique_ptr<Cli> cli_;

  static json metricsOf(const CliResult& done) {
    json metrics = json::array();
    for (const json& epoch : done.json()["epochs"]) metrics.push_back(epoch["metrics"]);
    return metrics;
  }

 private Q_SLOTS:
  void init() { cli_ = std::make_unique<Cli>(); }

  void processesTrainTheRunOfOne() {
    const CliResult one = cli_->ask(sample("2"));
    QVERIFY2(one.code == 0, one.err.constData());
    const CliResult two = cli_->ask(sample("2") + QStringList{"--processes", "2"});
    QVERIFY2(two.code == 0, two.err.constData());
    QCOMPARE(metricsOf(two), metricsOf(one));
    const QString run = QString::fromStdString(two.json()["run_id"].get<std::string>());
    const CliResult lists = cli_->ask({"recommend", run, "--user", "1"});
    QVERIFY2(lists.code == 0, lists.err.constData());
    QCOMPARE(cli_->ask({"verify-checkpoint", run}).code, 0);
  }

  // With a checkpoint, and by one process as well.
  void aStoppedRunGoesOnAnyNumberOfProcesses() {
    const QStringList longer = sample("40") + QStringList{"--processes", "2"};
    const auto process = cli_->start(longer);
    QByteArray seen;
    QVERIFY2(Cli::waitForStderr(*process, "epoch 1", seen), seen.constData());
    ::kill(static_cast<pid_t>(process->processId()), SIGTERM);
    const CliResult stopped = Cli::finish(*process);
    QCOMPARE(stopped.code, 4);
    const json runs = cli_->ask({"runs"}).json();
    const QString run = QString::fromStdString(runs[0]["run_id"].get<std::string>());
    const auto again = cli_->start({"train", "--resume", run, "--processes", "2"});
    QByteArray more;
    QVERIFY2(Cli::waitForStderr(*again, "epoch", more), more.constData());
    ::kill(static_cast<pid_t>(again->processId()), SIGTERM);
    QCOMPARE(Cli::finish(*again).code, 4);
  }

  void aLostProcessIsNamed() {
    const auto process = cli_->start(sample("1000") + QStringList{"--processes", "2"});
    QByteArray seen;
    QVERIFY2(Cli::waitForStderr(*process, "epoch 1", seen), seen.constData());
    const auto children = childrenOf(process->processId());
    QCOMPARE(children.size(), 1);
    ::kill(static_cast<pid_t>(children[0]), SIGKILL);
    const CliResult ended = Cli::finish(*process);
    QCOMPARE(ended.code, 1);
    QVERIFY2(ended.err.contains("rank 1"), ended.err.constData());
  }

  void aStoppedProcessIsNamed() {
    qputenv("PARAPET_TIMEOUT_MS", "2000");
    const auto process = cli_->start(sample("100000") + QStringList{"--processes", "2"});
    qunsetenv("PARAPET_TIMEOUT_MS");
    QByteArray seen;
    QVERIFY2(Cli::waitForStderr(*process, "epoch 1", seen), seen.constData());
    const auto children = childrenOf(process->processId());
    QCOMPARE(children.size(), 1);
    ::kill(static_cast<pid_t>(children[0]), SIGSTOP);
    const CliResult ended = Cli::finish(*process);
    QCOMPARE(ended.code, 1);
    // Whichever notices first says so: the exchange, or the beats of the run.
    QVERIFY2(ended.err.contains("process 1: it was silent for 2000 ms") ||
                 QString::fromUtf8(ended.err).contains(
                     QRegularExpression("rank 1 \\(.*\\): nothing was heard of it for 2000 ms")),
             ended.err.constData());
    QVERIFY(!QFile::exists(QStringLiteral("/proc/%1").arg(children[0])));
  }

  void theRankThatWasLostIsNamedAmongSeveral() {
    QStringList three = sample("100000");
    three[5] = "cpu*3";
    const auto process = cli_->start(three + QStringList{"--processes", "3"});
    QByteArray seen;
    QVERIFY2(Cli::waitForStderr(*process, "epoch 1", seen), seen.constData());
    for (const qint64 child : childrenOf(process->processId()))
      if (isRank(child, "2")) ::kill(static_cast<pid_t>(child), SIGKILL);
    const CliResult ended = Cli::finish(*process);
    QCOMPARE(ended.code, 1);
    QVERIFY2(ended.err.contains("rank 2"), ended.err.constData());
    QVERIFY2(!ended.err.contains("rank 1"), ended.err.constData());
  }

  void theOthersEndWithTheFirst() {
    const auto process = cli_->start(sample("1000") + QStringList{"--processes", "2"});
    QByteArray seen;
    QVERIFY2(Cli::waitForStderr(*process, "epoch 1", seen), seen.constData());
    const auto children = childrenOf(process->processId());
    QCOMPARE(children.size(), 1);
    process->kill();
    process->waitForFinished();
    QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(QStringLiteral("/proc/%1").arg(children[0])), 10000);
  }

  void refuses_data() {
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* name, const QStringList& options, const char* says) {
      QTest::newRow(name) << options << QByteArray(says);
    };
    row("one process", {"--processes", "1"}, "a whole number ≥ 2");
    row("more processes than devices", {"--processes", "3"}, "2 devices for 3 processes");
    row("both ways", {"--processes", "2", "--meet", "127.0.0.1:1"}, "not accepted beside it");
    row("no place", {"--rank", "1", "--of", "2"}, "--meet HOST:PORT");
    row("no rank", {"--meet", "127.0.0.1:4000"}, "--meet needs --rank and --of");
    row("rank beyond", {"--rank", "2", "--of", "2", "--meet", "127.0.0.1:4000"},
        "--rank 2 of 2 processes; accepted: 0 to 1");
    row("no port", {"--rank", "1", "--of", "2", "--meet", "127.0.0.1"}, "HOST:PORT");
    row("large port", {"--rank", "1", "--of", "2", "--meet", "127.0.0.1:70000"}, "1 to 65535");
    row("no secret", {"--rank", "1", "--of", "2", "--meet", "127.0.0.1:4000"}, "PARAPET_SECRET");
    row("queue", {"--processes", "2", "--queue"}, "--queue");
  }
  void refuses() {
    QFETCH(QStringList, options);
    QFETCH(QByteArray, says);
    const CliResult refused = cli_->run(sample("2") + options);
    QVERIFY(refused.code == 2 || refused.code == 1 || refused.code == 3);
    QVERIFY2(refused.err.contains(says), refused.err.constData());
  }

  void aSecretThatOthersMayReadIsRefused() {
    const QString secret = cli_->write("secret", QByteArray(64, 'a') + "\n");
    QFile(secret).setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ReadOther);
    const CliResult refused =
        cli_->run(sample("2") + QStringList{"--rank", "0", "--of", "2", "--meet", "127.0.0.1:4001",
                                            "--secret", secret});
    QVERIFY(refused.code != 0);
    QVERIFY2(refused.err.contains("others"), refused.err.constData());
  }
};

QTEST_GUILESS_MAIN(ProcessesCliTest)
#include "processes_test.moc"
