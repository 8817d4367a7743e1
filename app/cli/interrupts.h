// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace parapet::cli {

/// The user's request by Ctrl-C or SIGTERM.
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

/// Sees the first request within a fraction of a second, whatever the command does. Work that takes
/// the stop token may then end well; what does not look at it in time is ended here.
class InterruptWatch {
 public:
  /// `end` delivers an answer and ends the process: a command that is killed at any moment leaves
  /// nothing half. Called in a thread of its own, once, and not after takeOver().
  explicit InterruptWatch(std::function<void()> end);
  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }
  /// From now on the work ends by itself: at its next step, or because it has ended. Does not return
  /// where `end` was called before.
  void takeOver();

 private:
  void watch(const std::stop_token& ended);

  std::function<void()> end_;
  std::stop_source source_;
  std::mutex mutex_;
  bool takenOver_ = false;
  std::condition_variable_any woken_;
  std::jthread watcher_;  // last: it uses the others
};

/// Lines of a file descriptor as they arrive, without their ends. Unlike std::getline it returns
/// when the user presses Ctrl-C while it waits.
class LineReader {
 public:
  explicit LineReader(int descriptor) : descriptor_(descriptor) {}
  /// The next line; nullopt at the end of input, on a read error, or after an interrupt.
  std::optional<std::string> next();

 private:
  bool fill();

  int descriptor_;
  std::string buffer_;
  bool ended_ = false;
};

}  // namespace parapet::cli
