// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/query_sums.h"

#include <QtTest>
#include <cmath>

using namespace parapet;
using retrieval::PairedSums;

class PairedSumsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // Differences 1, 2, 3, 6: mean 3, Σ(d − 3)² = 14, so the error of the mean is √(14/3)/√4.
  void theErrorIsThatOfTheMean() {
    PairedSums sums;
    for (const double difference : {1.0, 2.0, 3.0, 6.0}) sums.add(difference);
    const auto found = sums.result();
    QCOMPARE(found.mean, 3.0);
    QCOMPARE(found.pairs, std::int64_t{4});
    QVERIFY(std::abs(found.standardError - std::sqrt(14.0 / 3.0) / 2.0) < 1e-15);
  }

  // D = (2 + 3)/(1 + 3) = 5/4; the residuals are 2 − 5/4 and 3 − 15/4.
  void denominatorsMakeItARatio() {
    PairedSums sums;
    sums.add(2.0, 1.0);
    sums.add(3.0, 3.0);
    const auto found = sums.result();
    QCOMPARE(found.mean, 1.25);
    QVERIFY(std::abs(found.standardError - std::sqrt(2.0 * 2.0 * 0.5625) / 4.0) < 1e-15);
  }

  void equalDifferencesHaveNoError() {
    PairedSums sums;
    for (int pair = 0; pair < 1000; ++pair) sums.add(0.1, 3.0);
    QVERIFY(sums.result().standardError < 1e-9);
  }

  void oneOrNoPairSaysNothingOfTheNoise() {
    QCOMPARE(PairedSums().result().pairs, std::int64_t{0});
    QVERIFY(std::isnan(PairedSums().result().standardError));
    PairedSums one;
    one.add(1.0);
    QCOMPARE(one.result().mean, 1.0);
    QVERIFY(std::isnan(one.result().standardError));
    PairedSums weightless;
    weightless.add(1.0, 0.0);
    weightless.add(1.0, 0.0);
    QVERIFY(std::isnan(weightless.result().standardError));
    QCOMPARE(weightless.result().pairs, std::int64_t{0});
  }

  void aPairWithoutADenominatorIsNone() {
    PairedSums with, without;
    for (const double difference : {0.1, 0.4, 0.2}) {
      with.add(difference, 2.0);
      with.add(0.0, 0.0);
      without.add(difference, 2.0);
    }
    QCOMPARE(with.result().pairs, std::int64_t{3});
    QCOMPARE(with.result().mean, without.result().mean);
    QCOMPARE(with.result().standardError, without.result().standardError);
  }
};

QTEST_GUILESS_MAIN(PairedSumsTest)
#include "paired_sums_test.moc"
