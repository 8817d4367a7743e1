// SPDX-License-Identifier: Apache-2.0
#include "engine/base/threads.h"

#include <pthread.h>
#include <time.h>

#include <list>
#include <mutex>
#include <utility>

namespace parapet {
namespace {

// More is refused by the system, and the name not set at all.
constexpr std::size_t kShownBytes = 15;

double secondsOf(clockid_t clock) {
  timespec time{};
  if (::clock_gettime(clock, &time) != 0) return 0.0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// The named threads that live, and the time that ended ones have used.
struct Ledger {
  struct Living {
    pthread_t thread;
    std::string name;
    clockid_t clock;
  };
  std::mutex mutex;
  std::list<Living> living;
  std::map<std::string, double> ended;
};

thread_local std::string currentName;

// Never destroyed: threads of static objects may end after every destructor here has run.
Ledger& ledger() {
  static auto* const kept = new Ledger;
  return *kept;
}

}  // namespace

ThreadName::ThreadName(std::string name) {
  currentName = std::move(name);
  const pthread_t self = ::pthread_self();
  ::pthread_setname_np(self, currentName.substr(0, kShownBytes).c_str());
  clockid_t clock = CLOCK_THREAD_CPUTIME_ID;
  if (::pthread_getcpuclockid(self, &clock) != 0) return;
  std::lock_guard lock(ledger().mutex);
  ledger().living.push_back({self, currentName, clock});
}

ThreadName::~ThreadName() {
  const pthread_t self = ::pthread_self();
  std::lock_guard lock(ledger().mutex);
  ledger().living.remove_if([&](const Ledger::Living& thread) {
    if (!::pthread_equal(thread.thread, self)) return false;
    ledger().ended[thread.name] += secondsOf(CLOCK_THREAD_CPUTIME_ID);
    return true;
  });
  currentName.clear();
}

std::string thisThreadName() {
  return currentName;
}

std::map<std::string, double> namedThreadSeconds() {
  std::lock_guard lock(ledger().mutex);
  std::map<std::string, double> seconds = ledger().ended;
  for (const Ledger::Living& thread : ledger().living)
    seconds[thread.name] += secondsOf(thread.clock);
  return seconds;
}

double thisThreadSeconds() {
  return secondsOf(CLOCK_THREAD_CPUTIME_ID);
}
double processSeconds() {
  return secondsOf(CLOCK_PROCESS_CPUTIME_ID);
}

}  // namespace parapet
