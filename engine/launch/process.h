// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "engine/launch/driver.h"
#include "engine/launch/endpoint.h"
#include "engine/launch/leader.h"
#include "engine/launch/member.h"

namespace parapet::launch {

/// The machines over sockets, clock and disk, which Driver and Follower share. The thread of the
/// sockets runs them when something arrives or time passes, the engine's thread when it has an
/// input; outputs for the engine wait in a queue. The engine's thread also does what a disk is asked
/// for, so that a slow disk holds up no heartbeat.
class Process {
 public:
  /// An output for the engine, and whether the machine of process 0 gave it.
  struct Given {
    Output output;
    bool isLeader = false;
  };

  Process(Settings settings, std::unique_ptr<Endpoint> endpoint);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void feed(const MemberInput& input);
  void feedLeader(const LeaderInput& input);
  /// The next output for the engine; what a disk is asked for is done on the way. Nothing: the
  /// machines have ended.
  std::optional<Given> next();

  Status set(const std::string& key, const std::string& value);
  Result<std::string> get(const std::string& key, Milliseconds timeoutMs);
  [[nodiscard]] std::uint16_t port() const { return endpoint_->port(); }
  [[nodiscard]] const std::string& localAddress() const { return endpoint_->localAddress(); }
  /// Process 0: who is missing, and who was turned away; "" once all are here.
  [[nodiscard]] std::string waiting() const;
  /// Process 0: "; turned away for another secret: 10.0.0.5 (3 times)", "" if nobody was.
  [[nodiscard]] std::string turnedAway() const;
  [[nodiscard]] bool isFinished() const;
  /// The verdict that ended the run, or the last generation.
  [[nodiscard]] Error lastError() const;

 private:
  // Under the lock.
  [[nodiscard]] Error lastErrorHere() const;
  [[nodiscard]] bool isOver() const {
    return hasEnded_ || (verdict_ && verdict_->ending != Ending::kRestart);
  }
  void run(const std::stop_token& stop);
  void carryOut(std::vector<Output> outputs, bool isLeader);
  void receive(const Endpoint::Event& event);
  void tick(Milliseconds nowMs);
  void callStop(std::unique_lock<std::mutex>& lock);

  Settings settings_;
  std::unique_ptr<Endpoint> endpoint_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Member member_;
  std::optional<Leader> leader_;
  Milliseconds memberTickMs_ = 0, leaderTickMs_ = 0;
  std::deque<Given> given_;
  std::deque<Send> loopback_;
  bool isDelivering_ = false, hasEnded_ = false;
  std::optional<Verdict> verdict_;
  std::vector<Verdict> stops_;  // of which onStop does not know yet
  std::uint64_t question_ = 0;
  std::map<std::uint64_t, std::optional<Value>> answers_;
  std::jthread thread_;
};

}  // namespace parapet::launch
