// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/base/worker_gain.h"

namespace parapet {

/// A non-owning reference to a callable `void(int64 block)`; costs no allocation.
class BlockTask {
 public:
  template <class Callable>
  BlockTask(const Callable& callable)
      : object_(&callable), call_([](const void* object, std::int64_t block) {
          (*static_cast<const Callable*>(object))(block);
        }) {}
  void operator()(std::int64_t block) const { call_(object_, block); }

 private:
  const void* object_;
  void (*call_)(const void*, std::int64_t);
};

/// The workers of one process. Work is cut into blocks that depend on the problem alone; which
/// worker takes a block is left to chance, so results must not depend on it. The calling thread
/// works too: `Workers(1)` starts no thread at all. What a block itself asks for its own thread
/// does, one after the other.
///
/// A step of training is a few calls in quick succession, so whoever waits looks again for some
/// microseconds before it sleeps. The caller takes every block that no worker has begun. Where
/// other programs hold the workers up for longer than they help, the caller works alone for a while
/// (see WorkerGain).
///
/// Errors   the first exception of a block is rethrown in the caller after all blocks have ended.
/// Thread   one caller at a time.
class Workers {
 public:
  /// `count` ≥ 1; InvalidArgument otherwise.
  explicit Workers(int count);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  [[nodiscard]] int count() const { return static_cast<int>(threads_.size()) + 1; }
  /// From the next call on at most so many threads work, the caller one of them; the others give up
  /// their cores. At least 1; all of them at first.
  void useAtMost(int threads);
  /// Calls task(0) … task(blocks − 1) and returns when all are done. Allocates nothing.
  void parallelFor(std::int64_t blocks, BlockTask task);

  /// Hardware threads this process may run on (its affinity mask), at least 1.
  static int available();

 private:
  /// `index` of the thread among all that work, the caller being 0.
  void work(int index, std::stop_token stop);
  void drain(const BlockTask& task, std::int64_t blocks);
  void drainAlone(const BlockTask& task, std::int64_t blocks);

  std::mutex mutex_;
  std::condition_variable_any wake_, wanted_;  ///< for threads that may work; for the others
  std::condition_variable done_;
  const BlockTask* task_ = nullptr;
  std::int64_t blocks_ = 0;
  // Changed under the mutex; read without it by those who spin.
  std::atomic<std::uint64_t> generation_{0};
  std::atomic<int> active_{0};
  int asleep_ = 0;  ///< sleeping threads among those that may work
  int allowed_;     ///< threads that may work
  std::atomic<std::int64_t> next_{0};
  std::exception_ptr failure_;
  std::int64_t computedNs_ = 0;  // by the workers in this round
  WorkerGain gain_;
  std::latch ready_;
  std::vector<std::jthread> threads_;
};

/// task(0) … task(blocks − 1) on the workers, or one after the other on the calling thread if there
/// are none.
void runBlocks(Workers* workers, std::int64_t blocks, BlockTask task);

}  // namespace parapet
