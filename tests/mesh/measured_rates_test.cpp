// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/measured_rates.h"

#include <QtTest>
#include <cmath>

using namespace parapet;
using mesh::RowRate;
using mesh::ShortestTime;
using mesh::TwoWidths;

namespace {

constexpr double kRows = 1000.0, kBytes = 20.0, kPerRow = 1e-8, kRate = 1e10;

double secondsAt(std::int64_t width) {
  return kRows * (kPerRow + kBytes * static_cast<double>(width) / kRate);
}
TwoWidths measured() {
  return {16, 128, secondsAt(16), secondsAt(128), kRows, kBytes};
}
bool near(double found, double expected) {
  return std::abs(found / expected - 1.0) < 1e-9;
}
double predictedWide(const RowRate& rate) {
  return rate.seconds(kRows, 128 * kBytes);
}

}  // namespace

class MeasuredRatesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void findsTheLineThroughTwoWidths() {
    const RowRate rate = mesh::rowRate(measured(), 1e12);
    QVERIFY(near(rate.secondsPerRow, kPerRow));
    QVERIFY(near(rate.bytesPerSecond, kRate));
  }

  // Held up, they seem to take as long as rows of eight times their width, or longer.
  void narrowRowsThatWereHeldUpMakeNoRateBeyondTheBound_data() {
    QTest::addColumn<double>("share");
    QTest::newRow("nearly as long") << 0.999;
    QTest::newRow("as long") << 1.0;
    QTest::newRow("longer") << 7.0;
  }
  void narrowRowsThatWereHeldUpMakeNoRateBeyondTheBound() {
    QFETCH(double, share);
    TwoWidths times = measured();
    times.narrowSeconds = share * times.wideSeconds;
    const RowRate rate = mesh::rowRate(times, 3e10);
    QVERIFY(near(rate.bytesPerSecond, 3e10));
    QVERIFY(near(predictedWide(rate), times.wideSeconds));
  }

  // The wide rows were: all of their time is that of bytes, and none is negative.
  void wideRowsThatWereHeldUpLeaveNoNegativeTime() {
    TwoWidths times = measured();
    times.wideSeconds *= 10.0;
    const RowRate rate = mesh::rowRate(times, 1e12);
    QVERIFY(rate.secondsPerRow >= 0.0);
    QVERIFY(rate.bytesPerSecond > 0.0 && rate.bytesPerSecond < kRate);
  }

  void theShortestTimeCounts() {
    ShortestTime time;
    for (const double seconds : {5.0, 1.0, 9.0, 1.05, 1.5}) time.add(seconds);
    QCOMPARE(time.seconds(), 1.0);
  }

  void aTimeIsSettledOnceThreeAgree() {
    ShortestTime time;
    for (const double seconds : {5.0, 1.0, 9.0, 1.05, 1.5}) {
      time.add(seconds);
      QVERIFY(!time.agrees());
    }
    time.add(1.09);
    QVERIFY(time.agrees());
    // A shorter one shows that the machine was busy all the while.
    time.add(0.5);
    QVERIFY(!time.agrees());
  }
};

QTEST_APPLESS_MAIN(MeasuredRatesTest)
#include "measured_rates_test.moc"
