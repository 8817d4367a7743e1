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
