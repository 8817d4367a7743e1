// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/member.h"

#include <fmt/format.h>

namespace parapet::launch {

std::vector<Output> Member::on(Milliseconds nowMs, const MemberInput& input) {
  now_ = nowMs;
  time_ = clock_.advance(nowMs);
  out_.clear();
  std::visit([&](const auto& each) { handle(each); }, input);
  return std::move(out_);
}

void Member::handle(const Tick& tick) {
  out_.emplace_back(Timer{now_ + limits_.beatMs});
  if (state_ == State::kEnded) return;
  self_.wallMs = tick.wallMs;
  const Milliseconds limit = everHeard_ ? limits_.silenceMs : limits_.joinMs;
  if (time_ - heard_ > limit)
    return loseLeader(fmt::format("nothing was heard of it for {} ms", limit));
  if (failure_) say(*failure_);
  if (state_ == State::kJoining && isIdle_ && !failure_)
    say(self_);
  else
    say(Beat{self_.generation, received_});
  for (const Given& given : given_)
    if (time_ - given.at >= limits_.beatMs) say(given.done);
}

void Member::handle(const Closed&) {
  if (state_ != State::kEnded) loseLeader("its connection was closed");
}

void Member::loseLeader(const std::string& reason) {
  // Process 0 may be alive, and is told why this member leaves.
  say(Failure{self_.generation, fmt::format("lost rank 0: {}", reason), 0});
  out_.emplace_back(Verdict{self_.generation, Ending::kFailed, 0, leaderHost_, reason});
  out_.emplace_back(Ended{});
  state_ = State::kEnded;
}

void Member::handle(const Received& received) {
  heard_ = time_;
  everHeard_ = true;
  std::visit([&](const auto& message) { read(message); }, received.message);
}

void Member::read(const Begin& begin) {
  if (begin.generation != self_.generation || state_ != State::kJoining || !isIdle_) return;
  state_ = State::kRunning;
  if (!begin.hosts.empty()) leaderHost_ = begin.hosts.front();
  out_.emplace_back(begin);
}

void Member::read(const Command& command) {
  const bool isNext = command.sequence == received_ + 1;
  if (command.generation != self_.generation || state_ != State::kRunning || !isNext) return;
  ++received_;
  waiting_.push_back(command);
  runNext();
}

void Member::runNext() {
  if (isWorking_ || waiting_.empty()) return;
  isWorking_ = true;
  out_.emplace_back(std::move(waiting_.front()));
  waiting_.pop_front();
}

void Member::read(const Beat& beat) {
  if (beat.generation != self_.generation) return;
  std::erase_if(given_, [&](const Given& given) { return given.done.sequence <= beat.sequence; });
}

void Member::read(const Verdict& verdict) {
  if (state_ == State::kEnded) return say(Bye{self_.generation});
  if (verdict.ending == Ending::kRestart) {
    if (verdict.generation < self_.generation) return;
    startGeneration(verdict.generation + 1);
    out_.emplace_back(verdict);
    return;
  }
  state_ = State::kEnded;
  say(Bye{self_.generation});
  out_.emplace_back(verdict);
  out_.emplace_back(Ended{});
}

void Member::startGeneration(std::uint64_t generation) {
  self_.generation = generation;
  state_ = State::kJoining;
  isIdle_ = isWorking_ = false;
  received_ = 0;
  waiting_.clear();
  given_.clear();
  failure_.reset();
  disk_.clear();
  unsynced_.reset();
}

void Member::handle(const Idle&) {
  if (state_ != State::kJoining || isIdle_) return;
  isIdle_ = true;
  say(self_);
}

// A piece is answered for when a crash of this host cannot take it back.
void Member::handle(const Worked& worked) {
  if (worked.generation != self_.generation || state_ != State::kRunning || !isWorking_) return;
  Done done{worked.generation, worked.sequence, worked.status, worked.pieces, worked.problem};
  if (done.pieces.empty() || !done.problem.empty()) return give(std::move(done));
  for (const Piece& piece : worked.pieces)
    disk_.push_back({DiskOp::Kind::kSyncFile, worked.folder / piece.name, {}});
  disk_.push_back({DiskOp::Kind::kSyncFolder, worked.folder, {}});
  unsynced_ = std::move(done);
  nextDiskOp();
}

void Member::nextDiskOp() {
  if (!disk_.empty()) {
    out_.emplace_back(Write{disk_.front()});
  } else {
    give(std::move(*unsynced_));
    unsynced_.reset();
  }
}

void Member::handle(const DiskDone& done) {
  if (!unsynced_) return;  // of a generation that has ended
  disk_.pop_front();
  if (!done.problem.empty()) {
    disk_.clear();
    unsynced_->pieces.clear();
    unsynced_->problem = done.problem;
  }
  nextDiskOp();
}

void Member::give(Done done) {
  isWorking_ = false;
  say(done);
  given_.push_back({std::move(done), time_});
  runNext();
}

void Member::handle(const WorkFailed& failed) {
  if (failed.generation != self_.generation || state_ == State::kEnded || failure_) return;
  failure_ = Failure{failed.generation, failed.reason, failed.suspect};
  say(*failure_);
}

}  // namespace parapet::launch
