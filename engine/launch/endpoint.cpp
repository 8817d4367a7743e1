// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/endpoint.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "engine/base/clock.h"
#include "engine/launch/addresses.h"

namespace parapet::launch {
namespace {

Error socketError(std::string_view verb, const std::string& address, std::uint16_t port, int reason,
                  ErrorCode code) {
  return {code, fmt::format("launch: cannot {} {} port {}: {}", verb, address, port,
                            std::strerror(reason))};
}

int openSocket(int family) {
  const int descriptor = ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int on = 1;
  // A heartbeat that waits to be sent along with more is late.
  if (descriptor >= 0) ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return descriptor;
}

}  // namespace

Endpoint::~Endpoint() {
  for (const auto& [number, link] : links_) ::close(link.descriptor);
  if (listener_ >= 0) ::close(listener_);
  if (waker_ >= 0) ::close(waker_);
}

Status Endpoint::makeWaker() {
  waker_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (waker_ < 0) return Error{ErrorCode::kIo, "launch: no event descriptor is left"};
  return {};
}

Result<std::unique_ptr<Endpoint>> Endpoint::listen(const std::string& address, std::uint16_t port,
                                                   const Secret& secret) {
  PARAPET_ASSIGN(SocketAddress bound, resolve(address, port, AI_NUMERICHOST | AI_PASSIVE));
  std::unique_ptr<Endpoint> endpoint(new Endpoint(secret));
  endpoint->isServer_ = true;
  PARAPET_TRY(endpoint->makeWaker());
  endpoint->listener_ = openSocket(bound.family());
  const int on = 1;
  if (endpoint->listener_ < 0 ||
      ::setsockopt(endpoint->listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
      ::bind(endpoint->listener_, bound.get(), bound.size) != 0 ||
      ::listen(endpoint->listener_, SOMAXCONN) != 0)
    return socketError("listen at", address, port, errno, ErrorCode::kIo);
  endpoint->port_ = ownEnd(endpoint->listener_).port();
  return endpoint;
}

Result<std::unique_ptr<Endpoint>> Endpoint::connect(const std::string& address, std::uint16_t port,
                                                    const Secret& secret, Milliseconds timeoutMs) {
  PARAPET_ASSIGN(SocketAddress server, resolve(address, port));
  std::unique_ptr<Endpoint> endpoint(new Endpoint(secret));
  endpoint->port_ = port;
  PARAPET_TRY(endpoint->makeWaker());
  const Milliseconds until = steadyMs() + timeoutMs;
  for (int reason = ETIMEDOUT; steadyMs() < until;) {
    PARAPET_ASSIGN(std::string nonce, randomBytes(kNonceBytes));
    const int descriptor = openSocket(server.family());
    if (descriptor < 0) return socketError("connect to", address, port, errno, ErrorCode::kIo);
    pollfd wait{descriptor, POLLOUT, 0};
    socklen_t size = sizeof(reason);
    if (::connect(descriptor, server.get(), server.size) == 0)
      reason = 0;
    else if (errno != EINPROGRESS)
      reason = errno;
    else if (::poll(&wait, 1, static_cast<int>(std::max<Milliseconds>(until - steadyMs(), 0))) > 0)
      ::getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &reason, &size);
    else
      reason = ETIMEDOUT;
    if (reason != 0) {
      ::close(descriptor);
      if (steadyMs() + 100 >= until)
        return socketError("connect to", address, port, reason, ErrorCode::kPeer);
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      continue;
    }
    endpoint->links_.emplace(
        0, Link{descriptor, Channel(Channel::Side::kClient, secret, std::move(nonce)), until,
                address});
    const Status greeted = endpoint->greet(until);
    if (greeted.ok()) {
      endpoint->localAddress_ = ownEnd(descriptor).text();
      return endpoint;
    }
    // A server that has just come or is full of strangers may close; one that refuses says why.
    if (greeted.error().code == ErrorCode::kPeer)
      return Error{ErrorCode::kPeer,
                   fmt::format("{} ({} port {})", greeted.error().message, address, port)};
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return socketError("connect to", address, port, ETIMEDOUT, ErrorCode::kPeer);
}

Status Endpoint::greet(Milliseconds until) {
  while (!links_.at(0).channel.isOpen()) {
    auto polled = waits();
    ::poll(polled.data(), polled.size(),
           waitMs(steadyMs(), std::max<Milliseconds>(until - steadyMs(), 0)));
    for (const Event& event : handle(polled, steadyMs()))
      if (!event.message) return event.error;
  }
  return {};
}

void Endpoint::wake() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(waker_, &one, sizeof(one));
}

std::vector<pollfd> Endpoint::waits() const {
  std::vector<pollfd> waits{{waker_, POLLIN, 0}};
  if (listener_ >= 0 && !isFull_) waits.push_back({listener_, POLLIN, 0});
  for (const auto& [number, link] : links_)
    waits.push_back({link.descriptor,
                     static_cast<short>(link.channel.unsent().empty() ? POLLIN : POLLIN | POLLOUT),
                     0});
  return waits;
}

int Endpoint::waitMs(Milliseconds nowMs, Milliseconds mostMs) const {
  Milliseconds until = nowMs + mostMs;
  for (const auto& [number, link] : links_)
    if (!link.channel.isOpen()) until = std::min(until, link.greetBy);
  until = std::min(until, store_.nextMs().value_or(until));
  if (isFull_) until = std::min(until, nowMs + kMinGreetingMs / 4);
  return static_cast<int>(std::clamp<Milliseconds>(until - nowMs, 0, 60'000));
}

std::vector<Endpoint::Event> Endpoint::handle(std::span<const pollfd> waits, Milliseconds nowMs) {
  isFull_ = false;
  for (const pollfd& wait : waits) {
    if (wait.revents == 0) continue;
    if (wait.fd == waker_) {
      std::uint64_t count = 0;
      [[maybe_unused]] const auto read = ::read(waker_, &count, sizeof(count));
    } else if (wait.fd == listener_) {
      accept(nowMs);
    } else {
      const auto found = std::ranges::find_if(
          links_, [&](const auto& each) { return each.second.descriptor == wait.fd; });
      if (found == links_.end()) continue;
      const int number = found->first;
      const Status exchanged = exchange(found->second, wait.revents);
      // Messages that arrived before the end are read before the end.
      for (Message& message : found->second.channel.take()) {
        const bool isRequest =
            std::holds_alternative<Set>(message) || std::holds_alternative<Get>(message);
        if (isRequest && isServer_)
          serve(number, message, nowMs);
        else
          events_.push_back({number, std::move(message)});
      }
      if (!exchanged.ok()) cut(number, exchanged.error());
    }
  }
  std::vector<int> late;
  for (const auto& [number, link] : links_)
    if (!link.channel.isOpen() && nowMs >= link.greetBy) late.push_back(number);
  for (const int number : late)
    cut(number, {ErrorCode::kPeer, "launch: the greeting took too long"});
  std::vector<StoreTable::Answer> answers;
  store_.expire(nowMs, answers);
  answer(answers);
  return std::exchange(events_, {});
}

void Endpoint::accept(Milliseconds nowMs) {
  for (bool isOutOfFiles = false;;) {
    // Links count upwards, so the first stranger is the oldest.
    std::vector<int> strangers;
    for (const auto& [number, link] : links_)
      if (!link.channel.isOpen()) strangers.push_back(number);
    if (isOutOfFiles || strangers.size() >= kMaxStrangers) {
      isFull_ = strangers.empty() ||
                nowMs < links_.at(strangers.front()).greetBy - kGreetingMs + kMinGreetingMs;
      if (isFull_) return;
      cut(strangers.front(), {ErrorCode::kPeer, "launch: too many strangers"});
    }
    SocketAddress peer;
    const int descriptor =
        ::accept4(listener_, peer.get(), &peer.size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    isOutOfFiles = descriptor < 0 && (errno == EMFILE || errno == ENFILE);
    if (isOutOfFiles) continue;
    if (descriptor < 0) return;
    auto nonce = randomBytes(kNonceBytes);
    if (!nonce.ok()) {
      ::close(descriptor);
      return;
    }
    const int on = 1;
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    links_.emplace(nextLink_++,
                   Link{descriptor, Channel(Channel::Side::kServer, secret_, std::move(*nonce)),
                        nowMs + kGreetingMs, peer.text()});
  }
}

Status Endpoint::exchange(Link& link, short events) {
  const auto failed = [](int reason) {
    return Error{ErrorCode::kIo, fmt::format("launch: connection lost: {}",
                                             reason == 0 ? "closed" : std::strerror(reason))};
  };
  // One buffer a turn: a peer that sends without end does not keep the others waiting.
  std::array<char, 65536> buffer;
  if ((events & ~POLLOUT) != 0) {
    const ssize_t count = ::recv(link.descriptor, buffer.data(), buffer.size(), 0);
    if (count == 0) return failed(0);
    if (count < 0 && errno != EAGAIN && errno != EINTR) return failed(errno);
    if (count > 0)
      PARAPET_TRY(link.channel.receive({buffer.data(), static_cast<std::size_t>(count)}));
  }
  while (!link.channel.unsent().empty()) {
    const auto bytes = link.channel.unsent();
    const ssize_t count = ::send(link.descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) break;
    if (count < 0) return failed(errno);
    link.channel.wrote(static_cast<std::size_t>(count));
  }
  if (link.channel.unsent().size() > kMaxUnsentBytes)
    return Error{ErrorCode::kPeer, "launch: the peer does not read"};
  return {};
}

void Endpoint::cut(int link, Error error) {
  const auto found = links_.find(link);
  if (found == links_.end()) return;
  const bool isKnown = found->second.channel.isOpen() || !isServer_;
  if (found->second.channel.hasWrongSecret()) {
    // The other side counts who shows another secret, and sees that this one does.
    const auto proof = found->second.channel.unsent();
    [[maybe_unused]] const auto sent =
        ::send(found->second.descriptor, proof.data(), proof.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    const std::string& address = found->second.address;
    if (wrongSecrets_.size() < kMaxStrangers || wrongSecrets_.contains(address))
      ++wrongSecrets_[address];
  }
  ::close(found->second.descriptor);
  links_.erase(found);
  store_.forget(link);
  if (isKnown) events_.push_back({link, std::nullopt, std::move(error)});
}

void Endpoint::send(int link, const Message& message) {
  if (const auto found = links_.find(link); found != links_.end())
    found->second.channel.send(message);
}

void Endpoint::flush(Milliseconds timeoutMs) {
  const Milliseconds until = steadyMs() + timeoutMs;
  for (auto& [number, link] : links_)
    while (!link.channel.unsent().empty() && steadyMs() < until) {
      pollfd wait{link.descriptor, POLLOUT, 0};
      ::poll(&wait, 1, 50);
      if (!exchange(link, POLLOUT).ok()) break;
    }
}

void Endpoint::ask(const Message& request, Milliseconds nowMs) {
  if (isServer_)
    serve(0, request, nowMs);
  else
    send(0, request);
}

void Endpoint::serve(int link, const Message& request, Milliseconds nowMs) {
  std::vector<StoreTable::Answer> answers;
  if (const auto* set = std::get_if<Set>(&request)) {
    if (const Status stored = store_.set(*set, answers); !stored.ok()) cut(link, stored.error());
  } else if (const auto* get = std::get_if<Get>(&request)) {
    if (auto found = store_.get(link, *get, nowMs)) answers.push_back(std::move(*found));
  }
  answer(answers);
}

void Endpoint::answer(const std::vector<StoreTable::Answer>& answers) {
  for (const StoreTable::Answer& each : answers)
    if (each.link == 0 && isServer_)
      events_.push_back({0, each.value});
    else
      send(each.link, each.value);
}

}  // namespace parapet::launch
