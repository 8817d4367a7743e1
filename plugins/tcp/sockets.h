// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace parapet::tcp {

using Clock = std::chrono::steady_clock;

/// A failure and the process to blame for it; -1 if none is.
class Failure : public std::runtime_error {
 public:
  Failure(int process, const std::string& text) : std::runtime_error(text), process_(process) {}
  [[nodiscard]] int process() const { return process_; }

 private:
  int process_;
};

/// The text of errno.
std::string systemError();

/// A descriptor that is closed with its owner.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor();
  [[nodiscard]] int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

/// Where a process listens. Names are never resolved: what one means depends on the machine.
class Address {
 public:
  /// Errors   Failure for a name, and for an address that means every interface.
  explicit Address(const std::string& number);
  void setPort(int port);
  [[nodiscard]] int port() const;
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  [[nodiscard]] socklen_t size() const { return size_; }
  [[nodiscard]] int family() const { return storage_.ss_family; }

 private:
  sockaddr_storage storage_{};
  socklen_t size_ = 0;
};

/// A socket that listens at the address, at a port that the system chooses and `address` then has.
Descriptor listenAt(Address& address);

/// A connection from one address to another, which does not block. Errors   Failure without blame.
Descriptor connectTo(const Address& from, const Address& to, Clock::time_point deadline);

/// Sends without delay and without blocking.
void tune(int fd);

/// Whether a descriptor is ready for these events of poll(2) before the deadline.
bool isReady(int fd, short events, Clock::time_point deadline);

/// Milliseconds until then for poll(2), rounded up, at least 0.
int millisecondsUntil(Clock::time_point deadline);

/// Sends all of it, or receives all of it. Errors   Failure without blame, also at the deadline.
void sendAll(int fd, const void* bytes, std::size_t size, Clock::time_point deadline);
void receiveAll(int fd, void* bytes, std::size_t size, Clock::time_point deadline);

}  // namespace parapet::tcp
