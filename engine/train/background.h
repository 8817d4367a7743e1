// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <stop_token>
#include <thread>
#include <utility>

#include "engine/base/threads.h"

namespace parapet::train {

/// One piece of work in a thread of its own, whose result its owner takes when it is there.
/// Cancelled and joined by the destructor.
///
/// Thread   not shared.
template <class Value>
class Background {
 public:
  Background(const char* name, std::function<Value(std::stop_token)> work) {
    std::packaged_task<Value(std::stop_token)> task(std::move(work));
    value_ = task.get_future();
    thread_ = std::jthread([name, task = std::move(task)](std::stop_token stop) mutable {
      const ThreadName named(name);
      task(std::move(stop));
    });
  }

  /// Whether take() returns at once.
  [[nodiscard]] bool isReady() const { return waitFor(std::chrono::milliseconds(0)); }
  /// Waits up to `timeout`; true if take() returns at once then.
  [[nodiscard]] bool waitFor(std::chrono::milliseconds timeout) const {
    return value_.wait_for(timeout) == std::future_status::ready;
  }
  /// Asks the work to end early.
  void cancel() { thread_.request_stop(); }
  /// Waits for the result, once; rethrows what the work threw.
  Value take() { return value_.get(); }

 private:
  std::future<Value> value_;
  std::jthread thread_;
};

}  // namespace parapet::train
