// SPDX-License-Identifier: Apache-2.0
// What a device may hold, in the terminal: the number that decides before a run is the one that holds in it.
#include <QtTest>

#include "tests/cli/cli_process.h"

using nlohmann::json;
using parapet::test::Cli;
using parapet::test::CliResult;

namespace {

QStringList sample(const QStringList& more = {}) {
  return QStringList{"train", "sample", "--epochs",
                     "1",     "--set",  "/dataset/generator/events=2000"} +
         more;
}

/// More users than a cache has places. With two slots the rows on their way are more than what the host
/// has of the plan.
QStringList cached() {
  return sample({"--devices", "emu:0", "--set", "/dataset/generator/users=9000", "--set",
                 "/tables/0/embedding_dim=64", "--set", "/tables/1/embedding_dim=64", "--set",
                 "/tables/0/cache_rows=4096", "--set",
                 R"(/optimizer={"kind": "adam", "learning_rate": 0.01, "sparse_update": "lazy"})"});
}

QStringList within(std::int64_t bytes) {
  return {"--set", QString("/mesh/capacity_bytes=%1").arg(bytes)};
}

}  // namespace

class MemoryLimitsTest : public QObject {
  Q_OBJECT

  /// The bytes that a run on one device needs there, as they are stored with the run.
  static std::int64_t neededBy(const Cli& cli, const QStringList& arguments) {
    const CliResult run = cli.ask(arguments);
    if (run.code != 0) qFatal("%s", run.err.constData());
    const json spaces = cli.ask({"show", "latest"}).json()["resolved"]["spaces"];
    return spaces[0]["bytes"].get<std::int64_t>() +
           spaces[0]["evaluation_buffer_bytes"].get<std::int64_t>();
  }

 private Q_SLOTS:
  void aRunFitsToTheByteAndNoByteLess_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("a device") << sample({"--devices", "emu:0"});
    QTest::newRow("a part of a device") << sample({"--devices", "emu:3/1"});
    QTest::newRow("a cache") << cached();
  }
  void aRunFitsToTheByteAndNoByteLess() {
    QFETCH(QStringList, arguments);
    const Cli cli;
    const std::int64_t needed = neededBy(cli, arguments);
    const CliResult fits = cli.ask(arguments + within(needed));
    QVERIFY2(fits.code == 0, fits.err.constData());
    QCOMPARE(fits.json()["state"], json("Finished"));
    const CliResult over = cli.ask(arguments + within(needed - 1));
    QCOMPARE(over.code, 2);
    const json error = over.json()["error"];
    QCOMPARE(error["pointer"], json("/mesh/capacity_bytes"));
    const QString text = QString::fromStdString(error["message"]);
    QVERIFY2(text.contains("1 B (1 bytes) are missing"), qPrintable(text));
    QVERIFY2(text.contains(QString("(%1 bytes)").arg(needed)), qPrintable(text));
    QVERIFY2(over.err.contains("error: "), over.err.constData());
    // The trained model can be asked within the same number.
    const CliResult evaluated = cli.ask({"evaluate", "latest"});
    QVERIFY2(evaluated.code == 0, evaluated.err.constData());
    const CliResult lists = cli.ask({"recommend", "latest", "--user", "1"});
    QVERIFY2(lists.code == 0, lists.err.constData());
  }

  // Side by side in one process, each to the byte.
  void runsOfASweepHaveLimitsOfTheirOwn() {
    const Cli cli;
    const std::int64_t needed = neededBy(cli, sample({"--devices", "emu:0"}));
    const CliResult sweep =
        cli.ask(QStringList{"sweep", "sample", "--devices", "emu:0", "--set",
                            "/dataset/generator/events=2000", "--set", "/training/epochs=1",
                            "--grid", "/optimizer/learning_rate=0.05,0.1,0.2", "--parallel", "3"} +
                within(needed));
    QVERIFY2(sweep.code == 0, sweep.err.constData());
    const json runs = sweep.json()["runs"];
    QCOMPARE(runs.size(), std::size_t{3});
    for (const json& run : runs) QCOMPARE(run["state"], json("Finished"));
  }
};

QTEST_GUILESS_MAIN(MemoryLimitsTest)
#include "memory_limits_test.moc"
