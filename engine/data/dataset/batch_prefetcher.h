// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "engine/data/dataset/batch_buffer.h"
#include "engine/data/dataset/batch_rows.h"

namespace parapet::data {

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
  BatchPrefetcher(const BatchColumns& columns, std::unique_ptr<BatchRows> rows, Options options);
  ~BatchPrefetcher();

  /// The next batch is this one of the epoch, which has it.
  void begin(std::int64_t epoch, std::int64_t firstBatch);
  /// The next batch; null if stop is requested. After the last batch of an epoch comes the first
  /// of the next.
  const BatchBuffer* next(std::stop_token stop);
  /// What next() will give, if it is there already; null otherwise.
  [[nodiscard]] const BatchBuffer* peek() const;
  [[nodiscard]] double waitSeconds() const { return waitSeconds_; }

 private:
  void work(std::stop_token stop);
  void gatherNext();
  bool waitForBatch(std::stop_token& stop);
  void sleep(std::stop_token& stop);
  [[nodiscard]] bool hasRoom() const;
  [[nodiscard]] bool isHalfFree() const;

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

}  // namespace parapet::data
