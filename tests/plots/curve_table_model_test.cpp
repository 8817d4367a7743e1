// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/curve_table_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include "tests/plots/steps.h"

using namespace parapet::ui;

class CurveTableModelTest : public QObject {
  Q_OBJECT

 private slots:
  void appendsWithoutReset() {
    CurveTableModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
    QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
    model.setSeriesName(1, "train");
    model.append(1, test::steps(1, 100));
    model.append(1, test::steps(101, 150));
    const CurvePoint point{.epoch = 1, .value = 0.1};
    model.append(2, std::span(&point, 1));
    QCOMPARE(inserted.size(), 3);
    QCOMPARE(inserted[1][1].toInt(), 100);
    QCOMPARE(inserted[1][2].toInt(), 149);
    QCOMPARE(reset.size(), 0);
    QCOMPARE(model.rowCount(), 151);
    QCOMPARE(model.index(0, CurveTableModel::kSeries).data().toString(), "train");
    QCOMPARE(model.index(41, CurveTableModel::kLast).data(Qt::EditRole).toDouble(),
             test::lossAt(42));
    QCOMPARE(model.index(150, CurveTableModel::kLast).data().toString(), "0.1");
    QCOMPARE(model.index(150, CurveTableModel::kFirstStep).data().toString(), QString());
  }

  void truncatesOneSeriesOnly() {
    CurveTableModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    for (std::int64_t step = 1; step <= 20; ++step) {
      model.append(1, test::steps(step, step));
      model.append(2, test::steps(step, step));
    }
    model.truncateAfter(1, 5);
    QCOMPARE(model.rowCount(), 25);
    model.removeSeries(2);
    QCOMPARE(model.rowCount(), 5);
    model.clear();
    QCOMPARE(model.rowCount(), 0);
  }

  void leavesNonFiniteCellsEmpty() {
    CurveTableModel model;
    model.append(1, std::vector{test::nanStep(3)});
    QCOMPARE(model.index(0, CurveTableModel::kLast).data().toString(), QString());
    QCOMPARE(model.index(0, CurveTableModel::kNonFinite).data(Qt::EditRole).toDouble(), 1.0);
  }
};

QTEST_GUILESS_MAIN(CurveTableModelTest)
#include "curve_table_model_test.moc"
