// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/model_shape.h"

#include <QtTest>
#include <set>

#include "engine/base/text.h"
#include "engine/experiment/fields.h"
#include "engine/experiment/layer_kind.h"
#include "engine/experiment/layout.h"
#include "tests/experiment/sample_document.h"

using namespace parapet;
using namespace parapet::experiment;

namespace {

/// Two users' features of 4 and 6 numbers, an item of 4, an age: 15 numbers side by side.
nlohmann::json rankingDocument(const char* layers) {
  nlohmann::json document = nlohmann::json::parse(R"({"parapet": 1, "name": "shapes",
    "dataset": {"source": "csv", "path": "rows.csv", "label": {"column": "click"},
      "columns": [{"name": "user", "role": "user"}, {"name": "item", "role": "item"},
                  {"name": "city", "role": "context"}, {"name": "age", "role": "number"}],
      "vocabularies": [{"name": "user"}, {"name": "item"}, {"name": "city"}],
      "batch": {"size": 8}},
    "tables": [{"name": "user", "vocabulary": "user", "embedding_dim": 4},
               {"name": "item", "vocabulary": "item", "embedding_dim": 4},
               {"name": "city", "vocabulary": "city", "embedding_dim": 6}],
    "features": [{"name": "user/id", "column": "user", "table": "user"},
                 {"name": "user/city", "column": "city", "table": "city"},
                 {"name": "item", "column": "item", "table": "item", "tower": "candidate"},
                 {"name": "age", "column": "age", "table": null}],
    "model": {"kind": "ranking"}})");
  document["model"]["layers"] = nlohmann::json::parse(layers);
  return document;
}

/// A document with sequences of at most 5 and of 3 ids, 4 wide.
nlohmann::json sequenceDocument(const char* layers) {
  nlohmann::json document = rankingDocument(layers);
  document["dataset"]["columns"].push_back({{"name", "time"}, {"role", "time"}});
  document["features"].push_back({{"name", "seen"},
                                  {"column", "item"},
                                  {"table", "item"},
                                  {"history", {{"length", 5}}},
                                  {"sequence", true}});
  document["features"].push_back({{"name", "lately"},
                                  {"column", "item"},
                                  {"table", "item"},
                                  {"history", {{"length", 3}}},
                                  {"sequence", true}});
  return document;
}

/// Names of the weights of all layers with their shapes.
QStringList weightsOf(const ModelShape& shape) {
  QStringList weights;
  for (const ShapeLayer& layer : shape.layers)
    for (const LayerWeight& weight : layer.weights)
      weights << QString("%1 %2x%3").arg(weight.name.c_str()).arg(weight.rows).arg(weight.cols);
  return weights;
}

}  // namespace

class ModelShapeTest : public QObject {
  Q_OBJECT

 private:
  static Experiment read(const nlohmann::json& document) {
    const Parsed parsed = parse(document);
    if (!parsed.findings.problems.empty())
      throw std::runtime_error(test::textOf(parsed.findings.problems));
    return parsed.experiment;
  }

 private Q_SLOTS:
  void layersHaveTheWidthsOfTheirKinds_data() {
    QTest::addColumn<QString>("layers");
    QTest::addColumn<QList<int>>("widths");
    QTest::addColumn<QList<int>>("parameters");
    QTest::newRow("dense over all features") << R"([{"units": 3}, {"units": 1, "use_bias": false}])"
                                             << QList{3, 1} << QList{15 * 3 + 3, 3};
    QTest::newRow("a folder") << R"([{"units": 1, "inputs": ["user"]}])" << QList{1}
                              << QList{10 + 1};
    QTest::newRow("a folder and a feature")
        << R"([{"units": 1, "inputs": ["age", "user"]}])" << QList{1} << QList{11 + 1};
    QTest::newRow("interaction")
        << R"([{"kind": "dot_interaction", "inputs": ["user/id", "item"]}])" << QList{1}
        << QList{0};
    QTest::newRow("interaction with itself") << R"([{"units": 4, "name": "d"},
               {"kind": "dot_interaction", "inputs": ["user/id", "item", "d"],
                "self_interaction": true}, {"units": 1}])"
                                             << QList{4, 6, 1} << QList{15 * 4 + 4, 0, 6 + 1};
    QTest::newRow("sum") << R"([{"kind": "add", "inputs": ["user/id", "item"]}, {"units": 1}])"
                         << QList{4, 1} << QList{0, 4 + 1};
    QTest::newRow("product")
        << R"([{"kind": "multiply", "inputs": ["user/id", "item"]}, {"units": 1}])" << QList{4, 1}
        << QList{0, 4 + 1};
    QTest::newRow("gate by a value")
        << R"([{"kind": "gate", "inputs": ["user/id", "item"], "gate_input": "user/city"},
               {"units": 1}])"
        << QList{4, 1} << QList{6 * 2, 4 + 1};
    QTest::newRow("gate by a folder, concatenated")
        << R"([{"kind": "gate", "inputs": ["user/id", "item"], "gate_input": "user"},
               {"units": 1}])"
        << QList{10, 4, 1} << QList{0, 10 * 2, 4 + 1};
    QTest::newRow("gate by its inputs, concatenated")
        << R"([{"kind": "gate", "inputs": ["user/id", "item"]}, {"units": 1}])" << QList{8, 4, 1}
        << QList{0, 8 * 2, 4 + 1};
    QTest::newRow("norms and dropout")
        << R"([{"units": 5}, {"kind": "batch_norm"}, {"kind": "layer_norm"}, {"kind": "dropout"},
               {"units": 1}])"
        << QList{5, 5, 5, 5, 1} << QList{15 * 5 + 5, 20, 10, 0, 5 + 1};
    // Before a run of crosses the features are put side by side once.
    QTest::newRow("crosses")
        << R"([{"kind": "feature_cross"}, {"kind": "feature_cross", "projection_dim": 2},
               {"units": 1}])"
        << QList{15, 15, 15, 1} << QList{0, 15 * 15 + 15, 2 * 15 * 2 + 15, 15 + 1};
    QTest::newRow("side by side")
        << R"([{"kind": "feature_cross", "inputs": ["user/id"], "name": "crossed"},
               {"units": 3, "inputs": ["user", "item", "age"], "name": "deep"},
               {"kind": "concat", "inputs": ["crossed", "deep"]}, {"units": 1}])"
        << QList{4, 3, 7, 1} << QList{4 * 4 + 4, 15 * 3 + 3, 0, 7 + 1};
  }
  void layersHaveTheWidthsOfTheirKinds() {
    QFETCH(QString, layers);
    QFETCH(QList<int>, widths);
    QFETCH(QList<int>, parameters);
    const Experiment experiment = read(rankingDocument(layers.toUtf8()));
    const ModelShape shape = inferModel(experiment);
    QList<int> foundWidths, foundParameters;
    for (const ShapeLayer& layer : shape.layers) {
      foundWidths << static_cast<int>(shape.at(layer.output).width);
      foundParameters << static_cast<int>(layer.parameters());
    }
    QCOMPARE(foundWidths, widths);
    QCOMPARE(foundParameters, parameters);
    QCOMPARE(shape.score, shape.layers.back().output);
  }

  void crossesOfARunShareWhatTheFirstReads() {
    const Experiment experiment = read(rankingDocument(
        R"([{"kind": "feature_cross"}, {"kind": "feature_cross"}, {"units": 10},
            {"kind": "feature_cross"}, {"kind": "feature_cross", "x0": "user"}, {"units": 1}])"));
    const ModelShape shape = inferModel(experiment);
    std::vector<const ShapeLayer*> crosses;
    for (const ShapeLayer& layer : shape.layers)
      if (layer.layer->kind == LayerKind::kFeatureCross) crosses.push_back(&layer);
    QCOMPARE(crosses.size(), std::size_t{4});
    QCOMPARE(shape.at(crosses[0]->x0).width, std::int64_t{15});
    QCOMPARE(crosses[0]->inputs, std::vector{crosses[0]->x0});
    QCOMPARE(crosses[1]->x0, crosses[0]->x0);
    QCOMPARE(crosses[1]->inputs, std::vector{crosses[0]->output});
    QCOMPARE(crosses[2]->inputs, std::vector{crosses[2]->x0});  // a run of its own
    QVERIFY(crosses[2]->x0 != crosses[0]->x0);
    QCOMPARE(shape.at(crosses[3]->x0).width, std::int64_t{10});  // user/id and user/city
    QVERIFY(crosses[3]->x0 != crosses[2]->x0);
  }

  void towersWithoutLayersGiveTheirFeatures() {
    const Experiment experiment = read(test::recipeJson("sample"));
    const ModelShape shape = inferModel(experiment);
    QCOMPARE(shape.query, 0);
    QCOMPARE(shape.candidate, 1);
    QVERIFY(shape.layers.empty());
    QCOMPARE(shape.score, -1);
  }

  void headsReadTowersFeaturesAndLayers() {
    auto document = test::recipeJson("sample");
    document["model"]["query"] = {{{"units", 16}, {"name", "trunk"}}, {{"units", 16}}};
    document["model"]["heads"] = nlohmann::json::parse(
        R"([{"name": "rating", "inputs": ["query", "candidate"], "layers": [{"units": 1}]},
            {"name": "other", "inputs": ["trunk", "item"], "layers": [{"units": 1}]}])");
    const Experiment experiment = read(document);
    const ModelShape shape = inferModel(experiment);
    QCOMPARE(shape.heads.size(), std::size_t{2});
    const ShapeLayer& rating = shape.layers[2];
    QCOMPARE(rating.parameterPrefix, std::string("head_rating_0"));
    QCOMPARE(rating.inputs, (std::vector{shape.query, shape.candidate}));
    QCOMPARE(shape.heads[0].prediction, rating.output);
    QCOMPARE(rating.pointer, std::string("/model/heads/0/layers/0"));
    QCOMPARE(shape.layers[3].inputs, (std::vector{shape.layers[0].output, ShapeIndex{1}}));
  }

  void notesWhatDoesNotFit_data() {
    QTest::addColumn<QString>("layers");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("part");
    const auto row = [](const char* claim, const char* layers, const char* pointer,
                        const char* part) {
      QTest::newRow(claim) << layers << "/model/layers" + QString(pointer) << part;
    };
    row("score of two numbers", R"([{"units": 2}])", "", "is 2 wide; a score is 1 wide");
    row("unknown input", R"([{"units": 1, "inputs": ["usr"]}])", "/0/inputs/0", "did you mean");
    row("a layer that comes later",
        R"([{"units": 1, "inputs": ["deep"]}, {"units": 1, "name": "deep"}])", "/0/inputs/0",
        "no earlier layer");
    row("read twice", R"([{"units": 1, "inputs": ["user", "user/id"]}])", "/0/inputs/1",
        "\"user/id\" is read twice");
    row("interaction of other widths", R"([{"kind": "dot_interaction", "inputs": ["user"]}])",
        "/0/inputs", "\"user/id\" is 4 wide and \"user/city\" 6");
    row("interaction of one", R"([{"kind": "dot_interaction", "inputs": ["item"]}])", "/0/inputs",
        "no pair");
    row("sum of other widths", R"([{"kind": "add", "inputs": ["item", "age"]}, {"units": 1}])",
        "/0/inputs", "equal widths");
    row("product of other widths",
        R"([{"kind": "multiply", "inputs": ["item", "age"]}, {"units": 1}])", "/0/inputs",
        "equal widths");
    row("gate of other widths", R"([{"kind": "gate", "inputs": ["item", "age"]}, {"units": 1}])",
        "/0/inputs", "equal widths");
    row("gate by an unknown value",
        R"([{"kind": "gate", "inputs": ["item", "user/id"], "gate_input": "itm"}, {"units": 1}])",
        "/0/gate_input", "did you mean");
    row("x0 of another width", R"([{"kind": "feature_cross", "x0": "item"}, {"units": 1}])",
        "/0/x0", "x0 is 4 wide and the input 15");
    row("x0 that is not there", R"([{"kind": "feature_cross", "x0": "itm"}, {"units": 1}])",
        "/0/x0", "did you mean");
    row("name of a feature", R"([{"units": 1, "name": "item"}])", "/0/name", "already the name");
    row("name of a folder", R"([{"units": 1, "name": "user"}])", "/0/name", "already the name");
    row("name of a tower", R"([{"units": 1, "name": "query"}])", "/0/name", "already the name");
  }
  void notesWhatDoesNotFit() {
    QFETCH(QString, layers);
    QFETCH(QString, pointer);
    QFETCH(QString, part);
    const auto problems = parse(rankingDocument(layers.toUtf8())).findings.problems;
    QVERIFY2(test::names(problems, pointer.toStdString(), part.toStdString()),
             test::textOf(problems).c_str());
    QCOMPARE(problems.size(), std::size_t{1});  // what follows from it is not noted again
  }

  void sequencesHaveTheWeightsOfTheirLayers() {
    const Experiment experiment = read(sequenceDocument(
        R"([{"kind": "position", "inputs": ["seen"]}, {"kind": "attention", "heads": 4},
            {"kind": "pool", "name": "own", "by": "attention"},
            {"kind": "transformer_block", "inputs": ["lately"], "units": 6},
            {"kind": "pool", "name": "din", "inputs": ["lately", "item"], "by": "attention"},
            {"units": 1, "inputs": ["own", "din", "user", "age"], "use_bias": false}])"));
    const ModelShape shape = inferModel(experiment);
    QCOMPARE(weightsOf(shape),
             QStringList({"rows 5x4", "qkv_kernel 4x12", "qkv_bias 1x12", "out_kernel 4x4",
                          "out_bias 1x4", "query 4x1", "attention_norm_gamma 1x4",
                          "attention_norm_beta 1x4", "qkv_kernel 4x12", "qkv_bias 1x12",
                          "out_kernel 4x4", "out_bias 1x4", "dense_norm_gamma 1x4",
                          "dense_norm_beta 1x4", "up_kernel 4x6", "up_bias 1x6", "down_kernel 6x4",
                          "down_bias 1x4", "kernel 19x1"}));
    QCOMPARE(shape.at(shape.layers[1].output).sequence, ShapeIndex{4});
    QCOMPARE(shape.at(shape.layers[2].output).sequence, ShapeIndex{-1});
  }

  void gatesOfABlockHaveWeights() {
    const Experiment experiment = read(sequenceDocument(
        R"([{"kind": "transformer_block", "inputs": ["seen"], "units": 6, "glu": true,
             "gated_residual": true}, {"kind": "pool"}, {"units": 1}])"));
    const QStringList weights = weightsOf(inferModel(experiment));
    for (const char* weight :
         {"attention_gate_kernel 4x4", "attention_gate_bias 1x4", "glu_kernel 4x6", "glu_bias 1x6",
          "dense_gate_kernel 4x4", "dense_gate_bias 1x4"})
      QVERIFY2(weights.contains(weight), qPrintable(weights.join(", ")));
  }

  // Experts of positions, weighted for each position.
  void aGateMayLieOverPositions() {
    const Experiment experiment = read(sequenceDocument(
        R"([{"kind": "dense", "inputs": ["seen"], "units": 4, "name": "expert"},
            {"kind": "gate", "inputs": ["seen", "expert"], "gate_input": "seen"}, {"kind": "pool"},
            {"units": 1}])"));
    const ModelShape shape = inferModel(experiment);
    QCOMPARE(shape.at(shape.layers[1].output).sequence, ShapeIndex{4});
    QCOMPARE(shape.layers[1].x0, ShapeIndex{4});
    QCOMPARE(shape.layers[1].inputs, (std::vector{ShapeIndex{4}, shape.layers[0].output}));
  }

  void notesWhatSequencesDoNotFit_data() {
    QTest::addColumn<QString>("layers");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("part");
    const auto row = [](const char* claim, const char* layers, const char* pointer,
                        const char* part) {
      QTest::newRow(claim) << layers << "/model/layers" + QString(pointer) << part;
    };
    row("no pool before the score", R"([{"units": 1, "inputs": ["seen"]}])", "",
        "the score ends with a row per position of \"seen\"");
    row("positions beside examples", R"([{"units": 1, "inputs": ["item", "seen"]}])", "/0/inputs",
        "\"item\" has a row per example and \"seen\" a row per position of \"seen\"");
    row("two sequences", R"([{"kind": "concat", "inputs": ["seen", "lately"]}, {"units": 1}])",
        "/0/inputs", "\"lately\" a row per position of \"lately\"");
    row("a pool of examples", R"([{"kind": "pool", "inputs": ["item"]}, {"units": 1}])", "/0/kind",
        "it reads a sequence, and \"item\" has a row per example");
    row("a gate of positions by a value of the example",
        R"([{"kind": "dense", "inputs": ["seen"], "units": 4, "name": "expert"},
            {"kind": "gate", "inputs": ["seen", "expert"], "gate_input": "item"}, {"kind": "pool"},
            {"units": 1}])",
        "/1/inputs", "\"item\" a row per example");
    row("an attention of examples", R"([{"kind": "attention", "inputs": ["item"]}, {"units": 1}])",
        "/0/kind", "it reads a sequence");
    row("heads that do not divide the width",
        R"([{"kind": "attention", "inputs": ["seen"], "heads": 3}, {"kind": "pool"}, {"units": 1}])",
        "/0/heads", "3 heads do not divide a width of 4");
    row("a block with too many heads",
        R"([{"kind": "transformer_block", "inputs": ["seen"], "heads": 8}, {"kind": "pool"},
            {"units": 1}])",
        "/0/heads", "8 heads do not divide a width of 4");
    row("fewer positions than the sequence has",
        R"([{"kind": "position", "inputs": ["seen"], "max_length": 4}, {"kind": "pool"},
            {"units": 1}])",
        "/0/max_length", "4 positions, and \"seen\" may have 5");
    row("a batch norm of positions",
        R"([{"kind": "batch_norm", "inputs": ["seen"]}, {"kind": "pool"}, {"units": 1}])",
        "/0/kind", "its input is a sequence");
    row("a query of another width",
        R"([{"kind": "pool", "inputs": ["seen", "user/city"], "by": "attention"}, {"units": 1}])",
        "/0/inputs", "the positions are 4 wide and the value of the example 6");
    row("a mean with a query", R"([{"kind": "pool", "inputs": ["seen", "item"]}, {"units": 1}])",
        "/0/inputs", "\"seen\" has a row per position");
    row("kernels from one file",
        R"([{"kind": "attention", "inputs": ["seen"], "initializer": {"kind": "file", "path": "k.npy"}},
            {"kind": "pool"}, {"units": 1}])",
        "/0/initializer/kind", "the layer has two kernels, and a file one array");
  }
  void notesWhatSequencesDoNotFit() {
    QFETCH(QString, layers);
    QFETCH(QString, pointer);
    QFETCH(QString, part);
    const auto problems = parse(sequenceDocument(layers.toUtf8())).findings.problems;
    QVERIFY2(test::names(problems, pointer.toStdString(), part.toStdString()),
             test::textOf(problems).c_str());
    QCOMPARE(problems.size(), std::size_t{1});
  }

  void aLayerHasTheSettingsOfItsRow() {
    for (const LayerTraits& row : layerTraits()) {
      QCOMPARE(findLayerTraits(row.word), &row);
      std::set<std::string> expected{"kind", "name", "inputs"}, found;
      for (const std::string_view setting : splitFields(row.settings, ' '))
        if (!setting.empty()) expected.emplace(setting);
      const auto written = recordOf<Layer>().write({.kind = row.kind});
      for (const auto& [key, value] : written.items()) found.insert(key);
      QVERIFY2(found == expected, written.dump().c_str());
      QCOMPARE(written["kind"].get<std::string>(), std::string(row.word));
    }
    QVERIFY(findLayerTraits("danse") == nullptr);
  }

  void maskedPositionsAreReadByLayersOfSingleRows() {
    for (const LayerTraits& row : layerTraits()) {
      auto document = test::recipeJson("bert-tiny-mlm");
      document["model"]["masked_layers"] = {{{"kind", row.word}}, {{"units", 128}}};
      const auto problems = parse(document).findings.problems;
      const bool isRefused =
          test::names(problems, "/model/masked_layers/0/kind",
                      "needs more [\"dense\", \"layer_norm\", \"dropout\" or \"l2_normalize\"]");
      QVERIFY2(isRefused == (row.rows != LayerRows::kEach), test::textOf(problems).c_str());
    }
  }

  void aTowerEndsWithExamples() {
    auto document = test::recipeJson("sample");
    document["features"][0] = {{"name", "history"},
                               {"column", "item"},
                               {"table", "item"},
                               {"history", nlohmann::json::object()},
                               {"sequence", true}};
    const auto problems = parse(document).findings.problems;
    QVERIFY2(test::names(problems, "/model/query", "a row per position of \"history\""),
             test::textOf(problems).c_str());
  }

  void sequencesAreOfIdsAndHaveALength() {
    const auto problemsOf = [](const nlohmann::json& feature) {
      auto document = rankingDocument(R"([{"kind": "pool", "inputs": ["tags"]}, {"units": 1}])");
      document["dataset"]["columns"].push_back(
          {{"name", "tags"}, {"role", "feature"}, {"separator", "|"}, {"vocabulary", "item"}});
      document["features"].push_back({{"name", "tags"},
                                      {"column", "tags"},
                                      {"table", "item"},
                                      {"max_length", 4},
                                      {"sequence", true}});
      document["features"][4].update(feature);
      return parse(document).findings.problems;
    };
    QCOMPARE(test::textOf(problemsOf(nlohmann::json::object())), std::string());
    QVERIFY(test::names(problemsOf({{"max_length", nullptr}}), "/features/4/max_length",
                        "a sequence has a longest length"));
    QVERIFY(test::names(problemsOf({{"column", "item"}, {"max_length", nullptr}}),
                        "/features/4/sequence", "one id of the column \"item\""));
    QVERIFY(
        test::names(problemsOf({{"column", "age"}, {"table", nullptr}, {"max_length", nullptr}}),
                    "/features/4/sequence", "a numeric column has no ids"));
    QVERIFY(test::names(problemsOf({{"output_shape", {8, 4}}}), "/features/4/output_shape",
                        "its shape is not fixed"));
  }

  void towersDoNotReadEachOther() {
    auto document = test::recipeJson("sample");
    document["model"]["query"] = {{{"units", 16}, {"inputs", {"user", "item"}}}};
    document["model"]["candidate"] = {{{"units", 16}, {"inputs", {"item", "query"}}}};
    const auto problems = parse(document).findings.problems;
    QVERIFY(test::names(problems, "/model/query/0/inputs/1", "belongs to the other tower"));
    QVERIFY(test::names(problems, "/model/candidate/0/inputs/1", "belongs to the other tower"));
  }

  void warnsOfWhatNothingReads() {
    const auto warnings =
        parse(rankingDocument(R"([{"units": 7}, {"units": 1, "inputs": ["user", "item"]}])"))
            .findings.warnings;
    QVERIFY2(test::names(warnings, "/model/layers/0", "reads it"), test::textOf(warnings).c_str());
    QVERIFY(!test::names(warnings, "/features/3", "reads it"));  // the unread layer reads it
  }

  void layoutDecidesWhereTablesLie() {
    auto document = rankingDocument(R"([{"units": 1}])");
    document["mesh"] = {{"devices", {"cpu*4"}}, {"shape", {2, 2}}, {"axes", {"data", "model"}}};
    document["layout"] = nlohmann::json::parse(
        R"({"tables/us?r": ["model", ""], "*city": ["", "model"], "tables/item": ["", ""]})");
    const Experiment experiment = read(document);
    const std::vector<Table> tables = withLayout(experiment);
    QCOMPARE(tables[0].placement, Placement::kRowBlock);
    QCOMPARE(tables[0].axes, std::vector<std::string>{"model"});
    QCOMPARE(tables[1].placement, Placement::kReplicated);
    QVERIFY(tables[1].axes.empty());
    QCOMPARE(tables[2].placement, Placement::kColumn);
    QCOMPARE(experiment.tables[0].placement, Placement::kAuto);
  }

  void patternsFitWholeNames() {
    QVERIFY(matches("tables/*", "tables/user/id"));
    QVERIFY(matches("*", ""));
    QVERIFY(matches("*_kernel", "dense/layer_0_kernel"));
    QVERIFY(matches("a*b*c", "abcbc"));
    QVERIFY(matches("t?bles/user", "tables/user"));
    for (const char* pattern : {"", "tables", "tables/use", "tables/user?", "ables/user", "a*"})
      QVERIFY2(!matches(pattern, "tables/user"), pattern);
  }
};

QTEST_GUILESS_MAIN(ModelShapeTest)
#include "model_shape_test.moc"
