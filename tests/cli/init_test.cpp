// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QFile>
#include <QtTest>

#include "tests/cli/cli_process.h"

using nlohmann::json;
using parapet::test::Cli;
using parapet::test::CliResult;

namespace {

QByteArray events(const QByteArray& separator = ",") {
  QByteArray text = QByteArray("user_id,item_id,timestamp\n").replace(",", separator);
  for (int row = 0; row < 120; ++row)
    text += QByteArray::number(row % 12) + separator +
            QByteArray::number((row * 7 + row / 12) % 20) + separator +
            QByteArray::number(1'600'000'000 + row * 3600) + "\n";
  return text;
}

}  // namespace

/// `init`: a document for a file that nobody has described.
class InitTest : public QObject {
  Q_OBJECT

  Cli cli_;

 private Q_SLOTS:
  void theProposalTrainsUntouched() {
    const QString data = cli_.write("events.csv", events());
    const QString out = cli_.folder("mine.json");
    const CliResult written = cli_.run({"init", data, "--out", out});
    QVERIFY2(written.code == 0, written.err.constData());
    QVERIFY(written.out.contains("/loss/temperature: "));
    QVERIFY(written.out.contains("parapet-cli train"));
    const CliResult valid = cli_.ask({"validate", out});
    QVERIFY2(valid.code == 0, valid.out.constData());
    const CliResult trained = cli_.ask({"train", out, "--epochs", "1"});
    QVERIFY2(trained.code == 0, trained.err.constData());
    QCOMPARE(trained.json()["state"].get<std::string>(), std::string("Finished"));
    const CliResult again = cli_.ask({"init", data, "--out", out});
    QCOMPARE(again.code, 1);
    QVERIFY(again.err.contains("--force"));
    QCOMPARE(cli_.ask({"init", data, "--out", out, "--force"}).code, 0);
  }

  // Twenty items: early stopping by a list of 50 would never stop, and no epoch would be the best.
  void aMetricBeyondTheCatalogueIsRefused() {
    const QString data = cli_.write("twenty.csv", events());
    json document = cli_.ask({"init", data}).json();
    QCOMPARE(document["evaluation"]["k"], json::array({10}));
    document.erase("reasons");
    document["evaluation"]["k"] = {10, 50};
    document["training"]["early_stopping"]["metric"] = "val_recall@50";
    const QString file = cli_.write("beyond.json", QByteArray::fromStdString(document.dump()));
    const CliResult trained = cli_.ask({"train", file, "--epochs", "3"});
    QCOMPARE(trained.code, 2);
    QVERIFY2(trained.err.contains("\"val_recall@50\" is never measured: a list has"),
             trained.err.constData());
    QVERIFY(cli_.ask({"runs"}).json().empty() || !trained.err.contains("Finished"));
    // With the data at hand a check says so, too, and offers what there is.
    const CliResult checked = cli_.ask({"validate", file});
    QCOMPARE(checked.code, 2);
    const json problem = checked.json()["problems"][0];
    QCOMPARE(problem["pointer"].get<std::string>(), std::string("/training/early_stopping/metric"));
    QVERIFY(problem["accepted"].get<std::string>().find("val_recall@10") != std::string::npos);
    QVERIFY(problem["accepted"].get<std::string>().find("@50") == std::string::npos);
    const json typo =
        cli_.ask({"validate", file, "--set", "/training/early_stopping/metric=val_recal@10"})
            .json()["problems"][0];
    QVERIFY(typo["accepted"].get<std::string>().find("@50") == std::string::npos);
    // A length that nothing goes by is a warning.
    const CliResult longer =
        cli_.ask({"validate", file, "--set", "/training/early_stopping/metric=val_recall@10"});
    QCOMPARE(longer.code, 0);
    QVERIFY2(longer.err.contains("is not measured at 50"), longer.err.constData());
  }

  void dataGivenAsADocumentAreSentToInit_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("lines") << "rows.jsonl"
                           << QByteArray(
                                  "{\"user\": 1, \"item\": 2}\n{\"user\": 2, \"item\": 3}\n");
    QTest::newRow("a list") << "rows.json" << QByteArray("[\n  {\"user\": 1, \"item\": 2}\n]\n");
    QTest::newRow("text") << "rows.csv" << QByteArray("user,item\n1,2\n");
  }
  void dataGivenAsADocumentAreSentToInit() {
    QFETCH(QString, name);
    QFETCH(QByteArray, text);
    const QString file = cli_.write(name, text);
    for (const char* command : {"train", "validate", "plan"}) {
      const CliResult result = cli_.ask({command, file});
      QCOMPARE(result.code, 2);
      QVERIFY2(result.err.contains("parapet-cli init " + file.toUtf8()), result.err.constData());
    }
    // A document over several lines is one, even if it is none yet.
    const CliResult broken =
        cli_.ask({"train", cli_.write("broken.json", "{\n  \"name\": \"x\",\n}\n")});
    QCOMPARE(broken.code, 2);
    QVERIFY2(!broken.err.contains("parapet-cli init"), broken.err.constData());
  }

  void jsonIsTheDocumentWithItsReasons() {
    const QString data = cli_.write("tabs.tsv", events("\t"));
    const CliResult result = cli_.ask({"init", data});
    QVERIFY2(result.code == 0, result.err.constData());
    json document = result.json();
    QVERIFY(document.is_object());
    QVERIFY(!document["reasons"].empty());
    for (const json& each : document["reasons"]) {
      const json::json_pointer pointer(each["pointer"].get<std::string>());
      QVERIFY2(document.contains(pointer), each.dump().c_str());
      QVERIFY(!each["reason"].get<std::string>().empty());
    }
    document.erase("reasons");
    const QString stripped =
        cli_.write("stripped.json", QByteArray::fromStdString(document.dump()));
    QCOMPARE(cli_.ask({"validate", stripped}).code, 0);
    // Without --json the document alone is on stdout.
    const CliResult plain = cli_.run({"init", data});
    QCOMPARE(json::parse(plain.out.toStdString()), document);
    QVERIFY(plain.err.contains("/dataset/split/kind: "));
  }

  void oddSeparatorsAreFound_data() {
    QTest::addColumn<QByteArray>("separator");
    for (const char* separator : {";", "|", "::", "\t"})
      QTest::newRow(separator) << QByteArray(separator);
  }
  void oddSeparatorsAreFound() {
    QFETCH(QByteArray, separator);
    const CliResult result = cli_.ask({"init", cli_.write("odd.txt", events(separator))});
    QVERIFY2(result.code == 0, result.err.constData());
    QCOMPARE(result.json()["loss"]["kind"].get<std::string>(), std::string("in_batch_softmax"));
  }

  void whatCannotBeProposedForIsToldApart_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<int>("code");
    QTest::newRow("empty") << QByteArray() << 1;
    QTest::newRow("one column") << QByteArray("user\n1\n2\n") << 1;
    QTest::newRow("header only") << QByteArray("user,item\n") << 1;
    QTest::newRow("texts without ids") << QByteArray("Once upon a time.\nThe end.\n") << 1;
    QTest::newRow("zeros") << QByteArray("user,item\n1,2\n\0\0\n", 18) << 1;
  }
  void whatCannotBeProposedForIsToldApart() {
    QFETCH(QByteArray, content);
    QFETCH(int, code);
    const CliResult result = cli_.ask({"init", cli_.write("odd.csv", content)});
    QCOMPARE(result.code, code);
    QVERIFY(result.err.startsWith("error: "));
    QVERIFY(result.json()["error"]["path"].get<std::string>().ends_with("odd.csv"));
  }

  void pathsThatAreNoFiles() {
    QCOMPARE(cli_.ask({"init", cli_.folder("nothing.csv")}).code, 3);
    QCOMPARE(cli_.ask({"init"}).code, 2);
    QDir().mkpath(cli_.folder("empty"));
    const CliResult folder = cli_.ask({"init", cli_.folder("empty")});
    QCOMPARE(folder.code, 1);
    QVERIFY(folder.err.contains("holds no known data"));
    const QString data = cli_.write("events.csv", events());
    QCOMPARE(cli_.ask({"init", data, "--out", cli_.folder("empty")}).code, 2);
    // Known before the file is looked at.
    const CliResult target =
        cli_.ask({"init", cli_.folder("nothing.csv"), "--out", cli_.folder("no/such/folder.json")});
    QCOMPARE(target.code, 1);
    QVERIFY2(target.err.contains("--out accepts a path"), target.err.constData());
  }
};

QTEST_GUILESS_MAIN(InitTest)
#include "init_test.moc"
