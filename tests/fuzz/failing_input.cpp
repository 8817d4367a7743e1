// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/failing_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>

// Part of the sanitizers' runtime, where there is one.
extern "C" [[gnu::weak]] void __sanitizer_set_death_callback(void (*callback)());

namespace parapet::fuzz {
namespace {

// Handlers of signals may touch little else.
std::array<char, 4096> path;
const char* volatile inputBytes = nullptr;
volatile std::size_t inputSize = 0;
int secondsPerInput = 0;

void say(const char* text) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text, std::strlen(text));
}

void save() {
  if (inputBytes == nullptr) return;
  const int file = open(path.data(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  const bool isSaved = file >= 0 && write(file, inputBytes, inputSize) >= 0;
  say(isSaved ? "failing input: " : "the failing input cannot be written to ");
  say(path.data());
  say("\n");
  inputBytes = nullptr;  // once
}

extern "C" void onSignal(int signal) {
  if (signal == SIGVTALRM) say("takes too long\n");
  save();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void setTimer(int seconds) {
  const itimerval timer{.it_interval = {}, .it_value = {.tv_sec = seconds, .tv_usec = 0}};
  setitimer(ITIMER_VIRTUAL, &timer, nullptr);
}

}  // namespace

void watchInputs(const std::string& folder, const std::string& target, int mostSeconds) {
  const std::string name = fmt::format("{}/{}-{}.failing", folder, target, getpid());
  name.copy(path.data(), path.size() - 1);
  secondsPerInput = mostSeconds;
  // A stack that has overflowed has no room for a handler.
  static std::array<char, 1 << 16> room;
  const stack_t stack{.ss_sp = room.data(), .ss_flags = 0, .ss_size = room.size()};
  sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_ONSTACK;
  // A sanitizer reports what it knows of the first two itself, then calls back.
  const bool isSanitized = __sanitizer_set_death_callback != nullptr;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGVTALRM})
    if (!isSanitized || (signal != SIGSEGV && signal != SIGBUS))
      sigaction(signal, &action, nullptr);
  if (isSanitized) __sanitizer_set_death_callback(save);
}

void watch(std::string_view input) {
  inputSize = input.size();
  inputBytes = input.data();
  setTimer(secondsPerInput);
}

void watchNone() {
  setTimer(0);
  inputBytes = nullptr;
}

}  // namespace parapet::fuzz
