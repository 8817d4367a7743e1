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
  comparison.metrics = {{"val_loss", {0.5, 0.4}},
                        {"val_recall@10", {0.3, 0.2}},
                        {"val_rmse", {0.7, 0.7}},
                        {"val_mae", {NAN, 0.1}}};
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
    QCOMPARE(model.columnCount(), 3);
    QCOMPARE(model.headerData(1, Qt::Horizontal).toString(), QString("sample · aaaa"));
    QCOMPARE(model.index(0, 0).data().toString(), QString("/optimizer/learning_rate"));
    QCOMPARE(model.index(0, 2).data().toString(), QString("0.2"));
    model.setComparison({});
    QCOMPARE(model.rowCount(), 0);
  }

  void marksTheBetterValue() {
    ComparisonModel model(ComparisonModel::Part::kMetrics);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setComparison(twoRuns());
    QVERIFY(!bold(model, 0, 1) && bold(model, 0, 2));   // the smaller loss
    QVERIFY(bold(model, 1, 1) && !bold(model, 1, 2));   // the larger recall
    QVERIFY(!bold(model, 2, 1) && !bold(model, 2, 2));  // the same
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
};

QTEST_GUILESS_MAIN(ComparisonModelTest)
#include "comparison_model_test.moc"
