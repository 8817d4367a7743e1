// SPDX-License-Identifier: Apache-2.0
#include "engine/data/batches.h"

#include <QTest>
#include <atomic>
#include <cstdlib>
#include <new>
#include <numeric>

#include "tests/data/import_fixture.h"

namespace {
std::atomic<std::int64_t> allocations{0};
}

// Counts every allocation of this executable, on all threads.
void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

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
    return BatchLoader(dataset_, std::move(rows), {"user", "item"}, options);
  }

 private slots:
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
        const std::int64_t before = allocations;
        for (int epoch = 2; epoch <= 20; ++epoch) {
          loader.begin(epoch);
          while (loader.next()) {
          }
        }
        QCOMPARE(allocations.load(), before);
      }
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
    QVERIFY_EXCEPTION_THROWN(loader({}, {kRows}), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(BatchLoader(dataset_, {0}, {"genre"}, {}), InvalidArgument);
    BatchLoader loader = this->loader({.batchRows = 4});
    QVERIFY_EXCEPTION_THROWN(loader.next(), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(loader.begin(0), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(loader.begin(1, 7), InvalidArgument);
  }
};

QTEST_GUILESS_MAIN(BatchesTest)
#include "batches_test.moc"
