// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "tests/plugins/emulated/arena.h"
#include "tests/plugins/emulated/fault.h"

namespace parapet::emulated {

/// The stream of an emulated device: what is posted runs on a thread of its own, one after the other
/// and late, so that a caller who does not wait for it is found out.
class Stream {
 public:
  Stream(std::int32_t device, std::uint64_t memoryBytes);
  ~Stream();

  [[nodiscard]] Arena& arena() { return arena_; }
  /// Before each op: PP_OK, or PP_FAILED by a fault of the device. A variable that names another
  /// fault, or none, makes the device whole again at its next op, copy or wait.
  std::int32_t beginOp();
  [[nodiscard]] bool isLost();
  /// A task gives PP_OK or the code of what went wrong.
  void post(std::function<std::int32_t()> task);
  /// Returns when all that was posted has run: the first code that was not PP_OK since the last
  /// call, or PP_TIMED_OUT.
  std::int32_t wait(std::chrono::milliseconds limit);

 private:
  void lookForFault();
  void run();

  Arena arena_;
  const std::int32_t device_;
  std::mutex mutex_;
  std::condition_variable posted_, done_;
  std::deque<std::function<std::int32_t()>> tasks_;
  bool runs_ = false, closed_ = false, hangs_ = false, lost_ = false;
  std::int32_t code_;
  std::string faultText_;
  Fault fault_;
  std::int64_t ops_ = 0;  // since faultText_ changed
  std::thread thread_;    // last: it uses all of the above
};

}  // namespace parapet::emulated
