// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>

#include "engine/launch/machine.h"

namespace parapet::launch {

/// The machine of every process, process 0 among them: joins, hands commands to its engine in
/// their order and each once, answers when its pieces are durable, and finds process 0 silent.
/// Whatever may have been lost is said again at each beat until an answer shows that it arrived.
///
/// A link closes or is silent: the generation ends for this member with rank 0 to blame. After
/// Ended it only says goodbye.
class Member {
 public:
  /// `self` is said until the run begins; its generation and wall time are set here.
  Member(const Limits& limits, Join self)
      : limits_(limits), clock_(2 * limits.beatMs), self_(std::move(self)) {}

  std::vector<Output> on(Milliseconds nowMs, const MemberInput& input);

 private:
  enum class State { kJoining, kRunning, kEnded };

  void handle(const Received& received);
  void handle(const Closed&);
  void handle(const Tick& tick);
  void handle(const DiskDone& done);
  void handle(const Idle&);
  void handle(const Worked& worked);
  void handle(const WorkFailed& failed);

  void read(const Begin& begin);
  void read(const Command& command);
  void read(const Beat& beat);
  void read(const Verdict& verdict);
  template <class Other>
  void read(const Other&) {}  // what members say to process 0, and the store

  void say(Message message) { out_.emplace_back(Send{0, std::move(message)}); }
  void give(Done done);
  void runNext();
  void nextDiskOp();
  void startGeneration(std::uint64_t generation);
  void loseLeader(const std::string& reason);

  Limits limits_;
  RunningTime clock_;
  Join self_;
  State state_ = State::kJoining;
  Milliseconds now_ = 0, time_ = 0, heard_ = 0;
  bool everHeard_ = false, isIdle_ = false, isWorking_ = false;
  std::string leaderHost_;
  std::uint64_t received_ = 0;
  std::deque<Command> waiting_;
  struct Given {
    Done done;
    Milliseconds at;
  };
  std::vector<Given> given_;  // until process 0 has the total
  std::optional<Failure> failure_;
  std::deque<DiskOp> disk_;
  std::optional<Done> unsynced_;  // said when disk_ is empty
  std::vector<Output> out_;
};

}  // namespace parapet::launch
