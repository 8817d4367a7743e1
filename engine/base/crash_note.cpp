// SPDX-License-Identifier: Apache-2.0
#include "engine/base/crash_note.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <utility>

namespace parapet {
namespace {

constexpr std::array kSignals{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

std::atomic<const CrashNote*> livingNote{nullptr};
static_assert(std::atomic<const CrashNote*>::is_always_lock_free);

void setStandard(int signal) {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  ::sigaction(signal, &standard, nullptr);
}

extern "C" void onCrash(int signal, siginfo_t* info, void*) {
  const bool isOwn = info->si_code > 0 || info->si_pid == ::getpid();
  if (const CrashNote* note = livingNote; note && isOwn) note->write();
  setStandard(signal);
  ::raise(signal);  // delivered when this handler returns
}

bool isOurs(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == onCrash;
}

}  // namespace

CrashNote::CrashNote(std::string file, std::string text)
    : file_(std::move(file)), text_(std::move(text)) {
  const CrashNote* none = nullptr;
  armed_ = livingNote.compare_exchange_strong(none, this);
  if (!armed_) return;
  struct sigaction action {};
  action.sa_sigaction = onCrash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : kSignals) {
    struct sigaction present {};
    ::sigaction(signal, nullptr, &present);
    if ((present.sa_flags & SA_SIGINFO) == 0 && present.sa_handler == SIG_DFL)
      ::sigaction(signal, &action, nullptr);
  }
}

CrashNote::~CrashNote() {
  if (!armed_) return;
  for (const int signal : kSignals) {
    struct sigaction present {};
    ::sigaction(signal, nullptr, &present);
    if (isOurs(present)) setStandard(signal);
  }
  livingNote = nullptr;
}

void CrashNote::write() const {
  const int out = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (out < 0) return;
  [[maybe_unused]] const ssize_t count = ::write(out, text_.data(), text_.size());
  ::close(out);
}

}  // namespace parapet
