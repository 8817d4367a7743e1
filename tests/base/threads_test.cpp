// SPDX-License-Identifier: Apache-2.0
#include "engine/base/threads.h"

#include <pthread.h>

#include <QtTest>
#include <atomic>
#include <cmath>
#include <thread>

#include "engine/base/workers.h"

using namespace parapet;

namespace {

/// Uses processor time until this thread has had `seconds` of it.
void burn(double seconds) {
  volatile double sum = 0.0;
  while (thisThreadSeconds() < seconds) sum = sum + std::sqrt(sum + 1.0);
}

std::string systemName() {
  char name[16] = {};
  ::pthread_getname_np(::pthread_self(), name, sizeof name);
  return name;
}

}  // namespace

class ThreadsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void tellsTheSystem() {
    std::string seen, cut;
    std::thread([&] {
      const ThreadName name("t-system");
      seen = systemName();
    }).join();
    std::thread([&] {
      const ThreadName name("t-longer-than-the-system-takes");
      cut = systemName();
    }).join();
    QCOMPARE(seen, std::string("t-system"));
    QCOMPARE(cut, std::string("t-longer-than-t"));
  }

  void countsThreadsThatLive() {
    std::atomic<bool> burnt{false}, go{false};
    std::thread thread([&] {
      const ThreadName name("t-living");
      burn(0.02);
      burnt = true;
      burnt.notify_one();
      go.wait(false);
    });
    burnt.wait(false);
    QVERIFY(namedThreadSeconds().at("t-living") >= 0.02);
    go = true;
    go.notify_one();
    thread.join();
  }

  void keepsWhatEndedThreadsUsed() {
    for (int i = 0; i < 2; ++i)
      std::thread([] {
        const ThreadName name("t-ended");
        burn(0.02);
      }).join();
    QVERIFY(namedThreadSeconds().at("t-ended") >= 0.04);
    QVERIFY(namedThreadSeconds().at("t-ended") <= processSeconds());
  }

  void callsWorkersAfterWhoStartedThem() {
    std::string seen;
    std::thread([&] {
      const ThreadName name("t-owner");
      Workers workers(2);
      std::atomic<int> arrived{0};
      // Each of the two blocks waits for the other, so each of the two threads takes one.
      workers.parallelFor(2, [&](std::int64_t) {
        if (thisThreadName() != "t-owner") seen = thisThreadName();
        for (++arrived; arrived < 2;) std::this_thread::yield();
      });
    }).join();
    QCOMPARE(seen, std::string("t-owner worker"));
  }

  void leavesOutThreadsWithoutAName() {
    const auto before = namedThreadSeconds();
    std::thread([] { burn(0.01); }).join();
    QVERIFY(namedThreadSeconds() == before);
  }
};

QTEST_GUILESS_MAIN(ThreadsTest)
#include "threads_test.moc"
