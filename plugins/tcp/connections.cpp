// SPDX-License-Identifier: Apache-2.0
#include "plugins/tcp/connections.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>

namespace parapet::tcp {
namespace {

using std::chrono::milliseconds;

/// Parts of messages that one call of the system moves.
constexpr std::size_t kMaxVectors = 64;

/// Several processes may run out of patience at nearly the same time, though only the first knows
/// who was silent: the others wait that long for what it says.
constexpr milliseconds kPatience{200};

const std::string kEnded = "ended";

std::string hexadecimal(std::uint64_t value) {
  std::ostringstream out;
  out << std::hex << value;
  return out.str();
}

}  // namespace

void Line::add(std::uint64_t tag, void* bytes, std::size_t size) {
  messages_.push_back({{tag, size}, {tag, size}, bytes});
}

void Line::clear() {
  messages_.clear();
  next_ = done_ = 0;
}

void Line::fill() {
  vectors_.clear();
  std::size_t skipped = done_;
  for (std::size_t i = next_; i < messages_.size() && vectors_.size() + 1 < kMaxVectors; ++i) {
    Message& message = messages_[i];
    const auto append = [&](void* begin, std::size_t size) {
      const std::size_t skip = std::min(skipped, size);
      skipped -= skip;
      if (skip < size) vectors_.push_back({static_cast<std::byte*>(begin) + skip, size - skip});
    };
    append(&message.head, sizeof message.head);
    append(message.bytes, message.expected.bytes);
  }
}

void Line::drop(std::size_t moved, bool received) {
  done_ += moved;
  while (next_ < messages_.size() && done_ >= sizeof(Head)) {
    const Message& message = messages_[next_];
    const Head &expected = message.expected, &head = message.head;
    if (received && (head.tag != expected.tag || head.bytes != expected.bytes))
      throw Failure(-1, "it sent " + std::to_string(head.bytes) + " bytes as " +
                            hexadecimal(head.tag) + "; expected were " +
                            std::to_string(expected.bytes) + " as " + hexadecimal(expected.tag));
    const std::size_t size = sizeof(Head) + expected.bytes;
    if (done_ < size) return;
    done_ -= size;
    ++next_;
  }
}

template <class Move>
std::size_t Line::advance(bool received, const Move& move) {
  std::size_t all = 0;
  while (!isDone()) {
    fill();
    msghdr header{};
    header.msg_iov = vectors_.data();
    header.msg_iovlen = vectors_.size();
    const ssize_t moved = move(header);
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0 && errno == EAGAIN) break;
    if (moved < 0) throw Failure(-1, "its connection broke: " + systemError());
    if (moved == 0) throw Failure(-1, "it closed its connection");
    all += static_cast<std::size_t>(moved);
    drop(static_cast<std::size_t>(moved), received);
  }
  return all;
}

Connections::Connections(const PcMeeting& meeting)
    : board_(meeting), process_(meeting.process), timeout_(meeting.timeoutMs) {
  for (Descriptor& socket : meet(meeting, board_)) {
    peers_.emplace_back();
    peers_.back().socket = std::move(socket);
  }
  wake_ = Descriptor(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!wake_) throw Failure(-1, "no eventfd: " + systemError());
}

template <class Body>
void Connections::forOthers(const Body& body) {
  for (int process = 0; process < static_cast<int>(peers_.size()); ++process)
    if (process != process_) body(process);
}

void Connections::send(int to, std::uint64_t tag, const void* bytes, std::size_t size) {
  at(to).out.add(tag, const_cast<void*>(bytes), size);  // sendmsg takes the type of recvmsg
}

void Connections::receive(int from, std::uint64_t tag, void* bytes, std::size_t size) {
  at(from).in.add(tag, bytes, size);
}

void Connections::sendPending(int process) {
  Peer& peer = at(process);
  const std::size_t moved = peer.out.advance(false, [&](const msghdr& header) {
    return sendmsg(peer.socket.get(), &header, MSG_NOSIGNAL);
  });
  if (moved > 0) peer.heard = Clock::now();
}

void Connections::receivePending(int process) {
  Peer& peer = at(process);
  const std::size_t moved =
      peer.in.advance(true, [&](msghdr& header) { return recvmsg(peer.socket.get(), &header, 0); });
  if (moved > 0) peer.heard = Clock::now();
}

void Connections::wait() {
  int blamed = -1;
  try {
    const auto begin = Clock::now();
    forOthers([&](int process) {
      blamed = process;
      at(process).heard = begin;
      sendPending(process);
    });
    for (bool isDone = false; !isDone;) {
      blamed = -1;
      if (const auto reason = ended()) throw Failure(reason->process, reason->text);
      isDone = waitForSockets();
      forOthers([&](int process) {
        const auto events = waiting_[static_cast<std::size_t>(process)].revents;
        if (events == 0) return;
        blamed = process;
        sendPending(process);
        receivePending(process);
        if ((events & (POLLRDHUP | POLLHUP | POLLERR)) != 0 && at(process).isDone())
          noteLeaving(process);
      });
      isDone = isDone || std::ranges::all_of(peers_, &Peer::isDone);
      if (!isDone) requireNoneSilent();
    }
  } catch (const Failure& failure) {
    fail(Failure(failure.process() >= 0 ? failure.process() : blamed, failure.what()),
         milliseconds(0));
  }
  forOthers([&](int process) {
    at(process).out.clear();
    at(process).in.clear();
  });
}

/// Returns whether nothing is left to wait for; then it only looks.
bool Connections::waitForSockets() {
  bool isDone = true;
  auto deadline = Clock::time_point::max();
  waiting_.assign(peers_.size(), {-1, 0, 0});
  waiting_[static_cast<std::size_t>(process_)] = {wake_.get(), POLLIN, 0};
  forOthers([&](int process) {
    const Peer& peer = at(process);
    if (peer.left && peer.isDone()) return;
    int events = POLLRDHUP;
    if (!peer.in.isDone()) events |= POLLIN;
    if (!peer.out.isDone()) events |= POLLOUT;
    waiting_[static_cast<std::size_t>(process)] = {peer.socket.get(), static_cast<short>(events),
                                                   0};
    if (peer.isDone()) return;
    isDone = false;
    deadline = std::min(deadline, peer.heard + timeout_);
  });
  const int ready =
      poll(waiting_.data(), waiting_.size(), isDone ? 0 : millisecondsUntil(deadline));
  if (ready < 0 && errno != EINTR) throw Failure(-1, "cannot wait: " + systemError());
  return isDone;
}

/// A process may leave once it has nothing more to say, but not because it failed.
void Connections::noteLeaving(int process) {
  if (const auto reason = reasonInStore(milliseconds(0)))
    throw Failure(reason->process, reason->text);
  at(process).left = true;
}

void Connections::requireNoneSilent() {
  int silent = -1;
  forOthers([&](int process) {
    if (!at(process).isDone() && (silent < 0 || at(process).heard < at(silent).heard))
      silent = process;
  });
  if (Clock::now() < at(silent).heard + timeout_) return;
  fail(Failure(silent, "it was silent for " + std::to_string(timeout_.count()) + " ms"), kPatience);
}

std::optional<Connections::Reason> Connections::ended() {
  const std::lock_guard lock(mutex_);
  return ended_;
}

std::optional<Connections::Reason> Connections::reasonInStore(milliseconds patience) const {
  try {
    const auto text = board_.get(kEnded, Clock::now() + patience);
    if (!text) return std::nullopt;
    Reason reason{-1, {}};
    std::istringstream in(*text);
    if (!(in >> reason.process) || !in.ignore() || !std::getline(in, reason.text, '\0'))
      return std::nullopt;
    return reason;
  } catch (const Failure&) {
    return std::nullopt;  // a store that is gone says nothing
  }
}

/// Ends everything here and at the others; the first reason counts.
void Connections::end(const Reason& reason) {
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    ended_ = reason;
  }
  try {
    board_.set(kEnded, std::to_string(reason.process) + " " + reason.text.substr(0, 900));
  } catch (const Failure&) {
    // Without a store the others see that the sockets are shut, and name this process.
  }
  forOthers([&](int process) { shutdown(at(process).socket.get(), SHUT_RDWR); });
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof one);
}

void Connections::close(const std::string& reason) {
  end({process_, reason});
}

void Connections::fail(const Failure& failure, milliseconds patience) {
  if (!ended()) {
    const auto first = reasonInStore(patience);
    end(first ? *first : Reason{failure.process(), failure.what()});
  }
  const auto reason = ended();
  throw Failure(reason->process, reason->text);
}

}  // namespace parapet::tcp
