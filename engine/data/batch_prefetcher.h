// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "engine/data/batch_buffer.h"
#include "engine/data/row_order.h"

namespace parapet::data {

/// A worker that gathers batches ahead of their use, into a ring of fixed buffers.
///
/// Batches are numbered along the whole run: batch b of epoch e is number e·batches + b, so that
/// the first batches of an epoch are gathered while the last of the one before are in use. The
/// worker fills buffer `filled mod buffers` while filled < taken + buffers − 1: the buffer that was
/// taken last still belongs to its reader. While the ring is full it makes the next window of rows,
/// a little at a time; then it sleeps until half the ring is free, so that small batches do not
/// wake it one by one. Reader and worker meet at two counters; locks are for those who sleep.
///
/// When all batches of a window are gathered, the pages of the columns that it was read from are
/// given back (see Dataset::release), so a set may be larger than memory.
///
/// Thread   one reader; begin() and next() come from it.
class BatchPrefetcher {
 public:
  struct Options {
    std::int64_t batchRows = 1;
    std::int64_t batches = 1;  ///< per epoch, ≥ 1; the last may be short
    int buffers = 2;           ///< ≥ 2
  };
  /// `dataset`, `columns` and `order` must outlive it.
  BatchPrefetcher(const Dataset& dataset, const BatchColumns& columns, const RowOrder& order,
                  Options options);
  ~BatchPrefetcher();

  /// The next batch asked for is this one. Free if it is the one that follows the last anyway.
  void begin(std::int64_t epoch, std::int64_t firstBatch);
  /// The next batch; null if stop is requested. Behind the last batch of an epoch comes the first
  /// of the next.
  const BatchBuffer* next(std::stop_token stop);
  [[nodiscard]] double waitSeconds() const { return waitSeconds_; }

 private:
  [[nodiscard]] RowWindow::Ahead ahead() const;
  void work(std::stop_token stop);
  void gatherNext();
  bool prepareAhead();
  void changeWindow(std::int64_t epoch, std::int64_t position);
  bool waitForBatch(std::stop_token& stop);
  void sleep(std::stop_token& stop);
  [[nodiscard]] bool hasRoom() const;
  [[nodiscard]] bool isHalfFree() const;

  const Dataset& dataset_;
  const BatchColumns& columns_;
  const RowOrder& order_;
  const Options options_;
  std::vector<BatchBuffer> ring_;
  RowWindow windows_[2];
  int current_ = 0;          // of windows_; the other one is made ahead
  std::int64_t epoch_ = -1;  // of the batch gathered last
  // Each on a cache line of its own: one is written by the worker, the other by the reader.
  alignas(64) std::atomic<std::int64_t> filled_{0};  // number of the next batch to be gathered
  alignas(64) std::atomic<std::int64_t> taken_{0};   // number of the next batch to be handed out
  std::int64_t seenFilled_ = 0;                      // what the reader last saw of filled_

  alignas(64) std::mutex mutex_;
  std::condition_variable_any wakeWorker_, wakeReader_;
  std::atomic<bool> begun_{false};   // before that only the first window is made
  std::atomic<bool> paused_{false};  // the worker is to sleep
  std::atomic<bool> workerSleeps_{false}, readerWaits_{false};
  double waitSeconds_ = 0.0;
  std::jthread worker_;  // last: it uses all of the above
};

}  // namespace parapet::data
