// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <deque>
#include <limits>

#include "engine/experiment/fixes.h"
#include "tests/experiment/sample_document.h"

using namespace parapet;
using namespace parapet::experiment;

/// One row per rule: what is changed in the sample, where the finding stands and what it says. An
/// empty pointer: several changes, by pointer.
class RulesTest : public QObject {
  Q_OBJECT

 private:
  static void row(const char* claim, const char* pointer, const char* value, const char* part,
                  const char* where = nullptr) {
    QTest::newRow(claim) << QByteArray(pointer) << QByteArray(value)
                         << QByteArray(where ? where : pointer) << QByteArray(part);
  }
  /// A data set of the source "csv" with these members, and vocabularies unless they have them.
  static const char* csvDataset(const char* members) {
    static std::deque<std::string> texts;
    const bool complete = std::string_view(members).find("vocabularies") != std::string_view::npos;
    texts.push_back(
        std::string(R"({"source": "csv", "batch": {"size": 100}, )") + members +
        (complete ? "}" : R"(, "vocabularies": [{"name": "user"}, {"name": "item"}]})"));
    return texts.back().c_str();
  }
  static void columns() {
    for (const char* column : {"pointer", "value", "where", "part"})
      QTest::addColumn<QByteArray>(column);
  }
  static nlohmann::json documentWith(const QByteArray& pointer, const QByteArray& value,
                                     nlohmann::json document = test::recipeJson("sample")) {
    const auto change = nlohmann::json::parse(value.toStdString());
    if (pointer.isEmpty())
      for (const auto& [place, entry] : change.items())
        document[nlohmann::json::json_pointer(place)] = entry;
    else
      document[nlohmann::json::json_pointer(pointer.toStdString())] = change;
    return document;
  }
  static Findings findingsOf(const QByteArray& pointer, const QByteArray& value,
                             const nlohmann::json& document = test::recipeJson("sample")) {
    return parse(documentWith(pointer, value, document)).findings;
  }

 private Q_SLOTS:
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

  void aRoleThatCannotBeReadIsTheOnlyProblem_data() {
    QTest::addColumn<int>("column");
    for (int column = 0; column < 5; ++column) QTest::addRow("%d", column) << column;
  }
  void aRoleThatCannotBeReadIsTheOnlyProblem() {
    QFETCH(int, column);
    auto document = test::recipeJson("sample");
    document["dataset"] = nlohmann::json::parse(R"({"source": "csv", "batch": {"size": 100},
      "columns": [{"name": "user", "role": "user"}, {"name": "item", "role": "item"},
                  {"name": "day", "role": "context"}, {"name": "age", "role": "number"},
                  {"name": "at", "role": "time"}],
      "vocabularies": [{"name": "user"}, {"name": "item"}, {"name": "day"}],
      "split": {"kind": "temporal"}})");
    QCOMPARE(QString::fromStdString(test::textOf(parse(document).findings.problems)), QString());
    const std::string role = "/dataset/columns/" + std::to_string(column) + "/role";
    document[nlohmann::json::json_pointer(role)] = "itm";
    const std::vector<Problem> problems = parse(document).findings.problems;
    QVERIFY2(problems.size() == 1 && problems[0].pointer == role, test::textOf(problems).c_str());
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
    // Each has a way out that is one click.
    const Fixes fixes(documentWith(pointer, value));
    for (const Problem& warning : findings.warnings)
      QVERIFY2(!fixes.of(warning).empty(), test::textOf({warning}).c_str());
  }

  void accepted_data();
  void accepted() {
    QFETCH(QByteArray, pointer);
    QFETCH(QByteArray, value);
    const Findings findings = findingsOf(pointer, value);
    QCOMPARE(QString::fromStdString(test::textOf(findings.problems)), QString());
  }

  void whatFollowsFromMissingPartsIsNotReported() {
    for (const char* part : {"tables", "features"}) {
      nlohmann::json document = test::recipeJson("sample");
      document.erase(part);
      const Findings findings = parse(document).findings;
      QVERIFY2(
          findings.problems.size() == 1 && findings.problems[0].pointer == "/" + std::string(part),
          test::textOf(findings.problems).c_str());
      QCOMPARE(QString::fromStdString(test::textOf(findings.warnings)), QString());
    }
    nlohmann::json document = test::recipeJson("sample");
    document["tables"] = nlohmann::json::array();
    const Findings findings = parse(document).findings;
    QCOMPARE(findings.problems.size(), std::size_t{2});
    QCOMPARE(QString::fromStdString(test::textOf(findings.warnings)), QString());
  }

  // The entry is needed as soon as the layer is right.
  void aWrongLayerMakesNoExclusionUseless() {
    nlohmann::json document = test::recipeJson("sample");
    document["optimizer"] = {
        {"kind", "adamw"}, {"learning_rate", 0.01}, {"weight_decay_exclude", {"dense/*bias"}}};
    const auto warnsOf = [&] {
      return test::names(parse(document).findings.warnings, "/optimizer/weight_decay_exclude/0",
                         "no parameter");
    };
    QVERIFY(warnsOf());
    document["model"]["query"] = {{{"kind", "attention"}, {"heads", 3}}};
    QVERIFY(!parse(document).findings.problems.empty());
    QVERIFY(!warnsOf());
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

  void rulesOfBagsAndNumbers_data() {
    columns();
    row("numbers looked up", "/features/2/table", "\"tags\"", "is numeric");
    row("no numbers", "/features/2/column", "\"tag\"", "is not numeric");
    row("bag of another length", "/features/1/input_shape", "[100, 4]", "max_length is 3",
        "/features/1/input_shape/1");
    row("width of a number", "/features/2/output_shape", "[100, 16]", "a numeric column is 1 wide",
        "/features/2/output_shape/1");
    row("bag of any length", "", R"({"/features/1/max_length": null,
        "/features/1/input_shape": [100, 3]})",
        "max_length is null", "/features/1/input_shape/1");
    row("rows on each device", "",
        R"({"/dataset/batch": {"per_device": 30}, "/mesh/devices": ["cpu*3"],
            "/features/2/input_shape": [100]})",
        "100 does not divide over 3 devices", "/features/2/input_shape/0");
    row("context of a candidate", "/features/1", R"({"name": "c", "column": "city", "table": "city",
        "tower": "candidate"})",
        "cannot read", "/features/1/column");
    row("vectors of other ids", "/tables/0/initializer", R"({"kind": "vectors", "vectors": "v"})",
        "belong to the vocabulary \"tags\"", "/tables/0/initializer/vectors");
    row("label that is no number", "/model/heads",
        R"([{"name": "h", "inputs": ["query"], "layers": [{"units": 1}], "label": "user"}])",
        "one of: age", "/model/heads/0/label");
    row("columns of nobody", "", R"({"/mesh/devices": ["cpu*20"],
        "/tables/0/placement": "column"})",
        "4 would have none", "/tables/0/placement");
    row("columns of nobody along an axis", "",
        R"({"/mesh": {"devices": ["cpu*34"], "shape": [2, 17], "axes": ["data", "model"]},
            "/layout": {"tables/user": ["", "model"]}})",
        "17 devices share 16 columns", "/tables/0/placement");
    row("layout along no axis", "/layout", R"({"tables/*": ["rows", ""]})",
        "the mesh has no axis \"rows\"", "/layout/tables~1*/0");
    row("layout both ways", "", R"({"/mesh": {"devices": ["cpu*4"], "shape": [2, 2],
        "axes": ["a", "b"]}, "/layout": {"tables/*": ["a", "b"]}})",
        "split one way", "/layout/tables~1*");
    row("layout of a placed table", "", R"({"/layout": {"tables/user": ["data", ""]},
        "/tables/0/placement": "row"})",
        "placement of its own", "/layout/tables~1user");
    row("two patterns of a table", "",
        R"({"/layout": {"tables/*": ["data", ""], "tables/user": ["", ""]}})", "as well",
        "/layout/tables~1user");
    row("layout of weights", "",
        R"({"/model/query": [{"units": 16}], "/layout": {"dense/*": ["data", ""]}})",
        "only tables are split", "/layout/dense~1*");
  }
  void rulesOfBagsAndNumbers() {
    QFETCH(QByteArray, pointer);
    QFETCH(QByteArray, value);
    QFETCH(QByteArray, where);
    QFETCH(QByteArray, part);
    nlohmann::json document = test::recipeJson("sample");
    const auto set = [&](const char* place, const char* text) {
      document[nlohmann::json::json_pointer(place)] = nlohmann::json::parse(text);
    };
    document["dataset"].erase("generator");
    set("/dataset/source", "\"csv\"");
    set("/dataset/columns", R"([{"name": "user", "role": "user"}, {"name": "item", "role": "item"},
      {"name": "tags", "role": "feature", "separator": "|", "weights": ":"},
      {"name": "age", "role": "number"}, {"name": "city", "role": "context"}])");
    set("/dataset/vocabularies/2", R"({"name": "tags"})");
    set("/dataset/vocabularies/3", R"({"name": "city"})");
    set("/dataset/vectors",
        R"([{"name": "v", "of": "tags", "path": "v.csv", "id": "i", "column": "v"}])");
    set("/tables/2", R"({"name": "tags", "vocabulary": "tags", "embedding_dim": 8})");
    set("/tables/3", R"({"name": "city", "vocabulary": "city", "embedding_dim": 8})");
    set("/features", R"([{"name": "user", "column": "user", "table": "user"},
      {"name": "tags", "column": "tags", "table": "tags", "max_length": 3, "truncation_side": "start"},
      {"name": "age", "column": "age", "table": null, "transform": "log1p"},
      {"name": "city", "column": "city", "table": "city"},
      {"name": "item", "column": "item", "table": "item", "tower": "candidate"}])");
    set("/model/query", R"([{"units": 16}])");
    const auto before = parse(document).findings;
    QCOMPARE(QString::fromStdString(test::textOf(before.problems)), QString());
    QCOMPARE(QString::fromStdString(test::textOf(before.warnings)), QString());
    const auto findings = findingsOf(pointer, value, document);
    QVERIFY2(test::names(findings.problems, where.toStdString(), part.toStdString()),
             test::textOf(findings.problems).c_str());
  }

  void warnsOfASigmoidOfASigmoid() {
    nlohmann::json document = test::recipeJson("dlrm");
    document["model"]["layers"].back()["activation"] = "sigmoid";
    QVERIFY(test::names(parse(document).findings.warnings, "/model/layers/5/activation",
                        "the sigmoid of a sigmoid"));
    document["loss"]["kind"] = "in_batch_softmax";
    QVERIFY(test::names(parse(document).findings.problems, "/loss/kind", "the model has none"));
  }

  void oneIsACountAndOnePointZeroAShare() {
    nlohmann::json document = test::recipeJson("sample");
    document["dataset"]["split"] = {{"train", 1.0}, {"validation", 0}, {"test", 0}};
    const Parsed share = parse(document);
    QVERIFY((share.experiment.dataset.split.train == SplitAmount{1.0, true}));
    const std::string written = toJson(share.experiment).dump();
    QVERIFY((parse(parseJson(written).value()).experiment.dataset.split.train ==
             SplitAmount{1.0, true}));
    document["dataset"]["split"]["train"] = 1;
    QVERIFY((parse(document).experiment.dataset.split.train == SplitAmount{1.0, false}));
    document["dataset"]["split"]["train"] = 100.0;
    QVERIFY((parse(document).experiment.dataset.split.train == SplitAmount{100.0, false}));
  }

  void schedulesThatAreFollowedDoNotWarn() {
    nlohmann::json document = test::recipeJson("sample");
    document["schedule"] = {{"kind", "cosine"}};
    document["tables"][0]["optimizer"] = {{"kind", "sgd"}, {"schedule", {{"kind", "constant"}}}};
    QVERIFY(!test::names(parse(document).findings.warnings, "/schedule", "not used"));
    // The other table has an optimizer of its own, which follows the schedule.
    document["tables"][1]["optimizer"] = {{"kind", "sgd"}};
    QVERIFY(!test::names(parse(document).findings.warnings, "/schedule", "not used"));
  }

  void maskedLayersFollowTheSchedule() {
    nlohmann::json document = test::recipeJson("bert-tiny-mlm");
    document["tables"][0]["trainable"] = false;
    document["model"]["layers"] = nlohmann::json::array();
    QVERIFY(!test::names(parse(document).findings.warnings, "/schedule", "not used"));
    for (auto& layer : document["model"]["masked_layers"]) layer["trainable"] = false;
    QVERIFY(test::names(parse(document).findings.warnings, "/schedule", "not used"));
  }

  void aSecondTableOfOneNameIsTheOnlyProblem() {
    nlohmann::json document = test::recipeJson("sample");
    document["tables"].push_back(document["tables"][0]);
    const Findings findings = parse(document).findings;
    QCOMPARE(findings.problems.size(), std::size_t{1});
    QCOMPARE(findings.problems[0].pointer, std::string("/tables/2/name"));
    QCOMPARE(QString::fromStdString(test::textOf(findings.warnings)), QString());
  }

  void aTableWithTheNameOfAnotherIsTheOnlyProblem() {
    nlohmann::json document = test::recipeJson("sample");
    document["tables"][1]["name"] = "user";  // that of the items, which a feature reads
    const Findings findings = parse(document).findings;
    QCOMPARE(findings.problems.size(), std::size_t{1});
    QCOMPARE(findings.problems[0].pointer, std::string("/tables/1/name"));
    document["features"][1]["table"] = "itme";  // whatever name it has, it is not told twice
    QCOMPARE(parse(document).findings.problems.size(), std::size_t{1});
    document["tables"][1]["name"] = "item";
    QVERIFY(test::names(parse(document).findings.problems, "/features/1/table", "\"item\""));
  }

  void comparesTheWidthOfLayers() {
    nlohmann::json document = test::recipeJson("sample");
    document["model"]["query"] = {{{"units", 8}}};
    QVERIFY(test::names(parse(document).findings.problems, "/model",
                        "8 wide and the candidate tower 16"));
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
  row("list for an object", "/training", "[]", "an object with the keys objective");
  row("missing name", "/tables/0", R"({"vocabulary": "user", "embedding_dim": 16})", "missing",
      "/tables/0/name");
  row("fraction", "/training/epochs", "2.5", "not an integer");
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
  row("label column", "/dataset/label/column", "\"stars\"", "no column \"stars\"");
  row("label scale", "/dataset/label/scale", "[5, 1]", "not below");
  row("label scale of three", "/dataset/label/scale", "[1, 2, 3]", "two numbers");
  row("weight column", "/dataset/weight", "\"w\"", "no column \"w\"");
  row("bad share", "/dataset/max_rejected_share", "1.5", "out of range");
  row("vocabulary of no column", "/dataset/vocabularies/0/name", "\"users\"",
      "did you mean \"user\"?");
  row("duplicate vocabulary", "/dataset/vocabularies/1/name", "\"user\"", "an earlier entry");
  row("vocabulary size 0", "/dataset/vocabularies/0/size", "0", "out of range");
  row("vocabulary size word", "/dataset/vocabularies/0/size", "\"max-1\"",
      "did you mean \"max+1\"?");
  row("compressed with direct size", "/dataset/vocabularies/0",
      R"({"name": "user", "kind": "compressed", "size": "max+1"})", "direct ids",
      "/dataset/vocabularies/0/size");
  row("counts and shares", "/dataset/split/train", "800", "mixed", "/dataset/split");
  row("shares beyond 1", "/dataset/split/train", "0.9", "sum to 1.1", "/dataset/split");
  row("negative amount", "/dataset/split/train", "-0.5", "not an integer");
  row("no training rows", "/dataset/split/train", "0", "there is no training row");
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
  row("duplicate table", "/tables/1/name", "\"user\"", "an earlier entry");
  row("width 0", "/tables/0/embedding_dim", "0", "from 1 to 16777216");
  row("width 16777217", "/tables/0/embedding_dim", "16777217", "from 1 to 16777216");
  row("placement", "/tables/0/placement", "\"rows\"", "did you mean \"row\"?");
  row("layout of one axis", "/layout", R"({"tables/*": ["data"]})", "a list of two",
      "/layout/tables~1*");
  row("layout without an axis of the columns", "/layout", R"({"tables/*": ["data", null]})",
      "found null", "/layout/tables~1*/1");
  row("initializer ends", "/tables/0/initializer", R"({"kind": "uniform", "min": 1, "max": 0})",
      "above");
  row("initial weights from nowhere", "/tables/0/initializer", R"({"kind": "file"})",
      "no file is named", "/tables/0/initializer/path");
  row("initial vectors that are not there", "/tables/0/initializer",
      R"({"kind": "vectors", "vectors": "titles"})", "there is none",
      "/tables/0/initializer/vectors");
  row("axis that the mesh lacks", "/tables/0/axes", R"(["dat"])", "did you mean \"data\"?",
      "/tables/0/axes/0");
  row("axis twice", "/tables/0/axes", R"(["data", "data"])", "appears twice", "/tables/0/axes/1");
  row("axes of a replicated table", "/tables/0",
      R"({"name": "user", "vocabulary": "user", "placement": "replicated", "axes": ["data"]})",
      "is not sharded", "/tables/0/axes");
  row("device of a split table", "/tables/0",
      R"({"name": "user", "vocabulary": "user", "placement": "row", "device": "cpu:0"})",
      "placement \"table\"", "/tables/0/device");
  row("device that the mesh lacks", "/tables/0",
      R"({"name": "user", "vocabulary": "user", "placement": "table", "device": "cpu:1"})",
      "the mesh has no device \"cpu:1\"", "/tables/0/device");
  row("feature in another feature", "/features/0/name", "\"item/user\"", "it cannot hold",
      "/features/0/name");
  row("feature named as a tower", "/features/0/name", "\"query\"", "output of a tower");
  row("ids without a table", "/features/0/table", "null", "table is null");
  row("shape of another batch", "/features/0/input_shape", "[99]", "a global batch has 100",
      "/features/0/input_shape/0");
  row("two ids of one", "/features/0/input_shape", "[100, 2]", "2 values a row",
      "/features/0/input_shape/1");
  row("shape of three", "/features/0/input_shape", "[100, 1, 1]", "more than two dimensions");
  row("output of another width", "/features/0/output_shape", "[100, 8]",
      "the table \"user\" is 16 wide", "/features/0/output_shape/1");
  row("output of one dimension", "/features/0/output_shape", "[100]", "not two dimensions");
  row("unknown table", "/features/0/table", "\"usr\"", "did you mean \"user\"?");
  row("column without vocabulary", "/features/0/column", "\"time\"", "has no vocabulary");
  row("table of another column", "/features/0/table", "\"item\"", "\"user\" has ids of \"user\"");
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
  row("all rows of every user", "/dataset/split", R"({"kind": "leave_random", "test": 1.0})",
      "1 would be one row", "/dataset/split/test");
  row("shares that leave no row", "/dataset/split",
      R"({"kind": "leave_last", "validation": 0.5, "test": 0.5})", "are held out",
      "/dataset/split/test");
  row("split by times that are not there", "/dataset",
      R"({"source": "csv", "split": {"kind": "temporal"}, "batch": {"size": 9},
          "columns": [{"name": "user", "role": "user"}, {"name": "item", "role": "item"}],
          "vocabularies": [{"name": "user", "kind": "compressed"},
                           {"name": "item", "kind": "compressed"}]})",
      "rows have no time", "/dataset/split/kind");
  row("files without training rows", "/dataset/split", R"({"kind": "files", "test": "t.csv"})",
      "no file of training rows", "/dataset/split/train");
  row("files without a held-out one", "/dataset",
      R"({"source": "csv", "split": {"kind": "files", "train": "t.csv"}, "batch": {"size": 9}})",
      "neither validation nor test", "/dataset/split/validation");
  row("a share of files that is none", "/dataset",
      R"({"source": "csv", "batch": {"size": 9},
          "split": {"kind": "files", "train": "t.csv", "test": "u.csv", "validation_rows": 1.5}})",
      "1.5", "/dataset/split/validation_rows");
  row("a file of two parts", "/dataset",
      R"({"source": "csv", "batch": {"size": 9},
          "split": {"kind": "files", "train": "t.csv", "validation": "v.csv", "test": "t.csv"}})",
      "the file of train as well", "/dataset/split/test");
  row("shares of files", "/dataset/split", R"({"kind": "files", "train": 0.8, "test": "t.csv"})",
      "found the number 0.8", "/dataset/split/train");
  row("paths of shares", "/dataset/split", R"({"kind": "random", "train": "t.csv"})",
      "found the text \"t.csv\"", "/dataset/split/train");
  row("files of generated data", "/dataset/split",
      R"({"kind": "files", "train": "u1.base", "test": "u1.test"})",
      "\"generated\" is no file for each part", "/dataset/split/kind");
  row("column of a random split", "/dataset/split", R"({"kind": "random", "column": "part"})",
      "column is a setting of column", "/dataset/split/column");
  row("parts in a column of numbers", "/dataset/split", R"({"kind": "column", "column": "rating"})",
      "has numbers", "/dataset/split/column");
  row("scale without a label", "/dataset/label", R"({"column": null, "scale": [1, 5]})",
      "every label is 1", "/dataset/label/scale");
  row("vectors of nothing", "/dataset/vectors",
      R"([{"name": "v", "of": "itme", "path": "v.csv", "id": "i", "column": "v"}])",
      "did you mean \"item\"?", "/dataset/vectors/0/of");
  row("history of users", "/features/0/history", "{}", "a history holds items",
      "/features/0/column");
  row("history of an item", "/features/1/history", "{}", "the candidate tower describes items",
      "/features/1/tower");
  row("history of no length", "/features/1/history", R"({"length": 0})", "0",
      "/features/1/history/length");
  row("history within no time", "/features/1/history", R"({"within_seconds": 0})", "0",
      "/features/1/history/within_seconds");
  row("seconds in the order of the data", "/features/1/history",
      R"({"order": "data", "within_seconds": 60})", "has no seconds",
      "/features/1/history/within_seconds");
  row("unknown key of a history", "/features/1/history", R"({"lenght": 3})",
      "did you mean \"length\"?", "/features/1/history/lenght");
  row("history without times", "",
      R"({"/dataset/columns": [{"name": "user", "role": "user"}, {"name": "item", "role": "item"}],
          "/features/0": {"name": "history", "column": "item", "table": "item", "history": {}}})",
      "{\"order\": \"data\"}", "/features/0/history");
  row("shape of another history", "/features/0",
      R"({"name": "history", "column": "item", "table": "item", "history": {},
          "input_shape": [100, 5]})",
      "the history's length is 20", "/features/0/input_shape/1");
  row("history by user", "",
      R"({"/features/0": {"name": "history", "column": "item", "table": "item", "history": {}},
          "/evaluation/unit": "user"})",
      "the query side reads a history", "/evaluation/unit");
  row("item in the query tower", "/features/0/column", "\"item\"", "cannot read");
  row("tower without features", "/features/1/tower", "\"query\"", "candidate tower has no feature",
      "/features");
  row("duplicate feature", "/features/1/name", "\"user\"", "an earlier entry");
  row("towers of two widths", "/tables/0/embedding_dim", "8", "8 wide and the candidate tower 16",
      "/model");
  row("model", "/model/kind", "\"dlrm\"", "\"retrieval\"");
  row("layer", "/model/query", R"([{"kind": "dens", "units": 16}])", "did you mean \"dense\"?",
      "/model/query/0/kind");
  row("vectors of a layer", "/model/query",
      R"([{"units": 16, "initializer": {"kind": "vectors", "vectors": "v"}}])", "belong to ids",
      "/model/query/0/initializer/kind");
  row("two kernels from one file", "/model/query",
      R"([{"kind": "feature_cross", "projection_dim": 2,
           "initializer": {"kind": "file", "path": "w.npy"}}])",
      "two kernels", "/model/query/0/initializer/kind");
  row("head without its label", "/model/heads",
      R"([{"name": "h", "inputs": ["query"], "layers": [{"units": 1}], "label": "age"}])",
      "no numeric column", "/model/heads/0/label");
  row("head twice", "/model/heads",
      R"([{"name": "h", "inputs": ["query"], "layers": [{"units": 1}]},
          {"name": "h", "inputs": ["query"], "layers": [{"units": 1}]}])",
      "an earlier entry", "/model/heads/1/name");
  row("softmax of a head", "/model/heads",
      R"([{"name": "h", "inputs": ["query"], "layers": [{"units": 1}],
           "loss": {"kind": "in_batch_softmax"}}])",
      "which /loss does", "/model/heads/0/loss/kind");
  row("log-Q without candidates", "/loss", R"({"kind": "mse", "log_q": "standard"})",
      "is a setting of in_batch_softmax and sampled_softmax", "/loss/log_q");
  row("temperature of 0", "/loss", R"({"kind": "in_batch_softmax", "temperature": 0})", "above 0",
      "/loss/temperature");
  row("trainable temperature of 0", "/loss",
      R"({"kind": "in_batch_softmax", "temperature": {"initial": 0, "trainable": true}})",
      "above 0", "/loss/temperature/initial");
  row("trainable temperature of lists", "/loss",
      R"({"kind": "list_mle", "temperature": {"initial": 1, "trainable": true}})",
      "does not train its temperature", "/loss/temperature/trainable");
  row("as many hard negatives as examples", "/loss",
      R"({"kind": "in_batch_softmax", "hard_negatives": 100})", "100 of the 99 negatives",
      "/loss/hard_negatives");
  row("more hard negatives than drawn ones", "/loss",
      R"({"kind": "sampled_softmax", "hard_negatives": 9, "extra_negatives": {"count": 8}})",
      "1 … 8", "/loss/hard_negatives");
  row("sampled softmax without a sample", "/loss", R"({"kind": "sampled_softmax"})",
      "there are none", "/loss/extra_negatives");
  row("sampled BCE without a sample", "/loss", R"({"kind": "sampled_bce"})", "there are none",
      "/loss/extra_negatives");
  row("candidates of the batch in sampled BCE", "/loss",
      R"({"kind": "sampled_bce", "negatives": "device", "extra_negatives": {"count": 8}})",
      "is a setting of in_batch_softmax and bpr and ccl", "/loss/negatives");
  row("calibration above 1", "/loss",
      R"({"kind": "sampled_bce", "extra_negatives": {"count": 8}, "calibration": 1.5})",
      "at most 1", "/loss/calibration");
  row("calibration of popular negatives", "/loss",
      R"({"kind": "sampled_bce", "extra_negatives": {"from": "mixed"}, "calibration": 0.5})",
      "every item is drawn alike", "/loss/extra_negatives/from");
  row("calibration of the hardest negatives", "/loss",
      R"({"kind": "sampled_bce", "extra_negatives": {"count": 8}, "calibration": 0.5,
          "hard_negatives": 2})",
      "no sample of the catalogue", "/loss/hard_negatives");
  row("calibration of another loss", "/loss", R"({"kind": "bpr", "calibration": 0.5})",
      "is a setting of sampled_bce", "/loss/calibration");
  row("CCL of dot products", "", R"({"/loss": {"kind": "ccl"}, "/model/score": "dot"})",
      "compares cosines", "/model/score");
  row("CCL with a temperature", "",
      R"({"/loss": {"kind": "ccl", "temperature": 0.1}, "/model/score": "cosine"})",
      "is a setting of", "/loss/temperature");
  row("CCL without a weight", "",
      R"({"/loss": {"kind": "ccl", "negative_weight": 0}, "/model/score": "cosine"})", "above 0",
      "/loss/negative_weight");
  row("margin that no cosine has", "",
      R"({"/loss": {"kind": "ccl", "margin": -2}, "/model/score": "cosine"})", "at least -1",
      "/loss/margin");
  row("negatives of a lone example", "", R"({"/loss": {"kind": "bpr", "negatives": "device"},
      "/dataset/batch": {"per_device": 1}, "/mesh/devices": ["cpu*4"]})",
      "no other candidate", "/loss/negatives");
  row("lists without a length", "/loss", R"({"kind": "list_mle"})", "batches have no groups",
      "/loss/kind");
  row("lists of a reshuffled set", "/dataset",
      R"({"source": "generated", "split": {"kind": "batches", "train": 2, "validation": 1, "test": 0},
          "batch": {"size": 10, "group_size": 5},
          "vocabularies": [{"name": "user"}, {"name": "item"}]})",
      "split groups", "/dataset/batch/group_size");
  row("buckets without a known id", "/dataset/vocabularies/0",
      R"({"name": "user", "kind": "direct", "size": 5, "oov": "buckets", "oov_buckets": 4})",
      "leave no row", "/dataset/vocabularies/0/size");
  row("rare ids that are an error", "/dataset/vocabularies/0",
      R"({"name": "user", "kind": "compressed", "min_count": 2, "oov": "error"})",
      "known only at the end", "/dataset/vocabularies/0/oov");
  row("vocabulary of numbers", "/dataset/columns",
      R"([{"name": "user", "role": "user"}, {"name": "item", "role": "item"},
          {"name": "year", "role": "number", "vocabulary": "years"}])",
      "is a setting of user", "/dataset/columns/2/vocabulary");
  row("list longer than the batch of all devices", "/dataset/batch",
      R"({"per_device": 5, "group_size": 11})", "larger than a batch of 5",
      "/dataset/batch/group_size");
  row("list longer than a batch", "/dataset/batch", R"({"size": 10, "group_size": 11})",
      "larger than a batch", "/dataset/batch/group_size");
  row("score", "/model/score", "\"cosin\"", "\"dot\"");
  row("loss", "/loss/kind", "\"cross_entropy\"", "\"mse\", \"bce\"");
  // training
  row("optimizer", "/optimizer/kind", "\"adamax\"", "did you mean \"adam\"?");
  row("learning rate 0", "/optimizer/learning_rate", "0", "above 0");
  row("negative epsilon", "/optimizer/epsilon", "-1e-7", "out of range");
  row("adam without epsilon", "/optimizer", R"({"kind": "adam", "epsilon": 0})", "0/0",
      "/optimizer/epsilon");
  row("beta1 of 1", "/optimizer", R"({"kind": "adam", "beta1": 1})", "below 1", "/optimizer/beta1");
  row("ftrl from nothing", "/optimizer", R"({"kind": "ftrl", "initial_accumulator": 0})", "0/0",
      "/optimizer/initial_accumulator");
  row("adagrad from nothing", "/optimizer",
      R"({"kind": "rowwise_adagrad", "initial_accumulator": 0, "epsilon": 0})", "0/0",
      "/optimizer/epsilon");
  row("two ways to clip", "/tables/0/optimizer",
      R"({"kind": "sgd", "clip_norm": 1, "global_clip_norm": 1})", "clip_norm is given as well",
      "/tables/0/optimizer/global_clip_norm");
  row("decay of everything", "/optimizer",
      R"({"kind": "sgd", "learning_rate": 10, "weight_decay": 0.1})", "all of it or more",
      "/optimizer/weight_decay");
  row("rates of other number", "/schedule",
      R"({"kind": "piecewise", "boundaries": [10], "values": [1, 2, 3]})",
      "3 rates for 1 boundaries", "/schedule/values");
  row("boundaries that do not ascend", "/optimizer/schedule",
      R"({"kind": "piecewise", "boundaries": [10, 10], "values": [1, 2, 3]})",
      "step 10 comes after step 10", "/optimizer/schedule/boundaries/1");
  row("table optimizer", "/tables/0/optimizer", R"({"kind": "sgd", "beta2": 0.9})",
      "setting of adam and adamw", "/tables/0/optimizer/beta2");
  row("schedule", "/schedule/kind", "\"cosin\"", "did you mean \"cosine\"?");
  row("precision", "/training/precision", "\"fp16\"", "\"fp32\", \"tf32\", \"bf16\"");
  row("validate_every", "/training/validate_every", "-1", "out of range");
  row("patience", "/training/early_stopping", R"({"patience": 0})", "out of range",
      "/training/early_stopping/patience");
  row("metric without prefix", "/training/checkpoints/best", "\"loss\"",
      "did you mean \"val_loss\"?");
  row("metric of another length", "/training/checkpoints/best", "\"val_recall@7\"", "has no 7");
  row("keep nothing", "/training/checkpoints/keep", "0", "out of range");
  // what train would refuse
  row("more ratings than pairs", "/dataset/generator/events", "120001",
      "400 users rate 300 movies at most once each");
  row("too many users", "/dataset/generator/users", "100000001", "100,000,000");
  row("fewer items than genres", "/dataset/generator", R"({"kind": "events", "items": 15})",
      "16 to", "/dataset/generator/items");
  row("label that clicks lack", "/dataset/generator", R"({"kind": "clicks"})",
      "no column \"rating\"", "/dataset/label/column");
  row("delimiter of three bytes", "/dataset", csvDataset(R"("format": {"delimiter": ":::"})"),
      "1 to 2 bytes", "/dataset/format/delimiter");
  row("quote of two bytes", "/dataset", csvDataset(R"("format": {"quote": "''"})"), "one byte",
      "/dataset/format/quote");
  row("line end as a delimiter", "/dataset", csvDataset(R"("format": {"delimiter": "\n"})"),
      "line end", "/dataset/format/delimiter");
  row("delimiter with the quote", "/dataset",
      csvDataset(R"("format": {"delimiter": "|'", "quote": "'"})"), "contains the quote",
      "/dataset/format/delimiter");
  row("label of texts", "/dataset/label/column", "\"genres\"", "has texts");
  row("column that generated data lack", "/dataset/columns",
      R"([{"name": "user", "role": "user"}, {"name": "item", "role": "item"},
          {"name": "age", "role": "feature", "from": "user_agee"}])",
      "did you mean \"user_age\"?", "/dataset/columns/2/from");
  row("texts in a vocabulary without a kind", "",
      R"({"/dataset/columns": [{"name": "user", "role": "user"}, {"name": "item", "role": "item"},
                               {"name": "genres", "role": "feature", "separator": "|"}],
          "/dataset/vocabularies/2": {"name": "genres"}})",
      "the column \"genres\" has texts", "/dataset/vocabularies/2/kind");
  row("texts of a derived column", "",
      R"({"/dataset/columns": [{"name": "user", "role": "user"}, {"name": "item", "role": "item"},
                               {"name": "day", "role": "context"}],
          "/dataset/derived": [{"name": "day", "kind": "weekday", "from": "time"}],
          "/dataset/vocabularies/2": {"name": "day"}})",
      "\"compressed\" or \"hash\"", "/dataset/vocabularies/2/kind");
  row("derived column with a separator", "/dataset",
      R"({"source": "csv", "batch": {"size": 9},
          "columns": [{"name": "user", "role": "user"}, {"name": "item", "role": "item"},
                      {"name": "age", "role": "feature", "separator": "|"}],
          "derived": [{"name": "age", "kind": "buckets", "from": "years", "bounds": [18]}],
          "vocabularies": [{"name": "user"}, {"name": "item"},
                           {"name": "age", "kind": "compressed"}]})",
      "one value per row", "/dataset/columns/2/separator");
  row("bounds of texts", "/dataset/derived",
      R"([{"name": "zip", "kind": "buckets", "from": "user_zip", "bounds": [18]}])", "has texts",
      "/dataset/derived/0/from");
  row("ids without a vocabulary", "/dataset/columns",
      R"([{"name": "user", "role": "user"}, {"name": "item", "role": "item"},
          {"name": "genres", "role": "feature", "separator": "|"}])",
      "no vocabulary is named \"genres\"", "/dataset/columns/2/name");
  row("one row among shares", "/dataset/split", R"({"train": 1, "validation": 0.1, "test": 0})",
      "train 1 is one row, and 1.0 would be all of them", "/dataset/split");
  row("shares of batches beyond 1", "/dataset",
      R"({"source": "generated", "split": {"kind": "batches", "train": 0.9, "validation": 0.2},
          "batch": {"size": 10, "shuffle": "epoch"},
          "vocabularies": [{"name": "user"}, {"name": "item"}]})",
      "sum to 1.1", "/dataset/split");
  // evaluation, reference, mesh
  row("k of 0", "/evaluation/k", "[0]", "out of range", "/evaluation/k/0");
  row("no k", "/evaluation/k", "[]", "empty");
  row("k twice", "/evaluation/k", "[10, 10]", "twice", "/evaluation/k/1");
  row("metric twice", "/evaluation/metrics", R"(["recall", "recall"])", "twice",
      "/evaluation/metrics/1");
  row("unknown metric", "/evaluation/metrics", R"(["recal"])", "recall", "/evaluation/metrics/0");
  row("segments of no column", "/evaluation/segments", R"(["activty"])", "activity",
      "/evaluation/segments/0");
  row("no query", "/evaluation/sample", "0", "out of range");
  row("protocol of rows", "/evaluation", R"({"protocol": "yambda", "unit": "example"})",
      "asks for users", "/evaluation/unit");
  row("protocol without seen items", "/evaluation",
      R"({"protocol": "yambda-compat", "exclude_seen": true})", "keeps seen items",
      "/evaluation/exclude_seen");
  row("protocol without seen pairs", "/evaluation",
      R"({"protocol": "yambda", "seen_pairs": "drop"})", "keeps pairs", "/evaluation/seen_pairs");
  row("unknown protocol", "/evaluation/protocol", "\"yamda\"", "yambda");
  row("protocol in a context", "",
      R"({"/dataset/columns": [{"name": "user", "role": "user"}, {"name": "item", "role": "item"},
                               {"name": "hour", "role": "context"}],
          "/features/0": {"name": "hour", "column": "hour", "table": "user", "tower": "query"},
          "/evaluation/protocol": "yambda"})",
      "differs from row to row", "/evaluation/protocol");
  row("lists of users in one context", "",
      R"({"/dataset/columns": [{"name": "user", "role": "user"}, {"name": "item", "role": "item"},
                               {"name": "hour", "role": "context"}],
          "/features/0": {"name": "hour", "column": "hour", "table": "user", "tower": "query"},
          "/evaluation/unit": "user"})",
      "differs from row to row", "/evaluation/unit");
  row("k descending", "/evaluation/k", "[10, 5]", "ascending", "/evaluation/k/1");
  row("reference curve", "/reference/curve", "\"keras-data-parallel-retrievel\"",
      "did you mean \"keras-data-parallel-retrieval\"?");
  row("device", "/mesh/devices", "[\"cpu*1\", \"gpu\"]", "\"cuda:0\"", "/mesh/devices/1");
  row("devices of two kinds", "/mesh/devices", "[\"cuda:0\", \"cpu:0\"]",
      "cuda:0 and cpu:0 are devices of two kinds");
  row("no device", "/mesh/devices", "[]", "empty");
  row("more devices than rows", "/mesh/devices", "[\"cpu*101\"]",
      "101 devices share a batch of 100 examples: 1 would be idle");
  row("no thread", "/mesh/threads", "0", "0");
  row("too many threads", "/mesh/threads", "1025", "1025");
  row("no capacity", "/mesh/capacity_bytes", "0", "0");
  row("a capacity in words", "/mesh/capacity_bytes", "\"2 GiB\"",
      "a number of bytes for every device, a list with a number for each, or null");
  row("no capacities", "/mesh/capacity_bytes", "[]", "the list is empty");
  row("more capacities than devices", "",
      R"({"/mesh/devices": ["cpu*2"], "/mesh/capacity_bytes": [1000, 2000, 3000]})",
      "3 numbers for 2 devices", "/mesh/capacity_bytes");
  row("fewer capacities, with what is accepted", "",
      R"({"/mesh/devices": ["cpu*3"], "/mesh/capacity_bytes": [1000]})",
      "one number for every device, or a list of 3, in the order of cpu:0, cpu:1, cpu:2",
      "/mesh/capacity_bytes");
  row("one capacity that is none", "",
      R"({"/mesh/devices": ["cpu*3"], "/mesh/capacity_bytes": [1000, 2000, -5]})", "-5",
      "/mesh/capacity_bytes/2");
  row("a part beside its device", "/mesh/devices", R"(["cuda:0", "cuda:0/1"])",
      "is a part of cuda:0, which is named as a whole", "/mesh/devices/1");
  row("shape of other size", "/mesh/shape", "[3]", "the shape has 3 devices, and 1 are named");
  row("axes of other number", "/mesh/axes", "[\"data\", \"model\"]", "2 axes are named");
  row("axes twice", "/mesh", R"({"devices": ["cpu*4"], "shape": [2, 2], "axes": ["a", "a"]})",
      "twice", "/mesh/axes");
}

void RulesTest::warnings_data() {
  columns();
  row("schedule that no optimizer follows", "",
      R"({"/schedule": {"kind": "cosine"},
          "/tables/0/optimizer": {"kind": "sgd", "schedule": {"kind": "constant"}},
          "/tables/1/optimizer": {"kind": "sgd", "schedule": {"kind": "constant"}}})",
      "every optimizer that updates a parameter", "/schedule");
  row("schedule beside that of the optimizer", "",
      R"({"/schedule": {"kind": "cosine"}, "/optimizer/schedule": {"kind": "constant"}})",
      "every optimizer that updates a parameter", "/schedule");
  row("one training row", "/dataset/split", R"({"train": 1, "validation": 10, "test": 0})",
      "the share of all of them is written 1.0", "/dataset/split/train");
  row("no epoch is validated", "", R"({"/training/epochs": 3, "/training/validate_every": 4})",
      "the run ends after 3", "/training/validate_every");
  row("product of one input", "/model/query", R"([{"kind": "multiply"}])", "reads a single one",
      "/model/query/0");
  row("gate of one input", "/model/candidate", R"([{"kind": "gate"}])", "reads a single one",
      "/model/candidate/0");
  row("error of labels that are none", "",
      R"({"/dataset/label": {"column": null, "scale": null}, "/loss": {"kind": "mse"}})",
      "every label is 1", "/loss/kind");
  row("unused table", "/tables/2", R"({"name": "spare", "vocabulary": "item"})", "no feature uses");
  row("path of generated data", "/dataset/path", "\"/data\"", "not used");
  row("rows in no part", "/dataset/split/train", "0.5", "30 % of the rows", "/dataset/split");
  row("threshold without labels", "",
      R"({"/dataset/label": {"column": null, "scale": null}, "/evaluation/relevance_threshold": 4})",
      "no held-out row can be relevant: without a label every row counts 1, the threshold is 4",
      "/evaluation/relevance_threshold");
  row("no validation rows", "/dataset/split", R"({"train": 0.9, "validation": 0, "test": 0.1})",
      "nothing is measured", "/dataset/split/validation");
  row("optimizer of a fixed table", "/tables/0",
      R"({"name": "user", "vocabulary": "user", "embedding_dim": 16, "trainable": false, "optimizer": {"kind": "sgd"}})",
      "not used", "/tables/0/optimizer");
  row("rates of a table under piecewise rates", "",
      R"({"/tables/0/optimizer": {"kind": "sgd"},
          "/schedule": {"kind": "piecewise", "boundaries": [10], "values": [0.2, 0.1]}})",
      "/schedule gives the rates", "/tables/0/optimizer/learning_rate");
  row("nothing is trainable", "", R"({"/tables/0/trainable": false, "/tables/1/trainable": false})",
      "does not change the model", "/tables");
  row("warm-up without steps", "/schedule/warmup_from", "0.5", "no warm-up steps");
  row("rate that grows", "/schedule", R"({"kind": "polynomial", "end": 1})", "the rate grows",
      "/schedule/end");
  row("rate that stays", "/schedule", R"({"kind": "polynomial", "end": 0.0499})",
      "the rate stays what it is", "/schedule/end");
  row("cosine to where it began", "/schedule", R"({"kind": "cosine", "alpha": 0.995})",
      "the rate stays what it is", "/schedule/alpha");
  row("piecewise rates that are equal", "/schedule",
      R"({"kind": "piecewise", "boundaries": [10], "values": [0.2, 0.2]})",
      "the rate stays what it is", "/schedule/values");
  row("adamw without decay", "/optimizer", R"({"kind": "adamw", "weight_decay": 0})",
      "this is adam", "/optimizer/weight_decay");
  row("held-out rows in histories", "/features/0",
      R"({"name": "history", "column": "item", "table": "item", "history": {"rows": "all"}})",
      "held-out rows are in the histories", "/features/0/history/rows");
  row("longest row of a history", "/features/0",
      R"({"name": "history", "column": "item", "table": "item", "history": {}, "max_length": 3})",
      "the length of the history", "/features/0/max_length");
  row("longest bag of single ids", "/features/0/max_length", "3", "a row of \"user\" has one id");
  row("last ids of all", "/features/0/truncation_side", "\"start\"", "max_length is null");
  row("log of ids", "/features/0/transform", "\"log1p\"", "not numeric");
  row("feature twice", "",
      R"({"/features/2": {"name": "again", "column": "user", "table": "user"},
          "/model/query": [{"units": 16}]})",
      "equal to \"user\"", "/features/2");
  row("buckets of no use", "/dataset/vocabularies/0/oov_buckets", "3", "oov is not \"buckets\"");
  row("lists that nothing needs", "/dataset/batch/group_size", "5", "no loss is listwise");
  row("replay of one epoch", "", R"({"/dataset/batch/replay_batches": 2, "/training/epochs": 1})",
      "no epoch after the first", "/dataset/batch/replay_batches");
  row("labels that are all 1", "",
      R"({"/dataset/label": {"column": null}, "/loss": {"kind": "bce"}})", "every label is 1",
      "/loss/kind");
  row("loss without weight", "/loss/weight", "0", "does not train");
  row("pattern of nothing", "/layout", R"({"table/*": ["data", ""]})", "no parameter",
      "/layout/table~1*");
  row("axes that divide nothing", "",
      R"({"/mesh": {"devices": ["cpu*4"], "shape": [2, 2], "axes": ["data", "model"]},
          "/tables/0/placement": "row", "/tables/1/placement": "replicated"})",
      "they have no effect", "/mesh/axes");
}

void RulesTest::accepted_data() {
  columns();
  row("history", "/features/0",
      R"({"name": "history", "column": "item", "table": "item",
          "history": {"length": 50, "within_seconds": 3600, "rows": "train", "order": "time"},
          "input_shape": [100, 50], "output_shape": [100, 16]})",
      "");
  row("history of data without times", "",
      R"({"/dataset/columns": [{"name": "user", "role": "user"}, {"name": "item", "role": "item"}],
          "/features/0": {"name": "history", "column": "item", "table": "item",
                          "history": {"order": "data"}}})",
      "");
  row("whole fraction", "/training/epochs", "3.0", "");
  row("fixed table", "/tables/0/trainable", "false", "");
  row("seed of 2^63 - 1", "/training/seed", "9223372036854775807", "");
  row("weights", "/dataset/weight", "\"rating\"", "");
  row("metric of a list", "/training/checkpoints/best", "\"val_ndcg@10\"", "");
  row("no best", "/training/checkpoints/best", "null", "");
  row("batch that does not divide", "/mesh/devices", "[\"cpu*7\"]", "");
  row("a device per row", "/mesh/devices", "[\"cpu*100\"]", "");
  row("threads", "/mesh/threads", "3", "");
  row("a capacity", "/mesh/capacity_bytes", "1000000", "");
  row("a capacity for each device", "",
      R"({"/mesh/devices": ["cpu*2"], "/mesh/capacity_bytes": [1000000, 2000000]})", "");
  row("all cores", "/mesh/threads", "null", "");
  row("mesh of one axis", "/mesh", R"({"devices": ["2xcpu"], "shape": [2], "axes": ["batch"]})",
      "");
  row("nested name", "/features/0/name", "\"user/id\"", "");
  row("shapes that fit", "",
      R"({"/features/0/input_shape": [100], "/features/1/input_shape": [100, 1],
          "/features/0/output_shape": [100, 16]})",
      "");
  row("split table", "",
      R"({"/mesh": {"devices": ["cpu*4"], "shape": [2, 2], "axes": ["data", "model"]},
          "/tables/0/placement": "column", "/tables/0/axes": ["model"],
          "/tables/1/placement": "table", "/tables/1/device": "cpu:3"})",
      "");
  row("lists of rows", "", R"({"/dataset/batch/group_size": 5, "/loss": {"kind": "list_mle"}})",
      "");
  row("softmax of the batch", "/loss", R"({"kind": "in_batch_softmax", "temperature": 0.1})", "");
  row("shares of each user's rows", "/dataset/split",
      R"({"kind": "leave_random", "validation": 0.1, "test": 0.25})", "");
  row("settings of negatives", "/loss",
      R"({"kind": "bpr", "temperature": {"initial": 0.1, "trainable": true}, "negatives": "device",
          "accidental_hits": "keep", "hard_negatives": 99, "extra_negatives": {"from": "mixed"}})",
      "");
  row("binary cross entropy with calibration", "/loss",
      R"({"kind": "sampled_bce", "temperature": 0.5, "accidental_hits": "keep",
          "extra_negatives": {"count": 64}, "calibration": 0.75})",
      "");
  row("hardest negatives of binary cross entropy", "/loss",
      R"({"kind": "sampled_bce", "hard_negatives": 8, "extra_negatives": {"from": "popularity"}})",
      "");
  row("cosine contrastive loss", "",
      R"({"/loss": {"kind": "ccl", "margin": 0.4, "negative_weight": 20, "negatives": "device",
                    "hard_negatives": 9, "extra_negatives": {"count": 64}},
          "/model/score": "cosine"})",
      "");
  row("softmax of a lone example and extra negatives", "",
      R"({"/loss": {"kind": "in_batch_softmax", "extra_negatives": {"count": 8}},
          "/dataset/batch/size": 1})",
      "");
  row("reduced precision", "/training/precision", "\"bf16\"", "");
  row("tf32", "/training/precision", "\"tf32\"",
      "");  // whether a device has it is no matter of the document
  row("protocol of a benchmark", "/evaluation",
      R"({"protocol": "yambda-compat", "exclude_seen": false})", "");
  row("per device", "/dataset/batch", R"({"per_device": 100})", "");
  row("all rows", "/dataset/split", R"({"train": 1.0, "validation": 0, "test": 0})", "");
  row("shares of batches", "/dataset",
      R"({"source": "generated", "split": {"kind": "batches", "train": 0.8, "validation": 0.2},
          "batch": {"size": 10, "shuffle": "epoch"},
          "vocabularies": [{"name": "user"}, {"name": "item"}]})",
      "");
  row("tabs between cells", "/dataset", csvDataset(R"("format": {"delimiter": "\t"})"), "");
  row("spaces between ids", "/dataset",
      csvDataset(R"("columns": [{"name": "user", "role": "user"}, {"name": "item", "role": "item"},
                                {"name": "tags", "role": "feature", "separator": " "}],
                    "vocabularies": [{"name": "user"}, {"name": "item"},
                                     {"name": "tags", "kind": "compressed"}])"),
      "");
  row("counts", "/dataset/split", R"({"train": 1000, "validation": 100, "test": 0})", "");
}

QTEST_GUILESS_MAIN(RulesTest)
#include "rules_test.moc"
