// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "engine/base/workers.h"
#include "tests/cli/cli_process.h"

using nlohmann::json;
using parapet::test::Cli;
using parapet::test::CliResult;

namespace {

constexpr const char* kHosts = R"({
  "hosts": [{"name": "node", "count": 16, "devices": [{"kind": "h100-80gb", "count": 8}]}],
  "mesh": {"shape": [16, 8], "axes": ["host", "device"]}})";

/// A vocabulary whose vectors need 4.1 TB, and
/// a small one.
constexpr const char* kHuge = R"({
  "parapet": 1, "name": "huge",
  "dataset": {"source": "csv", "path": "none.csv",
    "columns": [{"name": "user", "role": "user"}, {"name": "item", "role": "item"}],
    "label": {"column": null},
    "vocabularies": [{"name": "user", "kind": "hash", "size": 2000000000},
                     {"name": "item", "kind": "hash", "size": 500000}],
    "batch": {"size": 65536}},
  "tables": [{"name": "user", "vocabulary": "user", "embedding_dim": 512},
             {"name": "item", "vocabulary": "item", "embedding_dim": 512}],
  "features": [{"name": "user", "column": "user", "table": "user", "tower": "query"},
               {"name": "item", "column": "item", "table": "item", "tower": "candidate"}],
  "model": {"kind": "retrieval"}})";

}  // namespace

class PlanTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void plansTheSampleForThisMachine() {
    const CliResult result = cli_.ask({"plan", "sample", "--devices", "cpu*8"});
    QVERIFY2(result.code == 0, result.err.constData());
    const json plan = result.json();
    QCOMPARE(plan["devices"].size(), std::size_t{8});
    std::int64_t tables = 0, devices = 0;
    for (const json& table : plan["tables"]) {
      QCOMPARE(table["placement"].get<std::string>(), std::string("replicated"));
      QVERIFY(table["reason"].get<std::string>().find("share one memory") != std::string::npos);
      tables += table["bytes"].get<std::int64_t>();
    }
    for (const json& device : plan["devices"]) {
      QVERIFY(device["bytes"].get<std::int64_t>() > 0);
      QCOMPARE(device["traffic_bytes_per_step"].get<std::int64_t>(), std::int64_t{0});
      devices +=
          device["table_bytes"].get<std::int64_t>() + device["slot_bytes"].get<std::int64_t>();
    }
    // Bytes of the one memory are shared out among its devices.
    QCOMPARE(devices, tables);
    QCOMPARE(plan["spaces"].size(), std::size_t{1});
    QCOMPARE(plan["spaces"][0]["devices"].size(), std::size_t{8});
    QVERIFY(plan["spaces"][0]["bytes"].get<std::int64_t>() >= devices);
    QVERIFY(plan["step_seconds"].get<double>() > 0.0);
  }

  void plansTerabytesForDevicesThatAreNotHere() {
    const CliResult result =
        cli_.ask({"plan", cli_.write("huge.json", kHuge), "--profile",
                  cli_.write("hosts.json", kHosts), "--set", "/optimizer/kind=sgd"});
    QVERIFY2(result.code == 0, result.err.constData());
    const json plan = result.json();
    QCOMPARE(plan["devices"].size(), std::size_t{128});
    QCOMPARE(plan["devices"][127]["name"].get<std::string>(), std::string("node15/cuda:7"));
    QCOMPARE(plan["mesh"]["shape"], json({16, 8}));
    QCOMPARE(plan["spaces"].size(), std::size_t{128});
    const json& user = plan["tables"][0];
    QVERIFY(user["bytes"].get<double>() > 4.0e12);
    QCOMPARE(user["devices"].size(), std::size_t{128});
    QVERIFY(user["reason"].get<std::string>().find("do not fit") != std::string::npos);
    for (const json& device : plan["devices"])
      QVERIFY(device["bytes"].get<double>() <= device["capacity_bytes"].get<double>());
    const CliResult text = cli_.run({"plan", cli_.folder("huge.json"), "--profile",
                                     cli_.folder("hosts.json"), "--set", "/optimizer/kind=sgd"});
    QCOMPARE(text.code, 0);
    QVERIFY(text.out.contains("128 devices"));
    // One of them has not enough room.
    const CliResult few = cli_.ask({"plan", cli_.folder("huge.json"), "--profile",
                                    cli_.folder("hosts.json"), "--devices", "node3/cuda:1"});
    QCOMPARE(few.code, 2);
    QCOMPARE(few.json()["error"]["pointer"].get<std::string>(), std::string("/mesh/devices"));
  }

  void everyDeviceOfAKindIsNamed() {
    for (const char* every : {"cpu*", "all"}) {
      const CliResult result = cli_.ask({"plan", "sample", "--devices", every});
      QVERIFY2(result.code == 0, result.err.constData());
      const json devices = result.json()["devices"];
      QCOMPARE(devices.size(), static_cast<std::size_t>(parapet::Workers::available()));
      for (std::size_t i = 0; i < devices.size(); ++i)
        QCOMPARE(devices[i]["name"], json("cpu:" + std::to_string(i)));
    }
    QCOMPARE(cli_.ask({"plan", "sample", "--devices", "cuda*"}).code, 2);
    QCOMPARE(cli_.ask({"plan", "sample", "--devices", "cuda:0,cpu:0"}).code, 2);
  }

  void tellsAShortfallInBytes() {
    const CliResult result = cli_.ask({"plan", "sample", "--set", "/mesh/capacity_bytes=1000"});
    QCOMPARE(result.code, 2);
    const json answer = result.json();
    QCOMPARE(answer["error"]["pointer"].get<std::string>(), std::string("/mesh/capacity_bytes"));
    QVERIFY(answer["error"]["message"].get<std::string>().find("bytes) are missing") !=
            std::string::npos);
    QVERIFY(!answer["devices"].empty());  // the plan that needs least is still there
  }

  void aListOfCapacitiesIsOnePerDevice() {
    const CliResult result = cli_.ask({"plan", "sample", "--devices", "cpu*2", "--set",
                                       "/mesh/capacity_bytes=[3000000000,2000000000]"});
    QVERIFY2(result.code == 0, result.err.constData());
    QCOMPARE(result.json()["devices"][0]["capacity_bytes"], json(3'000'000'000));
    QCOMPARE(result.json()["devices"][1]["capacity_bytes"], json(2'000'000'000));
    const CliResult small = cli_.ask({"plan", "sample", "--devices", "cpu*2", "--set",
                                      "/mesh/capacity_bytes=[3000000000,1000]"});
    QCOMPARE(small.code, 2);
    QCOMPARE(small.json()["error"]["pointer"], json("/mesh/capacity_bytes/1"));
    QVERIFY(small.json()["error"]["message"].get<std::string>().find("cpu:1") != std::string::npos);
    const CliResult other = cli_.ask({"plan", "sample", "--devices", "cpu*3", "--set",
                                      "/mesh/capacity_bytes=[3000000000,1000]"});
    QCOMPARE(other.code, 2);
    QCOMPARE(other.json()["error"]["pointer"], json("/mesh/capacity_bytes"));
  }

  void importsWhatTheDocumentNamesOnce() {
    const QString file = smallDocument(), workspace = cli_.folder("once");
    const CliResult first = cli_.ask({"plan", file, "--workspace", workspace});
    QVERIFY2(first.code == 0, first.err.constData());
    QVERIFY(first.json()["ids_measured"].get<bool>());
    QCOMPARE(QDir(workspace + "/datasets").entryList(QDir::Dirs | QDir::NoDotAndDotDot).size(), 1);
    const CliResult import = cli_.run({"import", file, "--workspace", workspace});
    QCOMPARE(import.code, 0);
    QVERIFY2(import.out.contains("imported before"), import.out.constData());  // reused
    QVERIFY(cli_.ask({"runs", "--workspace", workspace}).json().empty());
  }

  void needsNoDataWhereTheRecipeMakesThem() {
    const CliResult result = cli_.ask({"plan", "dlrm", "--workspace", cli_.folder("empty"), "--set",
                                       "/dataset/generator/events=2000"});
    QVERIFY2(result.code == 0, result.err.constData());
  }

  void dataThatCannotBeReadFailUnlessTheSizesAreGiven() {
    QByteArray document = kHuge;
    document.replace(R"("kind": "hash", "size": 2000000000)", R"("kind": "compressed")");
    QVERIFY(cli_.ask({"plan", cli_.write("missing.json", document)}).code != 0);
  }

  void withoutImportATableWithoutSizeIsAProblem() {
    const QString file = smallDocument();
    const QString workspace = cli_.folder("no-import");
    const CliResult before = cli_.ask({"plan", file, "--no-import", "--workspace", workspace});
    QCOMPARE(before.code, 2);
    QCOMPARE(before.json()["error"]["pointer"].get<std::string>(),
             std::string("/dataset/vocabularies/0/size"));
    QVERIFY(QDir(workspace + "/datasets").isEmpty());
    QCOMPARE(cli_.ask({"import", file, "--workspace", workspace}).code, 0);
    const CliResult after = cli_.ask({"plan", file, "--no-import", "--workspace", workspace});
    QVERIFY2(after.code == 0, after.err.constData());
    QVERIFY(after.json()["ids_measured"].get<bool>());
  }

  void tellsWhatAStepDoes() {
    const CliResult quiet = cli_.ask({"plan", smallDocument()});
    QCOMPARE(quiet.code, 0);
    const auto lines = quiet.json()["program"].get<std::vector<std::string>>();
    QVERIFY(lines.size() > 4);
    QCOMPARE(lines.front(), std::string("prepare ids"));
    QCOMPARE(lines.back(), std::string("read back"));
    const CliResult told = cli_.run({"plan", smallDocument(), "--program"});
    QVERIFY(told.out.contains("\nread back\n"));
    QVERIFY(!cli_.run({"plan", smallDocument()}).out.contains("read back"));
  }

  void faultsOfTheProfileNameItsPlace() {
    const QString wrong = cli_.write("wrong.json", R"({"hosts": [{"devices": [{"kind": "h1"}]}]})");
    const CliResult result = cli_.ask({"plan", "sample", "--profile", wrong});
    QCOMPARE(result.code, 2);
    QCOMPARE(result.json()["error"]["pointer"].get<std::string>(),
             std::string("/hosts/0/devices/0/kind"));
    QCOMPARE(cli_.ask({"plan", "sample", "--profile", "nowhere.json"}).code, 3);
    QCOMPARE(cli_.ask({"plan", "no-such-recipe"}).code, 3);
    QCOMPARE(cli_.ask({"plan", "sample", "--devices", "cuda:7"}).code, 2);
  }

 private:
  /// A document whose users only its data count.
  QString smallDocument() const {
    const QString csv = cli_.write("rows.csv", "user,item\n1,2\n3,4\n5,6\n7,8\n");
    QByteArray document = kHuge;
    document.replace("none.csv", csv.toUtf8());
    document.replace(R"("kind": "hash", "size": 2000000000)", R"("kind": "compressed")");
    return cli_.write("small.json", document);
  }
  Cli cli_;
};

QTEST_GUILESS_MAIN(PlanTest)
#include "plan_test.moc"
