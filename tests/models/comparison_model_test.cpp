// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/comparison_model.h"

#include <QAbstractItemModelTester>
#include <QFont>
#include <QTest>
#include <cmath>

using namespace parapet;
using namespace parapet::ui;

namespace {

workspace::Comparison twoRuns() {
  workspace::Comparison comparison;
  for (const char* id : {"aaaa11112222", "bbbb11112222"}) {
    store::RunRecord run;
    run.id = id;
    run.name = "sample";
    comparison.runs.push_back(run);
  }
  comparison.settings = {{"/optimizer/learning_rate", {0.1, 0.2}}};
  const std::string same = "the runs do not differ by three paired standard errors";
  comparison.metrics = {{"val_loss", {0.5, 0.4}, {}},
                        {"val_recall@10", {0.3, 0.2}, {}},
                        {"val_rmse", {0.7, 0.6}, same},
                        {"val_mae", {NAN, 0.1}, "only one of the runs has it"}};
  return comparison;
}

bool bold(const ComparisonModel& model, int row, int column) {
  const QVariant font = model.index(row, column).data(Qt::FontRole);
  return font.isValid() && font.value<QFont>().bold();
}

}  // namespace

class ComparisonModelTest : public QObject {
  Q_OBJECT

 private slots:
  void standsOneColumnARun() {
    ComparisonModel model(ComparisonModel::Part::kSettings);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setComparison(twoRuns());
    QCOMPARE(model.columnCount(), 4);
    QCOMPARE(model.headerData(2, Qt::Horizontal).toString(), QString("sample · aaaa"));
    QCOMPARE(model.index(0, 0).data().toString(), QString("Model"));
    QCOMPARE(model.index(0, 1).data().toString(), QString("Optimizer: learning rate"));
    QCOMPARE(model.index(0, 1).data(Qt::EditRole).toString(), QString("/optimizer/learning_rate"));
    QCOMPARE(model.index(0, 3).data().toString(), QString("0.2"));
    model.setComparison({});
    QCOMPARE(model.rowCount(), 0);
  }

  void groupsSettingsByTheStepThatHasThem() {
    workspace::Comparison comparison = twoRuns();
    comparison.runs[1].experimentJson =
        R"({"tables": [{"name": "user"}, {"name": "item", "embedding_dim": 8}],
            "model": {"query": [{"kind": "dense"}]}})";
    for (const char* pointer :
         {"/mesh/devices", "/tables/1/embedding_dim", "/dataset/batch/size", "/training/seed",
          "/dataset/split/kind", "/loss/kind", "/model/query/0/units"})
      comparison.settings.push_back({pointer, {1, 2}});
    ComparisonModel model(ComparisonModel::Part::kSettings);
    model.setComparison(comparison);
    QStringList lines;
    for (int row = 0; row < model.rowCount(); ++row)
      lines << model.index(row, 0).data().toString() + "|" + model.index(row, 1).data().toString();
    QCOMPARE(lines,
             QStringList({"Data|Split", "Tables & features|Table item: embedding dim",
                          "Model|Optimizer: learning rate", "|Loss", "|Query layer 1: units",
                          "Training|Global batch size", "|Seed", "Devices & placement|Devices"}));
    // A file has the section in every line.
    QCOMPARE(model.index(3, 0).data(Qt::EditRole).toString(), QString("Model"));
  }

  // Entries of lists are compared by their names, and may stand elsewhere in each document.
  void namesEntriesOfListsByTheDocumentThatHasThem() {
    workspace::Comparison comparison = twoRuns();
    comparison.runs[0].experimentJson = R"({"tables": [{"name": "user", "embedding_dim": 8}]})";
    comparison.runs[1].experimentJson =
        R"({"tables": [{"name": "user", "embedding_dim": 4}, {"name": "a/b"}]})";
    comparison.settings = {{"/tables/a~1b", {nullptr, {{"name", "a/b"}}}},
                           {"/tables/user/embedding_dim", {8, 4}}};
    ComparisonModel model(ComparisonModel::Part::kSettings);
    model.setComparison(comparison);
    QCOMPARE(model.index(0, 1).data().toString(), QString("Table a/b"));
    QCOMPARE(model.index(0, 2).data().toString(), QString::fromUtf8("–"));
    QCOMPARE(model.index(1, 1).data().toString(), QString("Table user: embedding dim"));
  }

  void groupsOfSettingsAreShownInWords() {
    workspace::Comparison comparison = twoRuns();
    const nlohmann::json table{{"name", "a"},
                               {"embedding_dim", 8},
                               {"device", nullptr},
                               {"initializer", {{"scale", 0.1}}}};
    comparison.settings = {{"/features", {{"user", "item"}, {"item", "user"}}},
                           {"/tables/a", {nullptr, table}},
                           {"/model/layers", {nlohmann::json::array(), table}}};
    ComparisonModel model(ComparisonModel::Part::kSettings);
    model.setComparison(comparison);
    QCOMPARE(model.index(0, 2).data().toString(), QString("user, item"));
    QCOMPARE(model.index(1, 2).data().toString(), QString::fromUtf8("–"));
    const QStringList parts{"Embedding dim = 8", "Initializer (Scale = 0.1)", "Name = a"};
    QCOMPARE(model.index(1, 3).data().toString(), parts.join(QString::fromUtf8(" · ")));
    QCOMPARE(model.index(1, 3).data(Qt::ToolTipRole).toString(), parts.join('\n'));
    QCOMPARE(model.index(2, 2).data().toString(), QString("[]"));
    // A file has it as it stands in the document.
    QCOMPARE(model.index(1, 3).data(Qt::EditRole).toString(), QString::fromStdString(table.dump()));
  }

  void marksNoValueWhereRunsDoNotCompare() {
    workspace::Comparison comparison = twoRuns();
    for (auto& row : comparison.metrics)
      row.notComparable = "the runs were trained on different data";
    comparison.metrics.push_back({"ms_per_step", {0.2, 0.1}, "a time, not a quality"});
    ComparisonModel model(ComparisonModel::Part::kMetrics);
    model.setComparison(comparison);
    for (int row = 0; row < model.rowCount(); ++row) {
      QVERIFY(!bold(model, row, 1) && !bold(model, row, 2));
      QVERIFY(!model.index(row, 1).data(ComparisonModel::kNotComparableRole).toString().isEmpty());
    }
    QVERIFY(model.index(0, 1).data(Qt::ToolTipRole).toString().contains("different data"));
    QVERIFY(rankingSentence(comparison).contains("different data"));
    comparison.metrics[1].notComparable.clear();
    QVERIFY(rankingSentence(comparison).contains("bold is better"));
  }

  void marksTheRunThatIsBetterBeyondTheNoise() {
    ComparisonModel model(ComparisonModel::Part::kMetrics);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setComparison(twoRuns());
    QVERIFY(!bold(model, 0, 1) && bold(model, 0, 2));   // the smaller loss
    QVERIFY(bold(model, 1, 1) && !bold(model, 1, 2));   // the larger recall
    QVERIFY(!bold(model, 2, 1) && !bold(model, 2, 2));  // within the noise
    QVERIFY(model.index(2, 2).data(Qt::ToolTipRole).toString().contains("do not differ"));
    QVERIFY(!bold(model, 3, 1) && !bold(model, 3, 2));  // only one is known
  }

  void saysWhatTheListsShareOrWhyNot() {
    workspace::Comparison comparison = twoRuns();
    comparison.meanOverlapAt10 = 0.31;
    comparison.overlapUsers = 400;
    QVERIFY(overlapSentence(comparison).contains("3.1 of their top 10 (31 %), over 400 users"));
    comparison.meanOverlapAt10 = NAN;
    QVERIFY(overlapSentence(comparison).contains("not compared"));
  }

  void saysWhichRunAPairedDifferenceSpeaksFor() {
    workspace::Comparison comparison = twoRuns();
    QCOMPARE(pairedSentence(comparison), QString());
    comparison.paired = {{"recall@10", {0.031, 0.004, 943}, true},
                         {"ndcg@10", {-0.02, 0.003, 943}, true},
                         {"mrr", {0.001, 0.002, 943}, false},
                         {"popularity@10", {-4.0, 0.5, 943}, true}};
    QVERIFY(pairedSentence(comparison).contains("943 users"));
    PairedDifferencesModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.setComparison(comparison);
    QCOMPARE(model.rowCount(), 4);
    QCOMPARE(model.index(0, 1).data().toString(), QString("+0.0310"));
    QCOMPARE(model.index(0, 2).data().toString(), QString("0.0040"));
    QCOMPARE(model.index(0, 1).data(Qt::EditRole).toDouble(), 0.031);
    const auto verdict = [&](int row) { return model.index(row, 3).data().toString(); };
    QCOMPARE(verdict(0), QString("the first is better"));
    QCOMPARE(verdict(1), QString("the second is better"));
    QCOMPARE(verdict(2), QString("within chance"));
    QCOMPARE(verdict(3), QString("the second is higher"));
  }
};

QTEST_GUILESS_MAIN(ComparisonModelTest)
#include "comparison_model_test.moc"
