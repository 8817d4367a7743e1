// SPDX-License-Identifier: Apache-2.0
#include "engine/base/workers.h"

#include <fmt/format.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <chrono>

#include "engine/base/result.h"
#include "engine/base/threads.h"

namespace parapet {
namespace {

// About 20 µs: longer than the pause between two calls of a step, shorter than anyone notices.
constexpr int kSpins = 1000;

template <class Condition>
void spinUntil(const Condition& holds) {
  for (int spin = 0; spin < kSpins && !holds(); ++spin)
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    std::this_thread::yield();
#endif
}

/// Whether this thread runs a block.
thread_local bool insideBlock = false;

double steadySeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Processor time of the calling thread: unlike time on a clock it stands still while the thread
/// waits for a core.
std::int64_t threadNs() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::int64_t{1'000'000'000} * time.tv_sec + time.tv_nsec;
}

}  // namespace

Workers::Workers(int count) : allowed_(count), ready_(std::max(1, count)) {
  if (count < 1)
    throw InvalidArgument(fmt::format("[base.Workers] {} threads; at least 1 is accepted", count));
  const std::string owner = thisThreadName();
  for (int i = 1; i < count; ++i)
    threads_.emplace_back([this, owner, i](std::stop_token stop) {
      const ThreadName name(owner.empty() ? "worker" : owner + " worker");
      ready_.count_down();
      work(i, stop);
    });
  // Threads take the time to begin here, not within the first call.
  ready_.arrive_and_wait();
}

Workers::~Workers() {
  for (std::jthread& thread : threads_) thread.request_stop();
  wake_.notify_all();
  wanted_.notify_all();
}

void Workers::useAtMost(int threads) {
  {
    const std::lock_guard lock(mutex_);
    allowed_ = std::max(1, threads);
  }
  wanted_.notify_all();
}

int Workers::available() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

void Workers::drain(const BlockTask& task, std::int64_t blocks) {
  insideBlock = true;
  for (std::int64_t block; (block = next_.fetch_add(1, std::memory_order_relaxed)) < blocks;) {
    try {
      task(block);
    } catch (...) {
      std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }
  insideBlock = false;
}

void Workers::drainAlone(const BlockTask& task, std::int64_t blocks) {
  next_.store(0, std::memory_order_relaxed);
  drain(task, blocks);
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Workers::parallelFor(std::int64_t blocks, BlockTask task) {
  if (insideBlock) {
    for (std::int64_t block = 0; block < blocks; ++block) task(block);
    return;
  }
  // Only the caller changes what is allowed.
  if (threads_.empty() || allowed_ == 1 || blocks <= 1) return drainAlone(task, blocks);
  const double begun = steadySeconds();
  if (!gain_.isWorthwhile(begun)) return drainAlone(task, blocks);
  bool sleepers = false;
  {
    std::lock_guard lock(mutex_);
    task_ = &task;
    blocks_ = blocks;
    next_.store(0, std::memory_order_relaxed);
    failure_ = nullptr;
    computedNs_ = 0;
    ++generation_;
    sleepers = asleep_ > 0;
  }
  if (sleepers) wake_.notify_all();
  const double called = steadySeconds();
  drain(task, blocks);
  const double drained = steadySeconds();
  std::unique_lock lock(mutex_);
  // A worker that wakes late finds task_ null and stays out of this round.
  task_ = nullptr;
  if (active_ != 0) {
    lock.unlock();
    spinUntil([&] { return active_ == 0; });
    lock.lock();
  }
  done_.wait(lock, [&] { return active_ == 0; });
  const double ended = steadySeconds();
  gain_.add(ended, 1e-9 * static_cast<double>(computedNs_), (called - begun) + (ended - drained));
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Workers::work(int index, std::stop_token stop) {
  std::uint64_t seen = 0;
  const auto called = [&] { return generation_ != seen; };
  std::unique_lock lock(mutex_);
  const auto wanted = [&] { return index < allowed_; };
  for (;;) {
    if (!wanted_.wait(lock, stop, wanted)) return;
    lock.unlock();
    spinUntil(called);
    lock.lock();
    ++asleep_;
    const bool awake = wake_.wait(lock, stop, called);
    --asleep_;
    if (!awake) return;
    seen = generation_;
    if (!task_ || !wanted()) continue;
    const BlockTask* task = task_;
    const std::int64_t blocks = blocks_;
    ++active_;
    lock.unlock();
    const std::int64_t before = threadNs();
    drain(*task, blocks);
    const std::int64_t computed = threadNs() - before;
    lock.lock();
    computedNs_ += computed;
    if (--active_ == 0) done_.notify_all();
  }
}

void runBlocks(Workers* workers, std::int64_t blocks, BlockTask task) {
  if (workers)
    workers->parallelFor(blocks, task);
  else
    for (std::int64_t block = 0; block < blocks; ++block) task(block);
}

}  // namespace parapet
