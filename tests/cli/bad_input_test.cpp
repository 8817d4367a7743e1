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

/// A document over those rows that trains. No raw strings: moc would not see the class behind them.
json trainableDocument(const std::string& path) {
  const json dataset{
      {"source", "csv"},
      {"path", path},
      {"label", {{"column", "click"}}},
      {"columns",
       {{{"name", "user"}, {"role", "user"}},
        {{"name", "item"}, {"role", "item"}},
        {{"name", "tags"}, {"role", "feature"}, {"separator", "|"}, {"weights", ":"}},
        {{"name", "price"}, {"role", "number"}},
        {{"name", "mark"}, {"role", "number"}},
        {{"name", "mood"}, {"role", "context"}, {"from", "mark"}}}},
      {"vocabularies",
       {{{"name", "user"}},
        {{"name", "item"}},
        {{"name", "tags"}, {"kind", "compressed"}},
        {{"name", "mood"}}}},
      {"split", {{"kind", "random"}, {"train", 0.8}, {"validation", 0.2}}},
      {"batch", {{"size", 20}}}};
  const auto table = [](const char* name) {
    return json{{"name", name}, {"vocabulary", name}, {"embedding_dim", 4}};
  };
  json tags = table("tags");
  tags["combiner"] = "sqrtn";
  const json features{
      {{"name", "user"}, {"column", "user"}, {"table", "user"}},
      {{"name", "item"}, {"column", "item"}, {"table", "item"}, {"tower", "candidate"}},
      {{"name", "tags"}, {"column", "tags"}, {"table", "tags"}},
      {{"name", "mood"}, {"column", "mood"}, {"table", "mood"}},
      {{"name", "price"}, {"column", "price"}, {"table", nullptr}, {"transform", "log1p"}}};
  const json hidden{{"units", 8}, {"activation", "relu"}};
  const json logit{{"units", 1}};
  return json{{"parapet", 1},
              {"name", "bad-input"},
              {"dataset", dataset},
              {"tables", {table("user"), table("item"), tags, table("mood")}},
              {"features", features},
              {"model", {{"kind", "ranking"}, {"layers", {hidden, logit}}}},
              {"loss", {{"kind", "bce"}}},
              {"mesh", {{"devices", {"cpu*2"}}}},
              {"training", {{"epochs", 1}}}};
}

}  // namespace

/// Every mistake in data or document is refused before training, at its place.
class BadInputTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    cli_.write("rows.csv", rows());
    const json document = trainableDocument(cli_.folder("rows.csv").toStdString());
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
    row("features of one name", {"/features/1/name=user"}, "/features/1/name", "an earlier entry");
    row("overlapping features", {"/features/1/name=user/x"}, "/features/1/name", "cannot hold");
    row("a missing feature", {"/model/layers/0/inputs=[\"usr\"]"}, "/model/layers/0/inputs/0",
        "no earlier layer");
    row("a table named twice", {"/tables/1/name=user"}, "/tables/1/name", "an earlier entry");
    row("a device that is not there", {"/mesh/devices=[\"cpu:0\",\"cuda:7\"]"}, "/mesh/devices",
        "cuda:7");
    row("a device named twice", {"/mesh/devices=[\"cpu*2\",\"cpu:1\"]"}, "/mesh/devices/1",
        "names cpu:1 again");
    row("a batch that is never full",
        {"/dataset/split={\"kind\": \"leave_random\"}",
         "/dataset/batch={\"size\": 300, \"drop_remainder\": true}"},
        "/dataset/batch/size", "make no full batch of 300");
    row("a table on a device that is not there",
        {"/tables/0/placement=table", "/tables/0/device=cpu:9"}, "/tables/0/device",
        "the mesh has no device");
    row("columns for too many devices", {"/mesh/devices=[\"cpu*8\"]", "/tables/0/placement=column"},
        "/tables/0/placement", "4 would have none");
    row("an axis that the mesh lacks", {"/tables/0/placement=row", "/tables/0/axes=[\"model\"]"},
        "/tables/0/axes/0", "the mesh has no axis");
    row("a shape of other size", {"/mesh/shape=[3]"}, "/mesh/shape", "has 3 devices");
    row("rows that do not divide",
        {"/dataset/batch={\"per_device\": 10}", "/features/0/input_shape=[25]"},
        "/features/0/input_shape/0", "25 does not divide over 2 devices");
    row("too little room", {"/mesh/capacity_bytes=1000"}, "/mesh/capacity_bytes", "");
    row("too little room on one device", {"/mesh/capacity_bytes=[4000000000, 1000]"},
        "/mesh/capacity_bytes/1", "cpu:1");
    row("room of three devices for two", {"/mesh/capacity_bytes=[1000, 2000, 3000]"},
        "/mesh/capacity_bytes", "3 numbers for 2 devices");
    row("a capacity that is none", {"/mesh/capacity_bytes=[4000000000, 0]"},
        "/mesh/capacity_bytes/1", "0");
    row("tf32 on the CPU", {"/training/precision=tf32"}, "/training/precision",
        "cpu:0 has no products in tf32");
    row("labels that are no probabilities", {"/dataset/label/column=mark"}, "/dataset/label/scale",
        "from 1 to 5");
    row("labels of a head that are none",
        {"/model/heads=[{\"name\": \"h\", \"inputs\": [\"user\"], \"layers\": [{\"units\": 1}], "
         "\"loss\": {\"kind\": \"bce\"}, \"label\": \"mark\"}]"},
        "/model/heads/0/label", "the first is 2 (row 2)");
    row("a file that is not there",
        {"/tables/0/initializer={\"kind\": \"file\", \"path\": \"/nowhere.npy\"}"},
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
        "/tables/0/initializer={\"kind\": \"file\", \"path\": \"" + cli_.folder("ones.npy") + "\"}";
    const CliResult result = train({initializer});
    QVERIFY2(result.code == 2, result.err.constData());
    QCOMPARE(result.json()["error"]["pointer"].get<std::string>(),
             std::string("/tables/0/initializer/path"));
    QVERIFY2(result.err.contains("has the shape [2, 3]"), result.err.constData());
  }

  void optionsOfAnotherKindOfModelAreNotIgnored() {
    const CliResult evaluated = cli_.ask({"evaluate", "latest", "--k", "10,5,5", "--exclude-seen"});
    QVERIFY2(evaluated.code == 0, evaluated.err.constData());
    QVERIFY2(evaluated.err.contains("--k is not used"), evaluated.err.constData());
    QVERIFY2(evaluated.err.contains("--exclude-seen is not used"), evaluated.err.constData());
  }

  // A context that is given must be one that the model reads; a value that no row has is said.
  void contextsAreReadOrRefused() {
    const auto ask = [this](const QStringList& contexts) {
      QStringList arguments{"recommend", "latest", "--user", "1", "-k", "2"};
      for (const QString& context : contexts) arguments << "--context" << context;
      return cli_.ask(arguments);
    };
    const auto usual = ask({}).json();
    QVERIFY(usual["context"].contains("mood") && usual["given"].empty());
    const CliResult given = ask({"mood=3"});
    QVERIFY2(given.code == 0, given.err.constData());
    QCOMPARE(given.json()["context"]["mood"].get<std::string>(), std::string("3"));
    QCOMPARE(given.json()["given"], nlohmann::json::array({"mood"}));
    QCOMPARE(ask({"mood=2,3"}).json().size(), std::size_t{2});
    const CliResult unseen = ask({"mood=never"});
    QCOMPARE(unseen.code, 0);
    QVERIFY2(unseen.err.contains("no row has \"never\""), unseen.err.constData());
    QVERIFY(unseen.json()["warnings"].size() == 1);
    for (const auto& [contexts, part] : {std::pair{QStringList{"mod=3"}, "did you mean \"mood\""},
                                         {QStringList{"mood=3", "mood=2"}, "given twice"},
                                         {QStringList{"mood=3,2,3"}, "value \"3\" twice"},
                                         {QStringList{"mood="}, "empty value"},
                                         {QStringList{"mood"}, "NAME=VALUE"}}) {
      const CliResult refused = ask(contexts);
      QVERIFY2(refused.code == 2 && refused.err.contains(part), refused.err.constData());
    }
  }

  void countsIdsThatAreCutOff() {
    const CliResult result = train({"/features/2/max_length=2"});
    QVERIFY2(result.code == 0, result.err.constData());
    QVERIFY2(result.err.contains("20 of 200 rows have more than 2 ids, up to 3: 20 ids"),
             result.err.constData());
  }

  /// Cells that cannot be read reject their lines: counted, named, and too many end the import.
  void refusesCellsThatCannotBeRead_data() {
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QString>("says");
    QTest::addColumn<QString>("pointer");
    QTest::newRow("label that is no number") << QByteArray("1,1,a:1,1,1,-inf") << "finite"
                                             << "/dataset/label/column";
    QTest::newRow("number that is none") << QByteArray("1,1,a:1,inf,1,1") << "finite"
                                         << "/dataset/columns/3";
    QTest::newRow("weight that is none") << QByteArray("1,1,a:1|b:,1,1,1") << "tags"
                                         << "/dataset/columns/2";
    QTest::newRow("negative weight") << QByteArray("1,1,a:-1,1,1,1") << "from 0"
                                     << "/dataset/columns/2/weights";
    QTest::newRow("fewer weights than ids")
        << QByteArray("1,1,a:1|b,1,1,1") << "found 1 weight for 2 ids"
        << "/dataset/columns/2/weights";
  }
  void refusesCellsThatCannotBeRead() {
    QFETCH(QByteArray, line);
    QFETCH(QString, says);
    QFETCH(QString, pointer);
    cli_.write("some.csv", rows() + line + "\n");
    const QStringList data{"--data", cli_.folder("some.csv")};
    const CliResult one = train({}, data);
    QVERIFY2(one.code == 0, one.err.constData());
    QVERIFY2(one.err.contains("1 line was rejected"), one.err.constData());
    QVERIFY2(one.err.contains("some.csv:202"), one.err.constData());
    QVERIFY2(QString::fromUtf8(one.err).contains(says), one.err.constData());
    const CliResult strict = train({"/dataset/max_rejected_share=0"}, data);
    QVERIFY2(strict.code == 1, strict.err.constData());
    QCOMPARE(strict.json()["error"]["pointer"].get<std::string>(), pointer.toStdString());
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

QTEST_GUILESS_MAIN(BadInputTest)
#include "bad_input_test.moc"
