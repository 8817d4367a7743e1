// SPDX-License-Identifier: Apache-2.0
#include "engine/train/training_progress.h"

#include <QtTest>

using namespace parapet;
using train::TimeMeter;

class TimeMeterTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void anEpochIsTheSumOfItsSteps() {
    TimeMeter meter({});
    meter.add({{1.0, 2.0}, 0.5, 0.25}, 0.125, 4.0);
    meter.add({{3.0, 4.0}, 0.5, 0.25}, 0.125, 6.0);
    QCOMPARE(meter.epoch().compute, (std::vector{4.0, 6.0}));
    QCOMPARE(meter.epoch().exchange, 1.0);
    QCOMPARE(meter.epoch().update, 0.5);
    QCOMPARE(meter.epoch().input, 0.25);
    // Waiting for the batch comes before the step and belongs to it.
    QCOMPARE(meter.epoch().seconds, 10.25);
    meter.endEpoch();
    QVERIFY(meter.epoch().empty());
  }

  void reportsAreRareAndTogetherMissNothing() {
    TimeMeter meter({});
    QVERIFY(!meter.due());
    experiment::TimeUse told;
    int steps = 0, reports = 0;
    while (reports < 2) {
      meter.add({{1.0}, 0.0, 0.0}, 0.0, 1.0);
      ++steps;
      if (const auto use = meter.due()) {
        ++reports;
        told.add(*use);
      }
      QTest::qSleep(5);
    }
    QVERIFY(steps > reports);
    QCOMPARE(told.seconds, static_cast<double>(steps));
    QCOMPARE(meter.epoch().seconds, static_cast<double>(steps));
    // A run may end before the next report.
    QVERIFY(!meter.rest());
    meter.add({{1.0}, 0.0, 0.0}, 0.0, 1.0);
    QCOMPARE(meter.rest().value().seconds, 1.0);
    QVERIFY(!meter.rest());
  }

  void aResumedEpochGoesOn() {
    TimeMeter meter({});
    meter.restoreEpoch({{2.0}, 0.0, 1.0, 0.0, 5.0});
    meter.add({{1.0}, 0.0, 1.0}, 0.0, 2.0);
    QCOMPARE(meter.epoch().compute, std::vector{3.0});
    QCOMPARE(meter.epoch().update, 2.0);
    QCOMPARE(meter.epoch().seconds, 7.0);
  }
};

QTEST_GUILESS_MAIN(TimeMeterTest)
#include "time_meter_test.moc"
