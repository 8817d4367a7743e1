// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/addresses.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "engine/base/text.h"

namespace parapet::launch {

std::uint16_t SocketAddress::port() const {
  return ntohs(family() == AF_INET6 ? reinterpret_cast<const sockaddr_in6*>(&storage)->sin6_port
                                    : reinterpret_cast<const sockaddr_in*>(&storage)->sin_port);
}

std::string SocketAddress::text() const {
  std::array<char, NI_MAXHOST> text{};
  const auto* const address = reinterpret_cast<const sockaddr*>(&storage);
  return ::getnameinfo(address, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0
             ? text.data()
             : "";
}

Result<SocketAddress> resolve(const std::string& name, std::uint16_t port, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(name.c_str(), std::to_string(port).c_str(), &hints, &found);
      error != 0)
    return Error{ErrorCode::kInvalidDocument,
                 fmt::format("launch: \"{}\" is no address{}: {}", printable(name),
                             flags & AI_NUMERICHOST ? " in numbers" : "", ::gai_strerror(error))};
  SocketAddress address;
  std::memcpy(&address.storage, found->ai_addr, found->ai_addrlen);
  address.size = found->ai_addrlen;
  ::freeaddrinfo(found);
  return address;
}

SocketAddress ownEnd(int descriptor) {
  SocketAddress own;
  if (::getsockname(descriptor, own.get(), &own.size) != 0) own = {};
  return own;
}

bool isHere(SocketAddress address) {
  const int descriptor = ::socket(address.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const bool isBound = descriptor >= 0 && ::bind(descriptor, address.get(), address.size) == 0;
  if (descriptor >= 0) ::close(descriptor);
  return isBound;
}

Result<std::string> addressTowards(SocketAddress other) {
  const int descriptor = ::socket(other.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const bool isReached = descriptor >= 0 && ::connect(descriptor, other.get(), other.size) == 0;
  const int reason = errno;
  const std::string own = isReached ? ownEnd(descriptor).text() : "";
  if (descriptor >= 0) ::close(descriptor);
  if (!own.empty()) return own;
  return Error{ErrorCode::kIo, fmt::format("launch: no network leads to {}: {}", other.text(),
                                           std::strerror(reason))};
}

}  // namespace parapet::launch
