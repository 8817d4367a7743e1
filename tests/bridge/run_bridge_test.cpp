// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/run_bridge.h"

#include <QSignalSpy>
#include <QTest>
#include <future>
#include <thread>

#include "tests/base/sleeping_thread.h"

using namespace parapet;
using namespace parapet::ui;
using namespace parapet::experiment;

namespace {

StepPoint stepAt(std::int64_t step, double loss = 1.0) {
  StepPoint point;
  point.step = step;
  point.epoch = (step - 1) / 100 + 1;
  point.loss = loss;
  point.seconds = static_cast<double>(step);
  return point;
}

EpochEnded epochAt(std::int64_t epoch) {
  EpochEnded event;
  event.summary.epoch = epoch;
  event.summary.step = epoch * 100;
  return event;
}

/// Writes down every signal in order: "started", "steps 1-100", "epoch 1", …
QStringList journalOf(RunBridge& bridge, const std::function<void()>& tell) {
  QStringList lines;
  QObject scope;
  QObject::connect(&bridge, &RunBridge::runStarted, &scope, [&] { lines << "started"; });
  QObject::connect(&bridge, &RunBridge::runEnded, &scope, [&] { lines << "ended"; });
  QObject::connect(&bridge, &RunBridge::epochEnded, &scope,
                   [&](const QString&, const EpochEnded& e) {
                     lines << QString("epoch %1").arg(e.summary.epoch);
                   });
  QObject::connect(
      &bridge, &RunBridge::stepsArrived, &scope, [&](const QString&, const StepBuckets& buckets) {
        lines << QString("steps %1-%2").arg(buckets.front().firstStep).arg(buckets.back().lastStep);
      });
  tell();
  bridge.drain();
  return lines;
}

}  // namespace

class RunBridgeTest : public QObject {
  Q_OBJECT

 private slots:
  void keepsTheOrderOfEventsAndSteps() {
    RunBridge bridge;
    const QStringList lines = journalOf(bridge, [&] {
      bridge.onEvent("r", RunStarted{});
      for (std::int64_t epoch = 1; epoch <= 2; ++epoch) {
        for (std::int64_t i = 1; i <= 100; ++i) bridge.onStep("r", stepAt((epoch - 1) * 100 + i));
        bridge.onEvent("r", epochAt(epoch));
      }
      bridge.onStep("r", stepAt(201));
      bridge.onEvent("r", RunEnded{});
    });
    QCOMPARE(lines, QStringList({"started", "steps 1-100", "epoch 1", "steps 101-200", "epoch 2",
                                 "steps 201-201", "ended"}));
  }

  void passesOnWhereTheTimeWent() {
    RunBridge bridge;
    QSignalSpy spent(&bridge, &RunBridge::timeSpent);
    bridge.onEvent("r", TimeSpent{{{0.5, 0.25}, 0.0, 0.125, 0.0, 1.0}});
    bridge.drain();
    QCOMPARE(spent.size(), 1);
    QCOMPARE(spent[0][0].toString(), QString("r"));
    QCOMPARE(spent[0][1].value<TimeSpent>().use.compute, (std::vector{0.5, 0.25}));
  }

  void keepsAResumedRunApartFromItsFirstPart() {
    RunBridge bridge;
    const QStringList lines = journalOf(bridge, [&] {
      bridge.onEvent("r", RunStarted{});
      for (std::int64_t step = 1; step <= 50; ++step) bridge.onStep("r", stepAt(step));
      bridge.onEvent("r", RunStarted{});
      for (std::int64_t step = 31; step <= 60; ++step) bridge.onStep("r", stepAt(step));
    });
    QCOMPARE(lines, QStringList({"started", "steps 1-50", "started", "steps 31-60"}));
  }

  /// slow_ui: the GUI thread takes nothing while a run tells of a million steps. The run must have
  /// ended before anything is drained: if it waited for the window, it would never end, and the wait
  /// below would.
  void neverWaitsForASleepingWindow() {
    RunBridge bridge({.events = 64, .steps = 256}, nullptr);
    StepBuckets all;
    int posts = 0;
    connect(&bridge, &RunBridge::stepsArrived, &bridge,
            [&](const QString&, const StepBuckets& buckets) {
              ++posts;
              all.insert(all.end(), buckets.begin(), buckets.end());
            });
    QSignalSpy ended(&bridge, &RunBridge::runEnded);
    std::promise<void> told;
    std::future<void> everythingTold = told.get_future();
    std::jthread run([&] {
      bridge.onEvent("r", RunStarted{});
      for (std::int64_t step = 1; step <= 1000000; ++step)
        bridge.onStep("r", stepAt(step, step == 777777 ? 99.0 : 1.0));
      bridge.onEvent("r", RunEnded{});
      told.set_value();
    });
    // The GUI thread sleeps: no event loop runs, nothing is drained.
    const bool ranOn =
        everythingTold.wait_for(std::chrono::minutes(2)) == std::future_status::ready;
    QCOMPARE(posts, 0);
    if (!ranOn) bridge.close();  // lets a run that waits go, so that the test ends
    QVERIFY2(ranOn, "the run waits for a window that sleeps");
    QCOMPARE(bridge.queued(), 2u);
    QTRY_COMPARE(ended.size(), 1);
    QCOMPARE(posts, 1);
    QVERIFY2(all.size() <= 256, "the ring must merge, not grow");
    QCOMPARE(all.front().firstStep, 1);
    QCOMPARE(all.back().lastStep, 1000000);
    double most = 0.0;
    for (const StepBucket& bucket : all) most = std::max(most, bucket.max);
    QCOMPARE(most, 99.0);
  }

  /// The listener to points is slow, and a flood of them waits: the state is told before.
  void tellsTheStateBeforeTheFloodOfPoints() {
    RunBridge bridge({.events = 64, .steps = 256}, nullptr);
    QStringList journal;
    connect(&bridge, &RunBridge::stepsArrived, &bridge, [&] {
      journal << "steps";
      QTest::qSleep(20);  // drains get rare
    });
    connect(&bridge, &RunBridge::epochEnded, &bridge, [&] { journal << "epoch"; });
    connect(&bridge, &RunBridge::stateChanged, &bridge, [&] { journal << "state in order"; });
    connect(&bridge, &RunBridge::statusChanged, &bridge,
            [&](const QString& id, const RunStatus& status) {
              QCOMPARE(id, QString("r"));
              if (status.state == RunState::kStopped)
                journal << QString("stopped at %1").arg(status.step.step);
            });
    bridge.onEvent("r", RunStarted{});
    bridge.onStep("r", stepAt(1));
    bridge.drain();
    journal.clear();
    for (std::int64_t step = 2; step <= 2000; ++step) {
      bridge.onStep("r", stepAt(step));
      if (step % 100 == 0) bridge.onEvent("r", epochAt(step / 100));
    }
    bridge.onEvent("r", StateChanged{RunState::kStopped});
    QTRY_VERIFY(journal.contains("state in order"));
    QCOMPARE(journal.front(), QString("stopped at 2000"));
    QVERIFY(journal.contains("epoch"));
    QCOMPARE(journal.filter("stopped at").size(), 1);
  }

  /// The queue of events is full and nobody drains it: the run waits, its state does not.
  void tellsTheStateOfARunThatWaitsForSpace() {
    RunBridge bridge({.events = 4, .steps = 16}, nullptr);
    std::vector<std::int64_t> epochs;
    bool drained = false;
    connect(&bridge, &RunBridge::epochEnded, &bridge, [&] { drained = true; });
    connect(&bridge, &RunBridge::statusChanged, &bridge,
            [&](const QString&, const RunStatus& status) {
              if (status.epochEnded && !drained) epochs.push_back(status.epochEnded->epoch);
            });
    test::SleepingThread run([&] {
      for (std::int64_t epoch = 1; epoch <= 20; ++epoch) bridge.onEvent("r", epochAt(epoch));
    });
    while (bridge.queued() < 4) std::this_thread::yield();
    run.waitUntilAsleep();  // the fifth waits
    QTRY_VERIFY(drained);
    QVERIFY(!epochs.empty());
    QVERIFY(epochs.front() >= 4);
    bridge.close();
  }

  void tellsTheNewestOfEachAndThenNothing() {
    RunBridge bridge;
    std::vector<RunStatus> told;
    connect(&bridge, &RunBridge::statusChanged, &bridge,
            [&](const QString&, const RunStatus& status) { told.push_back(status); });
    RunStarted started;
    started.totalEpochs = 7;
    bridge.onEvent("r", started);
    bridge.onEvent("r", StateChanged{RunState::kRunning});
    bridge.onStep("r", stepAt(1));
    bridge.onStep("r", stepAt(2, 0.5));
    bridge.drain();
    QCOMPARE(told.size(), std::size_t{1});
    QCOMPARE(told[0].started->totalEpochs, 7);
    QCOMPARE(told[0].state, RunState::kRunning);
    QCOMPARE(told[0].step.step, 2);
    QCOMPARE(told[0].step.loss, 0.5);
    bridge.drain();
    QCOMPARE(told.size(), std::size_t{1});
    bridge.onEvent("r", epochAt(1));
    bridge.onEvent("r", epochAt(2));
    bridge.drain();
    QVERIFY(!told[1].started);
    QCOMPARE(told[1].epochEnded->epoch, 2);
    RunEnded ended;
    ended.state = RunState::kFailed;
    bridge.onEvent("r", ended);
    bridge.drain();
    QCOMPARE(told[2].state, RunState::kFailed);
    QVERIFY(told[2].ended && !told[2].epochEnded);
    // Resumed under its id: nothing of the first part is left.
    bridge.onStep("r", stepAt(1));
    bridge.drain();
    QCOMPARE(told[3].state, RunState::kQueued);
    QVERIFY(!told[3].ended);
  }

  void dropsNoEventWhenTheQueueIsFull() {
    RunBridge bridge({.events = 4, .steps = 16}, nullptr);
    QSignalSpy warnings(&bridge, &RunBridge::warning);
    std::jthread run([&] {
      for (int i = 0; i < 200; ++i) bridge.onEvent("r", RunWarning{std::to_string(i)});
    });
    QTRY_COMPARE(warnings.size(), 200);
    for (int i = 0; i < 200; ++i) QCOMPARE(warnings[i][1].toString(), QString::number(i));
  }

  void closingWakesAWaitingRun() {
    RunBridge bridge({.events = 1, .steps = 16}, nullptr);
    std::atomic<int> told{0};
    test::SleepingThread run([&] {
      for (int i = 0; i < 10; ++i, ++told) bridge.onEvent("r", StateChanged{});
    });
    // No events run here, so nothing is drained: the second call waits for room.
    while (told < 1) std::this_thread::yield();
    run.waitUntilAsleep();
    QCOMPARE(told.load(), 1);
    bridge.close();
    run.join();
    QCOMPARE(told.load(), 10);
  }

  void carriesValuesAsTheyAre() {
    RunBridge bridge;
    QSignalSpy written(&bridge, &RunBridge::checkpointWritten),
        state(&bridge, &RunBridge::stateChanged);
    CheckpointWritten checkpoint;
    checkpoint.step = 80;
    checkpoint.path = "ckpt-80";
    bridge.onEvent("r", checkpoint);
    bridge.onEvent("r", StateChanged{RunState::kPaused});
    QTRY_COMPARE(state.size(), 1);
    QCOMPARE(written[0][0].toString(), "r");
    QCOMPARE(written[0][1].value<CheckpointWritten>().path, "ckpt-80");
    QCOMPARE(state[0][1].value<RunState>(), RunState::kPaused);
    QVERIFY(QMetaType::fromName("parapet::ui::StepBuckets").isValid());
  }
};

QTEST_GUILESS_MAIN(RunBridgeTest)
#include "run_bridge_test.moc"
