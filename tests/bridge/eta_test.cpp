// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/progress.h"

#include <QTest>

using namespace parapet;
using namespace parapet::ui;

namespace {

experiment::RunStarted tenEpochsOfTwenty(std::int64_t firstStep = 0) {
  experiment::RunStarted started;
  started.stepsPerEpoch = 20;
  started.totalEpochs = 10;
  started.firstStep = firstStep;
  return started;
}

/// Steps `first` … `last`, each of `seconds`, in the epochs they belong to.
void train(EtaEstimator& eta, std::int64_t first, std::int64_t last, double seconds) {
  for (std::int64_t step = first; step <= last; ++step) {
    experiment::StepBucket bucket;
    bucket.firstStep = bucket.lastStep = step;
    bucket.epoch = (step - 1) / 20 + 1;
    bucket.seconds = seconds * static_cast<double>(step);
    eta.addSteps(bucket);
  }
}

experiment::EpochSummary validated(std::int64_t epoch, double seconds) {
  experiment::EpochSummary summary;
  summary.epoch = epoch;
  summary.step = epoch * 20;
  summary.validationSeconds = seconds;
  return summary;
}

}  // namespace

class EtaTest : public QObject {
  Q_OBJECT

 private slots:
  void saysNothingBeforeItKnows() {
    EtaEstimator eta;
    eta.start(tenEpochsOfTwenty(), 1);
    QVERIFY(eta.remaining().lowSeconds < 0.0);
    train(eta, 1, 4, 0.5);
    QVERIFY(eta.remaining().lowSeconds < 0.0);
  }

  void evenStepsGiveTheirSum() {
    EtaEstimator eta;
    eta.start(tenEpochsOfTwenty(), 0);
    train(eta, 1, 20, 0.5);
    // 180 steps of 0.5 s are left; the range is 5 % wide to both sides.
    QCOMPARE(eta.remaining().lowSeconds, 90.0 * 0.95);
    QCOMPARE(eta.remaining().highSeconds, 90.0 * 1.05);
  }

  void validationIsCountedApart() {
    EtaEstimator eta;
    eta.start(tenEpochsOfTwenty(), 5);
    train(eta, 1, 100, 0.1);
    eta.addEpoch(validated(5, 4.0));
    // 100 steps of 0.1 s and one validation of 4 s are left.
    const auto range = eta.remaining();
    QCOMPARE((range.lowSeconds + range.highSeconds) / 2.0, 14.0);
    QCOMPARE(range.highSeconds - range.lowSeconds, 2.0 * 0.2 * 4.0);
  }

  void aPauseCountsForNothing() {
    EtaEstimator eta;
    eta.start(tenEpochsOfTwenty(), 0);
    train(eta, 1, 10, 0.5);
    eta.skipNextGap();
    experiment::StepBucket late;
    late.firstStep = late.lastStep = 11;
    late.epoch = 1;
    late.seconds = 1000.0;
    eta.addSteps(late);
    QCOMPARE((eta.remaining().lowSeconds + eta.remaining().highSeconds) / 2.0, 189 * 0.5);
  }

  void aResumedRunCountsFromItsCheckpoint() {
    EtaEstimator eta;
    eta.start(tenEpochsOfTwenty(100), 0);
    QCOMPARE(eta.stepsDone(), 100);
    QCOMPARE(eta.stepsTotal(), 200);
  }
};

QTEST_GUILESS_MAIN(EtaTest)
#include "eta_test.moc"
