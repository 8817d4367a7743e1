// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>

#include "engine/launch/leader.h"
#include "engine/launch/member.h"
#include "tests/launch/simulated_disk.h"
#include "tests/launch/simulated_faults.h"
#include "tests/launch/simulator.h"
#include "tests/launch/toy_engine.h"

namespace parapet::launch::test {

inline constexpr Limits kLimits{.beatMs = 500,
                                .silenceMs = 4000,
                                .joinMs = 10'000,
                                .graceMs = 500,
                                .commandMs = 600'000,
                                .skewMs = 5000,
                                .maxRestarts = 3,
                                .restartWindowMs = 600'000};
inline constexpr Milliseconds kBoundMs = 120'000;

inline const ToyPlan kPlan;
/// The states of the run without faults.
const std::vector<ToyState>& reference();
bool isCommitted(const std::string& folder);

/// A process: the machines, an engine that holds a piece, and at rank 0 the trainer.
struct Process {
  int link = 0, rank = 0;
  bool isUp = true, isStopped = false;
  Milliseconds clockOffset = 0;
  Member member;
  std::optional<Leader> leader;
  std::deque<std::function<void()>> whileStopped{};
  // Engine.
  ToyState state{};
  Begin begin{};
  int work = 0;  // changes when the engine gives up what it was doing
  std::uint64_t lastSequence = 0;
  bool hasFailed = false, isFaulty = false;
  int diskOps = 0;
  std::optional<Verdict> verdict{}, end{};
  // Trainer.
  std::uint64_t generation = 0, issued = 0, done = 0, decision = 0, checkpointStep = 0;
  std::deque<CommandKind> todo{};
  bool isWaiting = false, isRunning = false;
};

struct Event {
  Milliseconds at;
  std::uint64_t order;
  int link;  // of the process it happens to; -1: the world
  std::function<void()> action;
  bool operator>(const Event& other) const {
    return std::tie(at, order) > std::tie(other.at, other.order);
  }
};

/// The processes of a scenario, their network, disk and time. Everything that happens is an event; two
/// runs of a seed are the same.
class World {
 public:
  World(const Scenario& scenario, const SimulationOptions& options, Draws& draws,
        SimulatedDisk& disk, SimulationReport& report)
      : scenario_(scenario), options_(options), draws_(draws), disk_(disk), report_(report) {}

  void run();
  [[nodiscard]] const std::vector<std::unique_ptr<Process>>& processes() const { return all_; }
  [[nodiscard]] bool hasBegun() const { return hasBegun_; }

 private:
  void at(Milliseconds delay, int link, std::function<void()> action) {
    events_.push({now_ + delay, order_++, link, std::move(action)});
  }
  template <class... Values>
  void trace(fmt::format_string<Values...> format, Values&&... values) {
    if (options_.isTraced)
      report_.trace.push_back(fmt::format("{:>6} ", now_) +
                              fmt::format(format, std::forward<Values>(values)...));
  }
  void violate(std::string what) {
    trace("VIOLATION {}", what);
    if (report_.violation.empty()) report_.violation = std::move(what);
  }
  [[nodiscard]] bool breaks(Mutation mutation) const { return options_.mutation == mutation; }
  [[nodiscard]] bool hasFault(FaultKind kind) const {
    return std::ranges::find(scenario_.faults, kind, &Fault::kind) != scenario_.faults.end();
  }

  Process& start(int rank);
  void feed(Process& process, const MemberInput& input);
  void feedLeader(Process& process, const LeaderInput& input);
  void carryOut(Process& process, bool isLeader, bool isTick, std::vector<Output> outputs);
  void send(Process& from, bool isLeader, bool isTick, const Send& send);
  void arrive(Process& to, int from, Message message);
  void setTimer(Process& process, bool isLeader, Milliseconds clockMs);
  void writeDisk(Process& process, bool isLeader, DiskOp op);
  std::string apply(int host, const DiskOp& op);

  void loadPiece(Process& process, const Begin& begin);
  void work(Process& process, const Command& command);
  void finishWork(Process& process, const Command& command);
  void stopWork(Process& process, const Verdict& verdict);
  [[nodiscard]] std::optional<int> lostPeerOf(const Process& process);

  void plan(Process& process, const Formed& formed);
  void train(Process& process);
  void finishCommand(Process& process, const Outcome& outcome);
  [[nodiscard]] std::optional<ToyState> readFolder(const std::string& folder) const;

  void inject(const Fault& fault);
  void die(Process& process, bool losesPower);
  void exit(Process& process);
  void tellOthers(const Process& process);
  [[nodiscard]] Process* current(int rank);

  Scenario scenario_;
  SimulationOptions options_;
  Draws& draws_;
  SimulatedDisk& disk_;
  SimulationReport& report_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t order_ = 0;
  Milliseconds now_ = 0;
  std::vector<std::unique_ptr<Process>> all_;  // by link
  std::map<int, Milliseconds> cutUntil_;       // by rank
  bool hasBegun_ = false;
};

}  // namespace parapet::launch::test
