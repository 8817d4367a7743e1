// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QFloat16>
#include <QSignalSpy>
#include <QTest>

#include "ui/models/data_models.h"
#include "ui/models/document_edits.h"
#include "ui/models/document_text.h"
#include "ui/models/experiment_editor.h"
#include "ui/models/features_model.h"
#include "ui/models/layers_model.h"
#include "ui/models/model_graph.h"
#include "ui/models/problems_model.h"
#include "ui/models/rate_curves.h"
#include "ui/models/rows_model.h"
#include "ui/models/tables_model.h"
#include "ui/models/terminal_command.h"

using namespace parapet;
using namespace parapet::ui;

namespace {

constexpr auto kFatal = QAbstractItemModelTester::FailureReportingMode::QtTest;

nlohmann::json sample() {
  nlohmann::json document = *experiment::parseJson(experiment::findRecipe("sample")->text);
  document["training"]["epochs"] = 20;
  document["tables"][0]["embedding_dim"] = document["tables"][1]["embedding_dim"] = 16;
  return document;
}

int severityAt(const DocumentRowsModel& model, int row, int column) {
  return model.index(row, column).data(DocumentRowsModel::kSeverityRole).toInt();
}

/// Numbers and two tables, all pairs of which a network sees: DLRM, small.
void loadPairs(ExperimentEditor& editor) {
  nlohmann::json document = sample();
  document["dataset"]["columns"] = {{{"name", "user"}, {"role", "user"}},
                                    {{"name", "item"}, {"role", "item"}},
                                    {{"name", "age"}, {"role", "number"}},
                                    {{"name", "price"}, {"role", "number"}}};
  document["features"].push_back({{"name", "number/age"}, {"column", "age"}, {"table", nullptr}});
  document["features"].push_back(
      {{"name", "number/price"}, {"column", "price"}, {"table", nullptr}});
  document["loss"] = {{"kind", "mse"}};
  document["model"] = nlohmann::json::parse(R"({"kind": "ranking", "layers": [
    {"kind": "dense", "name": "bottom", "inputs": ["number"], "units": 16, "activation": "relu"},
    {"kind": "dot_interaction", "name": "pairs", "inputs": ["bottom", "user", "item"]},
    {"kind": "concat", "inputs": ["bottom", "pairs"]},
    {"kind": "dense", "units": 8, "activation": "relu"},
    {"kind": "dense", "units": 1}]})");
  editor.load(document, "pairs");
}

const GraphBox& boxAt(const ModelGraph& graph, const QString& pointer) {
  const auto found = std::ranges::find(graph.boxes, pointer, &GraphBox::pointer);
  if (found == graph.boxes.end()) qFatal("no box at %s", qPrintable(pointer));
  return *found;
}

}  // namespace

class ExperimentModelsTest : public QObject {
  Q_OBJECT

  ExperimentEditor editor_;

 private slots:
  void init() { editor_.load(sample(), "sample"); }

  void tablesShowAndChangeTheDocument() {
    TablesModel model(editor_);
    QAbstractItemModelTester tester(&model, kFatal);
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.index(0, TablesModel::kDim).data().toString(), QString("16"));
    QCOMPARE(model.index(0, TablesModel::kInitializer).data().toString(),
             QString("uniform -0.05 … 0.05"));
    QCOMPARE(model.index(0, TablesModel::kOptimizer).data().toString(), QString("experiment's"));
    QVERIFY(model.setData(model.index(0, TablesModel::kDim), 24, Qt::EditRole));
    QCOMPARE(editor_.experiment().tables[0].embeddingDim, 24);
    QVERIFY(
        model.setData(model.index(1, TablesModel::kTrainable), Qt::Unchecked, Qt::CheckStateRole));
    QVERIFY(!editor_.experiment().tables[1].trainable);
    QVERIFY(!model.setData(model.index(0, TablesModel::kWeights), 1, Qt::EditRole));
  }

  void rowsComeAndGoOneByOne() {
    TablesModel model(editor_);
    QAbstractItemModelTester tester(&model, kFatal);
    QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
    QSignalSpy removed(&model, &QAbstractItemModel::rowsRemoved);
    QCOMPARE(model.addRow(), 2);
    QCOMPARE(model.index(2, TablesModel::kName).data().toString(), QString("user-2"));
    QCOMPARE(model.duplicateRow(0), 1);
    QCOMPARE(model.index(1, TablesModel::kName).data().toString(), QString("user-3"));
    QCOMPARE(inserted.count(), 2);
    QCOMPARE(inserted.last().at(1).toInt(), 1);
    model.removeRowAt(1);
    QCOMPARE(removed.count(), 1);
    QCOMPARE(removed.last().at(1).toInt(), 1);
    while (editor_.undoStack().canUndo()) editor_.undoStack().undo();
    QCOMPARE(model.rowCount(), 2);
  }

  void cellsTellTheirFindings() {
    TablesModel model(editor_);
    QAbstractItemModelTester tester(&model, kFatal);
    const QModelIndex cell = model.index(0, TablesModel::kDim);
    model.setData(cell, 0, Qt::EditRole);
    QCOMPARE(severityAt(model, 0, TablesModel::kDim), static_cast<int>(Severity::kProblem));
    QVERIFY(cell.data(Qt::ToolTipRole).toString().contains("Accepted: an integer from 1 to"));
    QVERIFY(!cell.data(Qt::DecorationRole).value<QIcon>().isNull());
    QCOMPARE(severityAt(model, 0, TablesModel::kName), static_cast<int>(Severity::kNone));
    editor_.undoStack().undo();
    QCOMPARE(severityAt(model, 0, TablesModel::kDim), static_cast<int>(Severity::kNone));
    model.addRow();  // unused by any feature: a warning of the row
    QCOMPARE(severityAt(model, 2, TablesModel::kName), static_cast<int>(Severity::kWarning));
  }

  void estimatesStandBesideTheirTables() {
    TablesModel model(editor_);
    QAbstractItemModelTester tester(&model, kFatal);
    model.setEstimates(
        {{.name = "item", .rows = 301, .dim = 16, .weightBytes = 1024, .slotBytes = 1024},
         {.name = "user", .rows = -1}});
    QCOMPARE(model.index(1, TablesModel::kRows).data().toString(), QString("301"));
    QCOMPARE(model.index(1, TablesModel::kWeights).data().toString(), QString("1.00 KiB"));
    QCOMPARE(model.index(1, TablesModel::kState).data(Qt::EditRole).toLongLong(), 1024);
    QCOMPARE(model.index(0, TablesModel::kRows).data().toString(), QString("after import"));
    QCOMPARE(model.index(0, TablesModel::kWeights).data().toString(), QString("unknown"));
    QCOMPARE(model.index(0, TablesModel::kReaders).data().toString(), QString("user"));
    QVERIFY2(model.totals().contains("301 rows"), qPrintable(model.totals()));
    QVERIFY2(model.totals().contains("rows of 1 known"), qPrintable(model.totals()));
  }

  void choicesFollowTheDocument() {
    FeaturesModel model(editor_);
    QAbstractItemModelTester tester(&model, kFatal);
    QCOMPARE(model.choices(FeaturesModel::kTable), QStringList({"user", "item", "(dense)"}));
    QCOMPARE(model.choices(FeaturesModel::kColumn), QStringList({"user", "item"}));
    QCOMPARE(model.choices(FeaturesModel::kTower), QStringList({"query", "candidate"}));
    TablesModel tables(editor_);
    QCOMPARE(tables.choices(TablesModel::kPlacement),
             QStringList({"auto", "replicated", "row", "row_block", "column", "table"}));
    QCOMPARE(tables.choices(TablesModel::kDevice), QStringList({"cpu:0", "(planned)"}));
    model.setData(model.index(0, FeaturesModel::kTable), "none", Qt::EditRole);
    QVERIFY(!editor_.runnable());
    QCOMPARE(model.indexOf("/features/0/table"), model.index(0, FeaturesModel::kTable));
  }

  void vocabulariesTakeWordsAndNumbers() {
    VocabulariesModel model(editor_);
    QAbstractItemModelTester tester(&model, kFatal);
    const QModelIndex size = model.index(0, VocabulariesModel::kSize);
    model.setData(size, "500", Qt::EditRole);
    QCOMPARE(editor_.value("/dataset/vocabularies/0/size"), Document(500));
    model.setData(size, "auto", Qt::EditRole);
    QCOMPARE(editor_.value("/dataset/vocabularies/0/size"), Document("auto"));
    model.setData(size, "12,5", Qt::EditRole);
    QVERIFY(!editor_.runnable());
  }

  void nullHasAName() {
    FeaturesModel model(editor_);
    const QModelIndex table = model.index(0, FeaturesModel::kTable);
    QVERIFY(model.setData(table, "(dense)", Qt::EditRole));
    QVERIFY(editor_.value("/features/0/table").is_null());
    QCOMPARE(table.data().toString(), QString("(dense)"));
    QVERIFY(model.setData(table, "user", Qt::EditRole));
    QCOMPARE(editor_.value("/features/0/table"), Document("user"));
  }

  void columnsThatNothingReadsBecomeFeatures() {
    editor_.setValue("/dataset/columns",
                     {{{"name", "user"}, {"role", "user"}},
                      {{"name", "item"}, {"role", "item"}},
                      {{"name", "genres"}, {"role", "feature"}, {"separator", "|"}},
                      {{"name", "age"}, {"role", "number"}},
                      {{"name", "rating"}, {"role", "number"}}},
                     "x");
    FeaturesModel model(editor_);
    QAbstractItemModelTester tester(&model, kFatal);
    QCOMPARE(model.freeColumns(), QStringList({"genres", "age"}));  // rating is the label
    const int steps = editor_.undoStack().count();
    QCOMPARE(model.addRow(0), 2);
    QCOMPARE(editor_.undoStack().count(), steps + 1);
    const experiment::Experiment& experiment = editor_.experiment();
    QCOMPARE(experiment.features[2].column, std::string("genres"));
    QCOMPARE(experiment.features[2].table, std::string("genres"));
    QCOMPARE(experiment.tables.back().vocabulary, std::string("genres"));
    QCOMPARE(model.index(2, FeaturesModel::kInput).data().toString(), QString("[100, any]"));
    QCOMPARE(model.index(2, FeaturesModel::kOutput).data().toString(), QString("[100, 16]"));
    model.addRow(0);
    QVERIFY(editor_.experiment().features[3].table.empty());
    QCOMPARE(model.index(3, FeaturesModel::kOutput).data().toString(), QString("[100, 1]"));
    QCOMPARE(model.index(3, FeaturesModel::kIds).data().toString(), QString("–"));
    model.setCounts({{.name = "age", .ids = 1200, .truncated = 3, .oov = 1}});
    QCOMPARE(model.index(3, FeaturesModel::kIds).data().toString(), QString("1,200"));
    editor_.undoStack().undo();
    editor_.undoStack().undo();
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(editor_.experiment().tables.size(), std::size_t{2});
  }

  void aHistoryIsAddedEditedAndTakenBack() {
    FeaturesModel model(editor_);
    QAbstractItemModelTester tester(&model, kFatal);
    QCOMPARE(model.additions(), QStringList({"History of the user", "Another feature"}));
    QVERIFY(!model.purposeOf(0).isEmpty() && model.purposeOf(1).isEmpty());
    QCOMPARE(model.index(0, FeaturesModel::kHistory).data().toString(), QString("–"));
    const int steps = editor_.undoStack().count();
    QCOMPARE(model.addRow(0), 2);
    QCOMPARE(editor_.undoStack().count(), steps + 1);
    const experiment::Feature& feature = editor_.experiment().features[2];
    QCOMPARE(feature.column, std::string("item"));
    QCOMPARE(feature.table, std::string("item"));  // shared with the candidates
    QCOMPARE(feature.history, std::optional(experiment::History{}));
    const QModelIndex history = model.index(2, FeaturesModel::kHistory);
    QVERIFY(model.opensSettings(FeaturesModel::kHistory));
    QCOMPARE(history.data().toString(), QString("last 20"));
    QCOMPARE(model.index(2, FeaturesModel::kInput).data().toString(), QString("[100, ≤ 20]"));
    QCOMPARE(model.index(2, FeaturesModel::kMaxLength).data().toString(), QString("–"));
    // One is enough; the table is not the only way to a second.
    QCOMPARE(model.additions(), QStringList({"Another feature"}));
    editor_.setValue("/features/2/history",
                     {{"length", 5}, {"within_seconds", 3600}, {"rows", "all"}}, "x");
    QCOMPARE(history.data().toString(), QString("last 5, within 3600 s, all rows"));
    editor_.setValue("/features/2/history/length", 0, "x");
    QCOMPARE(history.data(DocumentRowsModel::kSeverityRole).toInt(),
             static_cast<int>(Severity::kProblem));
    while (editor_.undoStack().canUndo()) editor_.undoStack().undo();
    QCOMPARE(model.rowCount(), 2);
  }

  void aHistoryOfDataWithoutTimesTakesTheirOrder() {
    editor_.setValue("/dataset/columns",
                     {{{"name", "user"}, {"role", "user"}}, {{"name", "item"}, {"role", "item"}}},
                     "x");
    FeaturesModel model(editor_);
    model.addRow(0);
    QCOMPARE(model.index(2, FeaturesModel::kHistory).data().toString(),
             QString("last 20, order of the data"));
    editor_.setValue("/features/2/history", nlohmann::json::object(), "x");
    QCOMPARE(model.index(2, FeaturesModel::kHistory).data(DocumentRowsModel::kSeverityRole).toInt(),
             static_cast<int>(Severity::kProblem));
  }

  void layersAreAddedMovedAndSummarised() {
    LayersModel model(editor_, "/model/query");
    QAbstractItemModelTester tester(&model, kFatal);
    QCOMPARE(model.additions().value(0), QString("Dense"));
    model.addRow();
    editor_.setValue("/model/query/0/units", 48, "x");
    model.addRow();
    QCOMPARE(editor_.experiment().model.query.back().units, 48);
    QVERIFY(!editor_.runnable());  // the candidate tower is still 16 wide
    QCOMPARE(model.index(0, LayersModel::kOutput).data().toString(), QString("[100, 48]"));
    QCOMPARE(model.index(0, LayersModel::kParameters).data(Qt::EditRole).toLongLong(),
             16 * 48 + 48);
    model.addRow(static_cast<int>(model.additions().indexOf("Dropout")));
    QCOMPARE(model.index(2, LayersModel::kSettings).data().toString(), QString("rate 0.5"));
    const Document before = editor_.document();
    QVERIFY(model.moveRow(2, 0));
    QCOMPARE(editor_.experiment().model.query[0].kind, experiment::LayerKind::kDropout);
    QCOMPARE(editor_.experiment().model.query[1].units, 48);
    QVERIFY(!model.moveRow(0, -1));
    editor_.undoStack().undo();
    QCOMPARE(editor_.document(), before);
  }

  void theKindOfAModelChangesWithoutBreakingIt() {
    QCOMPARE(editor_.experiment().loss.kind, experiment::LossKind::kInBatchSoftmax);
    editor_.replace(withModelKind(editor_, experiment::ModelKind::kRanking), "x");
    QVERIFY2(editor_.runnable(), qPrintable(findingsText(editor_.findings())));
    QCOMPARE(editor_.experiment().loss.kind, experiment::LossKind::kMse);
    QCOMPARE(editor_.experiment().model.layers.back().units, 1);
    editor_.replace(withModelKind(editor_, experiment::ModelKind::kRetrieval), "x");
    QVERIFY2(editor_.runnable(), qPrintable(findingsText(editor_.findings())));
  }

  void graphsOfPairsHaveTheRightBoxes() {
    loadPairs(editor_);
    const ModelGraph graph = modelGraph(editor_, {});
    QCOMPARE(graph.boxes.size(), std::size_t{10});  // 4 features, 5 layers, the score
    QCOMPARE(graph.edges.size(), std::size_t{10});
    const GraphBox& pairs = boxAt(graph, "/model/layers/1");
    QCOMPARE(pairs.title, QString("pairs"));
    QCOMPARE(pairs.detail, QString("dot interaction"));
    QCOMPARE(graph.shapeOf(pairs), QString("[100, 3]"));
    QCOMPARE(boxAt(graph, "/model/layers/0").parameters, 2 * 16 + 16);
    QCOMPARE(boxAt(graph, "/model/layers/3").parameters, 19 * 8 + 8);
    QCOMPARE(graph.layerParameters, 48 + 160 + 9);
    QVERIFY(pairs.column > boxAt(graph, "/model/layers/0").column);
    QCOMPARE(graph.boxes.back().kind, GraphBox::Kind::kScore);
    for (const GraphEdge& edge : graph.edges)
      QVERIFY(graph.boxes[static_cast<std::size_t>(edge.from)].column <
              graph.boxes[static_cast<std::size_t>(edge.to)].column);
    QCOMPARE(graphRows(graph).size(), graph.boxes.size());
  }

  void graphsOfCrossesShowWhatTheyCrossWith() {
    editor_.setValue("/loss/kind", "mse", "x");
    editor_.setValue("/model",
                     {{"kind", "ranking"},
                      {"layers",
                       {{{"kind", "feature_cross"}},
                        {{"kind", "feature_cross"}},
                        {{"kind", "dense"}, {"units", 1}}}}},
                     "x");
    QVERIFY2(editor_.runnable(), qPrintable(findingsText(editor_.findings())));
    const ModelGraph graph = modelGraph(editor_, {{.name = "user", .rows = 401, .dim = 16}});
    QCOMPARE(graph.boxes.size(), std::size_t{7});  // with the concatenated features
    QCOMPARE(graph.edges.size(), std::size_t{7});
    QCOMPARE(boxAt(graph, "/features/0").parameters, 401 * 16);
    QCOMPARE(boxAt(graph, "/features/1").parameters, -1);
    QCOMPARE(boxAt(graph, "/model/layers/1").parameters, 32 * 32 + 32);
  }

  void layersOfAHeadStandOutsideOfTheTowers() {
    // The candidate tower ends early, and its head has layers where the query tower goes on.
    const nlohmann::json dense = {{"kind", "dense"}, {"units", 16}};
    editor_.setValue("/model/query", {dense, dense, dense, dense}, "x");
    editor_.setValue("/model/heads",
                     {{{"name", "kind"},
                       {"inputs", {"user"}},
                       {"layers", {dense, dense, {{"kind", "dense"}, {"units", 1}}}},
                       {"label", "rating"},
                       {"loss", {{"kind", "mse"}}}}},
                     "x");
    const ModelGraph graph = modelGraph(editor_, {});
    int inside = 0;
    for (const GraphBox::Lane lane : {GraphBox::Lane::kQuery, GraphBox::Lane::kCandidate}) {
      int first = 1000, last = -1;
      double top = 1000.0, bottom = -1.0;
      for (const GraphBox& box : graph.boxes) {
        if (box.lane != lane) continue;
        first = std::min(first, box.column);
        last = std::max(last, box.column);
        top = std::min(top, box.row);
        bottom = std::max(bottom, box.row + 1.0);
      }
      for (const GraphBox& box : graph.boxes) {
        if (box.lane != GraphBox::Lane::kNone || box.column < first || box.column > last) continue;
        ++inside;
        QVERIFY2(box.row >= bottom || box.row + 1.0 <= top, qPrintable(box.pointer));
      }
    }
    QVERIFY(inside > 0);
  }

  void wrongLayersAreDrawnAndMarked() {
    loadPairs(editor_);
    editor_.setValue("/model/layers/1/inputs", {"bottom", "nobody"}, "x");
    const ModelGraph graph = modelGraph(editor_, {});
    QCOMPARE(graph.boxes.size(), std::size_t{10});
    const GraphBox& wrong = boxAt(graph, "/model/layers/1");
    QCOMPARE(wrong.severity, Severity::kProblem);
    QVERIFY2(wrong.problem.contains("nobody"), qPrintable(wrong.problem));
    QCOMPARE(boxAt(graph, "/model/layers/2").severity, Severity::kProblem);
    QCOMPARE(boxAt(graph, "/model/layers/0").severity, Severity::kNone);
  }

  void manyFeaturesThatOneLayerReadsAreOneBox_data() {
    QTest::addColumn<int>("features");
    QTest::newRow("few enough to be read one by one") << 5;
    QTest::newRow("some") << 6;
    QTest::newRow("many") << 20;
  }
  void manyFeaturesThatOneLayerReadsAreOneBox() {
    QFETCH(int, features);
    const int count = features;
    nlohmann::json list = nlohmann::json::array();
    for (int index = 0; index < count; ++index)
      list.push_back(
          {{"name", "f" + std::to_string(index)}, {"column", "user"}, {"table", "user"}});
    list.push_back(
        {{"name", "item"}, {"column", "item"}, {"table", "item"}, {"tower", "candidate"}});
    editor_.setValue("/features", list, "x");
    editor_.setValue("/model/query", {{{"kind", "dense"}, {"units", 16}}}, "x");
    const ModelGraph graph = modelGraph(editor_, {});
    // The item, a layer and the score besides.
    const bool joined = count > 5;
    QCOMPARE(graph.boxes.size(), static_cast<std::size_t>(joined ? 4 : 3 + count));
    if (!joined) return;
    QCOMPARE(graph.boxes[0].features, count);
    QCOMPARE(graph.boxes[0].title, QString("f0, f1, f2, f3"));
    QCOMPARE(graph.boxes[0].detail,
             count == 6 ? QString("f4, f5") : QString("f4, f5, f6, f7 and 12 more"));
    QVERIFY(ModelGraph::nameOf(graph.boxes[0]).startsWith(QString("%1 features: f0, ").arg(count)));
    QCOMPARE(graph.boxes[0].width, 16 * count);
  }

  void ratesFollowTheirSchedules() {
    editor_.setValue(
        "/schedule",
        {{"kind", "polynomial"}, {"decay_steps", 100}, {"end", 0.0}, {"warmup_steps", 10}}, "x");
    editor_.setValue(
        "/tables/0/optimizer",
        {{"kind", "sgd"}, {"learning_rate", 2.0}, {"schedule", {{"kind", "constant"}}}}, "x");
    const experiment::Experiment& experiment = editor_.experiment();
    QCOMPARE(trainRowsOf(experiment), 16000);
    const RateSpan span = rateSpan(experiment, trainRowsOf(experiment));
    QVERIFY(span.wholeRun);
    QCOMPARE(span.steps, 160 * 20);
    QCOMPARE(scaledRateText(experiment), QString());
    experiment::Experiment scaled = experiment;
    scaled.optimizer.scaleWithDevices = true;
    scaled.mesh.devices = {"cpu*4"};
    QCOMPARE(scaledRateText(scaled), QString::fromUtf8("Learning rate × devices: 0.05 × 4 = 0.2."));
    const auto curves = rateCurves(experiment, 111, 111);
    QCOMPARE(curves.size(), std::size_t{2});
    QCOMPARE(curves[0].points.size(), std::size_t{111});
    QCOMPARE(curves[0].points[10].second, 0.05);
    QCOMPARE(curves[0].points[60].second, 0.025);
    QVERIFY(curves[0].points[110].second < 1e-12);
    QCOMPARE(curves[1].name, QString("table user"));
    QCOMPARE(curves[1].points[77].second, 2.0);
  }

  void problemsComeBeforeWarnings() {
    ProblemsModel model(editor_);
    QAbstractItemModelTester tester(&model, kFatal);
    QCOMPARE(model.rowCount(), 0);
    TablesModel tables(editor_);
    tables.addRow();
    tables.setData(tables.index(0, TablesModel::kDim), 0, Qt::EditRole);
    QVERIFY(model.rowCount() >= 2);
    QCOMPARE(model.index(0, 0).data(ProblemsModel::kPointerRole).toString(),
             QString("/tables/0/embedding_dim"));
    QCOMPARE(model.index(model.rowCount() - 1, 0).data().toString(), QString("Warning"));
  }

  void reportsShowTheirRows() {
    ReportTableModel model({"Line", "Reason"}, {0});
    QAbstractItemModelTester tester(&model, kFatal);
    model.setRows({{1, "a"}, {2, "b"}});
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.index(1, 1).data().toString(), QString("b"));
    model.setRows({});
    QCOMPARE(model.rowCount(), 0);
  }

  void placesHaveLines() {
    const auto lines = jsonLocations("{\n \"a\": [1,\n  {\"b/c\": \"x\\\"{\"}],\n \"d\": null\n}");
    QCOMPARE(lines.value("/a/1/b~1c"), 3);
    QCOMPARE(lines.value("/d"), 4);
    QCOMPARE(lineOf(lines, "/a/1/missing"), 3);
    QCOMPARE(jsonLocations("{\"a\": 1, oops").value("/a"), 1);
    QVERIFY(jsonLocations(QString(100000, '[')).size() < 100);
  }

  void typedTextTakesTheTypeOfItsPlace() {
    const FieldInfo epochs = fieldInfo("/training/epochs");
    QCOMPARE(typedValue("12", epochs), nlohmann::json(12));
    QCOMPARE(typedValue("1.5", epochs), nlohmann::json(1.5));
    QCOMPARE(typedValue("1,5", epochs), nlohmann::json("1,5"));
    QCOMPARE(typedValue(" ", fieldInfo("/dataset/split/seed")), nlohmann::json(nullptr));
    QCOMPARE(typedValue("5, 10", fieldInfo("/evaluation/k")), nlohmann::json({5, 10}));
    QVERIFY(fieldInfo("/training/epochs").toolTip().contains("1 … 1000000"));
  }

  void bytesAreTypedWithUnits_data() {
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("shown");
    QTest::newRow("nothing") << " "
                             << "null"
                             << "";
    QTest::newRow("a number") << "1000"
                              << "1000"
                              << "1000";
    QTest::newRow("a unit") << "2 GiB"
                            << "2147483648"
                            << "2 GiB";
    QTest::newRow("no blank") << "512MiB"
                              << "536870912"
                              << "512 MiB";
    QTest::newRow("a fraction") << "7.5 GiB"
                                << "8053063680"
                                << "7680 MiB";
    QTest::newRow("decimal") << "80 GB"
                             << "80000000000"
                             << "78125000 KiB";
    QTest::newRow("bytes") << "12 B"
                           << "12"
                           << "12";
    QTest::newRow("one each") << "2 GiB, 1000"
                              << "[2147483648, 1000]"
                              << "2 GiB, 1000";
    QTest::newRow("JSON") << "[1024, 2048]"
                          << "[1024, 2048]"
                          << "1 KiB, 2 KiB";
    QTest::newRow("a list of one") << "[1 TiB]"
                                   << "[1099511627776]"
                                   << "[1 TiB]";
    QTest::newRow("no capacity") << "0"
                                 << "0"
                                 << "0";
    QTest::newRow("no whole number") << "1.5"
                                     << "1.5"
                                     << "1.5";
    for (const char* text : {"2 gigabytes", "GiB", "2 GiB MiB", "-1 GiB", "99999999 TiB", "1e"})
      QTest::newRow(text) << text << '"' + QString(text) + '"' << text;
  }
  void bytesAreTypedWithUnits() {
    QFETCH(QString, typed);
    QFETCH(QString, value);
    QFETCH(QString, shown);
    const auto expected = nlohmann::json::parse(value.toStdString());
    QCOMPARE(typedBytes(typed), expected);
    QCOMPARE(shownBytes(nlohmann::ordered_json(expected)), shown);
    QCOMPARE(typedBytes(shown), expected);
  }

  void commandsNameOnlyWhatDiffers() {
    const experiment::Experiment base = editor_.experiment();
    QCOMPARE(documentCommand("train", "sample", base, base), QString("parapet-cli train sample"));
    editor_.setValue("/training/epochs", 3, "x");
    QCOMPARE(documentCommand("train", "sample", base, editor_.experiment()),
             QString("parapet-cli train sample --set /training/epochs=3"));
    editor_.setValue("/mesh/devices", {"cpu*2"}, "x");
    editor_.setValue("/optimizer/kind", "adam", "x");
    editor_.setValue("/evaluation/k", {5, 10}, "x");
    const QString command = documentCommand("train", "my file.json", base, editor_.experiment());
    QVERIFY2(command.contains("'my file.json'"), qPrintable(command));
    QVERIFY2(command.contains("'/evaluation/k=[5,10]'"), qPrintable(command));
    QCOMPARE(command.count("/optimizer"), 1);
  }

  void commandsLeadToTheSameDocument() {
    const experiment::Experiment base = editor_.experiment();
    editor_.setValue("/optimizer/kind", "adam", "x");
    editor_.setValue("/evaluation/k", {5, 10}, "x");
    editor_.setValue("/tables/0/initializer/kind", "normal", "x");
    editor_.setValue("/name", "it's mine", "x");
    nlohmann::json document = sample();
    const QString command = documentCommand("train", "sample", base, editor_.experiment());
    for (QString part : command.split(" --set ").mid(1)) {
      if (part.startsWith('\'')) part = part.mid(1).chopped(1).replace("'\\''", "'");
      const qsizetype equals = part.indexOf('=');
      QVERIFY(experiment::setPointer(document, part.left(equals).toStdString(),
                                     part.mid(equals + 1).toStdString())
                  .ok());
    }
    QCOMPARE(experiment::toJson(experiment::parse(document).experiment), editor_.document());
    QVERIFY(experiment::parse(document).findings.problems.empty());
  }
};

QTEST_MAIN(ExperimentModelsTest)
#include "experiment_models_test.moc"
