// SPDX-License-Identifier: Apache-2.0
#include "app/cli/interrupts.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <utility>

#include "app/cli/exit_codes.h"
#include "engine/base/clock.h"
#include "engine/base/threads.h"

namespace parapet::cli {
namespace {

// A signal handler may touch lock-free atomics and little else, so it only notes the request;
// whoever works looks at it.
std::atomic<StopRequest> request{StopRequest::kNone};
std::atomic<bool> offered{false};
std::atomic<std::int64_t> requestedMs{0};
std::atomic<bool> byKey{false};  ///< the first request was Ctrl-C
static_assert(std::atomic<StopRequest>::is_always_lock_free &&
              std::atomic<std::int64_t>::is_always_lock_free);

constexpr std::int64_t kPatienceMs = 1000;
constexpr std::chrono::milliseconds kLookEvery{25};
// Time for work that looks at the stop token to tidy up behind itself.
constexpr double kGraceSeconds = 0.15;

std::int64_t nowMs() {  // clock_gettime may be called in a handler; std::chrono promises nothing
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

void ask(StopRequest asked) {
  request = asked;
  requestedMs = nowMs();
}

extern "C" void onSignal(int signal) {
  if (request == StopRequest::kNone) {
    byKey = signal == SIGINT;
    ask(StopRequest::kAtNextStep);
  } else if (signal == SIGINT && offered.exchange(false)) {
    ask(StopRequest::kAtOnce);
  } else if (signal == SIGINT && nowMs() - requestedMs > kPatienceMs) {
    constexpr char kLast[] = "stopped: at once, in the middle of the work\n";
    [[maybe_unused]] const ssize_t count = ::write(STDERR_FILENO, kLast, sizeof kLast - 1);
    ::_exit(static_cast<int>(ExitCode::kStopped));
  }
}

}  // namespace

void catchInterrupts() {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, nullptr);
  struct sigaction note {};
  note.sa_handler = onSignal;
  // One at a time, so that the handler need not be re-entrant.
  ::sigaddset(&note.sa_mask, SIGINT);
  ::sigaddset(&note.sa_mask, SIGTERM);
  // No SA_RESTART: a read from the terminal (--stdin) must return, so that Ctrl-C ends it.
  ::sigaction(SIGINT, &note, nullptr);
  ::sigaction(SIGTERM, &note, nullptr);
}

StopRequest stopRequest() {
  return request;
}

std::string_view offerEndAtOnce() {
  offered = true;
  return byKey ? "stopping at the next step; press Ctrl-C again to stop without a checkpoint"
               : "stopping at the next step";
}

InterruptWatch::InterruptWatch(std::function<void()> end)
    : end_(std::move(end)), watcher_([this](const std::stop_token& ended) { watch(ended); }) {}

void InterruptWatch::takeOver() {
  const std::lock_guard lock(mutex_);
  takenOver_ = true;
}

void InterruptWatch::watch(const std::stop_token& ended) {
  const ThreadName name("interrupts");
  Stopwatch since;
  std::unique_lock lock(mutex_);
  while (!ended.stop_requested()) {
    if (stopRequested() && source_.request_stop()) since.restart();
    if (source_.stop_requested() && !takenOver_ && since.seconds() > kGraceSeconds) return end_();
    woken_.wait_for(lock, ended, kLookEvery, [] { return false; });
  }
}

std::optional<std::string> LineReader::next() {
  for (;;) {
    const std::size_t end = buffer_.find('\n');
    if (end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      if (line.ends_with('\r')) line.pop_back();
      return line;
    }
    if (fill()) continue;
    if (buffer_.empty() || stopRequested()) return std::nullopt;
    return std::exchange(buffer_, std::string());  // the last line needs no end
  }
}

bool LineReader::fill() {
  if (ended_) return false;
  std::array<char, 65536> chunk;
  for (;;) {
    if (stopRequested()) return false;
    const ssize_t count = ::read(descriptor_, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    ended_ = count <= 0;
    if (!ended_) buffer_.append(chunk.data(), static_cast<std::size_t>(count));
    return !ended_;
  }
}

}  // namespace parapet::cli
