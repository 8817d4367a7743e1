// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <map>
#include <memory>
#include <span>

#include "engine/launch/channel.h"
#include "engine/launch/store_table.h"

namespace parapet::launch {

/// The sockets of a process, for one thread that waits with poll():
///
///   auto waits = endpoint.waits();
///   ::poll(waits.data(), waits.size(), endpoint.waitMs(nowMs, mostMs));
///   for (auto& event : endpoint.handle(waits, nowMs)) …
///
/// Process 0 listens and holds the key-value store, whose messages are answered here. Whoever does
/// not finish the greeting within kGreetingMs is cut, as is a peer that breaks the format or does
/// not read; none of that stops the others. Link 0 is process 0: of a client its only connection.
///
/// Thread   one at a time, the caller sees to it; wake() from any.
class Endpoint {
 public:
  /// Listens at a numeric IPv4 or IPv6 address; port 0: one that is free.
  ///
  /// Errors   kInvalidDocument: no numeric address; kIo: it cannot be bound.
  static Result<std::unique_ptr<Endpoint>> listen(const std::string& address, std::uint16_t port,
                                                  const Secret& secret);
  /// Connects, again and again until there is somebody who listens, and waits for the greeting.
  ///
  /// Errors   kPeer: nobody answered in time, or it is another program, version or secret.
  static Result<std::unique_ptr<Endpoint>> connect(const std::string& address, std::uint16_t port,
                                                   const Secret& secret, Milliseconds timeoutMs);
  ~Endpoint();
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  /// The numeric address of this end of the connection with process 0; empty for process 0 itself.
  [[nodiscard]] const std::string& localAddress() const { return localAddress_; }

  /// How often somebody with another secret was cut, by the numeric address; a few addresses.
  [[nodiscard]] const std::map<std::string, int>& wrongSecrets() const { return wrongSecrets_; }

  struct Event {
    int link = 0;
    std::optional<Message> message;  ///< nothing: the link is closed
    /// Why: kIo where the connection was lost, kPeer where it was cut here.
    Error error{ErrorCode::kIo, ""};
  };
  [[nodiscard]] std::vector<pollfd> waits() const;
  [[nodiscard]] int waitMs(Milliseconds nowMs, Milliseconds mostMs) const;
  std::vector<Event> handle(std::span<const pollfd> waits, Milliseconds nowMs);
  void wake() const;

  /// Queues a message; one to a link that is closed is dropped.
  void send(int link, const Message& message);
  /// Writes what is queued until all of it is out or the time is over.
  void flush(Milliseconds timeoutMs);

  /// Questions of this process, with link 0; answers come as events.
  void ask(const Message& request, Milliseconds nowMs);

  static constexpr Milliseconds kGreetingMs = 2'000;
  /// Strangers at a time. More cut the oldest, once it had the time that a greeting takes.
  static constexpr std::size_t kMaxStrangers = 64;
  static constexpr Milliseconds kMinGreetingMs = 200;
  static constexpr std::size_t kMaxUnsentBytes = std::size_t{64} << 20;

 private:
  struct Link {
    int descriptor;
    Channel channel;
    Milliseconds greetBy;
    std::string address;
  };
  explicit Endpoint(const Secret& secret) : secret_(secret) {}
  Status makeWaker();
  void accept(Milliseconds nowMs);
  Status exchange(Link& link, short events);
  void serve(int link, const Message& request, Milliseconds nowMs);
  void answer(const std::vector<StoreTable::Answer>& answers);
  void cut(int link, Error error);
  Status greet(Milliseconds until);

  Secret secret_;
  int listener_ = -1, waker_ = -1;
  std::uint16_t port_ = 0;
  std::string localAddress_;
  bool isServer_ = false, isFull_ = false;
  int nextLink_ = 1;
  std::map<int, Link> links_;
  StoreTable store_;
  std::map<std::string, int> wrongSecrets_;
  std::vector<Event> events_;
};

}  // namespace parapet::launch
