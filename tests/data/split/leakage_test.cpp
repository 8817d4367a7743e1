// SPDX-License-Identifier: Apache-2.0
#include "engine/data/split/leakage.h"

#include <QTest>
#include <map>
#include <set>
#include <tuple>

#include "engine/base/random.h"
#include "engine/data/dataset/user_groups.h"
#include "tests/data/split/event_rows.h"

using namespace parapet;
using namespace parapet::data;

namespace {

using Rows = std::vector<std::int64_t>;

struct Events : EventRows {
  static Events drawn(int rows, int users, int items, int moments, std::uint64_t seed) {
    Events events;
    const Random random(seed, RandomPurpose::kSampling);
    for (int row = 0; row < rows; ++row) {
      const auto at = std::uint64_t(row) * 3;
      events.users.push_back(std::int32_t(random.below(at, std::uint64_t(users))));
      events.items.push_back(std::int32_t(random.below(at + 1, std::uint64_t(items))));
      events.times.push_back(std::int64_t(random.below(at + 2, std::uint64_t(moments))));
    }
    events.userCount = users;
    events.itemCount = items;
    return events;
  }
};

std::int64_t repeatedPairsReference(const Events& events) {
  std::set<std::pair<std::int32_t, std::int32_t>> seen;
  std::int64_t repeated = 0;
  for (std::size_t row = 0; row < events.users.size(); ++row)
    repeated += !seen.insert({events.users[row], events.items[row]}).second;
  return repeated;
}

// Looks at every pair of rows.
LeakageReport leakageReference(const Events& events, const Split& split) {
  LeakageReport report;
  const auto rows = std::int64_t(events.users.size());
  std::vector<bool> train(std::size_t(rows), false);
  std::vector<bool> held[2] = {train, train};
  split.train.forEach([&](std::int64_t row) { train[std::size_t(row)] = true; });
  split.validation.forEach([&](std::int64_t row) { held[0][std::size_t(row)] = true; });
  split.test.forEach([&](std::int64_t row) { held[1][std::size_t(row)] = true; });
  const auto isHeld = [&](std::size_t row) { return held[0][row] || held[1][row]; };
  report.rows = rows;
  for (std::size_t a = 0; a < std::size_t(rows); ++a) {
    const std::int32_t user = events.users[a], item = events.items[a];
    const std::int64_t time = events.times[a];
    bool earlierPair = false, earlierEvent = false, laterThanOwn = false, laterThanAny = false;
    bool equal = false, knownPair = false, before = false, knownUser = false, knownItem = false;
    for (std::size_t b = 0; b < std::size_t(rows); ++b) {
      const bool sameUser = user != 0 && events.users[b] == user;
      const bool samePair = sameUser && item != 0 && events.items[b] == item;
      earlierPair |= b < a && samePair;
      earlierEvent |= b < a && samePair && events.times[b] == time;
      laterThanOwn |= isHeld(b) && sameUser && events.times[b] < time;
      laterThanAny |= isHeld(b) && events.times[b] < time;
      if (!train[b]) continue;
      equal |= a != b && samePair && events.times[b] == time;
      knownPair |= a != b && samePair;
      before |= sameUser && events.times[b] > time;
      knownUser |= sameUser;
      knownItem |= item != 0 && events.items[b] == item;
    }
    report.repeatedPairs += earlierPair;
    report.duplicates += earlierEvent;
    if (train[a]) {
      ++report.trainRows;
      report.afterHeldOfUser += laterThanOwn;
      report.afterHeld += laterThanAny;
    }
    for (std::size_t p = 0; p < 2; ++p) {
      if (!held[p][a]) continue;
      LeakageReport::Held& of = report.held[p];
      ++of.rows;
      of.shared += train[a];
      of.equal += equal;
      of.knownPairs += knownPair;
      of.beforeTrain += before;
      of.coldUsers += !knownUser;
      of.coldItems += !knownItem;
    }
  }
  return report;
}

auto numbersOf(const LeakageReport& report) {
  std::vector<std::int64_t> numbers{report.rows,      report.duplicates,      report.repeatedPairs,
                                    report.trainRows, report.afterHeldOfUser, report.afterHeld};
  for (const LeakageReport::Held& held : report.held)
    numbers.insert(numbers.end(), {held.rows, held.shared, held.equal, held.knownPairs,
                                   held.beforeTrain, held.coldUsers, held.coldItems});
  return numbers;
}

experiment::Split ofKind(experiment::SplitKind kind) {
  experiment::Split spec;
  spec.kind = kind;
  spec.train = {.6, true};
  spec.validation = {.2, true};
  spec.test = {.2, true};
  return spec;
}

}  // namespace

class LeakageTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void countsRepeatedPairs_data() {
    QTest::addColumn<int>("users");
    QTest::addColumn<int>("items");
    QTest::addColumn<bool>("sorted");
    for (const bool sorted : {false, true}) {
      const char* order = sorted ? "sorted" : "unsorted";
      QTest::addRow("few pairs, %s", order) << 20 << 30 << sorted;
      QTest::addRow("many pairs, %s", order) << 3000 << 2000 << sorted;
      QTest::addRow("one user, %s", order) << 1 << 500 << sorted;
    }
  }
  void countsRepeatedPairs() {
    QFETCH(int, users);
    QFETCH(int, items);
    QFETCH(bool, sorted);
    Events events = Events::drawn(20000, users, items, 1, 5);
    if (sorted) std::sort(events.users.begin(), events.users.end());
    std::int64_t behind = 0;
    QCOMPARE(countRepeatedPairs(events.users, events.items, users, items,
                                [&](std::int64_t first, std::int64_t last) {
                                  QVERIFY(first <= last);
                                  behind += last - first;
                                }),
             repeatedPairsReference(events));
    QCOMPARE(behind, 2 * 20000);  // counted once, grouped once
    QCOMPARE(countRepeatedPairs({}, {}, users, items), 0);
  }

  // Each user's rows come once, ascending, users ascending.
  void groupsRowsByUser() {
    for (const bool sorted : {false, true}) {
      Events events = Events::drawn(5000, 300, 2, 1, 9);
      if (sorted) std::sort(events.users.begin(), events.users.end());
      const UserGroups groups(events.users, 400);
      std::int64_t rows = 0;
      std::int32_t before = -1;
      groups.forEach<std::int64_t>([](std::int64_t row) { return row; },
                                   [&](std::int32_t user, std::span<const std::int64_t> of) {
                                     QVERIFY(user > before);
                                     before = user;
                                     QVERIFY(std::is_sorted(of.begin(), of.end()));
                                     QCOMPARE(of.size(), groups.counts()[std::size_t(user)]);
                                     for (const std::int64_t row : of)
                                       QCOMPARE(events.users[std::size_t(row)], user);
                                     rows += std::int64_t(of.size());
                                   });
      QCOMPARE(rows, 5000);
    }
  }

  void countsAsTheReferenceDoes_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("items");
    using experiment::SplitKind;
    for (const int items : {4, 300}) {
      QTest::addRow("random, %d items", items) << int(SplitKind::kRandom) << items;
      QTest::addRow("leave last, %d items", items) << int(SplitKind::kLeaveLast) << items;
      QTest::addRow("leave random, %d items", items) << int(SplitKind::kLeaveRandom) << items;
      QTest::addRow("temporal, %d items", items) << int(SplitKind::kTemporal) << items;
      QTest::addRow("batches, %d items", items) << int(SplitKind::kBatches) << items;
    }
  }
  void countsAsTheReferenceDoes() {
    QFETCH(int, kind);
    QFETCH(int, items);
    const auto split = ofKind(static_cast<experiment::SplitKind>(kind));
    for (const int users : {5, 150}) {
      const Events events = Events::drawn(600, users, items, 40, 3);
      const Split cut =
          makeSplit(events.columns(), {.split = split, .seed = 2, .batchRows = 10}).value();
      QCOMPARE(numbersOf(findLeakage(events.columns(), cut)),
               numbersOf(leakageReference(events, cut)));
    }
  }

  // The promises of the kinds of splits.
  void splitsByTimeKnowNoFuture() {
    const Events events = Events::drawn(5000, 100, 400, 100000, 3);
    const auto of = [&](experiment::SplitKind kind) {
      const Split cut =
          makeSplit(events.columns(), {.split = ofKind(kind), .seed = 2, .batchRows = 10}).value();
      return findLeakage(events.columns(), cut);
    };
    const LeakageReport temporal = of(experiment::SplitKind::kTemporal);
    QCOMPARE(temporal.afterHeld, 0);
    QCOMPARE(temporal.held[1].beforeTrain, 0);
    const LeakageReport last = of(experiment::SplitKind::kLeaveLast);
    QCOMPARE(last.afterHeldOfUser, 0);
    QVERIFY(last.afterHeld > 0);  // of other users
    QCOMPARE(last.held[0].coldUsers, 0);
    const LeakageReport random = of(experiment::SplitKind::kRandom);
    QVERIFY(random.held[0].beforeTrain > random.held[0].rows / 2);
    QCOMPARE(random.held[0].shared, 0);
    QVERIFY(of(experiment::SplitKind::kBatches).held[0].shared > 0);
  }

  void withoutTimesThereIsNoFuture() {
    Events events = Events::drawn(600, 5, 4, 40, 3);
    events.times.clear();
    const Split cut =
        makeSplit(events.columns(), {.split = ofKind(experiment::SplitKind::kRandom)}).value();
    const LeakageReport report = findLeakage(events.columns(), cut);
    QCOMPARE(report.duplicates, 0);
    QCOMPARE(report.afterHeld, 0);
    QCOMPARE(report.held[0].beforeTrain, 0);
    QCOMPARE(report.held[0].equal, 0);
    QVERIFY(report.held[0].knownPairs > 0);
  }

  void saysWhatItFoundInSentences() {
    LeakageReport report;
    report.rows = 100000;
    report.trainRows = 80000;
    report.held[0].rows = 1000;
    QVERIFY(report.findings().empty());
    report.held[0].beforeTrain = 31;
    report.held[0].shared = 1;
    report.held[0].coldUsers = 250;
    report.duplicates = 7;
    const auto findings = report.findings();
    QCOMPARE(findings.size(), std::size_t{4});
    QCOMPARE(findings[0].kind, std::string("duplicates"));
    QCOMPARE(findings[0].message,
             std::string("under 0.1 % of all rows (7) have user, item and time "
                         "of an earlier row"));
    QVERIFY(findings[0].severity == LeakSeverity::kNote);
    QCOMPARE(findings[1].message,
             std::string("0.1 % of validation rows (1) are training rows as well"));
    QVERIFY(findings[1].severity == LeakSeverity::kWarning);
    QCOMPARE(findings[2].message, std::string("3.1 % of validation rows (31) have a later training "
                                              "row of the same user"));
    QCOMPARE(findings[2].share(), .031);
    QVERIFY(findings[3].severity == LeakSeverity::kWarning);
    // A pair that comes again is a leak only where pairs do not come again.
    report.held[0].knownPairs = 5;
    const auto severityOfPairs = [&] {
      for (const LeakFinding& finding : report.findings())
        if (finding.kind == "known_pairs") return finding.severity;
      throw InternalError("no such finding");
    };
    QVERIFY(severityOfPairs() == LeakSeverity::kWarning);
    report.repeatedPairs = 5000;
    QVERIFY(severityOfPairs() == LeakSeverity::kNote);
  }
};

QTEST_GUILESS_MAIN(LeakageTest)
#include "leakage_test.moc"
