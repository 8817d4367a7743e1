// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QFloat16>
#include <QSignalSpy>
#include <QTest>

#include "ui/models/document_steps.h"
#include "ui/models/document_text.h"
#include "ui/models/features_model.h"
#include "ui/models/json_places.h"
#include "ui/models/layers_model.h"
#include "ui/models/problems_model.h"
#include "ui/models/report_table_model.h"
#include "ui/models/tables_model.h"
#include "ui/models/terminal_command.h"
#include "ui/models/vocabularies_model.h"

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
    QVERIFY(!model.setData(model.index(0, TablesModel::kBytes), 1, Qt::EditRole));
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
    QCOMPARE(model.index(1, TablesModel::kBytes).data().toString(), QString("2.00 KiB"));
    QCOMPARE(model.index(0, TablesModel::kRows).data().toString(), QString("after import"));
  }

  void choicesFollowTheDocument() {
    FeaturesModel model(editor_);
    QAbstractItemModelTester tester(&model, kFatal);
    QCOMPARE(model.choices(FeaturesModel::kTable), QStringList({"user", "item"}));
    QCOMPARE(model.choices(FeaturesModel::kTower), QStringList({"query", "candidate"}));
    TablesModel tables(editor_);
    QCOMPARE(tables.choices(TablesModel::kPlacement), QStringList({"auto", "replicated"}));
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

  void newLayersAreAsWideAsTheLast() {
    LayersModel model(editor_, "/model/query");
    QAbstractItemModelTester tester(&model, kFatal);
    model.addRow();
    model.setData(model.index(0, LayersModel::kUnits), 48, Qt::EditRole);
    model.addRow();
    QCOMPARE(editor_.experiment().model.query.back().units, 48);
    QVERIFY(!editor_.runnable());  // the candidate tower is still 16 wide
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
    const auto places = jsonPlaces("{\n \"a\": [1,\n  {\"b/c\": \"x\\\"{\"}],\n \"d\": null\n}");
    QCOMPARE(places.value("/a/1/b~1c"), 3);
    QCOMPARE(places.value("/d"), 4);
    QCOMPARE(lineOf(places, "/a/1/missing"), 3);
    QCOMPARE(jsonPlaces("{\"a\": 1, oops").value("/a"), 1);
    QVERIFY(jsonPlaces(QString(100000, '[')).size() < 100);
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
