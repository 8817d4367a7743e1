// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/failing_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>

// Options that the sanitizers' runtimes ask for. One that has found something raises SIGABRT.
extern "C" {
[[gnu::visibility("default")]] const char* __asan_default_options() {
  return "abort_on_error=1:max_allocation_size_mb=2048:allocator_may_return_null=1:"
         "detect_stack_use_after_return=1";
}
[[gnu::visibility("default")]] const char* __ubsan_default_options() {
  return "abort_on_error=1:print_stacktrace=1";
}
// Part of AddressSanitizer, where there is one.
[[gnu::weak]] void __asan_init();
}

namespace parapet::fuzz {
namespace {

constexpr int kFailed = 1;

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
  say(signal == SIGVTALRM ? "takes too long\n" : "ended by a signal\n");
  save();
  _exit(kFailed);
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
  for (const int signal : {SIGFPE, SIGILL, SIGABRT, SIGVTALRM}) sigaction(signal, &action, nullptr);
  // AddressSanitizer tells more about these.
  if (!hasAddressSanitizer())
    for (const int signal : {SIGSEGV, SIGBUS}) sigaction(signal, &action, nullptr);
}

bool hasAddressSanitizer() {
  return __asan_init != nullptr;
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
