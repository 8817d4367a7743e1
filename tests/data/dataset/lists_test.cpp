// SPDX-License-Identifier: Apache-2.0
#include <QTest>
#include <algorithm>
#include <map>
#include <set>

#include "engine/data/dataset/batches.h"
#include "tests/data/ingest/import_fixture.h"

using namespace parapet;
using namespace parapet::data;
using experiment::BatchOrder;

namespace {

// Rows of the data set, list by list, batch by batch.
using List = std::vector<std::int32_t>;
using Epoch = std::vector<std::vector<List>>;

Epoch epochOf(BatchLoader& loader, std::int64_t epoch, std::int64_t firstBatch = 0) {
  Epoch batches;
  loader.begin(epoch, firstBatch);
  while (const Batch* batch = loader.next()) {
    auto& lists = batches.emplace_back();
    if (batch->lists.front() != 0 || batch->lists.back() != batch->rows ||
        batch->index != firstBatch + std::int64_t(batches.size()) - 1)
      throw InternalError("a batch says what it is not");
    // The item of a row is its number.
    const auto rows = batch->features[1].ids;
    for (std::size_t i = 0; i + 1 < batch->lists.size(); ++i)
      lists.emplace_back(rows.begin() + batch->lists[i], rows.begin() + batch->lists[i + 1]);
  }
  return batches;
}

std::int64_t rowsOf(const std::vector<List>& batch) {
  std::int64_t rows = 0;
  for (const List& list : batch) rows += std::int64_t(list.size());
  return rows;
}

std::vector<List> listsOf(const Epoch& epoch) {
  std::vector<List> lists;
  for (const auto& batch : epoch) lists.insert(lists.end(), batch.begin(), batch.end());
  return lists;
}

}  // namespace

/// Batches of lists.
class ListsTest : public QObject {
  Q_OBJECT

 private:
  // Row r has item r + 1 and one of seven users, user u more often the larger u is.
  static constexpr int kRows = 200;
  static int userOf(std::int32_t item) {
    const int place = (item - 1) * 37 % 28;
    int user = 1;
    for (int end = 1; place >= end; end += ++user) {
    }
    return user;
  }

  BatchLoader loader(BatchLoader::Options options, const RowSet& rows = RowSet::all(kRows)) const {
    options.groupSize = options.groupSize.value_or(5);
    return BatchLoader(dataset_, rows, {"user", "item"}, options);
  }

  ImportFixture fixture_;
  std::shared_ptr<const Dataset> dataset_;

 private Q_SLOTS:
  void initTestCase() {
    std::string text;
    for (int item = 1; item <= kRows; ++item)
      text += std::to_string(userOf(item)) + "\t" + std::to_string(item) + "\t3\t0\n";
    fixture_.write("u.data", text);
    dataset_ = fixture_.import(fixture_.spec())->dataset;
  }

  void everyRowIsInOneListOfItsUser() {
    std::vector<std::int64_t> some;
    for (int row = kRows - 1; row >= 0; row -= 3) some.push_back(row);
    for (const BatchOrder order : {BatchOrder::kOnce, BatchOrder::kEpoch, BatchOrder::kNone})
      for (const bool part : {false, true}) {
        const RowSet set = part ? RowSet(some) : RowSet::all(kRows);
        BatchLoader loader = this->loader({.batchRows = 16, .order = order, .seed = 4}, set);
        QCOMPARE(loader.rows(), set.size());
        for (const int epoch : {1, 2}) {
          std::set<std::int32_t> rows;
          std::map<int, int> shortLists;
          for (const List& list : listsOf(epochOf(loader, epoch))) {
            QVERIFY(!list.empty() && list.size() <= 5);
            for (const std::int32_t item : list) QCOMPARE(userOf(item), userOf(list.front()));
            rows.insert(list.begin(), list.end());
            shortLists[userOf(list.front())] += list.size() < 5;
          }
          QCOMPARE(std::int64_t(rows.size()), set.size());
          for (const auto& [user, count] : shortLists) QVERIFY(count <= 1);
        }
      }
  }

  // A batch is closed by the list that does not fit, and that one begins the next.
  void batchesAreFilledWithWholeLists() {
    BatchLoader loader = this->loader({.batchRows = 17, .order = BatchOrder::kEpoch, .seed = 9});
    bool anyHasRoom = false;
    for (int epoch = 1; epoch <= 20; ++epoch) {
      const Epoch batches = epochOf(loader, epoch);
      QCOMPARE(std::int64_t(batches.size()), loader.batchesPerEpoch(epoch));
      for (std::size_t b = 0; b + 1 < batches.size(); ++b) {
        const std::int64_t rows = rowsOf(batches[b]);
        QVERIFY(rows <= 17);
        QVERIFY(rows + std::int64_t(batches[b + 1].front().size()) > 17);
        anyHasRoom |= rows < 17;
      }
    }
    QVERIFY(anyHasRoom);
  }

  void onlyTheLastShortBatchIsARemainder() {
    const BatchLoader::Options options{.batchRows = 17, .order = BatchOrder::kEpoch, .seed = 9};
    BatchLoader keeps = loader(options);
    BatchLoader::Options dropping = options;
    dropping.dropRemainder = true;
    BatchLoader drops = loader(dropping);
    bool anyDropped = false;
    for (int epoch = 1; epoch <= 20; ++epoch) {
      Epoch expected = epochOf(keeps, epoch);
      if (rowsOf(expected.back()) < 17) {
        expected.pop_back();
        anyDropped = true;
      }
      QCOMPARE(epochOf(drops, epoch), expected);
      QCOMPARE(drops.batchesPerEpoch(epoch), std::int64_t(expected.size()));
    }
    QVERIFY(anyDropped);
  }

  void epochsAreAFunctionOfSeedAndEpoch() {
    const BatchLoader::Options options{.batchRows = 12, .order = BatchOrder::kEpoch, .seed = 5};
    BatchLoader first = loader(options), second = loader(options);
    const Epoch third = epochOf(first, 3);
    const Epoch fourth = epochOf(first, 4);
    QVERIFY(fourth != third);
    QCOMPARE(epochOf(second, 3), third);  // without having seen epochs 1 and 2
    QCOMPARE(epochOf(first, 3), third);
    // Not only the lists are in another order: so are the rows that they are made of.
    const auto sorted = [](std::vector<List> lists) {
      for (List& list : lists) std::ranges::sort(list);
      std::ranges::sort(lists);
      return lists;
    };
    QVERIFY(sorted(listsOf(third)) != sorted(listsOf(fourth)));
    BatchLoader other = loader({.batchRows = 12, .order = BatchOrder::kEpoch, .seed = 6});
    QVERIFY(epochOf(other, 3) != third);
    BatchLoader once = loader({.batchRows = 12, .order = BatchOrder::kOnce, .seed = 5});
    QCOMPARE(epochOf(once, 2), epochOf(once, 1));
    QVERIFY(!std::ranges::is_sorted(listsOf(epochOf(once, 1))));
  }

  void noneKeepsTheOrderOfUsersAndRows() {
    BatchLoader none = loader({.batchRows = 12, .order = BatchOrder::kNone});
    std::vector<std::pair<int, std::int32_t>> rows;
    for (const List& list : listsOf(epochOf(none, 2)))
      for (const std::int32_t item : list) rows.emplace_back(userOf(item), item);
    QVERIFY(std::ranges::is_sorted(rows));
  }

  void resumesInTheMiddleOfAnEpoch() {
    for (const BatchOrder order : {BatchOrder::kOnce, BatchOrder::kEpoch}) {
      BatchLoader loader = this->loader({.batchRows = 12, .order = order, .prefetch = 1});
      const Epoch whole = epochOf(loader, 2);
      for (std::int64_t first = 0; first <= loader.batchesPerEpoch(2); ++first) {
        loader.begin(1);
        static_cast<void>(loader.next());
        QCOMPARE(epochOf(loader, 2, first), Epoch(whole.begin() + first, whole.end()));
      }
    }
  }

  void replaysTheFirstBatchesOfTheFirstEpoch() {
    BatchLoader loader =
        this->loader({.batchRows = 12, .order = BatchOrder::kEpoch, .seed = 5, .fixedBatches = 3});
    const Epoch first = epochOf(loader, 1);
    QVERIFY(first.size() > 3);
    for (const int epoch : {2, 3, 9}) {
      QCOMPARE(loader.batchesPerEpoch(epoch), std::int64_t{3});
      QCOMPARE(epochOf(loader, epoch), Epoch(first.begin(), first.begin() + 3));
    }
    QCOMPARE(epochOf(loader, 1), first);
  }

  void aBatchMayBeLargerThanTheSet() {
    BatchLoader loader = this->loader({.batchRows = 4096, .groupSize = 4096});
    QCOMPARE(loader.batchesPerEpoch(), std::int64_t{1});
    QCOMPARE(listsOf(epochOf(loader, 1)).size(), std::size_t{7});  // a list a user
  }
};

QTEST_GUILESS_MAIN(ListsTest)
#include "lists_test.moc"
