// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/file_error.h"
#include "engine/base/files.h"
#include "engine/base/threads.h"
#include "engine/data/dataset/batch_buffer.h"
#include "engine/data/dataset/batch_rows.h"

namespace parapet::data {
namespace {

// Waits are woken; the time-out only bounds what a lost wake-up would cost.
constexpr std::chrono::seconds kLongestWait{1};

/// A worker that gathers batches ahead of their use, into a ring of fixed buffers.
///
/// Batches are counted along the whole run, so that the first batches of an epoch are gathered
/// while the last of the one before are in use. The worker fills buffer `filled mod buffers` while
/// filled < taken + buffers − 1: the buffer that was taken last still belongs to its reader. While
/// the ring is full it prepares the rows to come, a little at a time; then it sleeps until half the
/// ring is free, so that small batches do not wake it one by one. Reader and worker meet at two
/// counters; locks are for those who sleep.
///
/// Thread   one reader; begin() and next() come from it.
class BatchPrefetcher {
 public:
  struct Options {
    std::int64_t capacity = 1;  ///< rows of the largest batch
    int buffers = 2;            ///< ≥ 2
  };
  /// `columns` must outlive it. Every epoch of `rows` has a batch.
  BatchPrefetcher(const BatchColumns& columns, std::unique_ptr<BatchRows> rows, Options options)
      : columns_(columns), rows_(std::move(rows)), options_(options) {
    for (int i = 0; i < options_.buffers; ++i) ring_.emplace_back(columns_, options_.capacity);
    worker_ = std::jthread([this](std::stop_token stop) { work(std::move(stop)); });
  }

  ~BatchPrefetcher() = default;  // the jthread stops and joins first

  /// The next batch is this one of the epoch, which has it.
  void begin(std::int64_t epoch, std::int64_t firstBatch) {
    std::unique_lock lock(mutex_);
    paused_ = true;  // no new batch is started; the current one is finished first
    while (!workerSleeps_) wakeReader_.wait_for(lock, kLongestWait, [&] { return +workerSleeps_; });
    filled_ = +taken_;
    seenFilled_ = taken_;
    epoch_ = epoch;
    batch_ = firstBatch;
    begun_ = true;
    paused_ = false;
    wakeWorker_.notify_one();
  }

  /// The next batch; null if stop is requested. After the last batch of an epoch comes the first
  /// of the next.
  const BatchBuffer* next(std::stop_token stop) {
    const std::int64_t batch = taken_;
    if (seenFilled_ == batch) seenFilled_ = filled_;
    if (seenFilled_ == batch && !waitForBatch(stop)) return nullptr;
    taken_ = batch + 1;
    if (workerSleeps_ && isHalfFree()) {
      { const std::lock_guard lock(mutex_); }  // it sleeps, and is not just about to
      wakeWorker_.notify_one();
    }
    return &ring_[static_cast<std::size_t>(batch % options_.buffers)];
  }

  /// The batch that next() will give, if it is there already; null otherwise.
  [[nodiscard]] const BatchBuffer* peek() const {
    const std::int64_t batch = taken_;
    return filled_ > batch ? &ring_[static_cast<std::size_t>(batch % options_.buffers)] : nullptr;
  }

  [[nodiscard]] double waitSeconds() const { return waitSeconds_; }

 private:
  void work(std::stop_token stop) {
    const ThreadName name("input");
    while (!stop.stop_requested()) {
      if (paused_)
        sleep(stop);
      else if (begun_ && hasRoom())
        gatherNext();
      else if (!rows_->prepareAhead())
        sleep(stop);
    }
  }

  void gatherNext() {
    const std::int64_t batch = filled_;
    ring_[static_cast<std::size_t>(batch % options_.buffers)].gatherBatch(
        columns_, rows_->of(epoch_, batch_));
    if (++batch_ >= rows_->batches(epoch_)) {
      ++epoch_;
      batch_ = 0;
    }
    filled_ = batch + 1;
    if (!readerWaits_) return;
    { const std::lock_guard lock(mutex_); }  // it waits, and is not just about to
    wakeReader_.notify_one();
  }

  bool waitForBatch(std::stop_token& stop) {
    const Stopwatch watch;
    std::unique_lock lock(mutex_);
    while (filled_ == taken_ && !stop.stop_requested()) {
      readerWaits_ = true;
      wakeReader_.wait_for(lock, stop, kLongestWait, [&] { return filled_ > taken_; });
      readerWaits_ = false;
    }
    waitSeconds_ += watch.seconds();
    seenFilled_ = filled_;
    return seenFilled_ > taken_;
  }

  void sleep(std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    workerSleeps_ = true;
    wakeReader_.notify_one();  // begin() may wait for just this
    wakeWorker_.wait_for(lock, stop, kLongestWait,
                         [&] { return begun_ && !paused_ && isHalfFree(); });
    workerSleeps_ = false;
  }

  [[nodiscard]] bool hasRoom() const { return filled_ < taken_ + options_.buffers - 1; }

  [[nodiscard]] bool isHalfFree() const {
    return hasRoom() && (filled_ - taken_) * 2 <= options_.buffers - 1;
  }

  const BatchColumns& columns_;
  const std::unique_ptr<BatchRows> rows_;  // the worker's
  const Options options_;
  std::vector<BatchBuffer> ring_;
  std::int64_t epoch_ = 1, batch_ = 0;  // of the next batch to be gathered
  // Each on a cache line of its own: one is written by the worker, the other by the reader.
  alignas(64) std::atomic<std::int64_t> filled_{0};  // batches gathered so far
  alignas(64) std::atomic<std::int64_t> taken_{0};   // batches handed out so far
  std::int64_t seenFilled_ = 0;                      // what the reader last saw of filled_

  alignas(64) std::mutex mutex_;
  std::condition_variable_any wakeWorker_, wakeReader_;
  std::atomic<bool> begun_{false};   // before that only the first rows are prepared
  std::atomic<bool> paused_{false};  // the worker is to sleep
  std::atomic<bool> workerSleeps_{false}, readerWaits_{false};
  double waitSeconds_ = 0.0;
  std::jthread worker_;  // last: it uses all of the above
};

constexpr std::int64_t kRowsAtOnce = 1 << 16;

void checkRemainder(std::int64_t found, const char* what, std::int64_t ofBatch) {
  if (found < ofBatch)
    throw InvalidArgument(
        fmt::format("[BatchLoader] {} {} make no full batch of {}, and the remainder is dropped",
                    found, what, ofBatch));
}

void check(const Dataset& dataset, const RowSet& rows, std::int64_t used,
           const BatchLoader::Options& options) {
  if (options.batchRows < 1)
    throw InvalidArgument(
        fmt::format("[BatchLoader] batch of {} rows; at least 1", options.batchRows));
  if (options.fixedBatches && *options.fixedBatches < 1)
    throw InvalidArgument(
        fmt::format("[BatchLoader] {} fixed batches; at least 1", *options.fixedBatches));
  if ((options.groupSize || options.windows) && options.rowRange)
    throw InvalidArgument("[BatchLoader] a range of lists; one of the two is accepted");
  if (options.groupSize && options.windows)
    throw InvalidArgument("[BatchLoader] groups and windows; one of the two is accepted");
  if (options.prefetch < 1)
    throw InvalidArgument(
        fmt::format("[BatchLoader] prefetch of {} batches; at least 1", options.prefetch));
  if (options.dropRemainder && !options.windows) checkRemainder(used, "rows", options.batchRows);
  const auto inside = [&](std::int64_t row) {
    if (row < 0 || row >= dataset.rows())
      throw InvalidArgument(
          fmt::format("[BatchLoader] row {}; the data set has {}", row, dataset.rows()));
  };
  if (!rows.isAscending())
    rows.forEach(inside);
  else if (!rows.empty())
    inside(rows.at(rows.size() - 1));
}

RowOrder orderOf(RowSet rows, const BatchLoader::Options& options) {
  return RowOrder(std::move(rows), {.order = options.order,
                                    .seed = options.seed,
                                    .window = options.window,
                                    .batchRows = std::max<std::int64_t>(1, options.batchRows),
                                    .rowRange = options.rowRange});
}

/// Whether a set of so many bytes may stay in memory beside everything else.
bool fitsInMemory(std::int64_t bytes) {
  const std::uint64_t memory = physicalMemoryBytes();
  return memory == 0 || static_cast<std::uint64_t>(bytes) <= memory / 4;
}

/// Buffers beside those asked for: rows for some milliseconds of training, so that the worker may
/// be kept from its core for that long, and so that its sleep is worth waking it; with long
/// histories, which take their time as well, fewer.
int buffersOf(std::int64_t batchRows, std::int64_t historyIds) {
  constexpr std::int64_t kRows = 256 * 1024, kHistoryIds = 4 * 1024 * 1024, kMax = 2048;
  const std::int64_t rows = std::min(kRows, kHistoryIds / std::max<std::int64_t>(1, historyIds));
  return static_cast<int>(std::clamp<std::int64_t>(rows / batchRows, 1, kMax));
}

}  // namespace

struct BatchLoader::State {
  State(std::shared_ptr<const Dataset> data, RowSet rows, const std::vector<std::string>& names,
        const Options& wanted)
      : dataset(std::move(data)),
        options(wanted),
        fixedBatches{options.fixedBatches},
        columns(*dataset, names, wanted.histories),
        order(orderOf(rows, options)) {
    check(*dataset, rows, order.size(), options);
    current.features.resize(names.size());
    coming.features.resize(names.size());
    if (options.windows) options.batchRows *= options.windows->stride;
    if (options.groupSize || options.windows)
      lists.emplace(EventColumns(*dataset), rows,
                    ListOrder::Options{.order = options.order,
                                       .seed = options.seed,
                                       .groupSize = options.groupSize.value_or(1),
                                       .batchRows = options.batchRows,
                                       .windows = options.windows,
                                       .dropRemainder = options.dropRemainder});
    if (options.windows && options.dropRemainder)
      checkRemainder(lists->lists(), "sequences", wanted.batchRows);
    if (!lists && options.cache && !order.changes() && !columns.hasBags() &&
        fitsInMemory(order.size() * columns.rowBytes()))
      fillCache();
    else if (countOf(1) > 0)
      startPrefetcher();
  }

  void fillCache() {
    cache.emplace(columns, order.size());
    RowWindow window(order);
    std::int64_t position = 0;
    while (position < order.size()) {
      window.start(0, position);
      while (!window.advance(kRowsAtOnce)) {
      }
      for (const std::int64_t end = window.end(); position < end;) {
        const std::int64_t count = std::min(kRowsAtOnce, end - position);
        cache->gather(columns, {window.rows(position, count)}, position);
        position += count;
      }
      if (order.isWindowed()) dataset->release(0, dataset->rows());
    }
  }

  void startPrefetcher() {
    const std::int64_t capacity = std::min(options.batchRows, order.size());
    std::unique_ptr<BatchRows> rows;
    if (lists)
      rows = std::make_unique<ListRows>(*lists, fixedBatches);
    else
      rows = std::make_unique<WindowRows>(
          *dataset, order,
          WindowRows::Options{
              .batchRows = options.batchRows, .batches = countOf(1), .fixedBatches = fixedBatches});
    prefetcher = std::make_unique<BatchPrefetcher>(
        columns, std::move(rows),
        BatchPrefetcher::Options{
            .capacity = capacity,
            .buffers = options.prefetch + buffersOf(capacity, columns.historyIds())});
  }

  // Batches of an epoch; those of lists are remembered for the order that was asked for last.
  [[nodiscard]] std::int64_t countOf(std::int64_t epoch) {
    if (!lists) {
      const std::int64_t full = order.size() / options.batchRows;
      return fixedBatches.countOf(
          epoch, full + (!options.dropRemainder && order.size() % options.batchRows != 0));
    }
    const std::int64_t orderEpoch = fixedBatches.orderOf(epoch);
    if (const std::int64_t shuffle = lists->shuffleOf(orderEpoch); countedShuffle != shuffle) {
      counted = lists->batches(orderEpoch);
      countedShuffle = shuffle;
    }
    return fixedBatches.countOf(epoch, counted);
  }

  void requireIntact() const {
    Status intact = dataset->readsIntact();
    for (const ColumnView& column : columns.features)
      if (intact && column.history.history) intact = column.history.history->intact();
    if (!intact) throw FileError(intact.error());
  }
  /// The batch that comes next, where all are kept.
  void viewCached(Batch& batch) const {
    const std::int64_t first = nextBatch * options.batchRows;
    cache->view(batch, first, std::min(options.batchRows, order.size() - first));
  }
  /// Gives the next batch its epoch, index, first row and serial. Epochs have less than 2^40
  /// batches.
  void assignIndex(Batch& batch) const {
    batch.epoch = currentEpoch;
    batch.index = nextBatch;
    batch.firstRow = nextBatch * options.batchRows;
    batch.serial = (begun << 40) + nextBatch;
  }

  std::shared_ptr<const Dataset> dataset;
  Options options;
  FixedBatches fixedBatches;
  BatchColumns columns;
  RowOrder order;
  std::optional<ListOrder> lists;
  std::int64_t countedShuffle = -1, counted = 0;
  std::optional<BatchBuffer> cache;             // all rows in order, or
  std::unique_ptr<BatchPrefetcher> prefetcher;  // a batch at a time
  Batch current, coming;
  std::int64_t begun = 0;  // calls of begin()
  std::int64_t currentEpoch = 1;
  std::int64_t batches = 0;     // of it
  std::int64_t nextBatch = -1;  // before the first begin()
  // The batch that the prefetcher gives next; epoch 0: none was asked for yet.
  std::int64_t aheadEpoch = 0, aheadBatch = 0;
};

BatchLoader::BatchLoader(std::shared_ptr<const Dataset> dataset, RowSet rows,
                         std::vector<std::string> columns, Options options)
    : state_(std::make_unique<State>(std::move(dataset), std::move(rows), columns, options)) {}

BatchLoader::~BatchLoader() = default;

std::int64_t BatchLoader::rows() const {
  return state_->options.windows ? state_->lists->size() : state_->order.size();
}
std::int64_t BatchLoader::batchesPerEpoch(std::int64_t epoch) const {
  return state_->countOf(epoch);
}

void BatchLoader::begin(std::int64_t epoch, std::int64_t firstBatch) {
  State& state = *state_;
  const std::int64_t batches = epoch < 1 ? 0 : state.countOf(epoch);
  if (epoch < 1 || firstBatch < 0 || firstBatch > batches)
    throw InvalidArgument(fmt::format(
        "[BatchLoader.begin] epoch {}, batch {}; epochs count from 1, batches from 0 to {}", epoch,
        firstBatch, batches));
  state.currentEpoch = epoch;
  state.batches = batches;
  state.nextBatch = firstBatch;
  ++state.begun;
  const bool isAhead = state.aheadEpoch == epoch && state.aheadBatch == firstBatch;
  if (!state.prefetcher || isAhead || firstBatch == batches) return;
  state.prefetcher->begin(epoch, firstBatch);
  state.aheadEpoch = epoch;
  state.aheadBatch = firstBatch;
}

const Batch* BatchLoader::next(std::stop_token stop) {
  State& state = *state_;
  if (state.nextBatch < 0) throw InvalidArgument("[BatchLoader.next] begin() comes first");
  if (stop.stop_requested() || state.nextBatch == state.batches) return nullptr;
  if (state.cache) {
    state.viewCached(state.current);
  } else {
    const BatchBuffer* buffer = state.prefetcher->next(stop);
    // A page that was lost before the batch was gathered is marked by now.
    if (MappedRange::anyLost()) state.requireIntact();
    if (!buffer) return nullptr;
    buffer->view(state.current, 0, buffer->rows());
    const bool isLast = ++state.aheadBatch == state.batches;
    if (isLast) state.aheadBatch = 0;
    state.aheadEpoch += isLast;
  }
  state.assignIndex(state.current);
  ++state.nextBatch;
  return &state.current;
}

const Batch* BatchLoader::peek() {
  State& state = *state_;
  if (state.nextBatch < 0 || state.nextBatch == state.batches) return nullptr;
  if (state.cache) {
    state.viewCached(state.coming);
  } else {
    const BatchBuffer* buffer = state.prefetcher->peek();
    if (!buffer) return nullptr;
    buffer->view(state.coming, 0, buffer->rows());
  }
  state.assignIndex(state.coming);
  return &state.coming;
}

double BatchLoader::waitSeconds() const {
  return state_->prefetcher ? state_->prefetcher->waitSeconds() : 0.0;
}

}  // namespace parapet::data
