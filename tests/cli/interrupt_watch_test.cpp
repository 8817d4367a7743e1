// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <atomic>
#include <csignal>

#include "app/cli/interrupts.h"

using namespace parapet::cli;

/// Decides who ends a command after the first request. A process has one first request, so all
/// watches are asked by the same.
class InterruptWatchTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aRequestEndsWhatDoesNotLookAtIt() {
    catchInterrupts();
    std::atomic<int> ended{0}, endedWell{0};
    InterruptWatch deaf([&] { ++ended; });
    InterruptWatch well([&] { ++endedWell; });
    QVERIFY(!deaf.token().stop_requested());
    std::raise(SIGINT);
    // Work that takes the token ends by itself.
    QTRY_VERIFY(well.token().stop_requested());
    well.takeOver();
    QTRY_COMPARE(ended.load(), 1);
    QVERIFY(deaf.token().stop_requested());
    const int afterTakingOver = endedWell;
    QTest::qWait(500);
    QCOMPARE(endedWell.load(), afterTakingOver);
    QCOMPARE(ended.load(), 1);
  }
};

QTEST_GUILESS_MAIN(InterruptWatchTest)
#include "interrupt_watch_test.moc"
