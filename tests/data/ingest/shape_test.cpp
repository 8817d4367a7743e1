// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <QTest>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>

#include "engine/base/random.h"
#include "engine/data/ingest/shape/derived.h"
#include "engine/data/ingest/shape/k_core.h"
#include "engine/data/ingest/shape/time_text.h"

using namespace parapet;
using namespace parapet::data;
using experiment::Derived;
using experiment::DerivedKind;

namespace {

const std::vector<SourceColumn> kColumns{{"time", ValueType::kInteger, false},
                                         {"age", ValueType::kNumber, false},
                                         {"name", ValueType::kText, false},
                                         {"tags", ValueType::kInteger, true}};

RowBlock blockOf(const std::vector<std::int64_t>& times, const std::vector<double>& ages) {
  RowBlock block;
  block.rows = std::ssize(times);
  block.columns.resize(4);
  block.columns[0].integers = times;
  block.columns[1].type = ValueType::kNumber;
  block.columns[1].numbers = ages;
  block.columns[1].numbers.resize(times.size());
  return block;
}

Result<DerivedColumns> bind(const Derived& spec) {
  return DerivedColumns::bind(std::vector{spec}, std::vector{spec.name}, kColumns);
}

/// The column's cells, "–" for missing ones.
std::string cells(const Derived& spec, RowBlock block) {
  const auto derived = bind(spec);
  derived->append(block);
  const ColumnValues& column = block.columns.at(4);
  std::vector<std::string> out;
  for (std::size_t row = 0; row < static_cast<std::size_t>(block.rows); ++row)
    out.push_back(column.isMissing(row)                ? "–"
                  : column.type == ValueType::kInteger ? std::to_string(column.integers[row])
                                                       : std::string(column.texts[row]));
  return fmt::format("{}", fmt::join(out, " "));
}

std::string ofTimes(DerivedKind kind, const std::vector<std::int64_t>& times,
                    std::int64_t offset = 0) {
  return cells({"d", kind, "time", {}, offset}, blockOf(times, {}));
}

/// Drops one row after the other until none has too few, looking at all of them every time.
std::vector<std::uint64_t> naiveCore(const std::vector<std::int32_t>& users,
                                     const std::vector<std::int32_t>& items,
                                     const experiment::KCore& least) {
  std::vector<bool> stays(users.size(), true);
  const auto rowsOf = [&](const std::vector<std::int32_t>& numbers, std::int32_t number) {
    std::int64_t count = 0;
    for (std::size_t row = 0; row < numbers.size(); ++row)
      count += stays[row] && numbers[row] == number;
    return count;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t row = users.size(); row-- > 0;) {
      if (!stays[row] ||
          (rowsOf(users, users[row]) >= least.user && rowsOf(items, items[row]) >= least.item))
        continue;
      stays[row] = false;
      changed = true;
    }
  }
  std::vector<std::uint64_t> words((users.size() + 63) / 64);
  for (std::size_t row = 0; row < users.size(); ++row)
    words[row / 64] |= std::uint64_t{stays[row]} << row % 64;
  return words;
}

}  // namespace

class ShapeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void derivesFromMoments() {
    // Thursday 1 January 1970; 29 February 2000 was a Tuesday; 31 December 1969, 23:59:59.
    const std::vector<std::int64_t> times{0, 951782400 + 6 * 3600, -1, 951782400 + 86400 - 1};
    QCOMPARE(ofTimes(DerivedKind::kHour, times), "0 6 23 23");
    QCOMPARE(ofTimes(DerivedKind::kTimeOfDay, times), "night morning evening evening");
    QCOMPARE(ofTimes(DerivedKind::kWeekday, times), "thursday tuesday wednesday tuesday");
    QCOMPARE(ofTimes(DerivedKind::kMonth, times), "1 2 12 2");
    QCOMPARE(ofTimes(DerivedKind::kMonth, times, 1), "1 2 1 3");
    QCOMPARE(ofTimes(DerivedKind::kHour, times, -90), "22 4 22 22");
    QCOMPARE(ofTimes(DerivedKind::kHour, times, 14 * 60), "14 20 13 13");
    QCOMPARE(ofTimes(DerivedKind::kWeekend, {86400, 2 * 86400, 3 * 86400, 4 * 86400}),
             "workday weekend weekend workday");
    QCOMPARE(ofTimes(DerivedKind::kTimeOfDay, {43199, 43200, 64799, 64800}),
             "morning afternoon afternoon evening");
  }

  void momentsOfAnySizeHaveAnHour() {
    using Limits = std::numeric_limits<std::int64_t>;
    for (const std::int64_t offset : {-839, 0, 839})
      QCOMPARE(ofTimes(DerivedKind::kHour, {Limits::min(), Limits::max()}, offset),
               offset < 0    ? "18 1"
               : offset == 0 ? "8 15"
                             : "22 5");
    QVERIFY(!ofTimes(DerivedKind::kMonth, {Limits::min(), Limits::max()}).empty());
  }

  // Every day of 800 years around 1970, and some far away, against the standard library's calendar.
  void calendarAgreesWithTheStandardLibrary() {
    using namespace std::chrono;
    const auto agrees = [](std::int64_t day) {
      const sys_days date{days{day}};
      const unsigned month{year_month_day{date}.month()};
      const unsigned weekday = std::chrono::weekday{date}.iso_encoding() - 1;
      return monthOf(day) == month && weekdayOf(day) == weekday;
    };
    for (std::int64_t day = -146100; day <= 146100; ++day)
      QVERIFY2(agrees(day), QByteArray::number(qint64(day)));
    for (std::int64_t day = -11000000; day <= 11000000; day += 9973)
      QVERIFY2(agrees(day), QByteArray::number(qint64(day)));
  }

  void bucketsHaveTextsThatReadWell() {
    const Derived spec{"d", DerivedKind::kBuckets, "age", {-0.0, 18, 25.5, 1e6}, 0};
    const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
    QCOMPARE(cells(spec, blockOf({1, 2, 3, 4, 5, 6, 7, 8}, {-1, 0, 17.9, 18, 1e6, nan, infinity})),
             "< 0 0 – 18 0 – 18 18 – 25.5 ≥ 1000000 – ≥ 1000000 0 – 18");
    const Derived ofIntegers{"d", DerivedKind::kBuckets, "time", {10}, 0};
    QCOMPARE(cells(ofIntegers, blockOf({9, 10, 11}, {})), "< 10 ≥ 10 ≥ 10");
  }

  void missingStaysMissing() {
    RowBlock block = blockOf({0, 3600, 7200}, {3600, std::nan(""), 1e300});
    block.columns[0].missing = {0, 1, 0};
    QCOMPARE(cells({"d", DerivedKind::kHour, "time", {}, 0}, block), "0 – 2");
    QCOMPARE(cells({"d", DerivedKind::kWeekday, "age", {}, 0}, block), "thursday – –");
  }

  void fractionsOfSecondsAreLeftOut() {
    QCOMPARE(
        cells({"d", DerivedKind::kHour, "age", {}, 0}, blockOf({0, 0, 0}, {-0.5, 0.5, 3599.9})),
        "23 0 0");
  }

  void computesOnlyWhatIsWanted() {
    const std::vector<Derived> specs{{"a", DerivedKind::kHour, "time", {}, 0},
                                     {"b", DerivedKind::kMonth, "time", {}, 0},
                                     {"c", DerivedKind::kWeekend, "time", {}, 0}};
    const auto derived =
        DerivedColumns::bind(specs, std::vector<std::string>{"c", "time", "a"}, kColumns);
    QCOMPARE(derived->layout().size(), std::size_t{2});
    QCOMPARE(derived->layout()[0].name, std::string("a"));
    QVERIFY(derived->layout()[0].type == ValueType::kInteger);
    QCOMPARE(derived->layout()[1].name, std::string("c"));
    QVERIFY(derived->layout()[1].type == ValueType::kText);
    RowBlock block = blockOf({0}, {});
    derived->append(block);
    QCOMPARE(block.columns.size(), std::size_t{6});
    QVERIFY_EXCEPTION_THROWN(derived->append(block), InvalidArgument);
  }

  void refusesWhatCannotBeDerived_data() {
    QTest::addColumn<std::string>("from");
    QTest::addColumn<QList<double>>("bounds");  // none: an hour
    QTest::addColumn<std::string>("pointer");
    QTest::addColumn<std::string>("message");
    const auto row = [](const char* name, const char* from, const QList<double>& bounds,
                        const char* pointer, const char* message) {
      QTest::newRow(name) << std::string(from) << bounds << std::string(pointer)
                          << std::string(message);
    };
    row("unknown", "tine", {}, "/dataset/derived/0/from", "did you mean \"time\"?");
    row("text", "name", {}, "/dataset/derived/0/from", "holds texts");
    row("list", "tags", {1}, "/dataset/derived/0/from", "holds lists");
    row("twice the same", "age", {1, 2, 2}, "/dataset/derived/0/bounds", "2 at position 3");
    row("infinite", "age", {1, INFINITY}, "/dataset/derived/0/bounds", "inf at position 2");
  }
  void refusesWhatCannotBeDerived() {
    QFETCH(std::string, from);
    QFETCH(QList<double>, bounds);
    QFETCH(std::string, pointer);
    QFETCH(std::string, message);
    const auto kind = bounds.empty() ? DerivedKind::kHour : DerivedKind::kBuckets;
    const auto bound = bind({"d", kind, from, {bounds.begin(), bounds.end()}, 0});
    QVERIFY(!bound.ok());
    QVERIFY(bound.error().code == ErrorCode::kInvalidDocument);
    QCOMPARE(bound.error().pointer, pointer);
    QVERIFY2(bound.error().message.find(message) != std::string::npos,
             bound.error().message.c_str());
    QCOMPARE(bind({"age", DerivedKind::kHour, "time", {}, 0}).error().pointer,
             std::string("/dataset/derived/0/name"));
  }

  void coreAgreesWithTheNaiveOne() {
    std::size_t partial = 0;
    for (std::uint64_t round = 0; round < 60; ++round) {
      const Random random(round, RandomPurpose::kSampling);
      const std::size_t rows = 1 + random.below(0, 260);
      const std::uint64_t bound = 4 + random.below(1, 40);
      std::vector<std::int32_t> users, items;
      for (std::size_t row = 0; row < rows; ++row) {
        // The smaller of two draws is a popular one more often.
        users.push_back(static_cast<std::int32_t>(random.below(2 + row * 3, bound)));
        items.push_back(static_cast<std::int32_t>(
            std::min(random.below(3 + row * 3, bound), random.below(4 + row * 3, bound))));
      }
      const experiment::KCore least{1 + static_cast<std::int64_t>(round % 6),
                                    1 + static_cast<std::int64_t>(round / 6 % 5)};
      const auto core = kCore(users, items, static_cast<std::int64_t>(bound),
                              static_cast<std::int64_t>(bound), least, {});
      QVERIFY(core.ok());
      QVERIFY2(core->keep == naiveCore(users, items, least), QByteArray::number(qint64(round)));
      std::int64_t count = 0;
      for (const std::uint64_t word : core->keep) count += std::popcount(word);
      QCOMPARE(core->rows, count);
      partial += core->rows > 0 && core->rows < std::ssize(users);
    }
    QVERIFY(partial > 10);
  }

  // User n shares item n with user n + 1; the first item has one row only, and so it goes on.
  void coreFollowsAChainToItsEnd() {
    std::vector<std::int32_t> users, items;
    for (std::int32_t n = 300; n > 0; --n) {
      users.insert(users.end(), {n, n});
      items.insert(items.end(), {n, n - 1});
    }
    const auto core = kCore(users, items, 301, 301, {2, 2}, {});
    QCOMPARE(core->rows, std::int64_t{0});
    QVERIFY(core->rounds >= 2);
    const auto all = kCore(users, items, 301, 301, {2, 1}, {});
    QCOMPARE(all->rows, std::int64_t{600});
    QCOMPARE(all->rounds, std::int64_t{1});
    QCOMPARE(kCore({}, {}, 0, 0, {5, 5}, {})->rows, std::int64_t{0});
  }

  void coreRefusesNumbersOutOfRange() {
    const std::vector<std::int32_t> numbers{0, 1, 2}, negative{0, -1, 0};
    QVERIFY_EXCEPTION_THROWN((void)kCore(numbers, numbers, 2, 3, {1, 1}, {}), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN((void)kCore(numbers, negative, 3, 3, {1, 1}, {}), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN((void)kCore(numbers, {}, 3, 3, {1, 1}, {}), InvalidArgument);
  }

  void coreStopsWhenAsked() {
    std::stop_source source;
    source.request_stop();
    const std::vector<std::int32_t> numbers{0, 1};
    const auto core = kCore(numbers, numbers, 2, 2, {1, 1}, {.stop = source.get_token()});
    QVERIFY(!core.ok() && core.error().code == ErrorCode::kCancelled);
  }
};

QTEST_GUILESS_MAIN(ShapeTest)
#include "shape_test.moc"
