// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run_control.h"

#include <QtTest>
#include <future>
#include <utility>

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

  // The trainer asks and waits as in a run; that it waits is certain before it is stopped.
  void aWaitingTrainerSeesTheStop() {
    RunControl control;
    control.pause();
    std::promise<void> waiting;
    std::future<void> ended = std::async(std::launch::async, [&] {
      bool told = false;
      while (control.mustWait()) {
        if (!std::exchange(told, true)) waiting.set_value();
        control.waitForChange();
      }
    });
    waiting.get_future().wait();
    QVERIFY(control.mustWait());
    control.stop();
    const bool over = ended.wait_for(std::chrono::minutes(2)) == std::future_status::ready;
    if (!over) control.resume();  // so that the test ends
    QVERIFY2(over, "a paused run does not see that it is stopped");
    QCOMPARE(control.ending(), RunControl::Ending::kStop);
  }
};

QTEST_GUILESS_MAIN(RunControlTest)
#include "run_control_test.moc"
