// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "tests/cli/cli_process.h"

using nlohmann::json;
using parapet::test::Cli;
using parapet::test::CliResult;

/// A plugin from outside: plugins/example, built with what an installation holds and nothing else.
class ExampleTest : public QObject {
  Q_OBJECT

  Cli cli_;

  static void call(const QStringList& arguments) {
    QProcess cmake;
    cmake.setProcessChannelMode(QProcess::MergedChannels);
    cmake.start(PARAPET_CMAKE, arguments);
    QVERIFY(cmake.waitForFinished(300'000));
    QVERIFY2(cmake.exitCode() == 0, cmake.readAll().constData());
  }
  [[nodiscard]] CliResult train(const QStringList& more) const {
    return cli_.ask(QStringList{"train", "sample", "--epochs", "1", "--devices", "cpu*2", "--set",
                                "/mesh/spaces=\"separate\"", "--set",
                                "/tables/0/placement=\"row\""} +
                    more);
  }

 private Q_SLOTS:
  void initTestCase() {
    call({"--install", PARAPET_BUILT, "--prefix", cli_.folder("prefix"), "--component",
          "development"});
    QVERIFY(QDir().mkpath(cli_.folder("example")));
    const QDir sources(PARAPET_EXAMPLE);
    for (const QString& name : sources.entryList(QDir::Files))
      QVERIFY(QFile::copy(sources.filePath(name), cli_.folder("example/" + name)));
    call({"-S", cli_.folder("example"), "-B", cli_.folder("plugins"),
          "-DCMAKE_PREFIX_PATH=" + cli_.folder("prefix"), "-DCMAKE_CXX_COMPILER=" PARAPET_CXX});
    call({"--build", cli_.folder("plugins")});
    qputenv("PARAPET_CPU_BACKEND", "portable");
  }
  void cleanup() { qunsetenv("PARAPET_PLUGIN_PATH"); }

  void isLoaded() {
    qputenv("PARAPET_PLUGIN_PATH", cli_.folder("plugins").toUtf8());
    const json devices = cli_.ask({"devices"}).json();
    const auto found =
        std::ranges::find_if(devices, [](const json& each) { return each["name"] == "folder"; });
    QVERIFY2(found != devices.end(), devices.dump(1).c_str());
    QCOMPARE((*found)["outcome"].get<std::string>(), std::string("loaded"));
  }

  // No other plugin is there to connect the processes.
  void connectsTheProcessesOfARun() {
    const CliResult one = train({});
    qputenv("PARAPET_PLUGIN_PATH", cli_.folder("plugins").toUtf8());
    const CliResult two = train({"--processes", "2"});
    QVERIFY2(two.code == 0, two.err.constData());
    QCOMPARE(two.json()["epochs"][0]["metrics"], one.json()["epochs"][0]["metrics"]);
    QCOMPARE(two.json()["epochs"][0]["loss"], one.json()["epochs"][0]["loss"]);
  }
};

QTEST_GUILESS_MAIN(ExampleTest)
#include "example_test.moc"
