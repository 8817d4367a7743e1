// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <thread>

namespace parapet::cli {

/// Ignores SIGPIPE (a closed pipe is seen as a failed write) and starts counting SIGINT and SIGTERM
/// instead of dying from them. Called once, before any thread starts.
void countInterrupts();
/// How often the user has asked to stop: 1 means "at the next good place", 2 and more "at once".
int interruptCount();

/// Turns the first Ctrl-C into a stop request, for work that takes a stop token.
class InterruptWatch {
 public:
  InterruptWatch();
  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::jthread watcher_;
};

}  // namespace parapet::cli
