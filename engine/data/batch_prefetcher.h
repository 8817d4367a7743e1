// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "engine/data/batch_buffer.h"

namespace parapet::data {

/// A worker that gathers the batches of an epoch ahead of their use, into a ring of fixed buffers.
///
/// Batches are numbered along the epoch. The worker fills buffer `filled mod buffers` while
/// filled < taken + buffers − 1: the buffer that was taken last still belongs to its reader. Once
/// the ring is full it sleeps until half of it is free, so that small batches do not wake it one by
/// one; and when the last batch is gathered it shuffles the rows of the next epoch.
///
/// Thread   one reader; begin() and next() come from it.
class BatchPrefetcher {
 public:
  struct Options {
    std::int64_t batchRows = 1;
    std::int64_t batches = 0;       ///< per epoch; the last may be short
    bool shuffleEachEpoch = false;  ///< by (seed, epoch); otherwise the rows stay in order
    std::uint64_t seed = 0;
    int buffers = 2;  ///< ≥ 2
  };
  /// `columns` must outlive it.
  BatchPrefetcher(const BatchColumns& columns, std::vector<std::int64_t> rows, Options options);
  ~BatchPrefetcher();

  void begin(std::int64_t epoch, std::int64_t firstBatch);
  /// The next batch of the epoch; null if stop is requested. Not to be called at the epoch's end.
  const BatchBuffer* next(std::stop_token stop);
  [[nodiscard]] double waitSeconds() const { return waitSeconds_; }

 private:
  void work(std::stop_token stop);
  void orderRows(std::int64_t epoch);
  void gatherNext(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] bool hasRoom() const;
  [[nodiscard]] bool isHalfFree() const;
  [[nodiscard]] bool canOrderAhead() const;

  const BatchColumns& columns_;
  const std::vector<std::int64_t> rows_;
  const Options options_;
  std::vector<std::int64_t> order_;  // rows of the epoch, if it is shuffled; the worker's own
  std::vector<BatchBuffer> ring_;

  std::mutex mutex_;
  std::condition_variable_any wakeWorker_, wakeReader_;
  std::int64_t epoch_ = 0;         // that is asked for; 0: none yet
  std::int64_t orderedEpoch_ = 0;  // that order_ is of
  std::int64_t filled_ = 0;        // batches gathered, counted along the epoch
  std::int64_t taken_ = 0;         // batches handed out
  bool gathering_ = false, workerSleeps_ = false, readerWaits_ = false;
  double waitSeconds_ = 0.0;
  std::jthread worker_;  // last: it uses all of the above
};

}  // namespace parapet::data
