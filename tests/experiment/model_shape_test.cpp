// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/model_shape.h"

#include <QtTest>

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

 private slots:
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
      foundParameters << static_cast<int>(layer.parameters);
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
    row("x0 of another width", R"([{"kind": "feature_cross", "x0": "item"}, {"units": 1}])",
        "/0/x0", "x0 is 4 wide and the input 15");
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
