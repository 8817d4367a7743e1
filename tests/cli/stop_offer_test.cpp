// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <csignal>

#include "app/cli/interrupts.h"

using namespace parapet::cli;

/// Messages when a run is asked to stop. A process has one first request, so this one is SIGTERM;
/// interrupts_test presses Ctrl-C.
class StopOfferTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void sigtermIsOfferedNoKey() {
    catchInterrupts();
    QCOMPARE(stopRequest(), StopRequest::kNone);
    std::raise(SIGTERM);
    QCOMPARE(stopRequest(), StopRequest::kAtNextStep);
    QCOMPARE(offerEndAtOnce(), std::string_view("stopping at the next step"));
    std::raise(SIGTERM);
    QCOMPARE(stopRequest(), StopRequest::kAtNextStep);
    std::raise(SIGINT);
    QCOMPARE(stopRequest(), StopRequest::kAtOnce);
  }
};

QTEST_GUILESS_MAIN(StopOfferTest)
#include "stop_offer_test.moc"
