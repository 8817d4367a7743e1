// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/batches.h"

#include <QTest>
#include <numeric>
#include <set>

#include "engine/base/random.h"
#include "engine/data/dataset/batch_buffer.h"
#include "tests/base/counted_memory.h"
#include "tests/data/ingest/import_fixture.h"

using namespace parapet;
using namespace parapet::data;
using experiment::BatchOrder;

namespace {

// Row r has user r + 1, so that a batch tells which rows it is made of.
constexpr int kRows = 23;

using Users = std::vector<std::vector<std::int32_t>>;

Users epochOf(BatchLoader& loader, std::int64_t epoch, std::int64_t firstBatch = 0) {
  Users users;
  loader.begin(epoch, firstBatch);
  std::int64_t index = firstBatch;
  while (const Batch* batch = loader.next()) {
    if (batch->index != index++ || batch->rows != std::int64_t(batch->labels.size()))
      throw InternalError("batch says what it is not");
    const auto ids = batch->features.at(0).ids;
    users.emplace_back(ids.begin(), ids.end());
  }
  return users;
}

std::vector<std::int32_t> flat(const Users& users) {
  std::vector<std::int32_t> all;
  for (const auto& batch : users) all.insert(all.end(), batch.begin(), batch.end());
  return all;
}

using Rows = std::vector<std::int64_t>;

// The rows of an epoch, window after window; each window is made in steps of `steps` rows.
std::vector<Rows> windowsOf(const RowOrder& order, std::int64_t epoch, std::int64_t steps) {
  std::vector<Rows> windows;
  RowWindow window(order);
  for (std::int64_t position = 0; position < order.size(); position = window.end()) {
    window.start(epoch, position);
    while (!window.advance(steps)) {
    }
    const auto rows = window.rows(position, window.end() - position);
    windows.emplace_back(rows.begin(), rows.end());
  }
  return windows;
}

Rows joined(const std::vector<Rows>& windows) {
  Rows all;
  for (const Rows& window : windows) all.insert(all.end(), window.begin(), window.end());
  return all;
}

// Every third row of a data set, as bits.
RowSet thirdsOf(std::int64_t count) {
  std::vector<std::uint64_t> words(std::size_t(count * 3 + 63) / 64);
  for (std::int64_t row = 0; row < count * 3; row += 3)
    words[std::size_t(row) / 64] |= std::uint64_t{1} << (row % 64);
  return RowSet::ofBits(std::move(words));
}

}  // namespace

class BatchesTest : public QObject {
  Q_OBJECT

 private:
  ImportFixture fixture_;
  std::shared_ptr<const Dataset> dataset_;

  BatchLoader loader(BatchLoader::Options options, std::vector<std::int64_t> rows = {}) const {
    if (rows.empty()) {
      rows.resize(kRows);
      std::iota(rows.rbegin(), rows.rend(), 0);  // 22 … 0: an order that is not the data's
    }
    return BatchLoader(dataset_, RowSet(std::move(rows)), {"user", "item"}, options);
  }

 private Q_SLOTS:
  void initTestCase() {
    std::string text;
    for (int row = 0; row < kRows; ++row)
      text += std::to_string(row + 1) + "\t" + std::to_string(row % 7 + 1) + "\t" +
              std::to_string(row % 5 + 1) + "\t0\n";
    fixture_.write("u.data", text);
    auto spec = fixture_.spec();
    spec.weight = "rating";
    dataset_ = fixture_.import(spec)->dataset;
  }

  void gathersEveryColumn() {
    for (const bool cache : {true, false}) {
      BatchLoader loader = this->loader({.batchRows = 5, .cache = cache});
      loader.begin(1);
      const Batch* batch = loader.next();
      for (std::size_t i = 0; i < 5; ++i) {
        const int row = kRows - 1 - int(i);
        QCOMPARE(batch->features[0].ids[i], row + 1);
        QCOMPARE(batch->features[1].ids[i], row % 7 + 1);
        QCOMPARE(batch->labels[i], float(row % 5) / 4.0f);
        QCOMPARE(batch->weights[i], float(row % 5 + 1));
      }
    }
  }

  void lastBatchIsShortOrDropped() {
    BatchLoader keeps = loader({.batchRows = 5});
    QCOMPARE(keeps.batchesPerEpoch(), std::int64_t{5});
    QCOMPARE(epochOf(keeps, 1).back().size(), std::size_t{3});
    BatchLoader drops = loader({.batchRows = 5, .dropRemainder = true});
    QCOMPARE(drops.batchesPerEpoch(), std::int64_t{4});
    QCOMPARE(epochOf(drops, 1).size(), std::size_t{4});
  }

  void cachedAndStreamedAreEqual() {
    for (const BatchOrder order : {BatchOrder::kOnce, BatchOrder::kNone}) {
      BatchLoader cached = loader({.batchRows = 4, .order = order, .cache = true});
      BatchLoader streamed = loader({.batchRows = 4, .order = order, .cache = false});
      for (const int epoch : {1, 2, 5}) QCOMPARE(epochOf(cached, epoch), epochOf(streamed, epoch));
    }
  }

  void onceKeepsTheOrderNoneSortsIt() {
    BatchLoader once = loader({.batchRows = 4}, {9, 2, 7});
    QCOMPARE(flat(epochOf(once, 3)), (std::vector<std::int32_t>{10, 3, 8}));
    BatchLoader none = loader({.batchRows = 4, .order = BatchOrder::kNone}, {9, 2, 7});
    QCOMPARE(flat(epochOf(none, 3)), (std::vector<std::int32_t>{3, 8, 10}));
  }

  void epochOrderIsAFunctionOfSeedAndEpoch() {
    const BatchLoader::Options options{.batchRows = 4, .order = BatchOrder::kEpoch, .seed = 5};
    BatchLoader first = loader(options);
    BatchLoader second = loader(options);
    const Users third = epochOf(first, 3);
    QVERIFY(epochOf(first, 4) != third);
    QCOMPARE(epochOf(second, 3), third);  // without having seen epochs 1 and 2
    QCOMPARE(epochOf(first, 3), third);
    BatchLoader other = loader({.batchRows = 4, .order = BatchOrder::kEpoch, .seed = 6});
    QVERIFY(epochOf(other, 3) != third);
    auto all = flat(third);
    std::sort(all.begin(), all.end());
    for (int row = 0; row < kRows; ++row) QCOMPARE(all[std::size_t(row)], row + 1);
  }

  void resumesInTheMiddleOfAnEpoch() {
    for (const BatchOrder order : {BatchOrder::kOnce, BatchOrder::kEpoch})
      for (const int prefetch : {1, 2, 9}) {
        const BatchLoader::Options options{
            .batchRows = 4, .order = order, .cache = false, .prefetch = prefetch};
        BatchLoader loader = this->loader(options);
        const Users whole = epochOf(loader, 2);
        for (std::int64_t first = 0; first <= loader.batchesPerEpoch(); ++first) {
          loader.begin(1);
          static_cast<void>(loader.next());  // left in the middle of another epoch
          QCOMPARE(epochOf(loader, 2, first), Users(whole.begin() + first, whole.end()));
        }
      }
  }

  // A batch stays as it is until the next call, however far the worker is ahead.
  void prefetchingDoesNotTouchTheCurrentBatch() {
    BatchLoader loader = this->loader({.batchRows = 2, .cache = false, .prefetch = 1});
    for (int epoch = 1; epoch <= 200; ++epoch) {
      loader.begin(epoch);
      int row = kRows;
      while (const Batch* batch = loader.next()) {
        std::this_thread::yield();
        for (const std::int32_t user : batch->features[0].ids) QCOMPARE(user, row--);
      }
    }
  }

  void steadyStateAllocatesNothing() {
    for (const bool cache : {true, false})
      for (const BatchOrder order : {BatchOrder::kOnce, BatchOrder::kEpoch}) {
        BatchLoader loader = this->loader({.batchRows = 4, .order = order, .cache = cache});
        loader.begin(1);
        while (loader.next()) {
        }
        const std::int64_t before = sample::allocations();
        for (int epoch = 2; epoch <= 20; ++epoch) {
          loader.begin(epoch);
          while (loader.next()) {
          }
        }
        QCOMPARE(sample::allocations(), before);
      }
  }

  // Lists are counted when an epoch begins; the worker may be beginning the next one meanwhile.
  void steadyStateOfListsAllocatesNothing() {
    for (const BatchOrder order : {BatchOrder::kOnce, BatchOrder::kEpoch}) {
      BatchLoader loader = this->loader({.batchRows = 4, .order = order, .groupSize = 2});
      std::int64_t counted = 0;
      for (int epoch = 1; epoch <= 2000; ++epoch) {
        loader.begin(epoch);
        const std::int64_t before = sample::allocations();
        while (loader.next()) {
        }
        // One lap of the ring, which is thousands of small batches long.
        if (epoch > 500) counted += sample::allocations() - before;
      }
      QCOMPARE(counted, std::int64_t{0});
    }
  }

  // The orders of sets that fit a window are those of one shuffle, whatever steps it is made in.
  void smallSetsAreShuffledWhole() {
    const Rows list{9, 2, 7, 30, 4, 1};
    Rows expected = list;
    shuffle(expected, Random(5, RandomPurpose::kShuffle, 3));
    const RowOrder epoch(RowSet(list), {.order = BatchOrder::kEpoch, .seed = 5});
    for (const int steps : {1, 2, 100}) QCOMPARE(joined(windowsOf(epoch, 3, steps)), expected);
    const RowOrder once(RowSet(list), {.order = BatchOrder::kOnce, .seed = 5});
    QCOMPARE(joined(windowsOf(once, 3, 2)), list);
    // Rows in the order of the data were not shuffled by the split, so that is made up for.
    Rows all(50);
    std::iota(all.begin(), all.end(), 0);
    shuffle(all, Random(5, RandomPurpose::kShuffle, 0));
    const RowOrder ofBits(RowSet::all(50), {.order = BatchOrder::kOnce, .seed = 5});
    QCOMPARE(joined(windowsOf(ofBits, 1, 7)), all);
    QCOMPARE(joined(windowsOf(ofBits, 2, 7)), all);
  }

  void windowsServeEveryRowExactlyOnce() {
    for (const std::int64_t rows : {1, 2, 99, 100, 101, 1000, 1023, 4097, 12345})
      for (const std::int64_t window : {1, 7, 100, 129, 1000})
        for (const std::int64_t batchRows : {1, 3, 64})
          for (const bool bits : {false, true}) {
            const RowSet set = bits ? thirdsOf(rows) : RowSet::all(rows);
            const RowOrder order(
                set,
                {.order = BatchOrder::kEpoch, .seed = 5, .window = window, .batchRows = batchRows});
            const auto windows = windowsOf(order, 2, 50);
            QCOMPARE(joined(windowsOf(order, 2, 1000000)), joined(windows));
            for (std::size_t i = 0; i + 1 < windows.size(); ++i) {
              QCOMPARE(std::int64_t(windows[i].size()) % batchRows, 0);
              QVERIFY(std::int64_t(windows[i].size()) <= std::max(window, batchRows));
            }
            Rows all = joined(windows);
            std::sort(all.begin(), all.end());
            QCOMPARE(std::int64_t(all.size()), rows);
            for (std::int64_t i = 0; i < rows; ++i) QCOMPARE(all[std::size_t(i)], bits ? 3 * i : i);
          }
  }

  void windowsMixRowsFromAllOverTheSet() {
    const RowOrder order(RowSet::all(100000),
                         {.order = BatchOrder::kEpoch, .seed = 1, .window = 4096});
    const auto windows = windowsOf(order, 1, 1 << 20);
    QCOMPARE(windows.size(), std::size_t{25});
    for (const Rows& window : windows) {
      std::set<std::int64_t> tenths;
      int neighbours = 0;
      for (std::size_t i = 0; i < window.size(); ++i) {
        tenths.insert(window[i] / 10000);
        neighbours += i > 0 && window[i] == window[i - 1] + 1;
      }
      QVERIFY(window.size() < 4096 || tenths.size() == 10);
      QVERIFY2(neighbours < 20, "rows of a run stay together");
    }
    QVERIFY(windowsOf(order, 2, 1 << 20) != windows);
  }

  void largeSetsKeepTheOrderOfEpochZero() {
    for (const BatchOrder kind : {BatchOrder::kOnce, BatchOrder::kNone}) {
      const RowOrder order(RowSet::all(1000), {.order = kind, .seed = 1, .window = 64});
      const Rows first = joined(windowsOf(order, 1, 100));
      QCOMPARE(joined(windowsOf(order, 2, 100)), first);
      QCOMPARE(std::is_sorted(first.begin(), first.end()), kind == BatchOrder::kNone);
    }
  }

  void windowedBatchesAreThoseOfTheOrder() {
    for (const BatchOrder kind : {BatchOrder::kOnce, BatchOrder::kNone, BatchOrder::kEpoch})
      for (const bool cache : {true, false}) {
        const BatchLoader::Options options{
            .batchRows = 2, .order = kind, .cache = cache, .seed = 3, .window = 6};
        BatchLoader loader = this->loader(options);
        Rows rows(kRows);
        std::iota(rows.rbegin(), rows.rend(), 0);
        const RowOrder order(RowSet(rows), {.order = kind, .seed = 3, .window = 6, .batchRows = 2});
        for (const int epoch : {1, 2, 5, 3}) {
          std::vector<std::int32_t> expected;
          for (const std::int64_t row : joined(windowsOf(order, epoch, 4)))
            expected.push_back(std::int32_t(row) + 1);
          QCOMPARE(flat(epochOf(loader, epoch)), expected);
          for (const std::int64_t first : {5, 1, 11})
            QCOMPARE(flat(epochOf(loader, epoch, first)),
                     std::vector<std::int32_t>(expected.begin() + 2 * first, expected.end()));
        }
      }
  }

  void stretchesAreCutFromEveryEpoch() {
    for (const std::int64_t window : {8, 100}) {
      const BatchLoader::Options all{
          .batchRows = 4, .order = BatchOrder::kEpoch, .seed = 3, .window = window};
      BatchLoader whole = loader(all);
      BatchLoader::Options options = all;
      options.rowRange = RowRange{8, 11};
      BatchLoader part = loader(options);
      QCOMPARE(part.rows(), std::int64_t{11});
      for (const int epoch : {1, 2, 3}) {
        const auto rows = flat(epochOf(whole, epoch));
        QCOMPARE(flat(epochOf(part, epoch)),
                 std::vector<std::int32_t>(rows.begin() + 8, rows.begin() + 19));
      }
    }
  }

  // Epochs 2, 3, … are the first batches of the first, whatever order epochs have.
  void replaysTheFirstBatchesOfTheFirstEpoch() {
    for (const BatchOrder order : {BatchOrder::kOnce, BatchOrder::kEpoch})
      for (const bool cache : {true, false})
        for (const std::int64_t window : {8, 100}) {
          BatchLoader::Options options{
              .batchRows = 4, .order = order, .cache = cache, .seed = 3, .window = window};
          BatchLoader all = loader(options);
          options.fixedBatches = 2;
          BatchLoader replaying = loader(options);
          QCOMPARE(replaying.batchesPerEpoch(), std::int64_t{6});
          QCOMPARE(replaying.batchesPerEpoch(2), std::int64_t{2});
          const Users first = epochOf(all, 1);
          for (const int epoch : {1, 2, 3, 7, 1})
            QCOMPARE(epochOf(replaying, epoch),
                     epoch == 1 ? first : Users(first.begin(), first.begin() + 2));
          QCOMPARE(epochOf(replaying, 4, 1), Users(first.begin() + 1, first.begin() + 2));
          QVERIFY_EXCEPTION_THROWN(replaying.begin(2, 3), InvalidArgument);
          options.fixedBatches = 100;
          QCOMPARE(
              epochOf(*std::make_unique<BatchLoader>(dataset_, RowSet::all(kRows),
                                                     std::vector<std::string>{"user"}, options),
                      2)
                  .size(),
              std::size_t{6});
        }
  }

  void gathersBagsOfAnyLength() {
    const std::vector<std::int32_t> ids{5, 6, 7, 8, 9, 10};
    const std::vector<std::int64_t> offsets{0, 2, 2, 5, 6};
    const std::vector<float> idWeights{.1f, .2f, .3f, .4f, .5f, .6f};
    BatchColumns columns(*dataset_, {"user"});
    columns.features.push_back(
        {.dense = {}, .ids = ids, .offsets = offsets, .weights = idWeights, .longestBag = 3});
    QVERIFY(columns.hasBags());
    BatchBuffer buffer(columns, 4);
    Batch batch;
    batch.features.resize(2);
    const Rows rows{2, 1, 0};
    buffer.gather(columns, {rows});
    buffer.view(batch, 0, 3);
    const FeatureIds& bag = batch.features[1];
    QCOMPARE(std::vector(bag.ids.begin(), bag.ids.end()), (std::vector{7, 8, 9, 5, 6}));
    QCOMPARE(std::vector(bag.offsets.begin(), bag.offsets.end()), (std::vector{0, 3, 3, 5}));
    QCOMPARE(std::vector(bag.weights.begin(), bag.weights.end()),
             (std::vector{.3f, .4f, .5f, .1f, .2f}));
    QVERIFY(batch.features[0].offsets.empty());
    QCOMPARE(batch.features[0].ids[0], 3);
    const Rows longest{2, 2, 2, 2};
    const std::int64_t before = sample::allocations();
    buffer.gather(columns, {longest});
    buffer.view(batch, 0, 4);
    QCOMPARE(sample::allocations(), before);  // there is room for the longest bags
    QCOMPARE(batch.features[1].ids.size(), std::size_t{12});
  }

  void stopsWhenAsked() {
    BatchLoader loader = this->loader({.batchRows = 4, .cache = false});
    loader.begin(1);
    std::stop_source stop;
    QVERIFY(loader.next(stop.get_token()));
    stop.request_stop();
    QVERIFY(!loader.next(stop.get_token()));
    QVERIFY(loader.next());
    QVERIFY(loader.waitSeconds() >= 0.0);
  }

  void refusesMisuse() {
    QVERIFY_EXCEPTION_THROWN(loader({.batchRows = 0}), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(loader({.batchRows = 24, .dropRemainder = true}), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(loader({.prefetch = 0}), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(loader({.fixedBatches = 0}), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(loader({.batchRows = 4, .groupSize = 5}), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(loader({.batchRows = 4, .rowRange = RowRange{0, 4}, .groupSize = 2}),
                             InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(loader({}, {kRows}), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(BatchLoader(dataset_, RowSet::all(kRows + 1), {"user"}, {}),
                             InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(loader({.window = 0}), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(loader({.batchRows = 4, .rowRange = RowRange{2, 4}}), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(loader({.batchRows = 4, .rowRange = RowRange{4, 20}}),
                             InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(BatchLoader(dataset_, RowSet(Rows{0}), {"genre"}, {}),
                             InvalidArgument);
    BatchLoader loader = this->loader({.batchRows = 4});
    QVERIFY_EXCEPTION_THROWN(loader.next(), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(loader.begin(0), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(loader.begin(1, 7), InvalidArgument);
  }
};

QTEST_GUILESS_MAIN(BatchesTest)
#include "batches_test.moc"
