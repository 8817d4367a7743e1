// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <cmath>
#include <limits>
#include <thread>

#include "engine/experiment/step_ring.h"

using namespace parapet;
using namespace parapet::experiment;

namespace {
StepPoint point(std::int64_t step, double loss) {
  return {.step = step, .epoch = 1 + step / 100, .loss = loss, .seconds = 0.5 * double(step)};
}
}  // namespace

class StepRingTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void handsOverSingleSteps() {
    StepRing ring(8);
    ring.push(point(1, 0.5));
    ring.push(point(2, 0.25));
    std::vector<StepBucket> out{StepBucket{}};
    ring.drain(out);
    QCOMPARE(out.size(), std::size_t{2});
    QCOMPARE(out[1].firstStep, std::int64_t{2});
    QCOMPARE(out[1].min, 0.25);
    QCOMPARE(out[1].max, 0.25);
    QCOMPARE(out[1].last, 0.25);
    QCOMPARE(out[1].seconds, 1.0);
    ring.drain(out);
    QVERIFY(out.empty());
  }

  void keepsExtremesWhenFull_data() {
    QTest::addColumn<int>("capacity");
    for (const int capacity : {2, 3, 7, 16}) QTest::addRow("%d", capacity) << capacity;
  }
  void keepsExtremesWhenFull() {
    QFETCH(int, capacity);
    StepRing ring(static_cast<std::size_t>(capacity));
    for (int step = 1; step <= 1000; ++step)
      ring.push(point(step, step == 333 ? -7.0 : step == 777 ? 9.0 : 1.0 / step));
    std::vector<StepBucket> out;
    ring.drain(out);
    QVERIFY(out.size() <= static_cast<std::size_t>(capacity));
    double low = 1.0;
    double high = 0.0;
    std::int64_t next = 1;
    for (const StepBucket& bucket : out) {
      QCOMPARE(bucket.firstStep, next);
      next = bucket.lastStep + 1;
      low = std::min(low, bucket.min);
      high = std::max(high, bucket.max);
    }
    QCOMPARE(next, std::int64_t{1001});
    QCOMPARE(low, -7.0);
    QCOMPARE(high, 9.0);
    QCOMPARE(out.back().last, 1.0 / 1000);
    QCOMPARE(out.back().epoch, std::int64_t{11});
    ring.push(point(1001, 1.0));
    ring.push(point(1002, 1.0));
    ring.drain(out);
    QCOMPARE(out.size(), std::size_t{2});
  }

  void countsWhatIsNotFinite() {
    StepRing ring(2);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double inf = std::numeric_limits<double>::infinity();
    for (const double loss : {nan, inf, 0.5, -inf, 0.25, nan, nan, nan}) {
      static std::int64_t step = 0;
      ring.push(point(++step, loss));
    }
    std::vector<StepBucket> out;
    ring.drain(out);
    std::int64_t nonFinite = 0;
    for (const StepBucket& bucket : out) nonFinite += bucket.nonFinite;
    QCOMPARE(nonFinite, std::int64_t{6});
    QCOMPARE(out[0].min, 0.5);
    QCOMPARE(out[0].last, 0.5);
    ring.push(point(9, nan));
    ring.drain(out);
    QVERIFY(std::isnan(out[0].last) && std::isnan(out[0].min));
  }

  void losesNothingBetweenTwoThreads() {
    constexpr std::int64_t kSteps = 200000;
    StepRing ring(64);
    std::jthread writer([&ring] {
      for (std::int64_t step = 1; step <= kSteps; ++step)
        ring.push(point(step, step % 1000 == 0 ? std::nan("") : double(step)));
    });
    std::vector<StepBucket> out;
    std::int64_t next = 1;
    std::int64_t nonFinite = 0;
    while (next <= kSteps) {
      ring.drain(out);
      for (const StepBucket& bucket : out) {
        QCOMPARE(bucket.firstStep, next);
        next = bucket.lastStep + 1;
        nonFinite += bucket.nonFinite;
      }
      std::this_thread::yield();
    }
    QCOMPARE(nonFinite, kSteps / 1000);
  }

  void refusesACapacityBelowTwo() { QVERIFY_EXCEPTION_THROWN(StepRing(1), InvalidArgument); }

  void namesEveryState() {
    for (int state = 0; state <= static_cast<int>(RunState::kDeviceLost); ++state) {
      const auto value = static_cast<RunState>(state);
      QVERIFY(runStateFromName(runStateName(value)) == value);
      const bool active =
          value == RunState::kQueued || value == RunState::kRunning || value == RunState::kPaused;
      QCOMPARE(isTerminal(value), !active);
    }
    QVERIFY(!runStateFromName("running"));
    QCOMPARE(QString(runStateName(RunState::kDiskFull)), QString("DiskFull"));
  }
};

QTEST_GUILESS_MAIN(StepRingTest)
#include "step_ring_test.moc"
