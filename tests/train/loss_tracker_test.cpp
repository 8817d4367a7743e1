// SPDX-License-Identifier: Apache-2.0
#include "engine/train/loss_tracker.h"

#include <QtTest>
#include <cmath>

#include "engine/base/result.h"

using namespace parapet;

namespace {

using Losses = std::vector<nn::LossSums>;

}  // namespace

class LossTrackerTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void displayedLossAveragesTheRunningMeanTwice() {
    // Batch losses 4 and 2 of equal size: r = 4, 3; shown = (4 + 3 + 3)/3.
    train::LossTracker tracker({1.0});
    QCOMPARE(tracker.add(Losses{{40.0, 10.0}}, 10), 4.0);
    QCOMPARE(tracker.add(Losses{{20.0, 10.0}}, 10), 2.0);
    QCOMPARE(tracker.loss(), 3.0);
    QCOMPARE(tracker.lossAsDisplayed(), 10.0 / 3.0);
  }

  void aShortBatchCountsByItsRows() {
    train::LossTracker tracker({1.0});
    tracker.add(Losses{{90.0, 90.0}}, 90);
    tracker.add(Losses{{30.0, 10.0}}, 10);
    QCOMPARE(tracker.loss(), 1.2);
    QCOMPARE(tracker.rows(), 100);
  }

  // The denominator of a sum loss is 1.
  void aSumLossIsTheMeanOfBatchSums() {
    train::LossTracker tracker({1.0});
    tracker.add(Losses{{6.0, 1.0}}, 2);
    tracker.add(Losses{{2.0, 1.0}}, 2);
    QCOMPARE(tracker.loss(), 4.0);
  }

  void theTotalWeighsTheHeadsAndTheirOwnLossesDoNot() {
    train::LossTracker tracker({1.0, 0.25});
    QCOMPARE(tracker.add(Losses{{6.0, 3.0}, {8.0, 1.0}}, 3), 2.0 + 2.0);
    tracker.add(Losses{{2.0, 1.0}, {0.0, 1.0}}, 1);
    QCOMPARE(tracker.lossOf(0), 2.0);
    QCOMPARE(tracker.lossOf(1), 4.0);
    QCOMPARE(tracker.loss(), 3.0);
  }

  // Lines without a mask, or examples of weight 0: they have no loss, rather than one of 0.
  void batchesOfWhichNothingCountsChangeNoLoss() {
    train::LossTracker tracker({1.0});
    QVERIFY(!tracker.hasCounted());
    QCOMPARE(tracker.add(Losses{{0.0, 0.0}}, 5), std::nullopt);
    QVERIFY(std::isnan(tracker.loss()));
    QCOMPARE(tracker.add(Losses{{6.0, 2.0}}, 5), 3.0);
    QCOMPARE(tracker.add(Losses{{0.0, 0.0}}, 5), std::nullopt);
    QCOMPARE(tracker.loss(), 3.0);
    QCOMPARE(tracker.rows(), 15);
    QVERIFY(tracker.hasCounted());
    // As Keras has it: 0, 3, 3 and 3 once more.
    QCOMPARE(tracker.lossAsDisplayed(), 9.0 / 4.0);
  }

  void aHeadOfWhichNothingCountsAddsNothing() {
    train::LossTracker tracker({1.0, 2.0});
    QCOMPARE(tracker.add(Losses{{6.0, 2.0}, {0.0, 0.0}}, 2), 3.0);
    QCOMPARE(tracker.loss(), 3.0);
    QVERIFY(std::isnan(tracker.lossOf(1)));
    QVERIFY(tracker.hasCounted(0) && !tracker.hasCounted(1));
  }

  void resetKeepsTheWeights() {
    train::LossTracker tracker({2.0});
    tracker.add(Losses{{6.0, 3.0}}, 3);
    tracker.reset();
    QCOMPARE(tracker.batches(), 0);
    QVERIFY(std::isnan(tracker.loss()));
    QCOMPARE(tracker.add(Losses{{6.0, 3.0}}, 3), 4.0);
  }

  void stateSurvivesJson() {
    train::LossTracker tracker({1.0, 3.0}), restored({1.0, 3.0});
    tracker.add(Losses{{1.0 / 3.0, 7.0}, {0.2, 7.0}}, 7);
    restored.fromJson(nlohmann::json::parse(tracker.toJson().dump()));
    tracker.add(Losses{{0.1, 3.0}, {0.4, 3.0}}, 3);
    restored.add(Losses{{0.1, 3.0}, {0.4, 3.0}}, 3);
    QCOMPARE(restored.loss(), tracker.loss());
    QCOMPARE(restored.lossAsDisplayed(), tracker.lossAsDisplayed());
    QCOMPARE(restored.rows(), 10);
  }

  void lossesOfOtherHeadsAreRefused() {
    train::LossTracker tracker({1.0}), two({1.0, 1.0});
    QVERIFY_EXCEPTION_THROWN(tracker.add(Losses{{1.0, 1.0}, {1.0, 1.0}}, 1), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(tracker.fromJson(two.toJson()), InvalidArgument);
  }
};

QTEST_GUILESS_MAIN(LossTrackerTest)
#include "loss_tracker_test.moc"
