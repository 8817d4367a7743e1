// SPDX-License-Identifier: Apache-2.0
#include "engine/train/training_progress.h"

#include <QtTest>

using namespace parapet::train;

class BestMetricTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theDirectionFollowsFromTheKey() {
    BestMetric loss("val_loss", 0.0), recall("val_recall@10", 0.0);
    QVERIFY(loss.offer(1.0) && recall.offer(1.0));
    QVERIFY(loss.offer(0.5) && !recall.offer(0.5));
    QVERIFY(!loss.offer(2.0) && recall.offer(2.0));
    QCOMPARE(loss.best(), 0.5);
    QCOMPARE(recall.best(), 2.0);
  }

  void aGainWithinTheDeltaIsNone() {
    BestMetric best("val_loss", 0.1);
    QVERIFY(best.offer(1.0));
    QVERIFY(!best.offer(0.95));
    QVERIFY(!best.offer(0.9));
    QCOMPARE(best.sinceBest(), 2);
    QVERIFY(best.offer(0.8));
    QCOMPARE(best.sinceBest(), 0);
  }

  void nanIsNeverTheBest() {
    BestMetric best("val_auc", 0.0);
    QVERIFY(!best.offer(NAN));
    QVERIFY(best.offer(0.5));
    QVERIFY(!best.offer(NAN));
    QCOMPARE(best.best(), 0.5);
  }

  void goesOnFromWhatItIsGiven() {
    BestMetric best("val_loss", 0.0);
    best.restore(0.5, 3);
    QVERIFY(!best.offer(0.6));
    QCOMPARE(best.sinceBest(), 4);
    QVERIFY(best.offer(0.4));
  }
};

QTEST_GUILESS_MAIN(BestMetricTest)
#include "best_metric_test.moc"
