// SPDX-License-Identifier: Apache-2.0
#include "engine/data/dataset/batch_prefetcher.h"

#include <chrono>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/threads.h"

namespace parapet::data {
namespace {

// Waits are woken; the time-out only bounds what a lost wake-up would cost.
constexpr std::chrono::seconds kLongestWait{1};

}  // namespace

BatchPrefetcher::BatchPrefetcher(const BatchColumns& columns, std::unique_ptr<BatchRows> rows,
                                 Options options)
    : columns_(columns), rows_(std::move(rows)), options_(options) {
  for (int i = 0; i < options_.buffers; ++i) ring_.emplace_back(columns_, options_.capacity);
  worker_ = std::jthread([this](std::stop_token stop) { work(std::move(stop)); });
}

BatchPrefetcher::~BatchPrefetcher() = default;  // the jthread stops and joins first

void BatchPrefetcher::begin(std::int64_t epoch, std::int64_t firstBatch) {
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

const BatchBuffer* BatchPrefetcher::peek() const {
  const std::int64_t batch = taken_;
  return filled_ > batch ? &ring_[static_cast<std::size_t>(batch % options_.buffers)] : nullptr;
}

const BatchBuffer* BatchPrefetcher::next(std::stop_token stop) {
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

bool BatchPrefetcher::waitForBatch(std::stop_token& stop) {
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

bool BatchPrefetcher::hasRoom() const {
  return filled_ < taken_ + options_.buffers - 1;
}

bool BatchPrefetcher::isHalfFree() const {
  return hasRoom() && (filled_ - taken_) * 2 <= options_.buffers - 1;
}

void BatchPrefetcher::gatherNext() {
  const std::int64_t batch = filled_;
  ring_[static_cast<std::size_t>(batch % options_.buffers)].gather(columns_,
                                                                   rows_->of(epoch_, batch_));
  if (++batch_ >= rows_->batches(epoch_)) {
    ++epoch_;
    batch_ = 0;
  }
  filled_ = batch + 1;
  if (!readerWaits_) return;
  { const std::lock_guard lock(mutex_); }  // it waits, and is not just about to
  wakeReader_.notify_one();
}

void BatchPrefetcher::sleep(std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  workerSleeps_ = true;
  wakeReader_.notify_one();  // begin() may wait for just this
  wakeWorker_.wait_for(lock, stop, kLongestWait,
                       [&] { return begun_ && !paused_ && isHalfFree(); });
  workerSleeps_ = false;
}

void BatchPrefetcher::work(std::stop_token stop) {
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

}  // namespace parapet::data
