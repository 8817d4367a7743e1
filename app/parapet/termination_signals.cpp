// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parapet/termination_signals.h"

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QSocketNotifier>
#include <atomic>
#include <cerrno>

namespace parapet::window {
namespace {

constexpr std::array kSignals{SIGTERM, SIGINT, SIGHUP};

std::atomic<int> writeEnd{-1};
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void onTermination(int) {
  const int before = errno;
  const char byte = 1;
  // A full socket holds a byte that nobody has read yet, which says the same.
  (void)!::write(writeEnd.load(), &byte, 1);
  errno = before;
}

void setHandlers(void (*handler)(int)) {
  for (const int signal : kSignals) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART | (handler == SIG_DFL ? 0 : SA_RESETHAND);
    ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace

TerminationSignals::TerminationSignals(QObject* parent) : QObject(parent) {
  // Without sockets the signals keep their meaning: they end the program.
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, sockets_.data()) != 0)
    return;
  auto* notifier = new QSocketNotifier(sockets_[0], QSocketNotifier::Read, this);
  connect(notifier, &QSocketNotifier::activated, this, [this] {
    char bytes[8];
    while (::read(sockets_[0], bytes, sizeof bytes) > 0) {
    }
    emit received();
  });
  writeEnd.store(sockets_[1]);
  setHandlers(onTermination);
}

TerminationSignals::~TerminationSignals() {
  if (sockets_[0] < 0) return;
  setHandlers(SIG_DFL);
  writeEnd.store(-1);
  for (const int socket : sockets_) ::close(socket);
}

}  // namespace parapet::window
