// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "tests/plugins/emulated/arena.h"

namespace parapet::emulated {

/// The stream of an emulated device: what is posted runs on a thread of its own, one after the other
/// and late, so that a caller who does not wait for it is found out.
class Stream {
 public:
  explicit Stream(std::uint64_t memoryBytes);
  ~Stream();

  [[nodiscard]] Arena& arena() { return arena_; }
  /// A task gives PP_OK or the code of what went wrong.
  void post(std::function<std::int32_t()> task);
  /// Returns when all that was posted has run: the first code that was not PP_OK since the last
  /// call.
  std::int32_t wait();

 private:
  void run();

  Arena arena_;
  std::mutex mutex_;
  std::condition_variable posted_, done_;
  std::deque<std::function<std::int32_t()>> tasks_;
  bool runs_ = false, closed_ = false;
  std::int32_t code_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace parapet::emulated
