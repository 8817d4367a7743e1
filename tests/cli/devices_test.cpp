// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include <QtTest>

#include "tests/cli/cli_process.h"

using nlohmann::json;
using parapet::test::Cli;
using parapet::test::CliResult;

/// Devices that are there, outcomes of plugins, and whether devices compute what they should.
class DevicesTest : public QObject {
  Q_OBJECT

  std::unique_ptr<Cli> cli_;

  static QString sample(const char* name) {
    return QString("%1/%2").arg(PARAPET_SAMPLE_PLUGINS, name);
  }
  /// The entry of a device by name; null if there is none.
  static json entry(const json& devices, const std::string& name) {
    for (const json& device : devices)
      if (device["name"] == name) return device;
    return nullptr;
  }

 private Q_SLOTS:
  void init() {
    cli_ = std::make_unique<Cli>();
    qputenv("XDG_STATE_HOME", cli_->folder("state").toUtf8());
    qputenv("PARAPET_PLUGIN_PATH", sample("good").toUtf8());
  }
  void cleanup() {
    for (const char* name :
         {"XDG_STATE_HOME", "PARAPET_PLUGIN_PATH", "PARAPET_CPU_BACKEND", "SAMPLE_CRASH"})
      qunsetenv(name);
  }

  void validateSaysWhatLiesInTheHostsMemory() {
    qputenv("PARAPET_PLUGIN_PATH", sample("emulated").toUtf8());
    const CliResult result =
        cli_->run({"validate", "sample", "--devices", "emu:0", "--set",
                   R"(/dataset/vocabularies/0/size=9001)", "--set", "/tables/0/cache_rows=5000"});
    QVERIFY2(result.code == 0, result.err.constData());
    QVERIFY2(
        QRegularExpression(
            R"(Memory in all: [\d.]+ MiB, on 1 device; of it [\d.]+ MiB in the host's memory\.)")
            .match(QString::fromUtf8(result.out))
            .hasMatch(),
        result.out.constData());
  }

  void listsEveryFieldOfEveryDevice() {
    const CliResult result = cli_->ask({"devices"});
    QCOMPARE(result.code, 0);
    QCOMPARE(result.err, QByteArray());
    const json devices = result.json();
    for (const json& device : devices)
      for (const char* key :
           {"name", "kind", "plugin", "instruction_set", "outcome", "reason", "memory_bytes"})
        QVERIFY2(device.contains(key), key);
    QCOMPARE(entry(devices, "cpu:0")["outcome"], json("loaded"));
    QCOMPARE(entry(devices, "sample:1")["memory_bytes"], json(8192));
    QCOMPARE(entry(devices, "sample:1")["instruction_set"], json("sample-set"));
    QCOMPARE(entry(devices, "cuda")["outcome"], json("not installed"));
    QCOMPARE(entry(devices, "parquet")["kind"], json("source"));
    QCOMPARE(entry(devices, "parquet")["outcome"], json("not installed"));
    QVERIFY(entry(devices, "parquet").dump().find("installer/run") != std::string::npos);
  }

  void whatAPluginPrintsIsNoPartOfAnAnswer() {
    qputenv("PARAPET_PLUGIN_PATH", sample("prints").toUtf8());
    const CliResult result = cli_->ask({"devices"});
    QCOMPARE(result.code, 0);
    QCOMPARE(entry(result.json(), "sample:0")["outcome"], json("loaded"));
    for (const char* line : {"sample: loaded", "sample: ready"}) {
      QVERIFY(!result.out.contains(line));
      QVERIFY2(result.err.contains(line), result.err.constData());
    }
  }

  void badPluginsAreListedAndHurtNobody_data() {
    QTest::addColumn<QString>("outcome");
    QTest::newRow("wrong-abi") << "wrong ABI";
    QTest::newRow("wrong-tag") << "wrong build tag";
    QTest::newRow("missing-symbol") << "missing symbol";
    QTest::newRow("unsupported") << "not supported here";
    QTest::newRow("broken") << "init failed";
  }
  void badPluginsAreListedAndHurtNobody() {
    QFETCH(QString, outcome);
    const char* name = QTest::currentDataTag();
    qputenv("PARAPET_PLUGIN_PATH", sample(name).toUtf8());
    const CliResult result = cli_->ask({"devices"});
    QCOMPARE(result.code, 0);
    const json found = entry(result.json(), std::string("sample_") + name);
    QCOMPARE(found["outcome"], json(outcome.toStdString()));
    QVERIFY(!found["reason"].get<std::string>().empty());
    QCOMPARE(entry(result.json(), "cpu:0")["outcome"], json("loaded"));
    const bool fault = outcome != "not supported here";
    QCOMPARE(result.err.contains("warning: "), fault);
    QCOMPARE(cli_->ask({"doctor"}).code, fault ? 1 : 0);
    QCOMPARE(cli_->ask({"train", "sample", "--epochs", "1"}).code, 0);
  }

  void aTextFileIsNoPlugin() {
    QVERIFY(QDir().mkpath(cli_->folder("plugins/sources")));
    cli_->write("plugins/parapet_text.so", "This is no library.\n");
    cli_->write("plugins/sources/parapet_parquet.so", "Nor is this.\n");
    qputenv("PARAPET_PLUGIN_PATH", cli_->folder("plugins").toUtf8());
    const json devices = cli_->ask({"devices"}).json();
    QCOMPARE(entry(devices, "text")["outcome"], json("not a shared object"));
    QCOMPARE(entry(devices, "parquet")["outcome"], json("not a shared object"));
  }

  void whatFailsItsTrialIsDisabledAndHurtsNobody_data() {
    QTest::addColumn<QString>("says");
    QTest::newRow("exits") << "exit code 0";
    QTest::newRow("aborts") << "signal 6";
    QTest::newRow("faults") << "";  // a sanitizer turns the signal into an exit code
  }
  void whatFailsItsTrialIsDisabledAndHurtsNobody() {
    QFETCH(QString, says);
    const char* name = QTest::currentDataTag();
    qputenv("PARAPET_PLUGIN_PATH", sample(name).toUtf8());
    for (int start = 0; start < 2; ++start) {
      const CliResult result = cli_->ask({"devices"});
      QCOMPARE(result.code, 0);
      const json found = entry(result.json(), std::string("sample_") + name);
      QCOMPARE(found["outcome"], json("disabled"));
      const QString reason = QString::fromStdString(found["reason"]);
      QVERIFY2(reason.contains(says) && reason.contains("--retry"), qPrintable(reason));
      QCOMPARE(entry(result.json(), "cpu:0")["outcome"], json("loaded"));
    }
    QCOMPARE(cli_->ask({"train", "sample", "--epochs", "1"}).code, 0);
  }

  void aPluginThatHangsCanBeStopped_data() {
    QTest::addColumn<int>("signal");
    QTest::newRow("SIGTERM") << SIGTERM;
    QTest::newRow("SIGINT") << SIGINT;
  }
  void aPluginThatHangsCanBeStopped() {
    QFETCH(int, signal);
    qputenv("PARAPET_PLUGIN_PATH", sample("hangs").toUtf8());
    qputenv("SAMPLE_BEGAN", cli_->folder("began").toUtf8());
    const auto process = cli_->start({"devices", "--json"});
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(cli_->folder("began")), 60'000);
    QFile began(cli_->folder("began"));
    QVERIFY(began.open(QIODevice::ReadOnly));
    const int tried = began.readAll().toInt();
    QVERIFY2(tried > 0 && tried != process->processId(), "it hangs in a process of its own");
    ::kill(static_cast<pid_t>(process->processId()), signal);
    const CliResult result = Cli::finish(*process);
    qunsetenv("SAMPLE_BEGAN");
    QVERIFY2(result.code == 4, result.err.constData());
    QCOMPARE(result.json()["error"]["code"], json("cancelled"));
    QVERIFY2(::kill(tried, 0) != 0, "and ends with the program");
  }

  void aKillAtTheStartDisablesNothing() {
    QVERIFY2(cli_->ask({"devices"}).code == 0, "its trial goes well");
    qputenv("SAMPLE_CRASH", "1");
    for (int death = 0; death < 3; ++death) QCOMPARE(cli_->ask({"devices"}).code, -1);
    qunsetenv("SAMPLE_CRASH");
    QCOMPARE(entry(cli_->ask({"devices"}).json(), "sample:0")["outcome"], json("loaded"));
    QCOMPARE(cli_->ask({"doctor"}).code, 0);
  }

  void whatFailedItsTrialCanBeTriedAgain() {
    qputenv("SAMPLE_CRASH", "1");
    const CliResult first = cli_->ask({"devices"});
    QCOMPARE(first.code, 0);
    QCOMPARE(entry(first.json(), "sample_good")["outcome"], json("disabled"));
    qunsetenv("SAMPLE_CRASH");
    const json disabled = entry(cli_->ask({"devices"}).json(), "sample_good");
    QCOMPARE(disabled["outcome"], json("disabled"));
    QVERIFY(disabled["reason"].get<std::string>().find("--retry") != std::string::npos);
    QCOMPARE(cli_->ask({"doctor"}).code, 1);
    const CliResult again = cli_->ask({"devices", "--retry"});
    QCOMPARE(entry(again.json(), "sample:0")["outcome"], json("loaded"));
    QCOMPARE(entry(cli_->ask({"devices"}).json(), "sample:0")["outcome"], json("loaded"));
  }

  void aStateFolderThatCannotBeWrittenHurtsNobody() {
    qputenv("XDG_STATE_HOME", "/proc/nowhere");
    const CliResult result = cli_->ask({"devices"});
    QCOMPARE(result.code, 0);
    QCOMPARE(entry(result.json(), "sample:0")["outcome"], json("loaded"));
  }

  void aPinnedBackendIsUsedOrRefused() {
    qputenv("PARAPET_CPU_BACKEND", "portable");
    QCOMPARE(entry(cli_->ask({"devices"}).json(), "cpu:0")["instruction_set"], json("portable"));
    qputenv("PARAPET_CPU_BACKEND", "abacus");
    const CliResult result = cli_->ask({"devices"});
    QCOMPARE(result.code, 0);
    const json refused = entry(result.json(), "cpu:0");
    QCOMPARE(refused["outcome"], json("wrong setting"));
    QVERIFY(refused["reason"].get<std::string>().find("accepted here: portable") !=
            std::string::npos);
    QCOMPARE(cli_->ask({"doctor"}).code, 1);
    QCOMPARE(cli_->ask({"train", "sample", "--epochs", "1"}).code, 2);
  }

  void selftestPassesOnTheCpu() {
    const CliResult result = cli_->ask({"selftest", "--device", "cpu"});
    QVERIFY2(result.code == 0, result.err.constData());
    const json answer = result.json();
    QCOMPARE(answer["passed"], json(true));
    QVERIFY(!answer["devices"].empty());
    for (const json& device : answer["devices"]) {
      QCOMPARE(device["failed"], json(0));
      QVERIFY(device["cases"].get<int>() > 1000 && device["failures"].empty());
      for (const char* key :
           {"max_error", "max_error_units", "gather_bytes_per_second", "copy_bytes_per_second",
            "fill_bytes_per_second", "matmul_flops_per_second", "seconds"})
        QVERIFY2(device[key].is_number() && device[key] > 0.0, key);
      QVERIFY(device["ops"].size() > 10);
    }
  }

  void quickLeavesTheSpeedOut() {
    const json answer = cli_->ask({"selftest", "--quick", "--device", "portable"}).json();
    QCOMPARE(answer["devices"].size(), std::size_t{1});
    QCOMPARE(answer["devices"][0]["instruction_set"], json("portable"));
    QVERIFY(answer["devices"][0]["matmul_flops_per_second"].is_null());
    QVERIFY(answer["devices"][0]["large_shapes"].is_null());
  }

  // With --quick in small sizes: whether they work.
  void largeShapesAreNamedAsTheyAreOfOthers() {
    const json answer =
        cli_->ask({"selftest", "--quick", "--large", "--device", "portable"}).json();
    const json large = answer["devices"][0]["large_shapes"];
    for (const char* key :
         {"matmul_flops_per_second", "bf16_matmul_flops_per_second", "gather_bytes_per_second",
          "in_batch_softmax_seconds", "top_10_seconds"})
      QVERIFY2(large[key].is_number() && large[key] > 0.0, key);
  }

  void aDeviceThatComputesWronglyFails() {
    // The sample's operations all refuse to work.
    const CliResult result = cli_->ask({"selftest", "--quick", "--device", "sample"});
    QCOMPARE(result.code, 1);
    const json answer = result.json();
    QCOMPARE(answer["passed"], json(false));
    QCOMPARE(answer["error"]["code"], json("device"));
    const json& device = answer["devices"][0];
    QCOMPARE(device["failed"].get<std::size_t>(), device["failures"].size());
    for (const char* key : {"case", "op", "error", "tolerance", "detail"})
      QVERIFY2(device["failures"][0].contains(key), key);
  }

  void unknownDevicesAndThreadsAreWrongArguments() {
    for (const QStringList& call : {QStringList{"selftest", "--device", "cuda:0"},
                                    {"selftest", "--device", "cpu:x"},
                                    {"selftest", "--threads", "0"}}) {
      const CliResult result = cli_->ask(call);
      QCOMPARE(result.code, 2);
      QVERIFY(result.err.startsWith("error: "));
    }
  }

  void ctrlCStopsTheSelftest() {
    const auto process = cli_->start({"selftest", "--json"});
    QByteArray seen;
    QVERIFY(Cli::waitForStderr(*process, "testing", seen));
    ::kill(static_cast<pid_t>(process->processId()), SIGINT);
    const CliResult result = Cli::finish(*process);
    QCOMPARE(result.code, 4);
    const json answer = result.json();
    QCOMPARE(answer["error"]["code"], json("cancelled"));
    QVERIFY(answer.contains("devices"));
  }
};

QTEST_GUILESS_MAIN(DevicesTest)
#include "devices_test.moc"
