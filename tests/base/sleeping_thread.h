// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace parapet::test {

/// A thread whose body a test lets wait: waitUntilAsleep() returns once it sleeps in the kernel.
class SleepingThread {
 public:
  template <class Body>
  explicit SleepingThread(Body body)
      : thread_([this, body = std::move(body)]() mutable {
          id_ = ::gettid();
          body();
        }) {}
  /// The body must be about to wait, and must wait until the test wakes it.
  void waitUntilAsleep() const {
    while (id_ == 0) std::this_thread::yield();
    for (std::string state; state != "S"; std::this_thread::yield()) {
      std::ifstream status("/proc/self/task/" + std::to_string(id_) + "/status");
      for (std::string word; status >> word && word != "State:";) {
      }
      status >> state;
    }
  }
  void join() { thread_.join(); }

 private:
  std::atomic<pid_t> id_{0};
  std::jthread thread_;
};

}  // namespace parapet::test
