// SPDX-License-Identifier: Apache-2.0
#include "plugins/tcp/sockets.h"

#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <system_error>

namespace parapet::tcp {
namespace {

/// Every interface, in either family or as the one within the other.
bool isEveryInterface(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET)
    return reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr == htonl(INADDR_ANY);
  const in6_addr& six = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  if (!IN6_IS_ADDR_V4MAPPED(&six)) return IN6_IS_ADDR_UNSPECIFIED(&six);
  return std::all_of(six.s6_addr + 12, six.s6_addr + 16, [](auto byte) { return byte == 0; });
}

Descriptor socketOf(int family) {
  Descriptor made(socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!made) throw Failure(-1, "no socket: " + systemError());
  return made;
}

in_port_t& portOf(sockaddr_storage& address) {
  return address.ss_family == AF_INET ? reinterpret_cast<sockaddr_in&>(address).sin_port
                                      : reinterpret_cast<sockaddr_in6&>(address).sin6_port;
}

/// Calls send(2) or recv(2) until all bytes have moved.
template <class Move>
void moveAll(int fd, std::size_t size, short events, Clock::time_point deadline, const Move& move) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t moved = move(done);
    if (moved > 0)
      done += static_cast<std::size_t>(moved);
    else if (moved == 0)
      throw Failure(-1, "it closed the connection");
    else if (errno != EAGAIN && errno != EINTR)
      throw Failure(-1, systemError());
    else if (!isReady(fd, events, deadline))
      throw Failure(-1, "it did not answer in time");
  }
}

}  // namespace

std::string systemError() {
  return std::generic_category().message(errno);
}

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

Address::Address(const std::string& number) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(number.c_str(), nullptr, &hints, &found) != 0)
    throw Failure(-1, "\"" + number + "\" is no numeric address, as 10.0.0.1 is");
  size_ = found->ai_addrlen;
  std::memcpy(&storage_, found->ai_addr, size_);
  freeaddrinfo(found);
  if (isEveryInterface(storage_))
    throw Failure(-1, number + " is every interface; the address of one is accepted");
}

void Address::setPort(int port) {
  portOf(storage_) = htons(static_cast<std::uint16_t>(port));
}

int Address::port() const {
  sockaddr_storage copy = storage_;
  return ntohs(portOf(copy));
}

Descriptor listenAt(Address& address) {
  Descriptor made = socketOf(address.family());
  if (bind(made.get(), address.get(), address.size()) != 0 || listen(made.get(), SOMAXCONN) != 0)
    throw Failure(-1, "cannot listen at the address of this process: " + systemError());
  sockaddr_storage chosen{};
  socklen_t size = sizeof chosen;
  if (getsockname(made.get(), reinterpret_cast<sockaddr*>(&chosen), &size) != 0)
    throw Failure(-1, "no port: " + systemError());
  address.setPort(ntohs(portOf(chosen)));
  return made;
}

Descriptor connectTo(const Address& from, const Address& to, Clock::time_point deadline) {
  Descriptor made = socketOf(to.family());
  if (bind(made.get(), from.get(), from.size()) != 0)
    throw Failure(-1, "cannot be reached from the address of this process: " + systemError());
  if (connect(made.get(), to.get(), to.size()) != 0 && errno != EINPROGRESS)
    throw Failure(-1, "cannot be reached: " + systemError());
  if (!isReady(made.get(), POLLOUT, deadline))
    throw Failure(-1, "cannot be reached: no answer in time");
  socklen_t size = sizeof errno;
  int failed = 0;
  getsockopt(made.get(), SOL_SOCKET, SO_ERROR, &failed, &size);
  if (failed != 0) {
    errno = failed;
    throw Failure(-1, "cannot be reached: " + systemError());
  }
  tune(made.get());
  return made;
}

void tune(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

int millisecondsUntil(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(
      std::clamp<std::int64_t>(left, 0, std::numeric_limits<std::int32_t>::max()));
}

bool isReady(int fd, short events, Clock::time_point deadline) {
  for (;;) {
    pollfd one{fd, events, 0};
    const int ready = poll(&one, 1, millisecondsUntil(deadline));
    if (ready > 0) return true;
    if (ready == 0 && Clock::now() >= deadline) return false;
    if (ready < 0 && errno != EINTR) throw Failure(-1, "cannot wait: " + systemError());
  }
}

void sendAll(int fd, const void* bytes, std::size_t size, Clock::time_point deadline) {
  moveAll(fd, size, POLLOUT, deadline, [&](std::size_t done) {
    return send(fd, static_cast<const std::byte*>(bytes) + done, size - done, MSG_NOSIGNAL);
  });
}

void receiveAll(int fd, void* bytes, std::size_t size, Clock::time_point deadline) {
  moveAll(fd, size, POLLIN, deadline, [&](std::size_t done) {
    return recv(fd, static_cast<std::byte*>(bytes) + done, size - done, 0);
  });
}

}  // namespace parapet::tcp
