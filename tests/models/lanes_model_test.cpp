// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/lanes_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include "ui/models/run_curves.h"

using namespace parapet;
using namespace parapet::ui;

namespace {

const experiment::TimeUse kTwoRanks{{4.0, 2.0}, 1.0, 2.0, 0.5, 10.0};

QString cell(const LanesModel& model, int row, int column) {
  return model.index(row, column).data().toString();
}

}  // namespace

class LanesModelTest : public QObject {
  Q_OBJECT

 private slots:
  void showsSharesOfEachRank() {
    LanesModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setDevices({"cpu:0", "cpu:1"});
    model.setTimeUse(kTwoRanks);
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(cell(model, 1, LanesModel::kDevice), QString("cpu:1"));
    QCOMPARE(cell(model, 0, LanesModel::kCompute), QString("40.0"));
    QCOMPARE(cell(model, 1, LanesModel::kCompute), QString("20.0"));
    QCOMPARE(cell(model, 1, LanesModel::kInput), QString("5.0"));
    QCOMPARE(model.index(1, LanesModel::kWaiting).data(Qt::EditRole).toDouble(), 0.45);
    for (int rank = 0; rank < 2; ++rank) {
      double sum = 0.0;
      for (int part = LanesModel::kFirstPart; part < LanesModel::kColumnCount; ++part)
        sum += model.share(rank, part);
      QCOMPARE(sum, 1.0);
    }
  }

  void saysTheSharesInASentence() {
    LanesModel model;
    model.setDevices({"cpu:0", "cpu:1"});
    model.setTimeUse(kTwoRanks);
    QCOMPARE(model.sentence(1),
             QString("Rank 1, cpu:1: compute 20.0 %, exchange 10.0 %, update 20.0 %, "
                     "input wait 5.0 %, waiting 45.0 %"));
  }

  void updatesWithoutReset() {
    LanesModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setTimeUse(kTwoRanks);
    QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
    QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    model.setTimeUse({{1.0, 1.0}, 0.0, 0.0, 0.0, 2.0});
    QCOMPARE(changed.size(), 1);
    model.setTimeUse({{1.0}, 0.0, 0.0, 0.0, 1.0});
    QCOMPARE(model.rowCount(), 1);
    model.setTimeUse({});
    QCOMPARE(model.rowCount(), 0);
    QCOMPARE(reset.size() + inserted.size(), 0);
  }

  void namesARankWithoutADevice() {
    LanesModel model;
    model.setTimeUse(kTwoRanks);
    QCOMPARE(cell(model, 1, LanesModel::kDevice), QString("rank 1"));
  }

  void aLivingRunShowsNowAndAnEndedOneAllOfIt() {
    RunCurves curves;
    experiment::Experiment experiment;
    experiment.mesh.devices = {"cpu*2"};
    curves.begin("run", experiment);
    QCOMPARE(curves.lanes().rowCount(), 0);
    curves.spend({{8.0, 1.0}, 0.0, 0.0, 0.0, 10.0});
    QVERIFY(curves.lanesLive());
    QCOMPARE(cell(curves.lanes(), 0, LanesModel::kDevice), QString("cpu:0"));
    QCOMPARE(curves.lanes().share(0, LanesModel::kCompute), 0.8);
    for (int epoch = 1; epoch <= 2; ++epoch) {
      experiment::EpochSummary summary;
      summary.epoch = summary.step = epoch;
      summary.timeUse = {{1.0 * epoch, 3.0}, 0.0, 0.0, 0.0, 5.0};
      curves.endEpoch(summary);
    }
    QCOMPARE(curves.lanes().share(0, LanesModel::kCompute), 0.8);
    curves.setState(experiment::RunState::kFinished);
    QVERIFY(!curves.lanesLive());
    QCOMPARE(curves.lanes().share(0, LanesModel::kCompute), 0.3);
    QCOMPARE(curves.lanes().share(1, LanesModel::kCompute), 0.6);
  }
};

QTEST_GUILESS_MAIN(LanesModelTest)
#include "lanes_model_test.moc"
