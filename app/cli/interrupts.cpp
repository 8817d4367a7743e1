// SPDX-License-Identifier: Apache-2.0
#include "app/cli/interrupts.h"

#include <signal.h>

#include <atomic>
#include <chrono>

#include "engine/base/threads.h"

namespace parapet::cli {
namespace {

// A signal handler may touch lock-free atomics and little else, so it only counts; whoever waits
// looks at the count.
std::atomic<int> interrupts{0};
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void onInterrupt(int) {
  interrupts.fetch_add(1, std::memory_order_relaxed);
}

constexpr std::chrono::milliseconds kLookEvery{50};

}  // namespace

void countInterrupts() {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, nullptr);
  struct sigaction count {};
  count.sa_handler = onInterrupt;
  // No SA_RESTART: a read from the terminal (--stdin) must return, so that Ctrl-C ends it.
  ::sigaction(SIGINT, &count, nullptr);
  ::sigaction(SIGTERM, &count, nullptr);
}

int interruptCount() {
  return interrupts.load(std::memory_order_relaxed);
}

InterruptWatch::InterruptWatch()
    : watcher_([source = source_](const std::stop_token& ended) mutable {
        const ThreadName name("interrupts");
        while (!ended.stop_requested()) {
          if (interruptCount() > 0) {
            source.request_stop();
            return;
          }
          std::this_thread::sleep_for(kLookEvery);
        }
      }) {}

}  // namespace parapet::cli
