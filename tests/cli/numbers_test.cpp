// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QtTest>
#include <algorithm>
#include <cmath>

#include "tests/cli/cli_process.h"

using nlohmann::json;
using parapet::test::Cli;
using parapet::test::CliResult;

namespace {

/// 30 users who have 8 of 20 items each: `label` of a row in the column rating, and a weight.
QByteArray rows(const char* label, const char* weight) {
  QByteArray text = "user,item,w,rating\n";
  for (int user = 0; user < 30; ++user)
    for (int item = 0; item < 8; ++item)
      text += QByteArray::number(user + 1) + "," +
              QByteArray::number((user * 7 + item * (1 + user % 3)) % 20 + 1) + "," + weight + "," +
              QByteArray::number(1 + (user + 3 * item) % 5) + label + "\n";
  return text;
}

json tower(const char* name) {
  return {{"name", name}, {"vocabulary", name}, {"embedding_dim", 8}};
}

/// A retrieval model over such rows. No raw strings: moc would not see the class behind them.
json document(const QString& path) {
  return json{
      {"parapet", 1},
      {"name", "numbers"},
      {"dataset",
       {{"source", "csv"},
        {"path", path.toStdString()},
        {"label", {{"column", "rating"}}},
        {"columns", {{{"name", "user"}, {"role", "user"}}, {{"name", "item"}, {"role", "item"}}}},
        {"vocabularies",
         {{{"name", "user"}, {"kind", "compressed"}}, {{"name", "item"}, {"kind", "compressed"}}}},
        {"split", {{"kind", "random"}, {"train", 0.8}, {"validation", 0.2}, {"test", 0.0}}},
        {"batch", {{"size", 32}}}}},
      {"tables", {tower("user"), tower("item")}},
      {"features",
       {{{"name", "user"}, {"column", "user"}, {"table", "user"}},
        {{"name", "item"}, {"column", "item"}, {"table", "item"}, {"tower", "candidate"}}}},
      {"model", {{"kind", "retrieval"}}},
      {"loss", {{"kind", "mse"}}},
      {"optimizer", {{"kind", "adam"}, {"learning_rate", 0.05}}},
      {"training", {{"epochs", 2}}}};
}

}  // namespace

/// Numbers in the terminal: a value that was not measured is not printed as one.
class NumbersTest : public QObject {
  Q_OBJECT

  Cli cli_;

  QString write(const json& of) {
    return cli_.write("document.json", QByteArray::fromStdString(of.dump()));
  }

 private Q_SLOTS:
  void weightsThatAreAllZeroAreRefusedByTheNameOfTheirColumn() {
    json of = document(cli_.write("weightless.csv", rows("", "0")));
    of["dataset"]["weight"] = "w";
    const QString path = write(of);
    const CliResult imported = cli_.run({"import", path});
    QVERIFY2(imported.code == 0, imported.err.constData());
    QVERIFY2(imported.err.contains("all weights of column \"w\" are 0"), imported.err.constData());
    const CliResult trained = cli_.ask({"train", path});
    QVERIFY2(trained.code == 2, trained.err.constData());
    QCOMPARE(trained.json()["error"]["pointer"], json("/dataset/weight"));
    QVERIFY2(trained.err.contains("all 240 weights of column \"w\" are 0"),
             trained.err.constData());
    const CliResult validated = cli_.ask({"validate", path});
    QCOMPARE(validated.code, 2);
    QCOMPARE(validated.json()["problems"][0]["pointer"], json("/dataset/weight"));
  }

  void labelsWhoseGradientsOverflowEndTheRunWithTheNameOfTheSlot() {
    json of = document(cli_.write("huge.csv", rows("e30", "1")));
    of["optimizer"] = {{"kind", "adagrad"}, {"learning_rate", 0.1}};
    const CliResult trained = cli_.ask({"train", write(of)});
    QVERIFY2(trained.code == 5, trained.err.constData());
    QCOMPARE(trained.json()["state"], json("Diverged"));
    QVERIFY(trained.json()["checkpoint"].is_null() || trained.json()["checkpoint"] == "");
    QVERIFY2(trained.err.contains("/accumulator is NaN or infinite"), trained.err.constData());
  }

  void linesWithoutAMaskAreNoLosses() {
    QByteArray lines;
    for (int line = 0; line < 200; ++line) lines += QByteArray(1, "abcdefgh"[line * 5 % 8]) + "\n";
    QVERIFY(QDir(cli_.folder("")).mkpath("corpus"));
    for (const char* file : {"corpus/train.txt", "corpus/valid.txt"}) cli_.write(file, lines);
    const json layer{{"kind", "dense"}, {"units", 8}};
    const json of{
        {"parapet", 1},
        {"name", "pieces"},
        {"dataset",
         {{"source", "text"},
          {"path", cli_.folder("corpus").toStdString()},
          {"text",
           {{"vocabulary",
             cli_.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\nc\nd\ne\nf\ng\nh\n")
                 .toStdString()},
            {"max_length", 8}}},
          {"batch", {{"size", 50}}}}},
        {"tables", json::array({tower("tokens")})},
        {"features", json::array({json{{"name", "tokens"},
                                       {"column", "tokens"},
                                       {"table", "tokens"},
                                       {"sequence", true},
                                       {"max_length", 8}}})},
        {"model",
         {{"kind", "masked_lm"},
          {"layers", json::array({json{{"kind", "position"}}})},
          {"masked_layers", json::array({layer})},
          {"masking", {{"rate", 0.15}, {"max_selections", 2}}}}},
        {"loss", {{"kind", "vocabulary_softmax"}, {"reduction", "weighted_mean"}}},
        {"optimizer", {{"kind", "sgd"}, {"learning_rate", 1e-12}}},
        {"training", {{"epochs", 1}}}};
    const CliResult trained = cli_.run({"train", write(of)});
    QVERIFY2(trained.code == 0, trained.err.constData());
    const json metrics = cli_.ask({"evaluate", "latest"}).json()["metrics"];
    const double loss = metrics["loss"], ofPieces = metrics["token_loss"];
    QVERIFY2(std::abs(loss - ofPieces) < 1e-9, metrics.dump().c_str());
  }

  void aForkMayHaveAnotherKindOfOptimizer() {
    const QString path = write(document(cli_.write("rows.csv", rows("", "1"))));
    QCOMPARE(cli_.run({"train", path, "--quiet"}).code, 0);
    const CliResult forked = cli_.ask(
        {"train", "--fork", "latest", "--set", "/optimizer/kind=adagrad", "--epochs", "4"});
    QVERIFY2(forked.code == 0, forked.err.constData());
    QVERIFY(!forked.json()["epochs"].empty());
    // A setting of the old kind that was chosen is not lost without a word.
    const CliResult chosen = cli_.ask(
        {"train", path, "--set", "/optimizer/beta1=0.8", "--set", "/optimizer/kind=adagrad"});
    QCOMPARE(chosen.code, 2);
    QCOMPARE(chosen.json()["error"]["pointer"], json("/optimizer/kind"));
    QVERIFY2(chosen.err.contains("has no beta1"), chosen.err.constData());
  }

  void aBiasInFrontOfABatchNormIsNoDifferenceOfDevices() {
    json of = document(cli_.write("rows.csv", rows("", "1")));
    const json dense{{"kind", "dense"}, {"units", 8}};
    of["model"]["query"] = {dense, {{"kind", "batch_norm"}}};
    of["model"]["candidate"] = json::array({dense});
    of["dataset"]["label"] = {{"column", nullptr}};
    of["loss"] = {{"kind", "in_batch_softmax"}};
    const CliResult verified =
        cli_.run({"verify", write(of), "--devices", "cpu*8", "--against", "cpu:0"});
    QVERIFY2(verified.code == 0, (verified.out + verified.err).constData());
    QVERIFY2(verified.out.contains("without effect on a loss"), verified.out.constData());
    QVERIFY2(verified.out.contains("bias"), verified.out.constData());
  }

  void aScheduleThatChangesNothingIsAWarning() {
    json of = document(cli_.write("rows.csv", rows("", "1")));
    of["optimizer"]["learning_rate"] = 1e-4;
    of["schedule"] = {{"kind", "polynomial"}, {"end", 1e-4}};
    const json warned = cli_.ask({"validate", write(of)}).json();
    QVERIFY(warned["valid"].get<bool>());
    QVERIFY2(
        std::ranges::any_of(warned["warnings"],
                            [](const json& each) { return each["pointer"] == "/schedule/end"; }),
        warned.dump().c_str());
  }
};

QTEST_GUILESS_MAIN(NumbersTest)
#include "numbers_test.moc"
