// SPDX-License-Identifier: Apache-2.0
#include "app/cli/interrupts.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>

#include "app/cli/exit_codes.h"
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
constexpr std::chrono::milliseconds kLookEvery{50};

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

InterruptWatch::InterruptWatch()
    : watcher_([source = source_](const std::stop_token& ended) mutable {
        const ThreadName name("interrupts");
        while (!ended.stop_requested()) {
          if (stopRequested()) {
            source.request_stop();
            return;
          }
          std::this_thread::sleep_for(kLookEvery);
        }
      }) {}

}  // namespace parapet::cli
