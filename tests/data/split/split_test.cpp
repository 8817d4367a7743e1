// SPDX-License-Identifier: Apache-2.0
#include "engine/data/split/split.h"

#include <QTest>
#include <map>
#include <numeric>
#include <set>

#include "engine/base/random.h"
#include "tests/data/split/event_rows.h"

using namespace parapet;
using namespace parapet::data;
using experiment::SplitAmount;

namespace {

experiment::Split parts(SplitAmount train, SplitAmount validation, SplitAmount test) {
  experiment::Split spec;
  spec.train = train;
  spec.validation = validation;
  spec.test = test;
  return spec;
}
constexpr SplitAmount rowsOf(double count) {
  return {count, false};
}
constexpr SplitAmount share(double ratio) {
  return {ratio, true};
}

using Rows = std::vector<std::int64_t>;

Rows listOf(const RowSet& set) {
  Rows rows;
  set.forEach([&](std::int64_t row) { rows.push_back(row); });
  return rows;
}

Result<Split> makeSplit(std::int64_t rows, const experiment::Split& spec, std::uint64_t seed,
                        std::int64_t window = experiment::Batch{}.window) {
  EventColumns events;
  events.rows = rows;
  return makeSplit(events, {.split = spec, .seed = seed, .window = window});
}

struct Events : EventRows {
  [[nodiscard]] Split split(const experiment::Split& spec, std::uint64_t seed = 1) const {
    return data::makeSplit(columns(), {.split = spec, .seed = seed}).value();
  }
};

/// Four users with 6, 3, 1 and 4 rows, one at a time in turns, later rows earlier in time; and two
/// rows of users out of the vocabulary.
Events turns() {
  Events events;
  const std::vector<int> counts{2, 6, 3, 1, 4};
  for (int turn = 0; turn < 6; ++turn)
    for (int user = 0; user < 5; ++user)
      if (turn < counts[std::size_t(user)]) events.add(user, turn + 1, 100 - turn);
  return events;
}

experiment::Split ofKind(experiment::SplitKind kind, double validation, double test) {
  auto spec = parts(share(.8), {validation, validation > 0 && validation < 1},
                    {test, test > 0 && test < 1});
  spec.kind = kind;
  return spec;
}

// No row is in two parts; rows of all parts together, ascending.
Rows disjoint(const Split& split) {
  Rows all;
  for (const auto* part : {&split.train, &split.validation, &split.test})
    part->forEach([&](std::int64_t row) { all.push_back(row); });
  std::sort(all.begin(), all.end());
  if (std::adjacent_find(all.begin(), all.end()) != all.end())
    throw InternalError("a row is in two parts");
  return all;
}

Rows countTo(std::int64_t count) {
  Rows rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

}  // namespace

class SplitTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cutsExactly_data() {
    QTest::addColumn<int>("rows");
    QTest::addColumn<QList<double>>("amounts");  // < 1: a share, -1: that of all
    QTest::addColumn<QList<int>>("expected");
    QTest::newRow("counts") << 100 << QList<double>{60, 30, 5} << QList<int>{60, 30, 5};
    QTest::newRow("all of them") << 100 << QList<double>{80, 20, 0} << QList<int>{80, 20, 0};
    QTest::newRow("shares, rounded down")
        << 101 << QList<double>{.5, .25, 0} << QList<int>{50, 25, 0};
    QTest::newRow("whole, remainder to validation")
        << 7 << QList<double>{.8, .2, 0} << QList<int>{5, 2, 0};
    QTest::newRow("whole, remainder to test")
        << 11 << QList<double>{.8, .1, .1} << QList<int>{8, 1, 2};
    QTest::newRow("29 % of 100 is 29") << 100 << QList<double>{.29, 0, 0} << QList<int>{29, 0, 0};
    QTest::newRow("a share of all") << 7 << QList<double>{-1.0, 0, 0} << QList<int>{7, 0, 0};
    QTest::newRow("a count of one") << 7 << QList<double>{1, 1, 0} << QList<int>{1, 1, 0};
    QTest::newRow("mixed") << 10 << QList<double>{.5, 3, 0} << QList<int>{5, 3, 0};
  }
  void cutsExactly() {
    QFETCH(int, rows);
    QFETCH(QList<double>, amounts);
    QFETCH(QList<int>, expected);
    const auto amount = [&](int i) {
      if (amounts[i] < 0) return share(-amounts[i]);
      return amounts[i] > 0 && amounts[i] < 1 ? share(amounts[i]) : rowsOf(amounts[i]);
    };
    const auto split = makeSplit(rows, parts(amount(0), amount(1), amount(2)), 1);
    QVERIFY(split.ok());
    QCOMPARE(int(split->train.size()), expected[0]);
    QCOMPARE(int(split->validation.size()), expected[1]);
    QCOMPARE(int(split->test.size()), expected[2]);
    std::set<std::int64_t> seen;
    for (const auto* part : {&split->train, &split->validation, &split->test})
      for (const std::int64_t row : listOf(*part)) {
        QVERIFY(row >= 0 && row < rows);
        QVERIFY2(seen.insert(row).second, "a row is in two parts");
      }
  }

  void isAFunctionOfTheSeed() {
    const auto spec = parts(rowsOf(50), rowsOf(50), rowsOf(0));
    const Rows first = listOf(makeSplit(100, spec, 1)->train);
    QCOMPARE(listOf(makeSplit(100, spec, 1)->train), first);
    QVERIFY(listOf(makeSplit(100, spec, 2)->train) != first);
    auto fixed = spec;
    fixed.seed = 1;
    QCOMPARE(listOf(makeSplit(100, fixed, 2)->train), first);
  }

  // More validation rows do not move the training rows.
  void trainDoesNotDependOnTheRest() {
    const auto few = makeSplit(100, parts(rowsOf(50), rowsOf(1), rowsOf(0)), 3).value();
    const auto many = makeSplit(100, parts(rowsOf(50), rowsOf(25), rowsOf(25)), 3).value();
    QCOMPARE(listOf(few.train), listOf(many.train));
  }

  // The bits of small splits are those that published runs were compared with.
  void smallSetsAreShuffledAndCut() {
    Rows order = countTo(100);
    shuffle(order, Random(9, RandomPurpose::kSplit));
    const auto split = makeSplit(100, parts(rowsOf(60), rowsOf(30), rowsOf(5)), 9).value();
    QCOMPARE(listOf(split.train), Rows(order.begin(), order.begin() + 60));
    QCOMPARE(listOf(split.validation), Rows(order.begin() + 60, order.begin() + 90));
    QCOMPARE(listOf(split.test), Rows(order.begin() + 90, order.begin() + 95));
  }

  // Rows beyond a window are drawn one after another; every row is as likely as any other.
  void largeSetsAreDrawnExactly() {
    constexpr int kRows = 60, kDraws = 4000;
    std::vector<int> drawn(kRows);
    for (int seed = 0; seed < kDraws; ++seed) {
      const auto split =
          makeSplit(kRows, parts(rowsOf(30), rowsOf(20), rowsOf(4)), std::uint64_t(seed), 59)
              .value();
      QCOMPARE(split.train.size(), 30);
      QCOMPARE(split.validation.size(), 20);
      QCOMPARE(split.test.size(), 4);
      QVERIFY(split.train.isAscending());
      static_cast<void>(disjoint(split));
      split.train.forEach([&](std::int64_t row) { ++drawn[std::size_t(row)]; });
    }
    // Binomial with p = ½: a standard deviation is 31.6; six of them.
    for (const int count : drawn) QVERIFY2(std::abs(count - kDraws / 2) < 190, "not uniform");
  }

  void leavesTheLastRowsOfEveryUser() {
    const Events events = turns();
    const Split split = events.split(ofKind(experiment::SplitKind::kLeaveLast, 2, 1));
    QCOMPARE(disjoint(split), countTo(16));
    std::map<std::int32_t, std::array<int, 3>> counts;
    std::map<std::int32_t, std::int64_t> lastTrain, firstTest;
    split.train.forEach([&](std::int64_t row) {
      const auto user = events.users[std::size_t(row)];
      ++counts[user][0];
      lastTrain[user] = std::max(lastTrain[user], events.times[std::size_t(row)]);
    });
    split.validation.forEach([&](std::int64_t row) {
      const auto user = events.users[std::size_t(row)];
      ++counts[user][1];
      QVERIFY(events.times[std::size_t(row)] > lastTrain[user]);
    });
    split.test.forEach([&](std::int64_t row) {
      ++counts[events.users[std::size_t(row)]][2];
      QCOMPARE(events.times[std::size_t(row)], 100);  // the first turn is the latest in time
    });
    QCOMPARE(counts[0], (std::array<int, 3>{2, 0, 0}));  // nobody in particular
    QCOMPARE(counts[1], (std::array<int, 3>{3, 2, 1}));
    QCOMPARE(counts[2], (std::array<int, 3>{1, 1, 1}));  // keeps a training row
    QCOMPARE(counts[3], (std::array<int, 3>{1, 0, 0}));
    QCOMPARE(counts[4], (std::array<int, 3>{1, 2, 1}));
  }

  void tiesInTimeAreBrokenByRow() {
    Events events;
    for (int row = 0; row < 5; ++row) events.add(1, row, 7);
    const Split split = events.split(ofKind(experiment::SplitKind::kLeaveLast, 1, 1));
    QCOMPARE(listOf(split.train), (Rows{0, 1, 2}));
    QCOMPARE(listOf(split.validation), Rows{3});
    QCOMPARE(listOf(split.test), Rows{4});
  }

  void theOrderOfTheDataIsOneToLeaveLastBy() {
    Events events = turns();  // later rows are earlier in time
    auto spec = ofKind(experiment::SplitKind::kLeaveLast, 0, 1);
    spec.order = experiment::EventOrder::kData;
    const Rows byData = listOf(events.split(spec).test);
    events.times.clear();
    QCOMPARE(listOf(events.split(spec).test), byData);
    for (const std::int64_t row : byData)
      for (std::size_t later = std::size_t(row) + 1; later < events.users.size(); ++later)
        QVERIFY(events.users[later] != events.users[std::size_t(row)]);
  }

  // Four rows of one second, in the reverse of their order.
  void partsOfASecondOrderRows() {
    Events events;
    for (int row = 0; row < 4; ++row) events.add(1, 1 + row, 7);
    events.microseconds = {900, 700, 300, 100};
    const Split last = events.split(ofKind(experiment::SplitKind::kLeaveLast, 1, 1));
    QCOMPARE(listOf(last.test), Rows{0});
    QCOMPARE(listOf(last.validation), Rows{1});
    const Split cut = events.split(ofKind(experiment::SplitKind::kTemporal, 1, 1));
    QCOMPARE(listOf(cut.test), Rows{0});
    QCOMPARE(listOf(cut.validation), Rows{1});
    auto spec = ofKind(experiment::SplitKind::kTemporal, 0, 0);
    spec.testSeconds = 1;
    spec.end = 9;
    events.add(1, 5, 8);
    events.microseconds.push_back(0);
    QCOMPARE(listOf(events.split(spec).test), Rows{4});
  }

  void aColumnWithoutValidationHasItDrawn() {
    Events events;
    for (int row = 0; row < 1000; ++row) {
      events.add(1 + row % 7, 1, row);
      events.parts.push_back(std::uint8_t(row % 4 == 0 ? experiment::SplitPart::kTest
                                                       : experiment::SplitPart::kTrain));
    }
    auto spec = ofKind(experiment::SplitKind::kColumn, .2, 0);
    const Split split = events.split(spec);
    QCOMPARE(disjoint(split), countTo(1000));
    QCOMPARE(split.test.size(), 250);
    QCOMPARE(split.validation.size(), 150);
    QVERIFY(listOf(split.validation) != listOf(events.split(spec, 2).validation));
    // Rows that the column names are all there is.
    events.parts[1] = std::uint8_t(experiment::SplitPart::kValidation);
    QCOMPARE(listOf(events.split(spec).validation), Rows{1});
  }

  void leavesSharesOfEveryUser() {
    Events events;
    for (int row = 0; row < 20; ++row) events.add(1 + row % 2, 1, row);
    const Split split = events.split(ofKind(experiment::SplitKind::kLeaveLast, .2, .1));
    QCOMPARE(split.train.size(), 14);
    QCOMPARE(listOf(split.validation), (Rows{14, 15, 16, 17}));
    QCOMPARE(listOf(split.test), (Rows{18, 19}));
  }

  void leavesRandomRowsOfEveryUser() {
    const Events events = turns();
    std::set<Rows> seen;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Split split = events.split(ofKind(experiment::SplitKind::kLeaveRandom, 1, 1), seed);
      QCOMPARE(disjoint(split), countTo(16));
      QCOMPARE(split.validation.size(), 2 + 1);  // users 1, 2 and 4
      QCOMPARE(split.test.size(), 3);
      seen.insert(listOf(split.test));
    }
    QVERIFY(seen.size() > 10);
  }

  // The published borders: train < 25,823,600; validation [25,825,400, 25,911,800); test from
  // 25,913,600. Without validation train ends at 25,911,800.
  void cutsAtTheMomentsOfYambda() {
    Events events;
    const std::vector<std::int64_t> moments{0,        25823599, 25823600, 25825399,
                                            25825400, 25911799, 25911800, 25913599,
                                            25913600, 25999999, 26000000};
    for (const std::int64_t moment : moments) events.add(1, 1, moment);
    auto spec = ofKind(experiment::SplitKind::kTemporal, 0, 0);
    spec.validationSeconds = 86400;
    spec.testSeconds = 86400;
    spec.gapSeconds = 1800;
    spec.end = 26000000;
    const Split split = events.split(spec);
    QCOMPARE(listOf(split.train), (Rows{0, 1}));
    QCOMPARE(listOf(split.validation), (Rows{4, 5}));
    QCOMPARE(listOf(split.test), (Rows{8, 9}));
    spec.validationSeconds.reset();
    const Split final = events.split(spec);
    QCOMPARE(listOf(final.train), (Rows{0, 1, 2, 3, 4, 5}));
    QVERIFY(final.validation.empty());
    QCOMPARE(listOf(final.test), (Rows{8, 9}));
    spec.end.reset();  // one second after the last row
    QCOMPARE(listOf(events.split(spec).test), (Rows{9, 10}));
  }

  // Parts by amounts begin at the latest moment from which on they have their rows.
  void cutsWhereAmountsAreReached() {
    Events events;
    for (int row = 0; row < 1000; ++row)
      events.add(1, 1, (std::int64_t{row} * 37 % 1000) * 1000003 - 400000000);
    const auto timeOf = [&](std::int64_t row) { return events.times[std::size_t(row)]; };
    auto spec = ofKind(experiment::SplitKind::kTemporal, .2, .1);
    const Split split = events.split(spec);
    QCOMPARE(disjoint(split), countTo(1000));
    QCOMPARE(split.train.size(), 700);
    QCOMPARE(split.validation.size(), 200);
    QCOMPARE(split.test.size(), 100);
    split.test.forEach(
        [&](std::int64_t row) { QVERIFY(timeOf(row) >= 900 * 1000003L - 400000000); });
    // Rows of one second stay together: all of them come after.
    Events days;
    for (int row = 0; row < 100; ++row) days.add(1, 1, row / 10 * 86400);
    const Split byDay = days.split(ofKind(experiment::SplitKind::kTemporal, 5, 15));
    QCOMPARE(byDay.test.size(), 20);
    QCOMPARE(byDay.validation.size(), 10);
    QCOMPARE(byDay.train.size(), 70);
    spec = ofKind(experiment::SplitKind::kTemporal, 5, 15);
    spec.gapSeconds = 1;
    QCOMPARE(days.split(spec).train.size(), 70);
    spec.gapSeconds = 86401;  // a day, and a second of the one before
    QCOMPARE(days.split(spec).train.size(), 50);
  }

  void coldRowsStayOrGo() {
    Events events;
    events.add(1, 1, 10);
    events.add(0, 2, 11);
    events.add(1, 2, 20);
    events.add(2, 1, 21);  // a user that train has not
    events.add(1, 3, 22);  // an item that train has not
    events.add(0, 1, 23);  // nobody in particular
    auto spec = ofKind(experiment::SplitKind::kTemporal, 0, 0);
    spec.testSeconds = 10;
    spec.end = 30;
    QCOMPARE(listOf(events.split(spec).test), (Rows{2, 3, 4, 5}));
    spec.coldUsers = experiment::ColdRows::kDrop;
    QCOMPARE(listOf(events.split(spec).test), (Rows{2, 4}));
    spec.coldItems = experiment::ColdRows::kDrop;
    QCOMPARE(listOf(events.split(spec).test), Rows{2});
    spec.coldUsers = experiment::ColdRows::kKeep;
    QCOMPARE(listOf(events.split(spec).test), (Rows{2, 3, 5}));
  }

  // As seed 003 published: 182 whole batches, 145 for training and 37 of another permutation.
  void batchesOfReshuffledSetsOverlap() {
    EventColumns events;
    events.rows = 182 * 8 + 3;
    SplitSettings settings{.split = parts(share(.8), share(.2), rowsOf(0)),
                           .seed = 5,
                           .batchRows = 8,
                           .dropRemainder = true};
    settings.split.kind = experiment::SplitKind::kBatches;
    const Split split = data::makeSplit(events, settings).value();
    QVERIFY(split.reshuffled);
    QCOMPARE(split.reshuffled->train.rowRange.count, 145 * 8);
    QCOMPARE(split.reshuffled->validation.rowRange.first, 145 * 8);
    QCOMPARE(split.reshuffled->validation.rowRange.count, 37 * 8);
    QCOMPARE(split.train.size(), 145 * 8);
    QCOMPARE(split.validation.size(), 37 * 8);
    std::set<std::int64_t> train, shared;
    split.train.forEach([&](std::int64_t row) { QVERIFY(train.insert(row).second); });
    split.validation.forEach([&](std::int64_t row) {
      if (train.contains(row)) shared.insert(row);
    });
    // 296 rows, each with probability 145/182: 236 are expected, give or take 6.6.
    QVERIFY2(shared.size() > 195 && shared.size() < 275, "not two permutations");
    settings.dropRemainder = false;
    settings.split.validation = rowsOf(37);
    settings.split.train = rowsOf(146);
    QCOMPARE(data::makeSplit(events, settings)->validation.size(), 36 * 8 + 3);
    settings.split.train = rowsOf(147);
    QCOMPARE(QString::fromStdString(data::makeSplit(events, settings).error().pointer),
             "/dataset/split");
  }

  void timesAreNeededWhereTimeDecides() {
    for (const auto kind : {experiment::SplitKind::kLeaveLast, experiment::SplitKind::kTemporal}) {
      Events events = turns();
      events.times.clear();
      const auto split =
          data::makeSplit(events.columns(), {.split = ofKind(kind, 1, 1), .seed = 1});
      QVERIFY(!split);
      QVERIFY(split.error().code == ErrorCode::kInvalidDocument);
      QCOMPARE(QString::fromStdString(split.error().pointer), "/dataset/split/kind");
    }
  }

  void rowSetsReadAnyStretch() {
    const Random random(3, RandomPurpose::kSampling);
    for (const int rows : {1, 63, 64, 65, 511, 513, 5000}) {
      Rows list;
      std::vector<std::uint64_t> words(std::size_t(rows + 63) / 64);
      for (int row = 0; row < rows; ++row) {
        // Dense, empty and thin stretches.
        const std::uint64_t of = row % 1000 < 300 ? 1 : row % 1000 < 700 ? 0 : 40;
        if (of == 0 || random.below(std::uint64_t(row), of) != 0) continue;
        list.push_back(row);
        words[std::size_t(row) / 64] |= std::uint64_t{1} << (row % 64);
      }
      const RowSet set = RowSet::ofBits(words);
      QCOMPARE(set.size(), std::int64_t(list.size()));
      QCOMPARE(listOf(set), list);
      QCOMPARE(set.bits(rows), words);
      QCOMPARE(RowSet(list).bits(rows), words);
      for (std::int64_t first = 0; first <= set.size(); first += 7) {
        Rows read(std::size_t(std::min<std::int64_t>(29, set.size() - first)));
        set.read(first, read);
        QVERIFY(std::equal(read.begin(), read.end(), list.begin() + first));
        if (first < set.size()) QCOMPARE(set.at(first), list[std::size_t(first)]);
      }
      QVERIFY_EXCEPTION_THROWN(static_cast<void>(set.at(set.size())), InvalidArgument);
    }
    QVERIFY(RowSet().empty());
    QCOMPARE(listOf(RowSet::all(5)), countTo(5));
    QVERIFY(!RowSet(Rows{2, 1}).isAscending());
    QCOMPARE(listOf(RowSet(Rows{2, 1}).ascending()), (Rows{1, 2}));
  }

  void refusesWhatCannotBeCut_data() {
    QTest::addColumn<double>("train");
    QTest::addColumn<double>("validation");
    QTest::addColumn<QString>("pointer");
    QTest::newRow("too many") << 80. << 21. << "/dataset/split";
    QTest::newRow("enormous") << 1e300 << 0. << "/dataset/split";
    QTest::newRow("no train") << 0. << 10. << "/dataset/split";
    QTest::newRow("negative") << 10. << -1. << "/dataset/split/validation";
    QTest::newRow("broken") << 10.5 << 1. << "/dataset/split/train";
    QTest::newRow("NaN") << std::numeric_limits<double>::quiet_NaN() << 1.
                         << "/dataset/split/train";
  }
  void refusesWhatCannotBeCut() {
    QFETCH(double, train);
    QFETCH(double, validation);
    QFETCH(QString, pointer);
    const auto split = makeSplit(100, parts(rowsOf(train), rowsOf(validation), rowsOf(0)), 1);
    QVERIFY(!split);
    QVERIFY(split.error().code == ErrorCode::kInvalidDocument);
    QCOMPARE(QString::fromStdString(split.error().pointer), pointer);
  }
};

QTEST_GUILESS_MAIN(SplitTest)
#include "split_test.moc"
