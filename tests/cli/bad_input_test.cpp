// SPDX-License-Identifier: Apache-2.0
#include <QFile>
#include <QtTest>

#include "tests/cli/cli_process.h"

using nlohmann::json;
using parapet::test::Cli;
using parapet::test::CliResult;

namespace {

/// Clicks with a bag of weighted tags, a price and a mark from 1 to 5. The ids are those of five
/// users and four items.
QByteArray rows() {
  QByteArray text = "user,item,tags,price,mark,click\n";
  for (int row = 0; row < 200; ++row)
    text += QByteArray::number(row % 5 + 1) + "," + QByteArray::number(row % 4 + 1) + "," +
            (row % 10 == 0 ? "a:1|b:0.5|c:2" : "a:1") + "," + QByteArray::number(row) + "," +
            QByteArray::number(row % 5 + 1) + "," + QByteArray::number(row % 3 == 0) + "\n";
  return text;
}

/// A document over those rows that trains. Text in R"" ends what moc reads, so it stands last.
const char* documentText();

}  // namespace

/// Every mistake in data or document is refused before training, at its place.
class BadInputTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    cli_.write("rows.csv", rows());
    json document = json::parse(documentText());
    document["dataset"]["path"] = cli_.folder("rows.csv").toStdString();
    cli_.write("document.json", QByteArray::fromStdString(document.dump()));
    const CliResult result = train({});
    QVERIFY2(result.code == 0, result.err.constData());
  }

  void refuses_data() {
    QTest::addColumn<QStringList>("changes");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* claim, const QStringList& changes, const char* pointer,
                        const char* says) { QTest::newRow(claim) << changes << pointer << says; };
    row("features of one name", {"/features/1/name=user"}, "/features/1/name", "another entry");
    row("overlapping features", {"/features/1/name=user/x"}, "/features/1/name", "cannot hold");
    row("a missing feature", {R"(/model/layers/0/inputs=["usr"])"}, "/model/layers/0/inputs/0",
        "no earlier layer");
    row("a table named twice", {"/tables/1/name=user"}, "/tables/1/name", "another entry");
    row("a device that is not there", {R"(/mesh/devices=["cpu:0","cuda:7"])"}, "/mesh/devices",
        "cuda:7");
    row("a table on a device that is not there",
        {"/tables/0/placement=table", "/tables/0/device=cpu:9"}, "/tables/0/device",
        "the mesh has no device");
    row("columns for too many devices",
        {R"(/mesh/devices=["cpu*8"])", "/tables/0/placement=column"}, "/tables/0/placement",
        "4 would have none");
    row("an axis that the mesh lacks", {"/tables/0/placement=row", R"(/tables/0/axes=["model"])"},
        "/tables/0/axes/0", "the mesh has no axis");
    row("a shape of other size", {R"(/mesh/shape=[3])"}, "/mesh/shape", "makes 3 devices");
    row("rows that do not divide",
        {R"(/dataset/batch={"per_device": 10})", R"(/features/0/input_shape=[25])"},
        "/features/0/input_shape/0", "25 does not divide over 2 devices");
    row("too little room", {"/mesh/capacity_bytes=1000"}, "/mesh/capacity_bytes", "");
    row("labels that are no probabilities", {"/dataset/label/column=mark"}, "/dataset/label/scale",
        "from 1 to 5");
    row("labels of a head that are none",
        {R"(/model/heads=[{"name": "h", "inputs": ["user"], "layers": [{"units": 1}], "loss": {"kind": "bce"}, "label": "mark"}])"},
        "/model/heads/0/label", "the first is 2 (row 2)");
    row("a file that is not there",
        {R"(/tables/0/initializer={"kind": "file", "path": "/nowhere.npy"})"},
        "/tables/0/initializer/path", "/nowhere.npy");
  }
  void refuses() {
    QFETCH(QStringList, changes);
    QFETCH(QString, pointer);
    QFETCH(QString, says);
    const CliResult result = train(changes);
    QVERIFY2(result.code == 2, result.err.constData());
    const json answer = result.json();
    QVERIFY2(answer["run_id"].is_null() || answer["epochs"].empty(), result.out.constData());
    QCOMPARE(QString::fromStdString(answer["error"]["pointer"].get<std::string>()), pointer);
    QVERIFY2(QString::fromUtf8(result.err).contains(says), result.err.constData());
  }

  void refusesFilesOfAnotherShape() {
    // [2, 3] ones; the header fills 128 bytes.
    QByteArray header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    header = header.leftJustified(117, ' ') + "\n";
    QByteArray file("\x93NUMPY\x01\x00", 8);
    file += char(header.size());
    file += char(0);
    file += header;
    for (int i = 0; i < 6; ++i) file += QByteArray("\x00\x00\x80\x3f", 4);
    cli_.write("ones.npy", file);
    const QString initializer =
        R"(/tables/0/initializer={"kind": "file", "path": ")" + cli_.folder("ones.npy") + "\"}";
    const CliResult result = train({initializer});
    QVERIFY2(result.code == 2, result.err.constData());
    QCOMPARE(result.json()["error"]["pointer"].get<std::string>(),
             std::string("/tables/0/initializer/path"));
    QVERIFY2(result.err.contains("has the shape [2, 3]"), result.err.constData());
  }

  void countsIdsThatAreCutOff() {
    const CliResult result = train({"/features/2/max_length=2"});
    QVERIFY2(result.code == 0, result.err.constData());
    QVERIFY2(result.err.contains("20 of 200 rows have more than 2 ids, up to 3: 20 ids"),
             result.err.constData());
  }

  /// Cells that cannot be read are bad lines: counted, named, and too many of them end the import.
  void refusesCellsThatCannotBeRead_data() {
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QString>("says");
    QTest::newRow("label that is no number") << QByteArray("1,1,a:1,1,1,nan") << "finite";
    QTest::newRow("number that is none") << QByteArray("1,1,a:1,inf,1,1") << "finite";
    QTest::newRow("weight that is none") << QByteArray("1,1,a:1|b:,1,1,1") << "tags";
    QTest::newRow("negative weight") << QByteArray("1,1,a:-1,1,1,1") << "from 0";
  }
  void refusesCellsThatCannotBeRead() {
    QFETCH(QByteArray, line);
    QFETCH(QString, says);
    cli_.write("some.csv", rows() + line + "\n");
    const QStringList data{"--data", cli_.folder("some.csv")};
    const CliResult one = train({}, data);
    QVERIFY2(one.code == 0, one.err.constData());
    QVERIFY2(one.err.contains("1 bad line"), one.err.constData());
    QVERIFY2(one.err.contains("some.csv:202"), one.err.constData());
    QVERIFY2(QString::fromUtf8(one.err).contains(says), one.err.constData());
    const CliResult strict = train({"/dataset/max_bad_share=0"}, data);
    QVERIFY2(strict.code == 1, strict.err.constData());
    QVERIFY2(QString::fromUtf8(strict.err).contains(says), strict.err.constData());
  }

 private:
  CliResult train(const QStringList& changes, const QStringList& more = {}) {
    QStringList call{"train", cli_.folder("document.json")};
    for (const QString& change : changes) call << "--set" << change;
    return cli_.ask(call + more);
  }

  Cli cli_;
};

namespace {

const char* documentText() {
  return R"({"parapet": 1, "name": "bad-input",
  "dataset": {"source": "csv", "label": {"column": "click"},
    "columns": [{"name": "user", "role": "user"}, {"name": "item", "role": "item"},
      {"name": "tags", "role": "feature", "separator": "|", "weights": ":"},
      {"name": "price", "role": "number"}, {"name": "mark", "role": "number"}],
    "vocabularies": [{"name": "user"}, {"name": "item"},
      {"name": "tags", "kind": "compressed"}],
    "split": {"kind": "random", "train": 0.8, "validation": 0.2}, "batch": {"size": 20}},
  "tables": [{"name": "user", "vocabulary": "user", "embedding_dim": 4},
    {"name": "item", "vocabulary": "item", "embedding_dim": 4},
    {"name": "tags", "vocabulary": "tags", "embedding_dim": 4, "combiner": "sqrtn"}],
  "features": [{"name": "user", "column": "user", "table": "user"},
    {"name": "item", "column": "item", "table": "item", "tower": "candidate"},
    {"name": "tags", "column": "tags", "table": "tags"},
    {"name": "price", "column": "price", "table": null, "transform": "log1p"}],
  "model": {"kind": "ranking", "layers": [{"units": 8, "activation": "relu"}, {"units": 1}]},
  "loss": {"kind": "bce"}, "mesh": {"devices": ["cpu*2"]}, "training": {"epochs": 1}})";
}

}  // namespace

QTEST_GUILESS_MAIN(BadInputTest)
#include "bad_input_test.moc"
