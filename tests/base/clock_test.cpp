// SPDX-License-Identifier: Apache-2.0
#include "engine/base/clock.h"

#include <QtTest>
#include <string>

using namespace parapet;

class ClockTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void formatsUtcWhateverTheTimeZone() {
    QCOMPARE(formatUtc(0), std::string("1970-01-01T00:00:00Z"));
    QCOMPARE(formatUtc(951782400999), std::string("2000-02-29T00:00:00Z"));
  }

  void stopwatchNeverRunsBackwards() {
    const Stopwatch watch;
    const double first = watch.seconds();
    QVERIFY(first >= 0.0);
    QVERIFY(watch.seconds() >= first);
  }
};

QTEST_GUILESS_MAIN(ClockTest)
#include "clock_test.moc"
