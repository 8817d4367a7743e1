// SPDX-License-Identifier: Apache-2.0
#include "tests/plugins/emulated/stream.h"

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

Stream::Stream(std::int32_t device, std::uint64_t memoryBytes)
    : arena_(memoryBytes), device_(device), code_(PP_OK), thread_([this] { run(); }) {}

Stream::~Stream() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    hangs_ = false;
  }
  posted_.notify_all();
  thread_.join();
}

void Stream::lookForFault() {
  std::string text = faultText();
  if (text == faultText_) return;
  faultText_ = std::move(text);
  fault_ = Fault::of(faultText_, device_);
  ops_ = 0;
  hangs_ = lost_ = false;
  posted_.notify_all();
}

std::int32_t Stream::beginOp() {
  const std::lock_guard lock(mutex_);
  lookForFault();
  if (++ops_ == fault_.op) {
    hangs_ = fault_.kind == Fault::Kind::kHangs;
    lost_ = fault_.kind == Fault::Kind::kLost;
    if (fault_.kind == Fault::Kind::kFails) return PP_FAILED;
  }
  return lost_ ? PP_FAILED : PP_OK;
}

bool Stream::isLost() {
  const std::lock_guard lock(mutex_);
  lookForFault();
  return lost_;
}

void Stream::post(std::function<std::int32_t()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  posted_.notify_one();
}

std::int32_t Stream::wait(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  lookForFault();
  if (lost_) return PP_FAILED;
  if (!done_.wait_for(lock, limit, [this] { return tasks_.empty() && !runs_; }))
    return PP_TIMED_OUT;
  return std::exchange(code_, PP_OK);
}

void Stream::run() {
  const std::chrono::microseconds late = delay();
  std::unique_lock lock(mutex_);
  while (true) {
    posted_.wait(lock, [this] { return !hangs_ && (closed_ || !tasks_.empty()); });
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
