// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <limits>

#include "tests/experiment/sample_document.h"

using namespace parapet;
using namespace parapet::experiment;

/// One row per rule: what is changed in the sample, where the finding stands and what it says.
class RulesTest : public QObject {
  Q_OBJECT

 private:
  static void row(const char* claim, const char* pointer, const char* value, const char* part,
                  const char* where = nullptr) {
    QTest::newRow(claim) << QByteArray(pointer) << QByteArray(value)
                         << QByteArray(where ? where : pointer) << QByteArray(part);
  }
  static void columns() {
    for (const char* column : {"pointer", "value", "where", "part"})
      QTest::addColumn<QByteArray>(column);
  }
  static Findings findingsOf(const QByteArray& pointer, const QByteArray& value) {
    nlohmann::json document = test::recipeJson("sample");
    document[nlohmann::json::json_pointer(pointer.toStdString())] =
        nlohmann::json::parse(value.toStdString());
    return parse(document).findings;
  }

 private slots:
  void problems_data();
  void problems() {
    QFETCH(QByteArray, pointer);
    QFETCH(QByteArray, value);
    QFETCH(QByteArray, where);
    QFETCH(QByteArray, part);
    const Findings findings = findingsOf(pointer, value);
    QVERIFY2(test::names(findings.problems, where.toStdString(), part.toStdString()),
             test::textOf(findings.problems).c_str());
  }

  void warnings_data();
  void warnings() {
    QFETCH(QByteArray, pointer);
    QFETCH(QByteArray, value);
    QFETCH(QByteArray, where);
    QFETCH(QByteArray, part);
    const Findings findings = findingsOf(pointer, value);
    QCOMPARE(QString::fromStdString(test::textOf(findings.problems)), QString());
    QVERIFY2(test::names(findings.warnings, where.toStdString(), part.toStdString()),
             test::textOf(findings.warnings).c_str());
  }

  void accepted_data();
  void accepted() {
    QFETCH(QByteArray, pointer);
    QFETCH(QByteArray, value);
    const Findings findings = findingsOf(pointer, value);
    QCOMPARE(QString::fromStdString(test::textOf(findings.problems)), QString());
  }

  void findsEverythingAtOnce() {
    nlohmann::json document = test::recipeJson("sample");
    document["training"]["epochs"] = 0;
    document["optimizer"]["learning_rate"] = -1;
    document["tables"][0]["embedding_dim"] = 8;
    document["nmae"] = 1;
    const auto problems = parse(document).findings.problems;
    QCOMPARE(problems.size(), std::size_t{4});
  }

  void refusesNumbersThatAreNotFinite() {
    for (const double value :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      nlohmann::json document = test::recipeJson("sample");
      document["optimizer"]["learning_rate"] = value;
      document["training"]["epochs"] = value;
      const auto problems = parse(document).findings.problems;
      QVERIFY(test::names(problems, "/optimizer/learning_rate", "not finite"));
      QVERIFY(test::names(problems, "/training/epochs", "not finite"));
    }
  }

  void refusesAGeneratorForOtherSources() {
    nlohmann::json document = test::recipeJson("movielens-retrieval");
    document["dataset"]["generator"] = {{"users", 3}};
    QVERIFY(test::names(parse(document).findings.problems, "/dataset/generator",
                        "generator is a setting of generated"));
  }

  void warnsWhenNothingIsValidated() {
    nlohmann::json document = test::recipeJson("sample");
    document["training"]["validate_every"] = 0;
    QVERIFY(parse(document).findings.problems.empty());
    QVERIFY(test::names(parse(document).findings.warnings, "/training/checkpoints/best",
                        "no best checkpoint"));
    document["training"]["early_stopping"] = {{"metric", "val_loss"}};
    QVERIFY(test::names(parse(document).findings.problems, "/training/early_stopping/metric",
                        "never measured"));
  }

  void comparesTheWidthOfLayers() {
    nlohmann::json document = test::recipeJson("sample");
    document["model"]["query"] = {{{"units", 8}}};
    QVERIFY(test::names(parse(document).findings.problems, "/model",
                        "8 numbers and the candidate tower 16"));
    document["model"]["candidate"] = {{{"units", 99}}, {{"units", 8}}};
    QVERIFY(parse(document).findings.problems.empty());
  }

  void refusesDocumentsThatAreNoObjects() {
    for (const char* text : {"null", "3", "[]", "\"x\""})
      QCOMPARE(parse(nlohmann::json::parse(text)).findings.problems.size(), std::size_t{1});
  }
};

void RulesTest::problems_data() {
  columns();
  // keys and types
  row("unknown key", "/training/epoch", "3", "did you mean \"epochs\"?");
  row("unknown key with a slash", "/dataset/a~1b", "3", "unknown key \"a/b\"");
  row("key of another optimizer", "/optimizer/beta1", "0.9", "beta1 is a setting of adam");
  row("key of another vocabulary", "/dataset/vocabularies/0/min_count", "2",
      "min_count is a setting of compressed");
  row("text for a number", "/training/epochs", "\"3\"", "found the text \"3\"");
  row("null for a number", "/training/epochs", "null", "found null");
  row("number for a text", "/name", "3", "found the number 3");
  row("number for a flag", "/tables/0/trainable", "1", "true or false");
  row("object for a list", "/tables", "{}", "found an object");
  row("list for an object", "/training", "[]", "an object with the keys epochs");
  row("missing name", "/tables/0", R"({"vocabulary": "user", "embedding_dim": 16})", "missing",
      "/tables/0/name");
  row("fraction", "/training/epochs", "2.5", "not whole");
  row("negative", "/training/epochs", "-1", "out of range");
  row("zero epochs", "/training/epochs", "0", "out of range");
  row("beyond 2^63", "/training/seed", "9223372036854775808", "larger than 2^63");
  row("beyond 2^64", "/training/seed", "18446744073709551616", "does not fit");
  row("negative seed", "/training/seed", "-1", "at least 0");
  row("empty name", "/name", "\"\"", "empty");
  row("blank name", "/name", "\"  \"", "empty");
  row("control character", "/name", "\"a\\u0000b\"", "control");
  row("path in a name", "/tables/0/name", "\"../x\"", "the part \"..\"");
  row("newer version", "/parapet", "2", "written for a newer version");
  row("version 0", "/parapet", "0", "out of range");
  // dataset
  row("source", "/dataset/source", "\"movielense\"", "did you mean \"movielens\"?");
  row("label column", "/dataset/label/column", "\"stars\"", "no label column");
  row("label scale", "/dataset/label/scale", "[5, 1]", "not below");
  row("label scale of three", "/dataset/label/scale", "[1, 2, 3]", "two numbers");
  row("weight column", "/dataset/weight", "\"w\"", "no number column");
  row("bad share", "/dataset/max_bad_share", "1.5", "out of range");
  row("vocabulary of no column", "/dataset/vocabularies/0/name", "\"users\"",
      "did you mean \"user\"?");
  row("duplicate vocabulary", "/dataset/vocabularies/1/name", "\"user\"", "another entry");
  row("vocabulary size 0", "/dataset/vocabularies/0/size", "0", "out of range");
  row("vocabulary size word", "/dataset/vocabularies/0/size", "\"max\"", "did you mean \"max+1\"?");
  row("compressed with direct size", "/dataset/vocabularies/0",
      R"({"name": "user", "kind": "compressed", "size": "max+1"})", "direct ids",
      "/dataset/vocabularies/0/size");
  row("counts and shares", "/dataset/split/train", "800", "mixed", "/dataset/split");
  row("shares beyond 1", "/dataset/split/train", "0.9", "sum to 1.1", "/dataset/split");
  row("negative amount", "/dataset/split/train", "-0.5", "not whole");
  row("no training rows", "/dataset/split/train", "0", "no row is left");
  row("split kind", "/dataset/split/kind", "\"time\"", "\"random\"");
  row("batch of 0", "/dataset/batch/size", "0", "out of range");
  row("both batch sizes", "/dataset/batch/per_device", "10", "both given", "/dataset/batch");
  row("neither batch size", "/dataset/batch/size", "null", "neither", "/dataset/batch");
  row("batch never full", "/dataset",
      R"({"source": "generated", "vocabularies": [{"name": "user"}, {"name": "item"}], "split": {"train": 10, "validation": 5}, "batch": {"size": 20, "drop_remainder": true}})",
      "never full", "/dataset/batch/size");
  row("generator key", "/dataset/generator/user", "3", "did you mean \"users\"?");
  // tables, features, model
  row("unknown vocabulary", "/tables/0/vocabulary", "\"usr\"", "did you mean \"user\"?");
  row("duplicate table", "/tables/1/name", "\"user\"", "another entry");
  row("width 0", "/tables/0/embedding_dim", "0", "from 1 to 16777216");
  row("width 16777217", "/tables/0/embedding_dim", "16777217", "from 1 to 16777216");
  row("placement", "/tables/0/placement", "\"rows\"", "did you mean \"row\"?");
  row("layout of one axis", "/layout", R"({"tables/*": ["data"]})", "a list of two",
      "/layout/tables~1*");
  row("initializer ends", "/tables/0/initializer", R"({"kind": "uniform", "min": 1, "max": 0})",
      "above");
  row("unknown table", "/features/0/table", "\"usr\"", "did you mean \"user\"?");
  row("column without vocabulary", "/features/0/column", "\"time\"", "has no vocabulary");
  row("table of another column", "/features/0/table", "\"item\"",
      "the column \"user\" those of \"user\"");
  // columns of the data set
  row("no item column", "/dataset/columns", R"([{"name": "user", "role": "user"}])",
      "0 columns have the role \"item\"");
  row("weights of single ids", "/dataset/columns",
      R"([{"name": "user", "role": "user"}, {"name": "item", "role": "item"},
          {"name": "tags", "role": "feature", "weights": ":"}])",
      "separator is null", "/dataset/columns/2/weights");
  row("separator of a context", "/dataset/columns",
      R"([{"name": "user", "role": "user"}, {"name": "item", "role": "item"},
          {"name": "tags", "role": "context", "separator": "|"}])",
      "separator is a setting of feature", "/dataset/columns/2/separator");
  row("bounds that do not ascend", "/dataset/derived",
      R"([{"name": "age", "kind": "buckets", "from": "years", "bounds": [18, 18]}])",
      "do not ascend", "/dataset/derived/0/bounds");
  row("hash without a size", "/dataset/vocabularies/0", R"({"name": "user", "kind": "hash"})",
      "a number of rows", "/dataset/vocabularies/0/size");
  row("share of a user's rows", "/dataset/split", R"({"kind": "leave_last", "test": 0.5})",
      "is a share", "/dataset/split/test");
  row("split by times that are not there", "/dataset",
      R"({"source": "csv", "split": {"kind": "temporal"}, "batch": {"size": 9},
          "columns": [{"name": "user", "role": "user"}, {"name": "item", "role": "item"}],
          "vocabularies": [{"name": "user", "kind": "compressed"},
                           {"name": "item", "kind": "compressed"}]})",
      "rows have no time", "/dataset/split/kind");
  row("scale without a label", "/dataset/label", R"({"column": null, "scale": [1, 5]})",
      "every label is 1", "/dataset/label/scale");
  row("vectors of nothing", "/dataset/vectors",
      R"([{"name": "v", "of": "itme", "path": "v.csv", "id": "i", "column": "v"}])",
      "did you mean \"item\"?", "/dataset/vectors/0/of");
  row("item in the query tower", "/features/0/column", "\"item\"", "cannot read");
  row("tower without features", "/features/1/tower", "\"query\"", "candidate tower has no feature",
      "/features");
  row("duplicate feature", "/features/1/name", "\"user\"", "another entry");
  row("towers of two widths", "/tables/0/embedding_dim", "8",
      "8 numbers and the candidate tower 16", "/model");
  row("model", "/model/kind", "\"dlrm\"", "\"retrieval\"");
  row("layer", "/model/query", R"([{"kind": "dens", "units": 16}])", "did you mean \"dense\"?",
      "/model/query/0/kind");
  row("score", "/model/score", "\"cosine\"", "\"dot\"");
  row("loss", "/loss/kind", "\"cross_entropy\"", "\"mse\", \"bce\"");
  // training
  row("optimizer", "/optimizer/kind", "\"adamax\"", "did you mean \"adam\"?");
  row("learning rate 0", "/optimizer/learning_rate", "0", "above 0");
  row("negative epsilon", "/optimizer/epsilon", "-1e-7", "out of range");
  row("adam without epsilon", "/optimizer", R"({"kind": "adam", "epsilon": 0})", "0/0",
      "/optimizer/epsilon");
  row("beta1 of 1", "/optimizer", R"({"kind": "adam", "beta1": 1})", "below 1", "/optimizer/beta1");
  row("table optimizer", "/tables/0/optimizer", R"({"kind": "sgd", "beta2": 0.9})",
      "setting of adam and adamw", "/tables/0/optimizer/beta2");
  row("schedule", "/schedule/kind", "\"cosin\"", "did you mean \"cosine\"?");
  row("precision", "/training/precision", "\"fp16\"", "\"fp32\", \"bf16\"");
  row("validate_every", "/training/validate_every", "-1", "out of range");
  row("patience", "/training/early_stopping", R"({"patience": 0})", "out of range",
      "/training/early_stopping/patience");
  row("metric without prefix", "/training/checkpoints/best", "\"loss\"",
      "did you mean \"val_loss\"?");
  row("metric of another length", "/training/checkpoints/best", "\"val_recall@7\"", "has no 7");
  row("keep nothing", "/training/checkpoints/keep", "0", "out of range");
  // evaluation, reference, mesh
  row("k of 0", "/evaluation/k", "[0]", "out of range", "/evaluation/k/0");
  row("no k", "/evaluation/k", "[]", "empty");
  row("k twice", "/evaluation/k", "[10, 10]", "twice", "/evaluation/k/1");
  row("k descending", "/evaluation/k", "[10, 5]", "ascending", "/evaluation/k/1");
  row("reference curve", "/reference/curve", "\"seed-00\"", "did you mean \"seed-000\"?");
  row("device", "/mesh/devices", "[\"cpu*1\", \"gpu\"]", "\"cuda:0\"", "/mesh/devices/1");
  row("no device", "/mesh/devices", "[]", "empty");
  row("more devices than rows", "/mesh/devices", "[\"cpu*101\"]",
      "101 devices share a batch of 100 rows: 1 would have nothing to do");
  row("no thread", "/mesh/threads", "0", "0");
  row("too many threads", "/mesh/threads", "1025", "1025");
  row("shape of other size", "/mesh/shape", "[3]", "the shape makes 3 devices, and 1 are named");
  row("axes of other number", "/mesh/axes", "[\"data\", \"model\"]", "2 axes are named");
  row("axes twice", "/mesh", R"({"devices": ["cpu*4"], "shape": [2, 2], "axes": ["a", "a"]})",
      "twice", "/mesh/axes");
}

void RulesTest::warnings_data() {
  columns();
  row("unused table", "/tables/2", R"({"name": "spare", "vocabulary": "item"})", "no feature uses");
  row("path of generated data", "/dataset/path", "\"/data\"", "not used");
  row("rows in no part", "/dataset/split/train", "0.5", "30 % of the rows", "/dataset/split");
  row("no validation rows", "/dataset/split", R"({"train": 0.9, "validation": 0, "test": 0.1})",
      "nothing is measured", "/dataset/split/validation");
  row("optimizer of a fixed table", "/tables/0",
      R"({"name": "user", "vocabulary": "user", "embedding_dim": 16, "trainable": false, "optimizer": {"kind": "sgd"}})",
      "not used", "/tables/0/optimizer");
}

void RulesTest::accepted_data() {
  columns();
  row("whole fraction", "/training/epochs", "3.0", "");
  row("fixed table", "/tables/0/trainable", "false", "");
  row("seed of 2^63 - 1", "/training/seed", "9223372036854775807", "");
  row("weights", "/dataset/weight", "\"rating\"", "");
  row("metric of a list", "/training/checkpoints/best", "\"val_ndcg@10\"", "");
  row("no best", "/training/checkpoints/best", "null", "");
  row("batch that does not divide", "/mesh/devices", "[\"cpu*7\"]", "");
  row("a device per row", "/mesh/devices", "[\"cpu*100\"]", "");
  row("threads", "/mesh/threads", "3", "");
  row("all cores", "/mesh/threads", "null", "");
  row("mesh of one axis", "/mesh", R"({"devices": ["2xcpu"], "shape": [2], "axes": ["batch"]})",
      "");
  row("nested name", "/features/0/name", "\"user/id\"", "");
  row("per device", "/dataset/batch", R"({"per_device": 100})", "");
  row("counts", "/dataset/split", R"({"train": 1000, "validation": 100, "test": 0})", "");
}

QTEST_GUILESS_MAIN(RulesTest)
#include "rules_test.moc"
