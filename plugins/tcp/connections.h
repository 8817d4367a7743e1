// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>
#include <sys/uio.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "plugins/tcp/meeting.h"
#include "plugins/tcp/sockets.h"

namespace parapet::tcp {

/// The head of a message, before its bytes, in the byte order of the machine.
struct Head {
  std::uint64_t tag = 0, bytes = 0;
};

/// Messages over a connection in one direction: each a head and its bytes, moved as many at a time
/// as the system takes.
class Line {
 public:
  /// A message whose bytes stay until it has moved. The head of one to receive is filled by moving.
  void add(std::uint64_t tag, void* bytes, std::size_t size);
  [[nodiscard]] bool isDone() const { return next_ == messages_.size(); }
  void clear();

  /// Calls move(vectors), as sendmsg(2) and recvmsg(2) do, until it has moved all or would block.
  /// Returns the bytes moved. `received`: heads are compared with what was expected.
  ///
  /// Errors   Failure without blame, also if the other side has closed.
  template <class Move>
  std::size_t advance(bool received, const Move& move);

 private:
  struct Message {
    Head expected, head;
    void* bytes;
  };
  void fill();
  void drop(std::size_t moved, bool received);

  std::vector<Message> messages_;
  std::size_t next_ = 0, done_ = 0;  ///< the first message that has not moved, and how much of it
  std::vector<iovec> vectors_;       ///< scratch
};

/// The connections of this process with all others; mesh::Transport tells what the calls do.
///
/// A call waits for all sockets at once, in the thread of the caller: no other thread hands anything
/// on. Who fails writes why and whose fault it is into the store, then shuts its sockets; who finds a
/// socket shut looks there first. So all name the process that failed first, and none one that only
/// followed it.
class Connections {
 public:
  /// Returns when all processes are connected. Errors   Failure.
  explicit Connections(const PcMeeting& meeting);

  void send(int to, std::uint64_t tag, const void* bytes, std::size_t size);
  void receive(int from, std::uint64_t tag, void* bytes, std::size_t size);
  /// Errors   Failure, from then on each time.
  void wait();
  void close(const std::string& reason);

 private:
  struct Peer {
    Descriptor socket;
    Line out, in;
    Clock::time_point heard;  ///< when something moved last
    bool left = false;        ///< it has closed, while nothing was to come from it
    [[nodiscard]] bool isDone() const { return out.isDone() && in.isDone(); }
  };
  struct Reason {
    int process;
    std::string text;
  };

  Peer& at(int process) { return peers_[static_cast<std::size_t>(process)]; }
  template <class Body>
  void forOthers(const Body& body);
  void sendPending(int process);
  void receivePending(int process);
  bool waitForSockets();
  void noteLeaving(int process);
  void requireNoneSilent();
  [[nodiscard]] std::optional<Reason> ended();
  [[nodiscard]] std::optional<Reason> reasonInStore(std::chrono::milliseconds patience) const;
  void end(const Reason& reason);
  [[noreturn]] void fail(const Failure& failure, std::chrono::milliseconds patience);

  const Board board_;
  const int process_;
  const std::chrono::milliseconds timeout_;
  std::vector<Peer> peers_;
  Descriptor wake_;  ///< an eventfd that close() writes
  std::mutex mutex_;
  std::optional<Reason> ended_;  // guarded by mutex_
  std::vector<pollfd> waiting_;  ///< by process; wake_ in the place of this one
};

}  // namespace parapet::tcp
