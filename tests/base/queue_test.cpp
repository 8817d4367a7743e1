// SPDX-License-Identifier: Apache-2.0
#include "engine/base/queue.h"

#include <QtTest>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "tests/base/sleeping_thread.h"

using namespace parapet;
using namespace std::chrono_literals;

// Waits that must end do so by the event under test; this bound only turns a hang into a failure.
constexpr auto kLong = 30s;

class QueueTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void keepsTheOrder() {
    BoundedQueue<int> queue(3);
    for (int i = 0; i < 3; ++i) QVERIFY(queue.push(i));
    QCOMPARE(queue.size(), std::size_t{3});
    for (int i = 0; i < 3; ++i) QCOMPARE(queue.pop(kLong).value_or(-1), i);
  }

  void tryPushRefusesWhenFull() {
    BoundedQueue<int> queue(1);
    QVERIFY(queue.tryPush(1));
    QVERIFY(!queue.tryPush(2));
    QCOMPARE(queue.pop(0ms).value_or(-1), 1);
    QVERIFY(queue.tryPush(3));
  }

  void popOfAnEmptyQueueTimesOut() {
    BoundedQueue<int> queue(1);
    QVERIFY(!queue.pop(1ms));
    QVERIFY(!queue.closed());
  }

  void closeLetsConsumersDrainWhatIsLeft() {
    BoundedQueue<int> queue(2);
    QVERIFY(queue.push(1));
    QVERIFY(queue.push(2));
    queue.close();
    QVERIFY(queue.closed());
    QVERIFY(!queue.push(3));
    QVERIFY(!queue.tryPush(3));
    QCOMPARE(queue.pop(kLong).value_or(-1), 1);
    QCOMPARE(queue.pop(kLong).value_or(-1), 2);
    QVERIFY(!queue.pop(kLong));
  }

  void closeWakesAWaitingProducer() {
    BoundedQueue<int> queue(1);
    QVERIFY(queue.push(1));
    std::atomic<bool> pushed{true};
    test::SleepingThread producer([&] { pushed = queue.push(2); });
    producer.waitUntilAsleep();
    queue.close();
    producer.join();
    QVERIFY(!pushed);
    QCOMPARE(queue.size(), std::size_t{1});
  }

  void closeWakesAWaitingConsumer() {
    BoundedQueue<int> queue(1);
    std::atomic<bool> got{true};
    test::SleepingThread consumer([&] { got = queue.pop(24h).has_value(); });
    consumer.waitUntilAsleep();
    queue.close();
    consumer.join();
    QVERIFY(!got);
  }

  void carriesWhatCannotBeCopied() {
    BoundedQueue<std::unique_ptr<int>> queue(1);
    QVERIFY(queue.push(std::make_unique<int>(4)));
    QCOMPARE(**queue.pop(kLong), 4);
  }

  void losesNothingBetweenManyThreads() {
    constexpr int kProducers = 3, kEach = 500;
    BoundedQueue<int> queue(4);
    std::vector<std::atomic<int>> seen(kProducers * kEach);
    std::vector<std::thread> producers, consumers;
    for (int p = 0; p < kProducers; ++p)
      producers.emplace_back([&, p] {
        for (int i = 0; i < kEach; ++i) queue.push(p * kEach + i);
      });
    for (int c = 0; c < 2; ++c)
      consumers.emplace_back([&] {
        while (const auto value = queue.pop(kLong)) ++seen[static_cast<std::size_t>(*value)];
      });
    for (std::thread& producer : producers) producer.join();
    queue.close();
    for (std::thread& consumer : consumers) consumer.join();
    for (const auto& count : seen) QCOMPARE(count.load(), 1);
  }
};

QTEST_GUILESS_MAIN(QueueTest)
#include "queue_test.moc"
