// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QRegularExpression>
#include <QtTest>
#include <csignal>

#include "tests/cli/cli_process.h"

using nlohmann::json;
using parapet::test::Cli;
using parapet::test::CliResult;

namespace {

/// A port of 127.0.0.1 that is taken while it lives.
class TakenPort {
 public:
  TakenPort() : descriptor_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const own = reinterpret_cast<sockaddr*>(&address);
    if (::bind(descriptor_, own, size) == 0 && ::listen(descriptor_, 1) == 0 &&
        ::getsockname(descriptor_, own, &size) == 0)
      port_ = ntohs(address.sin_port);
  }
  ~TakenPort() { ::close(descriptor_); }
  TakenPort(const TakenPort&) = delete;
  TakenPort& operator=(const TakenPort&) = delete;
  [[nodiscard]] QString text() const { return QString::number(port_); }

 private:
  int descriptor_, port_ = 0;
};

QString freePort() {
  return TakenPort().text();
}

/// The processes that a process has started, and those that they have.
QList<qint64> descendantsOf(qint64 pid) {
  QList<qint64> found;
  QFile list(QStringLiteral("/proc/%1/task/%1/children").arg(pid));
  if (list.open(QIODevice::ReadOnly))
    for (const QByteArray& child : list.readAll().split(' '))
      if (const qint64 each = child.trimmed().toLongLong(); each > 0)
        found << each << descendantsOf(each);
  return found;
}

QByteArray readProc(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

bool isGone(qint64 pid) {
  const QByteArray state = readProc(QStringLiteral("/proc/%1/stat").arg(pid));
  return state.isEmpty() || state.contains(") Z ");
}

const QStringList kSeparate{"--set", "/mesh/spaces=\"separate\""};

}  // namespace

/// A document trained on the hosts of a file, and what processes tell about each other.
class LaunchCliTest : public QObject {
  Q_OBJECT

  std::unique_ptr<Cli> cli_;

  QStringList launch(const char* epochs, const QByteArray& hosts, const QStringList& more) const {
    return QStringList{"launch",    "sample", "--epochs", epochs,
                       "--devices", "cpu*2",  "--hosts",  cli_->write("hosts", hosts)} +
           more;
  }
  /// A command that is one of two processes.
  QStringList place(const QString& document, int rank, const QString& port,
                    const QString& secret) const {
    return {
        "train", document, "--devices",         "cpu*2",    "--rank", QString::number(rank), "--of",
        "2",     "--meet", "127.0.0.1:" + port, "--secret", secret};
  }
  QString secret(const char* name, char digit) const {
    const QString path = cli_->write(name, QByteArray(64, digit));
    QFile(path).setPermissions(QFile::ReadOwner | QFile::WriteOwner);
    return path;
  }

 private Q_SLOTS:
  void init() { cli_ = std::make_unique<Cli>(); }

  void trainsTheRunOfOneProcess_data() {
    QTest::addColumn<QByteArray>("hosts");
    QTest::addColumn<QStringList>("more");
    const QStringList with{"--with", "sh -c {command}"};
    QTest::newRow("by a command") << QByteArray("127.0.0.1 slots=2\n") << with;
    QTest::newRow("here") << QByteArray("a address=127.0.0.1\nb address=127.0.0.1\n")
                          << QStringList();
  }
  void trainsTheRunOfOneProcess() {
    QFETCH(const QByteArray, hosts);
    QFETCH(const QStringList, more);
    const CliResult one = cli_->ask(
        QStringList{"train", "sample", "--epochs", "2", "--devices", "cpu*2"} + kSeparate);
    const CliResult two = cli_->ask(launch("2", hosts, more + kSeparate));
    QVERIFY2(two.code == 0, two.err.constData());
    QCOMPARE(two.err, QByteArray());
    QCOMPARE(two.json()["epochs"][1]["loss"], one.json()["epochs"][1]["loss"]);
    const QString run = QString::fromStdString(two.json()["run_id"].get<std::string>());
    const CliResult shown = cli_->run({"show", run});
    QVERIFY2(shown.out.contains("On 2 processes, whose devices have a memory each"),
             shown.out.constData());
    const json resolved = cli_->ask({"show", run}).json()["resolved"];
    QCOMPARE(resolved["processes"], json(2));
    QCOMPARE(resolved["memory"], json("separate"));
  }

  // The document of a run is in the workspace of process 0 alone.
  void aRunGoesOnOnOtherHosts() {
    const CliResult first = cli_->ask({"train", "sample", "--epochs", "1", "--devices", "cpu*2"});
    const QString run = QString::fromStdString(first.json()["run_id"].get<std::string>());
    const QString hosts = cli_->write("hosts", "127.0.0.1 slots=2\n");
    const CliResult forked =
        cli_->ask({"launch", "--fork", run, "--epochs", "2", "--hosts", hosts, "--with",
                   "XDG_DATA_HOME=" + cli_->folder("elsewhere") + " sh -c {command}"});
    QVERIFY2(forked.code == 0, forked.err.constData());
  }

  void linesOfTheOthersNameTheirHost() {
    const CliResult done = cli_->run(
        launch("1", "127.0.0.1 slots=2\n", {"--with", "echo from {host}; sh -c {command}"}));
    QVERIFY2(done.code == 0, done.err.constData());
    QVERIFY2(done.err.contains("[127.0.0.1] from 127.0.0.1\n"), done.err.constData());
    QVERIFY(!done.out.contains("from 127"));
  }

  void aHostThatRefusesIsNamed() {
    const CliResult ended = cli_->run(launch("1", "127.0.0.1\nfar address=127.0.0.1\n",
                                             {"--with", "echo no way; exit 255; {command}"}));
    QCOMPARE(ended.code, 1);
    QVERIFY2(ended.err.contains("[far] no way"), ended.err.constData());
    QVERIFY2(ended.err.contains("rank 1: its process on far ended with exit code 255"),
             ended.err.constData());
  }

  void whoWatchesSeesNoSecret() {
    const auto process = cli_->start(
        launch("100000", "127.0.0.1 slots=2\n", {"--with", "sh -c {command}; exit $?"}));
    QByteArray seen;
    QVERIFY2(Cli::waitForStderr(*process, "epoch 1", seen), seen.constData());
    const QRegularExpression digits(QStringLiteral("[0-9a-f]{64}"));
    auto all = descendantsOf(process->processId());
    QVERIFY(all.size() >= 2);  // the shell, and what it has started
    for (const qint64 each : all << process->processId())
      for (const char* file : {"cmdline", "environ"})
        QVERIFY(!digits
                     .match(QString::fromLatin1(
                         readProc(QStringLiteral("/proc/%1/%2").arg(each).arg(file))))
                     .hasMatch());
    process->kill();
    process->waitForFinished();
    for (const qint64 each : all.mid(0, all.size() - 1))
      QTRY_VERIFY_WITH_TIMEOUT(isGone(each), 10000);
  }

  void anInterruptStopsAtTheNextStep() {
    const auto process =
        cli_->start(launch("100000", "127.0.0.1 slots=2\n", {"--with", "sh -c {command}"}));
    QByteArray seen;
    QVERIFY2(Cli::waitForStderr(*process, "epoch 1", seen), seen.constData());
    const auto others = descendantsOf(process->processId());
    ::kill(static_cast<pid_t>(process->processId()), SIGINT);
    const CliResult stopped = Cli::finish(*process);
    QCOMPARE(stopped.code, 4);
    QVERIFY2(stopped.err.contains("its checkpoint is"), stopped.err.constData());
    for (const qint64 each : others) QVERIFY(isGone(each));
  }

  void refuses_data() {
    QTest::addColumn<QByteArray>("hosts");
    QTest::addColumn<QStringList>("more");
    QTest::addColumn<QByteArray>("says");
    QTest::addColumn<int>("code");
    const auto row = [](const char* name, const char* hosts, const QStringList& more,
                        const char* says, int code = 2) {
      QTest::newRow(name) << QByteArray(hosts) << more << QByteArray(says) << code;
    };
    row("an empty file", "# none\n", {}, "hosts: it names no host; accepted: a host a line");
    row("a host twice", "a\na\n", {}, "hosts:2: the host \"a\" is also on line 1");
    row("no command", "127.0.0.1 slots=2", {"--with", "ssh {host}"}, "has no {command}; accepted");
    row("few devices", "127.0.0.1 slots=3", {},
        "2 devices for 3 processes; accepted: one for each");
    row("one device", "127.0.0.1 slots=3", {"--devices", "cpu:0"}, "1 device for 3 processes");
    row("a rank", "127.0.0.1 slots=2", {"--rank", "1"}, "--rank is not accepted beside --hosts");
    row("processes", "127.0.0.1 slots=2", {"--processes", "2"}, "--processes is not accepted");
    row("a large port", "127.0.0.1 slots=2", {"--port", "70000"},
        "--port is 70000; accepted: 1 to");
    row("no file", "127.0.0.1 slots=2", {"--hosts", "/nowhere/hosts"}, "/nowhere/hosts", 3);
  }
  void refuses() {
    QFETCH(const QByteArray, hosts);
    QFETCH(const QStringList, more);
    QFETCH(const QByteArray, says);
    QFETCH(const int, code);
    QStringList arguments = launch("1", hosts, {});
    for (qsizetype i = 0; i < more.size(); i += 2) {  // an option that is there gets another value
      if (const qsizetype at = arguments.indexOf(more[i]); at >= 0)
        arguments[at + 1] = more[i + 1];
      else
        arguments += more.mid(i, 2);
    }
    const CliResult refused = cli_->run(arguments);
    QVERIFY2(refused.err.contains(says), refused.err.constData());
    QCOMPARE(refused.code, code);
    QCOMPARE(refused.err.count('\n'), 1);
  }

  void aPortInUseIsNamed() {
    const TakenPort taken;
    const CliResult refused =
        cli_->run(launch("1", "127.0.0.1 slots=2\n", {"--port", taken.text()}));
    QCOMPARE(refused.code, 1);
    QVERIFY2(refused.err.contains("127.0.0.1 port " + taken.text().toLatin1()),
             refused.err.constData());
  }

  void whoReadsNoSecretIsTold() {
    const CliResult refused = cli_->run({"follow", "--rank", "1", "--of", "2", "--meet", "a:1"});
    QCOMPARE(refused.code, 2);
    QVERIFY2(refused.err.contains("the standard input ended too soon; accepted: a line with"),
             refused.err.constData());
  }

  // -- Processes that were started one by one ---------------------------------------------------

  void theyTrainAndTheOthersTellTheirState() {
    const QString port = freePort(), file = secret("a", 'a');
    const auto first = cli_->start(place("sample", 0, port, file) + QStringList{"--epochs", "1"});
    const CliResult other =
        cli_->ask(place("sample", 1, port, file) + QStringList{"--epochs", "1"});
    QVERIFY2(other.code == 0, other.err.constData());
    QCOMPARE(other.json(), json({{"rank", 1}, {"of", 2}, {"state", "Finished"}}));
    QCOMPARE(Cli::finish(*first).code, 0);
  }

  void tellsForWhomItWaitsAndWhoWasTurnedAway() {
    const QString port = freePort();
    const auto first = cli_->start(place("sample", 0, port, secret("a", 'a')));
    QByteArray seen;
    QVERIFY2(Cli::waitForStderr(*first, "waiting for 1 of 2 processes: rank 1; ", seen),
             seen.constData());
    const CliResult stranger = cli_->run(place("sample", 1, port, secret("b", 'b')));
    QCOMPARE(stranger.code, 1);
    QVERIFY2(stranger.err.contains("another secret"), stranger.err.constData());
    QVERIFY2(Cli::waitForStderr(*first, "turned away for another secret: 127.0.0.1 (once)", seen),
             seen.constData());
    first->kill();
    first->waitForFinished();
  }

  void whoComesFirstTellsWhereItWaits() {
    const QString port = freePort();
    const auto other = cli_->start(place("sample", 1, port, secret("a", 'a')));
    QByteArray seen;
    QVERIFY2(
        Cli::waitForStderr(*other, "waiting for process 0 at 127.0.0.1:" + port.toLatin1(), seen),
        seen.constData());
    other->kill();
    other->waitForFinished();
  }

  void keysThatDifferAreNamedWithBothValues() {
    const QString port = freePort(), file = secret("a", 'a');
    const auto first = cli_->start(place("sample", 0, port, file) + QStringList{"--seed", "7"});
    const CliResult other =
        cli_->run(place("sample", 1, port, file) + QStringList{"--seed", "8"} + kSeparate);
    const CliResult ended = Cli::finish(*first);
    for (const CliResult& each : {ended, other}) {
      QCOMPARE(each.code, 1);
      const QRegularExpression seeds(
          QStringLiteral(R"(/training/seed: rank 1 \(.*\) has "8", rank 0 \(.*\) has "7")"));
      QVERIFY2(seeds.match(QString::fromUtf8(each.err)).hasMatch(), each.err.constData());
      QVERIFY2(each.err.contains("/mesh/spaces"), each.err.constData());
    }
  }

  // The workspace holds both data sets, so that no process need read its source.
  void otherDataAreNamedWithBothHashes() {
    for (const char* seed : {"1", "2"})
      QCOMPARE(cli_->run({"generate", "movies", "--out", cli_->folder(seed), "--seed", seed}).code,
               0);
    const QString document = cli_->folder("document.json");
    QCOMPARE(cli_->run({"init", cli_->folder("1"), "--no-race", "--out", document}).code, 0);
    QByteArrayList hashes;
    for (const char* seed : {"1", "2"}) {
      const CliResult made = cli_->ask({"import", document, "--data", cli_->folder(seed)});
      hashes << QByteArray::fromStdString(made.json()["dataset"].get<std::string>());
    }
    QVERIFY(hashes[0] != hashes[1]);
    const QString port = freePort(), file = secret("a", 'a');
    const auto first = cli_->start(place(document, 0, port, file));
    const CliResult other =
        cli_->run(place(document, 1, port, file) + QStringList{"--data", cli_->folder("2")});
    const CliResult ended = Cli::finish(*first);
    for (const CliResult& each : {ended, other}) {
      QCOMPARE(each.code, 1);
      QVERIFY2(each.err.contains("the data set of process 0 is " + hashes[0] +
                                 "; the source of process 1 gives " + hashes[1]),
               each.err.constData());
    }
  }
};

QTEST_GUILESS_MAIN(LaunchCliTest)
#include "launch_test.moc"
