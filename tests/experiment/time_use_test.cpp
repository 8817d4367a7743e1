// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/time_use.h"

#include <QtTest>

using namespace parapet;
using experiment::LaneShares;
using experiment::TimeUse;

namespace {

double sum(const LaneShares& lane) {
  return lane.compute + lane.exchange + lane.update + lane.input + lane.waiting;
}

}  // namespace

class TimeUseTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void sharesOfARankAddUpToOne() {
    const TimeUse use{{4.0, 2.0}, 1.0, 2.0, 0.5, 10.0};
    const auto lanes = experiment::laneShares(use);
    QCOMPARE(lanes.size(), std::size_t{2});
    QCOMPARE(lanes[0].compute, 0.4);
    QCOMPARE(lanes[1].compute, 0.2);
    QCOMPARE(lanes[0].exchange, 0.1);
    QCOMPARE(lanes[1].update, 0.2);
    QCOMPARE(lanes[0].input, 0.05);
    // Time that nobody accounts for is waiting for the other ranks.
    QCOMPARE(lanes[0].waiting, 0.25);
    QCOMPARE(lanes[1].waiting, 0.45);
    for (const LaneShares& lane : lanes) QCOMPARE(sum(lane), 1.0);
  }

  void partsBeyondTheWallTimeAreScaledDown() {
    const auto lanes = experiment::laneShares({{3.0}, 0.0, 2.0, 0.0, 4.0});
    QCOMPARE(lanes[0].compute, 0.6);
    QCOMPARE(lanes[0].waiting, 0.0);
    QCOMPARE(sum(lanes[0]), 1.0);
  }

  void nothingMeasuredHasNoLanes() {
    QVERIFY(TimeUse{}.empty());
    QVERIFY(experiment::laneShares({}).empty());
    QVERIFY(experiment::laneShares({{0.0, 0.0}, 0.0, 0.0, 0.0, 0.0}).empty());
  }

  void additionIsByRank() {
    TimeUse use;
    use.add({{1.0, 2.0}, 3.0, 4.0, 5.0, 15.0});
    use.add({{10.0, 20.0}, 30.0, 40.0, 50.0, 150.0});
    QCOMPARE(use.compute, (std::vector{11.0, 22.0}));
    QCOMPARE(use.exchange, 33.0);
    QCOMPARE(use.update, 44.0);
    QCOMPARE(use.input, 55.0);
    QCOMPARE(use.seconds, 165.0);
  }

  void cachesAreAddedByTable() {
    TimeUse use;
    use.caches = {{"user", 100, 60}};
    TimeUse more;
    more.compute = {1.0};
    more.caches = {{"user", 1900, 1800}, {"item", 1, 0}};
    use.add(more);
    const TimeUse back = experiment::timeUseFromJson(experiment::toJson(use));
    for (const TimeUse& of : {use, back}) {
      QCOMPARE(of.caches.size(), std::size_t{2});
      QCOMPARE(of.caches[0].hitRate(), 0.93);
      QCOMPARE(of.caches[1].hits, std::int64_t{0});
      QCOMPARE(experiment::cacheSentence(of),
               std::string(
                   "Found in the caches of the devices: user 93.0 % of 2,000 rows, item 0.0 % of "
                   "1 row"));
    }
    QCOMPARE(experiment::cacheSentence({}), std::string());
    QCOMPARE(experiment::CacheUse{}.hitRate(), 0.0);
  }

  void replaysAreAdded() {
    TimeUse use, more;
    use.recorded = {100, 60};
    more.compute = {1.0};
    more.recorded = {1100, 1121};
    use.add(more);
    QCOMPARE(experiment::timeUseFromJson(experiment::toJson(use)).recorded.replayed,
             std::int64_t{1181});
    QCOMPARE(experiment::replaySentence(use),
             std::string("Replayed by the devices: 98.4 % of 1,200 pieces of steps"));
    QCOMPARE(experiment::replaySentence({}), std::string());
  }

  void jsonKeepsEveryNumber() {
    const TimeUse use{{0.1, 0.2, 0.3}, 1e-9, 0.25, 0.5, 1.75};
    const TimeUse back = experiment::timeUseFromJson(experiment::toJson(use));
    QCOMPARE(back.compute, use.compute);
    QCOMPARE(back.exchange, use.exchange);
    QCOMPARE(back.update, use.update);
    QCOMPARE(back.input, use.input);
    QCOMPARE(back.seconds, use.seconds);
  }

  void whatIsNoTimeUseIsEmpty() {
    for (const char* text : {"null", "3", "[]", "{}", R"({"compute": 3})", R"({"seconds": 1})"})
      QVERIFY2(experiment::timeUseFromJson(nlohmann::ordered_json::parse(text)).empty(), text);
    // A number that is none counts for nothing and spoils nothing else.
    const auto use = experiment::timeUseFromJson(
        nlohmann::ordered_json::parse(R"({"seconds": 2, "compute": [1, "x"], "input": null})"));
    QCOMPARE(use.compute, (std::vector{1.0, 0.0}));
    QCOMPARE(use.input, 0.0);
  }
};

QTEST_GUILESS_MAIN(TimeUseTest)
#include "time_use_test.moc"
