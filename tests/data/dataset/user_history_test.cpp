// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/user_history.h"

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/base/random.h"
#include "engine/base/result.h"
#include "tests/data/split/event_rows.h"

using namespace parapet;
using namespace parapet::data;
using experiment::EventOrder;

namespace {

/// Looks at every row for every history.
std::vector<std::int32_t> naiveBefore(const EventRows& events, const std::vector<bool>& counted,
                                      EventOrder order, std::int32_t user, std::int64_t key,
                                      const HistoryWindow& window) {
  const auto keyOf = [&](std::size_t row) {
    return order == EventOrder::kTime ? events.times[row] : static_cast<std::int64_t>(row);
  };
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < events.users.size(); ++row)
    if (user != 0 && events.users[row] == user && counted[row] && keyOf(row) < key &&
        (!window.withinSeconds || keyOf(row) >= key - *window.withinSeconds))
      rows.push_back(row);
  std::ranges::stable_sort(rows, {}, keyOf);
  const auto length = static_cast<std::size_t>(window.length);
  if (rows.size() > length) rows.erase(rows.begin(), rows.end() - window.length);
  std::vector<std::int32_t> items;
  for (const std::size_t row : rows) items.push_back(events.items[row]);
  return items;
}

/// 900 rows of 13 users, a second holding several of a user's; sorted as the data of a service are,
/// or in any order.
EventRows randomRows(bool sorted) {
  const Random random(17, RandomPurpose::kSampling);
  EventRows events;
  for (std::uint64_t row = 0; row < 900; ++row)
    events.add(static_cast<std::int32_t>(random.below(3 * row, 13)),
               static_cast<std::int32_t>(random.below(3 * row + 1, 50)),
               static_cast<std::int64_t>(random.below(3 * row + 2, 200)) - 100);
  if (!sorted) return events;
  std::vector<std::size_t> order(events.users.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return std::pair(events.users[a], events.times[a]) <
           std::pair(events.users[b], events.times[b]);
  });
  EventRows ordered;
  for (const std::size_t row : order)
    ordered.add(events.users[row], events.items[row], events.times[row]);
  return ordered;
}

std::vector<std::int32_t> before(const UserHistory& history, std::int64_t row,
                                 const HistoryWindow& window) {
  std::vector<std::int32_t> items;
  history.appendBefore(row, window, items);
  return items;
}

std::vector<std::int32_t> last(const UserHistory& history, std::int32_t user,
                               const HistoryWindow& window) {
  std::vector<std::int32_t> items;
  history.appendLast(user, window, items);
  return items;
}

}  // namespace

class UserHistoryTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void partsOfASecondAreBeforeEachOther() {
    EventRows events;
    for (int row = 0; row < 4; ++row) events.add(1, 1 + row, 50);
    events.microseconds = {900'000, 100'000, 100'000, 500'000};
    const UserHistory history(events.columns(), std::nullopt, EventOrder::kTime);
    QCOMPARE(before(history, 0, {}), (std::vector<std::int32_t>{2, 3, 4}));
    QCOMPARE(before(history, 3, {}), (std::vector<std::int32_t>{2, 3}));
    QCOMPARE(history.ties(), std::int64_t{2});
    events.times[1] = 49;
    const UserHistory within(events.columns(), std::nullopt, EventOrder::kTime);
    QCOMPARE(before(within, 0, {.length = 9, .withinSeconds = 1}),
             (std::vector<std::int32_t>{3, 4}));
    QCOMPARE(last(within, 1, {.length = 9, .withinSeconds = 1}),
             (std::vector<std::int32_t>{3, 4, 1}));
  }

  void isWhatANaivePassFinds_data() {
    QTest::addColumn<bool>("sorted");
    QTest::addColumn<bool>("byTime");
    QTest::addColumn<bool>("all");
    for (const bool sorted : {false, true})
      for (const bool byTime : {false, true})
        for (const bool all : {false, true})
          QTest::addRow("%s, %s, %s", sorted ? "sorted" : "unsorted", byTime ? "time" : "data",
                        all ? "all rows" : "some rows")
              << sorted << byTime << all;
  }
  void isWhatANaivePassFinds() {
    QFETCH(bool, sorted);
    QFETCH(bool, byTime);
    QFETCH(bool, all);
    const EventRows events = randomRows(sorted);
    const auto order = byTime ? EventOrder::kTime : EventOrder::kData;
    const Random random(3, RandomPurpose::kSplit);
    std::vector<bool> counted(events.users.size());
    std::vector<std::int64_t> train;
    for (std::size_t row = 0; row < counted.size(); ++row) {
      counted[row] = all || random.below(row, 10) < 7;
      if (counted[row]) train.push_back(static_cast<std::int64_t>(row));
    }
    const UserHistory history(events.columns(), all ? std::nullopt : std::optional(RowSet(train)),
                              order);
    QCOMPARE(history.countedRows(), static_cast<std::int64_t>(train.size()));
    for (const std::int64_t length : {1, 5, 1000})
      for (const std::optional<std::int64_t> within :
           {std::optional<std::int64_t>{}, std::optional<std::int64_t>{30},
            std::optional<std::int64_t>{std::numeric_limits<std::int64_t>::max()}}) {
        const HistoryWindow window{length, within};
        // A difference of two times that large is none that 64 bits hold.
        const HistoryWindow naive{
            length, within ? std::optional(std::min<std::int64_t>(*within, 1000)) : within};
        std::int64_t lastKey = std::numeric_limits<std::int64_t>::min();
        for (std::size_t row = 0; row < counted.size(); ++row) {
          const std::int64_t key = byTime ? events.times[row] : static_cast<std::int64_t>(row);
          if (counted[row]) lastKey = std::max(lastKey, key);
          QCOMPARE(before(history, static_cast<std::int64_t>(row), window),
                   naiveBefore(events, counted, order, events.users[row], key, naive));
        }
        HistoryWindow upTo = naive;
        if (upTo.withinSeconds) ++*upTo.withinSeconds;
        for (std::int32_t user = 0; user < 13; ++user)
          QCOMPARE(last(history, user, window),
                   naiveBefore(events, counted, order, user, lastKey + 1, upTo));
      }
  }

  // The data themselves are the index where they are in its order.
  void sortedDataNeedNoIndex() {
    const EventRows sorted = randomRows(true), unsorted = randomRows(false);
    const UserHistory direct(sorted.columns(), std::nullopt, EventOrder::kTime);
    const UserHistory indexed(unsorted.columns(), std::nullopt, EventOrder::kTime);
    QCOMPARE(direct.bytes(), std::uint64_t{14 * 8});
    QCOMPARE(indexed.bytes(), std::uint64_t{14 * 8 + 12 * 900});
    QCOMPARE(direct.ties(), indexed.ties());
  }

  // An index that is too large for the memory is in a file, and gives the same.
  void aLargeIndexIsInAFile() {
    const EventRows events = randomRows(false);
    const QTemporaryDir folder;
    const HistoryStorage storage{.folder = folder.path().toStdString(), .maxMemoryBytes = 100};
    const UserHistory inMemory(events.columns(), std::nullopt, EventOrder::kTime);
    const UserHistory inFile(events.columns(), std::nullopt, EventOrder::kTime, storage);
    QCOMPARE(inFile.bytes(), std::uint64_t{14 * 8});
    for (std::int64_t row = 0; row < 900; ++row)
      QCOMPARE(before(inFile, row, {}), before(inMemory, row, {}));
    // Without a place for the file it stays in memory.
    const HistoryStorage nowhere{.folder = storage.folder / "nothing", .maxMemoryBytes = 100};
    const UserHistory fallback(events.columns(), std::nullopt, EventOrder::kTime, nowhere);
    QCOMPARE(fallback.bytes(), inMemory.bytes());
    QCOMPARE(before(fallback, 500, {}), before(inMemory, 500, {}));
  }

  void rowsOfOneSecondAreNotBeforeEachOther() {
    EventRows events;
    for (const auto& [item, time] : {std::pair{1, 10}, {2, 20}, {3, 20}, {2, 20}, {4, 30}})
      events.add(1, item, time);
    const UserHistory history(events.columns(), std::nullopt, EventOrder::kTime);
    for (const std::int64_t row : {1, 2, 3})
      QCOMPARE(before(history, row, {}), std::vector<std::int32_t>{1});
    QCOMPARE(before(history, 4, {}), (std::vector<std::int32_t>{1, 2, 3, 2}));
    QCOMPARE(history.ties(), std::int64_t{3});
  }

  // Nor is it taken out: a missing item would tell what is to be found.
  void anEarlierRowWithTheSameItemIsLikeAnyOther() {
    EventRows events;
    for (const auto& [item, time] : {std::pair{7, 10}, {8, 20}, {7, 30}}) events.add(1, item, time);
    const UserHistory history(events.columns(), std::nullopt, EventOrder::kTime);
    QCOMPARE(before(history, 2, {}), (std::vector<std::int32_t>{7, 8}));
  }

  void nobodyHasNoHistory() {
    EventRows events;
    for (std::int64_t time = 0; time < 5; ++time) events.add(0, 3, time);
    events.userCount = 4;
    const UserHistory history(events.columns(), std::nullopt, EventOrder::kTime);
    QVERIFY(before(history, 4, {}).empty());
    QVERIFY(last(history, 0, {}).empty() && last(history, 3, {}).empty());
  }

  void withoutTimesOnlyTheOrderOfTheDataIsAccepted() {
    EventRows events;
    events.users = {1, 1, 1};
    events.items = {5, 6, 7};
    QVERIFY_EXCEPTION_THROWN(UserHistory(events.columns(), std::nullopt, EventOrder::kTime),
                             InvalidArgument);
    const UserHistory history(events.columns(), std::nullopt, EventOrder::kData);
    QCOMPARE(before(history, 2, {}), (std::vector<std::int32_t>{5, 6}));
  }
};

QTEST_GUILESS_MAIN(UserHistoryTest)
#include "user_history_test.moc"
