// SPDX-License-Identifier: Apache-2.0
// The same faults in the terminal: exit code 1, one line that names the rank, one JSON value.
#include <QtTest>

#include "tests/cli/cli_process.h"

using parapet::test::Cli;
using parapet::test::CliResult;

class TerminalTest : public QObject {
  Q_OBJECT

  static QStringList train(const char* devices, const QStringList& more = {}) {
    return QStringList{"train", "sample", "--devices", devices, "--epochs", "2"} + more;
  }

 private Q_SLOTS:
  void cleanup() {
    for (const char* name :
         {"PARAPET_EMULATED_FAULT", "PARAPET_SAMPLE_COMMUNICATOR_FAULT", "PARAPET_COMMUNICATOR"})
      qunsetenv(name);
  }

  void aRankThatHangsIsNamed() {
    const Cli cli;
    qputenv("PARAPET_EMULATED_FAULT", "hangs:1:400");
    const CliResult result = cli.ask(train("emu:0,emu:1"));
    QCOMPARE(result.code, 1);
    QVERIFY2(result.err.contains("error: rank 1 (emu:1): "), result.err.constData());
    QVERIFY2(result.err.contains("within 1500 ms"), result.err.constData());
    const nlohmann::json answer = result.json();
    QCOMPARE(answer["error"]["code"], nlohmann::json("device"));
    QCOMPARE(answer["state"], nlohmann::json("Failed"));
    QVERIFY(answer["run_id"].is_string());
  }

  void aSilentPeerIsNamed() {
    const Cli cli;
    qputenv("PARAPET_COMMUNICATOR", "sample");
    qputenv("PARAPET_SAMPLE_COMMUNICATOR_FAULT", "silent:1:40");
    const CliResult result = cli.ask(train("cpu*2", {"--set", "/mesh/spaces=separate"}));
    QCOMPARE(result.code, 1);
    QVERIFY2(result.err.contains("rank 1 (cpu:1): it was silent for 1500 ms"),
             result.err.constData());
    QCOMPARE(result.json()["error"]["code"], nlohmann::json("peer"));
  }

  // A run can be asked where its devices are not: on another machine, or without their plugin.
  void aRunIsAskedWithoutItsDevices_data() {
    QTest::addColumn<QByteArray>("devices");
    QTest::newRow("one") << QByteArray("emu:0");
    QTest::newRow("several") << QByteArray("emu*2");
    QTest::newRow("parts") << QByteArray("emu:0/0,emu:0/1");
  }
  void aRunIsAskedWithoutItsDevices() {
    QFETCH(QByteArray, devices);
    const Cli cli;
    QCOMPARE(cli.ask(train(devices.constData())).code, 0);
    const QList<QStringList> questions{{"evaluate", "latest"},
                                       {"recommend", "latest", "--user", "1"}};
    QList<CliResult> here;
    for (const QStringList& question : questions) here.append(cli.ask(question));
    const QByteArray plugins = qgetenv("PARAPET_PLUGIN_PATH");
    qputenv("PARAPET_PLUGIN_PATH", cli.folder("").toUtf8());
    QList<CliResult> there;
    for (const QStringList& question : questions) there.append(cli.ask(question));
    const CliResult resumed = cli.ask({"train", "--resume", "latest"});
    qputenv("PARAPET_PLUGIN_PATH", plugins);
    for (qsizetype i = 0; i < questions.size(); ++i) {
      QVERIFY2(there[i].code == 0, there[i].err.constData());
      QVERIFY2(there[i].out.contains("emu:0 is not here"), there[i].out.constData());
    }
    const auto metrics = here[0].json()["metrics"], others = there[0].json()["metrics"];
    for (const auto& [name, value] : metrics.items())
      QVERIFY2(qAbs(value.get<double>() - others[name].get<double>()) < 1e-5, name.c_str());
    QCOMPARE(there[1].json()["items"], here[1].json()["items"]);
    QVERIFY(resumed.code != 0);
  }

  void aCommunicatorThatIsNotHereIsRefused() {
    const Cli cli;
    qputenv("PARAPET_COMMUNICATOR", "sampel");
    const CliResult result = cli.ask(train("cpu*2"));
    QCOMPARE(result.code, 2);
    QVERIFY2(result.err.contains("did you mean \"sample\""), result.err.constData());
    QVERIFY2(result.err.contains("local"), result.err.constData());
  }
};

QTEST_GUILESS_MAIN(TerminalTest)
#include "terminal_test.moc"
