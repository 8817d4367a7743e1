// SPDX-License-Identifier: Apache-2.0
#include "tests/plugins/emulated/stream.h"

#include <chrono>
#include <cstdlib>
#include <utility>

#include "engine/tensor/call_abi.h"

namespace parapet::emulated {
namespace {

// PARAPET_EMULATED_DELAY_US: how long a task waits before it runs.
std::chrono::microseconds delay() {
  const char* const text = std::getenv("PARAPET_EMULATED_DELAY_US");
  return std::chrono::microseconds(text ? std::strtol(text, nullptr, 10) : 0);
}

}  // namespace

Stream::Stream(std::uint64_t memoryBytes)
    : arena_(memoryBytes), code_(PP_OK), thread_([this] { run(); }) {}

Stream::~Stream() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  posted_.notify_all();
  thread_.join();
}

void Stream::post(std::function<std::int32_t()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  posted_.notify_one();
}

std::int32_t Stream::wait() {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return tasks_.empty() && !runs_; });
  return std::exchange(code_, PP_OK);
}

void Stream::run() {
  const std::chrono::microseconds late = delay();
  std::unique_lock lock(mutex_);
  while (true) {
    posted_.wait(lock, [this] { return closed_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    const auto task = std::move(tasks_.front());
    tasks_.pop_front();
    runs_ = true;
    lock.unlock();
    if (late.count() > 0) std::this_thread::sleep_for(late);
    const std::int32_t code = task();
    lock.lock();
    runs_ = false;
    if (code_ == PP_OK) code_ = code;
    if (tasks_.empty()) done_.notify_all();
  }
}

}  // namespace parapet::emulated
