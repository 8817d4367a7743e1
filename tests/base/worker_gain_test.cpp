// SPDX-License-Identifier: Apache-2.0
#include "engine/base/worker_gain.h"

#include <QtTest>

using namespace parapet;

namespace {

/// Rounds of a millisecond, in which workers compute and the caller waits for so long.
struct Rounds {
  WorkerGain gain;
  double now = 100.0;

  /// How many of `count` rounds the workers took part in.
  int run(int count, double computed, double waited) {
    int together = 0;
    for (int round = 0; round < count; ++round, now += 0.001) {
      if (!gain.isWorthwhile(now)) continue;
      ++together;
      gain.add(now, computed, waited);
    }
    return together;
  }
  /// Rounds without workers until they are tried again.
  int rest() {
    int rounds = 0;
    for (; !gain.isWorthwhile(now) && rounds < 10'000; now += 0.001) ++rounds;
    return rounds;
  }
};

}  // namespace

class WorkerGainTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void workersThatBringMoreThanTheyCostStay() {
    Rounds rounds;
    QCOMPARE(rounds.run(5000, 0.0005, 0.0004), 5000);
  }

  void workersThatCostMoreThanTheyBringRest() {
    Rounds rounds;
    QCOMPARE(rounds.run(50, 0.0, 0.003), 2);
    QVERIFY(!rounds.gain.isWorthwhile(rounds.now));
  }

  void oneLongWaitIsForgiven() {
    Rounds rounds;
    QCOMPARE(rounds.run(100, 0.0005, 0.0), 100);
    QCOMPARE(rounds.run(1, 0.0, 0.010), 1);
    QCOMPARE(rounds.run(100, 0.0005, 0.0), 100);
  }

  // A gain of long ago does not pay for losses without end.
  void creditIsLimited() {
    Rounds rounds;
    rounds.run(100'000, 0.001, 0.0);
    QVERIFY(rounds.run(60, 0.0, 0.001) <= 20);
  }

  void eachTrialThatFailsDoublesTheRest() {
    Rounds rounds;
    int last = 0;
    for (int trial = 0; trial < 8; ++trial) {
      rounds.run(1, 0.0, 1.0);
      const int rest = rounds.rest();
      const double expected = std::min(WorkerGain::kLongestRest,
                                       WorkerGain::kFirstRest * static_cast<double>(1 << trial));
      QVERIFY(std::abs(rest * 0.001 - expected) < 0.005);
      QVERIFY(rest >= last);
      last = rest;
    }
  }

  void aTrialThatSucceedsEndsTheDoubling() {
    Rounds rounds;
    for (int trial = 0; trial < 4; ++trial) {
      rounds.run(1, 0.0, 1.0);
      rounds.rest();
    }
    rounds.run(100, 0.0005, 0.0);
    rounds.run(1, 0.0, 1.0);
    QVERIFY(rounds.rest() <= 110);
  }
};

QTEST_GUILESS_MAIN(WorkerGainTest)
#include "worker_gain_test.moc"
