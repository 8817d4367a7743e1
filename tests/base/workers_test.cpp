// SPDX-License-Identifier: Apache-2.0
#include "engine/base/workers.h"

#include <QtTest>
#include <atomic>
#include <cstdint>
#include <latch>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/result.h"

using namespace parapet;

class WorkersTest : public QObject {
  Q_OBJECT

  static void addCounts() {
    QTest::addColumn<int>("count");
    for (int count = 1; count <= 4; ++count) QTest::addRow("%d workers", count) << count;
  }

 private Q_SLOTS:
  void refusesFewerThanOne() {
    QVERIFY_EXCEPTION_THROWN(Workers(0), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(Workers(-1), InvalidArgument);
  }

  void callsEveryBlockOnce_data() { addCounts(); }
  void callsEveryBlockOnce() {
    QFETCH(int, count);
    Workers workers(count);
    QCOMPARE(workers.count(), count);
    for (const std::int64_t blocks : {0, 1, 2, 3, 64, 1000}) {
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(blocks));
      workers.parallelFor(blocks, [&](std::int64_t b) { ++calls[static_cast<std::size_t>(b)]; });
      for (const auto& block : calls) QCOMPARE(block.load(), 1);
    }
  }

  void resultsDoNotDependOnTheCount_data() { addCounts(); }
  void resultsDoNotDependOnTheCount() {
    QFETCH(int, count);
    const auto sums = [](int workerCount) {
      Workers workers(workerCount);
      std::vector<double> parts(37);
      for (int round = 0; round < 50; ++round)
        workers.parallelFor(37, [&](std::int64_t b) {
          double& part = parts[static_cast<std::size_t>(b)];
          for (int i = 1; i < 50; ++i) part += 1.0 / static_cast<double>(i + b + round);
        });
      return parts;
    };
    QCOMPARE(sums(count), sums(1));
  }

  void oneWorkerIsTheCaller() {
    Workers workers(1);
    std::vector<std::thread::id> ids;
    workers.parallelFor(8, [&](std::int64_t) { ids.push_back(std::this_thread::get_id()); });
    QCOMPARE(ids, std::vector<std::thread::id>(8, std::this_thread::get_id()));
  }

  void rethrowsAfterAllBlocksHaveEnded_data() { addCounts(); }
  void rethrowsAfterAllBlocksHaveEnded() {
    QFETCH(int, count);
    Workers workers(count);
    std::atomic<int> ended{0};
    std::string message;
    try {
      workers.parallelFor(20, [&](std::int64_t b) {
        if (b == 3) throw std::runtime_error("block 3");
        ++ended;
      });
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    QCOMPARE(message, std::string("block 3"));
    QCOMPARE(ended.load(), 19);
  }

  void worksOnAfterAnException_data() { addCounts(); }
  void worksOnAfterAnException() {
    QFETCH(int, count);
    Workers workers(count);
    const auto failing = [](std::int64_t) { throw std::runtime_error("always"); };
    QVERIFY_EXCEPTION_THROWN(workers.parallelFor(5, failing), std::runtime_error);
    std::atomic<int> calls{0};
    workers.parallelFor(5, [&](std::int64_t) { ++calls; });
    QCOMPARE(calls.load(), 5);
  }

  void endsWhileIdle_data() { addCounts(); }
  void endsWhileIdle() {
    QFETCH(int, count);
    for (int round = 0; round < 50; ++round) {
      const Workers unused(count);
      Workers used(count);
      used.parallelFor(3, [](std::int64_t) {});
    }
  }

  // A worker that sleeps in its blocks stands for one whose core another program has.
  /// Of threads that are lent none takes a block, whatever it did before, until they are back.
  void lentThreadsDoNotWork() {
    Workers workers(4);
    for (const int allowed : {4, 1, 2, 4}) {
      workers.useAtMost(allowed);
      for (int round = 0; round < 50; ++round) {
        std::mutex mutex;
        std::set<std::thread::id> seen;
        std::vector<std::atomic<int>> calls(200);
        workers.parallelFor(200, [&](std::int64_t block) {
          ++calls[static_cast<std::size_t>(block)];
          const std::lock_guard lock(mutex);
          seen.insert(std::this_thread::get_id());
        });
        for (const auto& block : calls) QCOMPARE(block.load(), 1);
        QVERIFY(static_cast<int>(seen.size()) <= allowed);
      }
    }
    QCOMPARE(workers.count(), 4);
  }

  void lentThreadsComeBack() {
    Workers workers(2);
    workers.useAtMost(1);
    workers.parallelFor(8, [](std::int64_t) {});
    workers.useAtMost(2);
    // Both blocks wait for each other: one thread alone would never end.
    std::latch both(2);
    workers.parallelFor(2, [&](std::int64_t) { both.arrive_and_wait(); });
    QCOMPARE(workers.count(), 2);
  }

  void aWorkerThatHoldsTheCallerUpRests() {
    Workers workers(2);
    const std::thread::id caller = std::this_thread::get_id();
    std::atomic<int> byWorker{0}, calls{0};
    bool rested = false;
    for (int round = 0; round < 200 && !rested; ++round) {
      byWorker = calls = 0;
      workers.parallelFor(4, [&](std::int64_t) {
        ++calls;
        const bool here = std::this_thread::get_id() == caller;
        if (!here) ++byWorker;
        std::this_thread::sleep_for(std::chrono::milliseconds(here ? 1 : 20));
      });
      QCOMPARE(calls.load(), 4);
      rested = byWorker == 0;
    }
    QVERIFY(rested);
    // Blocks that fail are told by the caller alone, too.
    QVERIFY_EXCEPTION_THROWN(
        workers.parallelFor(4, [](std::int64_t) { throw std::runtime_error("alone"); }),
        std::runtime_error);
  }

  void thisProcessMayUseAtLeastOneThread() { QVERIFY(Workers::available() >= 1); }
};

QTEST_GUILESS_MAIN(WorkersTest)
#include "workers_test.moc"
