// SPDX-License-Identifier: Apache-2.0
#include "engine/data/batch_prefetcher.h"

#include <algorithm>
#include <chrono>

#include "engine/base/clock.h"
#include "engine/base/random.h"
#include "engine/base/threads.h"

namespace parapet::data {
namespace {

// Waits are woken; the time-out only bounds what a lost wake-up would cost.
constexpr std::chrono::seconds kLongestWait{1};

}  // namespace

BatchPrefetcher::BatchPrefetcher(const BatchColumns& columns, std::vector<std::int64_t> rows,
                                 Options options)
    : columns_(columns), rows_(std::move(rows)), options_(options) {
  for (int i = 0; i < options_.buffers; ++i) ring_.emplace_back(columns_, options_.batchRows);
  worker_ = std::jthread([this](std::stop_token stop) { work(std::move(stop)); });
}

BatchPrefetcher::~BatchPrefetcher() = default;  // the jthread stops and joins first

void BatchPrefetcher::begin(std::int64_t epoch, std::int64_t firstBatch) {
  std::unique_lock lock(mutex_);
  epoch_ = 0;  // no new batch is begun; the one in work is waited for
  while (gathering_) wakeReader_.wait_for(lock, kLongestWait, [&] { return !gathering_; });
  epoch_ = epoch;
  filled_ = taken_ = firstBatch;
  wakeWorker_.notify_one();
}

const BatchBuffer* BatchPrefetcher::next(std::stop_token stop) {
  std::unique_lock lock(mutex_);
  const Stopwatch watch;
  while (filled_ == taken_) {
    if (stop.stop_requested()) return nullptr;
    readerWaits_ = true;
    wakeReader_.wait_for(lock, stop, kLongestWait, [&] { return filled_ > taken_; });
    readerWaits_ = false;
  }
  waitSeconds_ += watch.seconds();
  const auto slot = static_cast<std::size_t>(taken_ % options_.buffers);
  ++taken_;
  if (workerSleeps_ && isHalfFree()) wakeWorker_.notify_one();
  return &ring_[slot];
}

bool BatchPrefetcher::hasRoom() const {
  return epoch_ > 0 && filled_ < options_.batches && filled_ < taken_ + options_.buffers - 1;
}

bool BatchPrefetcher::isHalfFree() const {
  return hasRoom() && (filled_ - taken_) * 2 <= options_.buffers - 1;
}

bool BatchPrefetcher::canOrderAhead() const {
  return options_.shuffleEachEpoch && epoch_ > 0 && filled_ == options_.batches &&
         orderedEpoch_ == epoch_;
}

void BatchPrefetcher::orderRows(std::int64_t epoch) {
  order_ = rows_;
  shuffle(order_,
          Random(options_.seed, RandomPurpose::kShuffle, static_cast<std::uint64_t>(epoch)));
}

void BatchPrefetcher::gatherNext(std::unique_lock<std::mutex>& lock) {
  const std::int64_t epoch = epoch_;
  const std::int64_t batch = filled_;
  lock.unlock();
  if (options_.shuffleEachEpoch && orderedEpoch_ != epoch) orderRows(epoch);
  const std::int64_t first = batch * options_.batchRows;
  const std::span<const std::int64_t> rows = options_.shuffleEachEpoch ? order_ : rows_;
  const std::int64_t count =
      std::min(options_.batchRows, static_cast<std::int64_t>(rows.size()) - first);
  ring_[static_cast<std::size_t>(batch % options_.buffers)].gather(
      columns_, rows.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)));
  lock.lock();
  orderedEpoch_ = epoch;
  if (epoch_ == epoch) ++filled_;
}

void BatchPrefetcher::work(std::stop_token stop) {
  const ThreadName name("input");
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (!hasRoom() && !canOrderAhead()) {
      workerSleeps_ = true;
      wakeWorker_.wait_for(lock, stop, kLongestWait, [&] { return isHalfFree(); });
      workerSleeps_ = false;
      continue;
    }
    gathering_ = true;
    if (hasRoom()) {
      gatherNext(lock);
    } else {
      const std::int64_t next = epoch_ + 1;
      lock.unlock();
      orderRows(next);
      lock.lock();
      orderedEpoch_ = next;
    }
    gathering_ = false;
    if (readerWaits_ || epoch_ == 0) wakeReader_.notify_one();
  }
}

}  // namespace parapet::data
