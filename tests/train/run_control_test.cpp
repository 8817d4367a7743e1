// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run_control.h"

#include <QtTest>
#include <thread>

using namespace parapet::train;

class RunControlTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aPausedRunMayTakeTheStepsItIsGiven() {
    RunControl control;
    QVERIFY(!control.mustWait());
    control.step();  // not paused: means nothing
    control.pause();
    QVERIFY(control.mustWait());
    control.step();
    control.step();
    QVERIFY(!control.mustWait());
    QVERIFY(!control.mustWait());
    QVERIFY(control.mustWait());
    control.resume();
    QVERIFY(!control.mustWait());
  }

  void stoppingEndsAPause() {
    RunControl control;
    control.pause();
    control.stop();
    QVERIFY(!control.mustWait());
    QCOMPARE(control.ending(), RunControl::Ending::kStop);
    QVERIFY(control.stopToken().stop_requested());
  }

  void abortOverridesStopAndNotTheOtherWayRound() {
    RunControl control;
    control.stop();
    control.abort();
    QCOMPARE(control.ending(), RunControl::Ending::kAbort);
    control.stop();
    QCOMPARE(control.ending(), RunControl::Ending::kAbort);
  }

  void oneSnapshotAtATime() {
    RunControl control;
    QVERIFY(control.requestSnapshot([](auto) {}));
    QVERIFY(!control.requestSnapshot([](auto) {}));
    QVERIFY(control.takeSnapshotRequest());
    QVERIFY(!control.requestSnapshot([](auto) {}));
    control.snapshotDone();
    QVERIFY(control.requestSnapshot([](auto) {}));
    control.close();
    QVERIFY(!control.requestSnapshot([](auto) {}));
  }

  void stopWakesAWaitingTrainer() {
    RunControl control;
    control.pause();
    std::jthread trainer([&] {
      while (control.mustWait()) control.waitForChange();
    });
    control.stop();
    trainer.join();  // hangs, and the test times out, if the stop is not seen
    QCOMPARE(control.ending(), RunControl::Ending::kStop);
  }
};

QTEST_GUILESS_MAIN(RunControlTest)
#include "run_control_test.moc"
