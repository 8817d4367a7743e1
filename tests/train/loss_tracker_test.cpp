// SPDX-License-Identifier: Apache-2.0
#include "engine/train/loss_tracker.h"

#include <QtTest>

using namespace parapet;
using experiment::Reduction;

class LossTrackerTest : public QObject {
  Q_OBJECT

 private slots:
  void displayedLossAveragesTheRunningMeanTwice() {
    // Batch losses 4 and 2 of equal size: r = 4, 3; shown = (4 + 3 + 3)/3.
    train::LossTracker tracker(Reduction::kMean);
    QCOMPARE(tracker.add({40.0, 0.0, 10.0}, 10), 4.0);
    QCOMPARE(tracker.add({20.0, 0.0, 10.0}, 10), 2.0);
    QCOMPARE(tracker.loss(), 3.0);
    QCOMPARE(tracker.lossAsDisplayed(), 10.0 / 3.0);
  }

  void aShortBatchCountsByItsRows() {
    train::LossTracker tracker(Reduction::kMean);
    tracker.add({90.0, 0.0, 90.0}, 90);
    tracker.add({30.0, 0.0, 10.0}, 10);
    QCOMPARE(tracker.loss(), 1.2);
  }

  void weightsEnterTheDenominatorOfAWeightedMeanOnly() {
    train::LossTracker mean(Reduction::kMean), weighted(Reduction::kWeightedMean);
    mean.add({6.0, 0.0, 3.0}, 2);
    weighted.add({6.0, 0.0, 3.0}, 2);
    QCOMPARE(mean.loss(), 3.0);
    QCOMPARE(weighted.loss(), 2.0);
  }

  void aSumLossIsTheMeanOfBatchSums() {
    train::LossTracker tracker(Reduction::kSum);
    tracker.add({6.0, 0.0, 2.0}, 2);
    tracker.add({2.0, 0.0, 2.0}, 2);
    QCOMPARE(tracker.loss(), 4.0);
  }

  void stateSurvivesJson() {
    train::LossTracker tracker(Reduction::kMean), restored(Reduction::kMean);
    tracker.add({1.0 / 3.0, 0.0, 7.0}, 7);
    restored.fromJson(nlohmann::json::parse(tracker.toJson().dump()));
    tracker.add({0.1, 0.0, 3.0}, 3);
    restored.add({0.1, 0.0, 3.0}, 3);
    QCOMPARE(restored.loss(), tracker.loss());
    QCOMPARE(restored.lossAsDisplayed(), tracker.lossAsDisplayed());
  }
};

QTEST_GUILESS_MAIN(LossTrackerTest)
#include "loss_tracker_test.moc"
