// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string_view>
#include <thread>

namespace parapet::cli {

/// What the user has asked for by Ctrl-C or SIGTERM.
///
/// SIGTERM asks for a good end and for nothing more, however often it comes: `timeout` sends it
/// twice at once, to the process and to its group. Ctrl-C asks for the end at once only after the
/// program has told that it may be pressed again (offerEndAtOnce); presses before that are one
/// request. A press that comes more than a second after the last request and finds the program
/// still at work with nothing offered ends it there, with exit code 4.
enum class StopRequest {
  kNone,
  kAtNextStep,  ///< at the next good moment, and keep what there is
  kAtOnce,
};

/// Ignores SIGPIPE (a closed pipe is seen as a failed write) and from now on takes SIGINT and
/// SIGTERM for requests instead of dying from them. Called once, before any thread starts.
void catchInterrupts();
StopRequest stopRequest();
/// Whether the user has asked to stop in any way.
inline bool stopRequested() {
  return stopRequest() != StopRequest::kNone;
}
/// From now on another Ctrl-C means kAtOnce. What the user is to read of it: whoever sent SIGTERM has no
/// key to press.
std::string_view offerEndAtOnce();

/// Turns the first request into one of a stop token, for work that takes such a token.
class InterruptWatch {
 public:
  InterruptWatch();
  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::jthread watcher_;
};

}  // namespace parapet::cli
