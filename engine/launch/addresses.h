// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>

#include "engine/base/result.h"

namespace parapet::launch {

/// An address as sockets take it.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = sizeof(sockaddr_storage);

  [[nodiscard]] sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  [[nodiscard]] int family() const { return storage.ss_family; }
  [[nodiscard]] std::uint16_t port() const;
  /// In numbers, without the port; "" if the system cannot write it.
  [[nodiscard]] std::string text() const;
};

/// The first address of a name, or of an address in numbers; `flags` as getaddrinfo(3) has them.
///
/// Errors   kInvalidDocument: there is none, with what the system says.
Result<SocketAddress> resolve(const std::string& name, std::uint16_t port, int flags = 0);

/// The own end of a socket; without port and text if it has none.
SocketAddress ownEnd(int descriptor);

/// Whether an address is one of this machine: a socket can be bound to it.
bool isHere(SocketAddress address);

/// The address of this machine on the way to another one, in numbers. Nothing is sent.
///
/// Errors   kIo: no network leads there.
Result<std::string> addressTowards(SocketAddress other);

}  // namespace parapet::launch
