// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <optional>

#include "engine/launch/agreement.h"
#include "engine/launch/machine.h"

namespace parapet::launch {

/// The machine of process 0, which decides. A generation goes through these states:
///
///   forming    members join; all are here: they are compared, Formed is put out
///   planning   the engine makes a plan: Planned
///   running    Issue → Command to all → Done of all → Outcome; at most two steps at a time
///   ending     the run is over: everyone is told, and waited for no longer than the silence
///
/// A failure ends the generation: the verdict names who failed first. The others form the next
/// generation, unless it was process 0, or the run was restarted too often. Process 0 is a member,
/// too: its Member talks to this machine over link 0, which is never cut.
class Leader {
 public:
  Leader(const Limits& limits, int processes);

  std::vector<Output> on(Milliseconds nowMs, const LeaderInput& input);
  /// While the generation forms: "waiting for 2 of 3 processes: rank 1, rank 2; 118 s left".
  [[nodiscard]] std::string waiting() const;

 private:
  enum class State { kForming, kPlanning, kRunning, kEnding, kEnded };
  struct Peer {
    int link = 0;
    Joined joined;
    bool isReady = false;  // for this generation
    bool saidBye = false;
    Milliseconds heard = 0;
    std::uint64_t received = 0;
  };
  struct Pending {
    Command command;
    Milliseconds at;
    std::map<std::int32_t, Done> done;
    std::string problem;
  };
  using Peers = std::map<std::int32_t, Peer>;

  void handle(const Received& received);
  void handle(const Closed& closed);
  void handle(const Tick& tick);
  void handle(const DiskDone& done);
  void handle(const Planned& planned);
  void handle(const Issue& issue);
  void handle(const Seal& seal);
  void handle(const EndRun& end);

  void join(int link, const Join& join);
  void read(std::int32_t rank, const Beat& beat);
  void read(std::int32_t rank, const Done& done);
  void read(std::int32_t rank, const Failure& failure);
  void read(std::int32_t rank, const Bye& bye);
  template <class Other>
  void read(std::int32_t, const Other&) {}  // what process 0 says itself, and the store

  void send(int link, Message message) { out_.emplace_back(Send{link, std::move(message)}); }
  void sendAll(const Message& message);
  void refuse(int link, std::int32_t rank, const std::string& host, std::string reason);
  void formIfComplete();
  void reportFinished();
  void findSilent();
  void findCulprit();
  void repeatCommands();
  void fail(std::int32_t rank, std::string reason);
  void judge(Verdict verdict);
  void restartWithout(std::int32_t rank);
  void end(Verdict verdict);
  void endIfAlone();
  [[nodiscard]] Peers::iterator peerOf(int link);
  [[nodiscard]] std::string hostOf(std::int32_t rank) const;
  [[nodiscard]] std::vector<std::int32_t> missing() const;

  Limits limits_;
  RunningTime clock_;
  int processes_;
  State state_ = State::kForming;
  std::uint64_t generation_ = 1, issued_ = 0, finished_ = 0;
  Milliseconds now_ = 0, time_ = 0, wallMs_ = 0, formBy_, endBy_ = 0;
  std::vector<std::int32_t> ranks_;  // of this generation
  Peers peers_;
  std::map<int, Verdict> refused_;  // links that are no members, with the reason
  Begin begin_;
  std::deque<Pending> pending_;
  bool canSeal_ = false;
  std::deque<DiskOp> disk_;                    // of the commit that runs
  std::optional<Verdict> held_;                // until that commit is over
  std::optional<Verdict> verdict_;             // the last one
  std::map<std::int32_t, Failure> lostPeers_;  // by who reported
  std::optional<Milliseconds> graceUntil_;
  std::deque<Milliseconds> restarts_;
  std::vector<Output> out_;
};

}  // namespace parapet::launch
