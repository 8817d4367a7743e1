// SPDX-License-Identifier: Apache-2.0
// The simulator can fail: each rule of the protocol that is broken is found within 1,000 seeds.
#include <QtTest>

#include "tests/launch/simulator.h"

using namespace parapet::launch::test;

class MutationsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void aBrokenRuleIsFound_data() {
    QTest::addColumn<int>("mutation");
    for (const MutationName& each : kMutations)
      QTest::newRow(std::string(each.name).c_str()) << static_cast<int>(each.mutation);
  }
  void aBrokenRuleIsFound() {
    QFETCH(const int, mutation);
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
      const auto report =
          simulate({.seed = seed, .mutation = static_cast<Mutation>(mutation), .isTraced = false});
      if (report.violation.empty()) continue;
      qInfo("seed %d: %s", static_cast<int>(seed), report.violation.c_str());
      return;
    }
    QFAIL("1,000 seeds found nothing");
  }

  void aSeedIsReplayed() {
    for (const std::uint64_t seed : {3, 4, 5, 6}) {
      const SimulationOptions options{.seed = seed, .mutation = Mutation::kNone, .isTraced = true};
      const auto one = simulate(options), other = simulate(options);
      QVERIFY(!one.trace.empty());
      QCOMPARE(one.trace, other.trace);
    }
  }
};

QTEST_GUILESS_MAIN(MutationsTest)
#include "mutations_test.moc"
