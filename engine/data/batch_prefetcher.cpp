// SPDX-License-Identifier: Apache-2.0
#include "engine/data/batch_prefetcher.h"

#include <algorithm>
#include <chrono>

#include "engine/base/clock.h"
#include "engine/base/threads.h"

namespace parapet::data {
namespace {

// Waits are woken; the time-out only bounds what a lost wake-up would cost.
constexpr std::chrono::seconds kLongestWait{1};
// Rows of the next window that are made before the ring is looked at again: a fraction of a
// millisecond.
constexpr std::int64_t kRowsAhead = 8 * 1024;

}  // namespace

BatchPrefetcher::BatchPrefetcher(const Dataset& dataset, const BatchColumns& columns,
                                 const RowOrder& order, Options options)
    : dataset_(dataset),
      columns_(columns),
      order_(order),
      options_(options),
      windows_{RowWindow(order, ahead()), RowWindow(order, ahead())} {
  for (int i = 0; i < options_.buffers; ++i) ring_.emplace_back(columns_, options_.batchRows);
  worker_ = std::jthread([this](std::stop_token stop) { work(std::move(stop)); });
}

BatchPrefetcher::~BatchPrefetcher() = default;  // the jthread stops and joins first

RowWindow::Ahead BatchPrefetcher::ahead() const {
  return [this](std::int64_t first, std::int64_t last) { dataset_.readAhead(first, last); };
}

void BatchPrefetcher::begin(std::int64_t epoch, std::int64_t firstBatch) {
  const std::int64_t target = epoch * options_.batches + firstBatch;
  if (begun_ && taken_ == target) return;
  std::unique_lock lock(mutex_);
  paused_ = true;  // no new batch is begun; the one in work is waited for
  while (!workerSleeps_) wakeReader_.wait_for(lock, kLongestWait, [&] { return +workerSleeps_; });
  filled_ = target;
  taken_ = target;
  seenFilled_ = target;
  begun_ = true;
  paused_ = false;
  wakeWorker_.notify_one();
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
  const std::int64_t number = filled_;
  const std::int64_t epoch = number / options_.batches;
  const std::int64_t position = number % options_.batches * options_.batchRows;
  if (!windows_[current_].holds(epoch, position)) changeWindow(epoch, position);
  epoch_ = epoch;
  ring_[static_cast<std::size_t>(number % options_.buffers)].gather(
      columns_,
      windows_[current_].rows(position, std::min(options_.batchRows, order_.size() - position)));
  filled_ = number + 1;
  if (!readerWaits_) return;
  { const std::lock_guard lock(mutex_); }  // it waits, and is not just about to
  wakeReader_.notify_one();
}

void BatchPrefetcher::changeWindow(std::int64_t epoch, std::int64_t position) {
  if (order_.isWindowed()) dataset_.release(0, dataset_.rows());
  current_ = 1 - current_;
  windows_[current_].start(epoch, position);
  while (!windows_[current_].advance(kRowsAhead)) {
  }
}

// Goes on with the window behind the current one; before the first batch with that of epoch 1,
// where most begin. False if there is nothing to do.
bool BatchPrefetcher::prepareAhead() {
  std::int64_t epoch = 1, position = 0;
  if (epoch_ >= 0) {
    const std::int64_t used = std::min(order_.size(), options_.batches * options_.batchRows);
    const std::int64_t end = windows_[current_].end();
    epoch = end >= used ? epoch_ + 1 : epoch_;
    position = end >= used ? 0 : end;
  }
  if (windows_[current_].holds(epoch, position)) return false;
  RowWindow& next = windows_[1 - current_];
  if (next.holds(epoch, position) && next.isComplete()) return false;
  next.start(epoch, position);
  next.advance(kRowsAhead);
  return true;
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
    else if (!prepareAhead())
      sleep(stop);
  }
}

}  // namespace parapet::data
