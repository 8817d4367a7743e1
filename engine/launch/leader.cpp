// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/leader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

#include "engine/base/result.h"

namespace parapet::launch {

Leader::Leader(const Limits& limits, int processes)
    : limits_(limits),
      clock_(2 * limits.beatMs),
      processes_(processes),
      formBy_(limits.joinMs),
      ranks_(static_cast<std::size_t>(processes)) {
  std::iota(ranks_.begin(), ranks_.end(), 0);
}

std::vector<Output> Leader::on(Milliseconds nowMs, const LeaderInput& input) {
  now_ = nowMs;
  time_ = clock_.advance(nowMs);
  out_.clear();
  std::visit([&](const auto& each) { handle(each); }, input);
  return std::move(out_);
}

Leader::Peers::iterator Leader::peerOf(int link) {
  return std::ranges::find_if(peers_, [&](const auto& each) { return each.second.link == link; });
}

std::string Leader::hostOf(std::int32_t rank) const {
  const auto peer = peers_.find(rank);
  return peer == peers_.end() ? "" : peer->second.joined.join.host;
}

std::vector<std::int32_t> Leader::missing() const {
  std::vector<std::int32_t> found;
  for (const std::int32_t rank : ranks_)
    if (const auto peer = peers_.find(rank); peer == peers_.end() || !peer->second.isReady)
      found.push_back(rank);
  return found;
}

std::string Leader::waiting() const {
  if (state_ != State::kForming) return {};
  constexpr std::size_t kMaxNamed = 8;
  const std::vector<std::int32_t> late = missing();
  std::string names;
  for (std::size_t i = 0; i < std::min(late.size(), kMaxNamed); ++i)
    names += fmt::format("{}rank {}", i == 0 ? "" : ", ", late[i]);
  if (late.size() > kMaxNamed) names += fmt::format(" and {} more", late.size() - kMaxNamed);
  return fmt::format("waiting for {} of {} processes: {}; {} s left", late.size(), ranks_.size(),
                     names, std::max<Milliseconds>(formBy_ - time_, 0) / 1000);
}

void Leader::sendAll(const Message& message) {
  for (const auto& [rank, peer] : peers_) send(peer.link, message);
}

// -- Messages ---------------------------------------------------------------------------------

void Leader::handle(const Received& received) {
  if (const auto refused = refused_.find(received.link); refused != refused_.end())
    return send(received.link, refused->second);
  if (const auto* message = std::get_if<Join>(&received.message))
    return join(received.link, *message);
  const auto peer = peerOf(received.link);
  if (peer == peers_.end()) return;
  peer->second.heard = time_;
  std::visit([&](const auto& message) { read(peer->first, message); }, received.message);
}

void Leader::refuse(int link, std::int32_t rank, const std::string& host, std::string reason) {
  const Verdict verdict{generation_, Ending::kFailed, rank, host, std::move(reason)};
  refused_[link] = verdict;
  send(link, verdict);
}

// A process is known by its link: one that was started again is another one, and does not take the
// rank of the former while that may be alive, or once the run has begun.
void Leader::join(int link, const Join& join) {
  const auto no = [&](std::string reason) {
    refuse(link, join.rank, join.host, std::move(reason));
  };
  if (state_ >= State::kEnding) return send(link, *verdict_);
  if (join.processes != processes_)
    return no(
        fmt::format("it was started for {} processes, rank 0 for {}", join.processes, processes_));
  if (join.rank < 0 || join.rank >= processes_)
    return no(fmt::format("ranks are 0 to {}", processes_ - 1));
  if (std::ranges::find(ranks_, join.rank) == ranks_.end())
    return no("it has left the run, which goes on without it");
  if (const auto former = peers_.find(join.rank);
      former != peers_.end() && former->second.link != link &&
      (state_ != State::kForming || generation_ > 1 ||
       time_ - former->second.heard <= 3 * limits_.beatMs))
    return no(fmt::format("its rank is taken by {}", hostOf(join.rank)));

  Peer& peer = peers_[join.rank];
  const bool isNew = peer.link != link || peer.joined.join.host.empty();
  // A message that was under way for some time looks late, never early: the smallest difference
  // counts.
  const Milliseconds skew = join.wallMs - wallMs_;
  if (isNew || std::abs(skew) < std::abs(peer.joined.skewMs)) peer.joined.skewMs = skew;
  peer.link = link;
  peer.saidBye = false;
  peer.joined.join = join;
  peer.heard = time_;
  if (join.generation < generation_ && verdict_) return send(link, *verdict_);
  if (state_ == State::kRunning) return send(link, begin_);
  if (state_ != State::kForming || peer.isReady) return;
  peer.isReady = true;
  formIfComplete();
}

void Leader::formIfComplete() {
  if (!missing().empty()) return;
  std::vector<Joined> all;
  Formed formed{generation_, ranks_, {}};
  for (const auto& [rank, peer] : peers_) {
    all.push_back(peer.joined);
    formed.hosts.push_back(peer.joined.join.host);
  }
  if (const auto found = differences(all, limits_.skewMs); !found.empty()) {
    constexpr std::size_t kMaxNamed = 5;
    std::string text;
    for (std::size_t i = 0; i < std::min(found.size(), kMaxNamed); ++i)
      text += (i == 0 ? "" : "; ") + found[i].text;
    if (found.size() > kMaxNamed)
      text += fmt::format("; and {} more differences", found.size() - kMaxNamed);
    return end({generation_, Ending::kFailed, -1, "", std::move(text)});
  }
  state_ = State::kPlanning;
  out_.emplace_back(std::move(formed));
}

void Leader::read(std::int32_t rank, const Beat& beat) {
  Peer& peer = peers_[rank];
  if (beat.generation < generation_ && verdict_) return send(peer.link, *verdict_);
  if (state_ >= State::kEnding) return send(peer.link, *verdict_);
  if (beat.generation == generation_) peer.received = std::max(peer.received, beat.sequence);
}

void Leader::read(std::int32_t rank, const Done& done) {
  if (done.generation != generation_ || state_ != State::kRunning) return;
  const auto pending = std::ranges::find_if(
      pending_, [&](const Pending& each) { return each.command.sequence == done.sequence; });
  if (pending == pending_.end()) return;
  const bool isFirst = pending->done.emplace(rank, done).second;
  if (isFirst && pending->problem.empty() && !done.problem.empty())
    pending->problem = nameOf(rank, hostOf(rank)) + ": " + done.problem;
  reportFinished();
}

void Leader::reportFinished() {
  while (!pending_.empty() && pending_.front().done.size() == ranks_.size()) {
    Pending& front = pending_.front();
    Outcome outcome{generation_, front.command.sequence, 0, {}, front.problem};
    for (const auto& [rank, done] : front.done) {
      outcome.total += done.status;
      outcome.pieces.insert(outcome.pieces.end(), done.pieces.begin(), done.pieces.end());
    }
    finished_ = front.command.sequence;
    canSeal_ = front.command.kind == CommandKind::kCheckpoint && outcome.problem.empty();
    pending_.pop_front();
    out_.emplace_back(std::move(outcome));
  }
}

void Leader::read(std::int32_t rank, const Failure& failure) {
  if (failure.generation != generation_ || state_ >= State::kEnding) return;
  if (failure.suspect < 0) return fail(rank, failure.reason);
  lostPeers_.emplace(rank, failure);
  // The culprit shows within the silence; who has lost process 0 leaves at once.
  const Milliseconds until =
      time_ + (failure.suspect == 0 ? limits_.graceMs : limits_.silenceMs + limits_.beatMs);
  graceUntil_ = std::min(graceUntil_.value_or(until), until);
}

void Leader::read(std::int32_t rank, const Bye&) {
  peers_[rank].saidBye = true;
  endIfAlone();
}

void Leader::handle(const Closed& closed) {
  refused_.erase(closed.link);
  const auto peer = peerOf(closed.link);
  if (peer == peers_.end()) return;
  if (state_ >= State::kEnding) {
    peer->second.saidBye = true;
    return endIfAlone();
  }
  if (state_ == State::kForming && generation_ == 1) {
    peers_.erase(peer);
    return;
  }
  peer->second.saidBye = true;  // the end need not wait for it
  // A member that has left because it lost a peer has said so before.
  if (lostPeers_.contains(peer->first)) return;
  if (const Milliseconds pause = clock_.pauseMs(limits_.silenceMs); pause > limits_.silenceMs)
    return fail(0, fmt::format("it was stopped for {} ms", pause));
  fail(peer->first, "its connection was closed");
}

// -- Time -------------------------------------------------------------------------------------

void Leader::handle(const Tick& tick) {
  wallMs_ = tick.wallMs;
  out_.emplace_back(Timer{now_ + limits_.beatMs});
  if (state_ == State::kEnding) {
    for (const auto& [rank, peer] : peers_)
      if (!peer.saidBye) send(peer.link, *verdict_);
    return endIfAlone();
  }
  if (state_ == State::kEnded) return;
  findSilent();
  if (graceUntil_ && time_ >= *graceUntil_) findCulprit();
  if (state_ >= State::kEnding) return;
  sendAll(Beat{generation_, finished_});
  repeatCommands();
}

void Leader::findSilent() {
  if (state_ == State::kForming && time_ > formBy_) {
    const auto late = missing();
    const std::string reason = fmt::format("did not come within {} ms; missing: {}", limits_.joinMs,
                                           fmt::join(late, ", "));
    return fail(late.front(), reason);
  }
  const auto oldest =
      std::ranges::min_element(peers_, {}, [](const auto& each) { return each.second.heard; });
  if (oldest != peers_.end() && time_ - oldest->second.heard > limits_.silenceMs) {
    const auto silent = std::ranges::count_if(peers_, [&](const auto& each) {
      return time_ - each.second.heard > limits_.silenceMs / 2;
    });
    if (state_ == State::kForming && generation_ == 1)
      peers_.erase(oldest);
    else if (silent > 1 && silent + 1 == static_cast<std::ptrdiff_t>(ranks_.size()))
      fail(0, fmt::format("it heard no other process for {} ms", limits_.silenceMs));
    else
      fail(oldest->first, fmt::format("nothing was heard of it for {} ms", limits_.silenceMs));
    return;
  }
  if (pending_.empty() || time_ - pending_.front().at <= limits_.commandMs) return;
  for (const std::int32_t rank : ranks_)
    if (!pending_.front().done.contains(rank))
      return fail(rank, fmt::format("command {} was not done within {} ms",
                                    pending_.front().command.sequence, limits_.commandMs));
}

void Leader::repeatCommands() {
  for (const auto& [rank, peer] : peers_)
    for (const Pending& pending : pending_)
      if (pending.command.sequence > peer.received && time_ - pending.at >= limits_.beatMs)
        send(peer.link, pending.command);
}

// -- Failure ----------------------------------------------------------------------------------

// A member that lost a peer may have lost one that stopped because it had lost another one: the
// chain of suspects ends with who has lost nobody. A member that lost process 0 is cut off itself,
// unless process 0 was stopped.
void Leader::findCulprit() {
  const std::int32_t reporter = lostPeers_.begin()->first;
  std::int32_t rank = reporter;
  for (std::size_t i = 0; i < lostPeers_.size() && lostPeers_.contains(rank); ++i)
    rank = lostPeers_.at(rank).suspect;
  const std::string& reason = lostPeers_.at(reporter).reason;
  const Milliseconds pause = clock_.pauseMs(limits_.silenceMs);
  if (rank == 0 && pause > limits_.silenceMs / 2)
    fail(0, fmt::format("it was stopped for {} ms", pause));
  else if (rank == 0 || std::ranges::find(ranks_, rank) == ranks_.end())
    fail(reporter, reason);
  else
    fail(rank, fmt::format("{} says: {}", nameOf(reporter, hostOf(reporter)), reason));
}

void Leader::fail(std::int32_t rank, std::string reason) {
  if (state_ >= State::kEnding || held_ || std::ranges::find(ranks_, rank) == ranks_.end()) return;
  Verdict verdict{generation_, Ending::kRestart, rank, hostOf(rank), std::move(reason)};
  if (disk_.empty())
    judge(std::move(verdict));
  else
    held_ = std::move(verdict);
}

void Leader::judge(Verdict verdict) {
  while (!restarts_.empty() && time_ - restarts_.front() > limits_.restartWindowMs)
    restarts_.pop_front();
  const bool isSpent = static_cast<int>(restarts_.size()) >= limits_.maxRestarts;
  const bool hasBegun = generation_ > 1 || state_ == State::kRunning;
  if (verdict.rank != 0 && hasBegun && !isSpent) {
    verdict_ = verdict;
    return restartWithout(verdict.rank);
  }
  if (verdict.rank != 0 && hasBegun && limits_.maxRestarts > 0)
    verdict.reason += fmt::format("; {} restarts within {} s are the most", limits_.maxRestarts,
                                  limits_.restartWindowMs / 1000);
  verdict.ending = Ending::kFailed;
  end(std::move(verdict));
}

void Leader::restartWithout(std::int32_t rank) {
  restarts_.push_back(time_);
  if (const auto peer = peers_.find(rank); peer != peers_.end()) {
    refuse(peer->second.link, rank, hostOf(rank), verdict_->reason);
    peers_.erase(peer);
  }
  std::erase(ranks_, rank);
  ++generation_;
  state_ = State::kForming;
  formBy_ = time_ + limits_.joinMs;
  issued_ = finished_ = 0;
  pending_.clear();
  canSeal_ = false;
  lostPeers_.clear();
  graceUntil_.reset();
  for (auto& [other, peer] : peers_) {
    peer.isReady = false;
    peer.received = 0;
  }
  out_.emplace_back(*verdict_);
  sendAll(*verdict_);
}

void Leader::end(Verdict verdict) {
  verdict_ = std::move(verdict);
  state_ = State::kEnding;
  endBy_ = time_ + limits_.silenceMs;
  // A process that was silent for two beats and half the limit is not waited for as long again.
  for (auto& [rank, peer] : peers_)
    if (time_ - peer.heard > std::max(limits_.silenceMs / 2, 2 * limits_.beatMs))
      peer.saidBye = true;
  out_.emplace_back(*verdict_);
  sendAll(*verdict_);
}

void Leader::endIfAlone() {
  if (state_ != State::kEnding) return;
  const bool isAlone =
      std::ranges::all_of(peers_, [](const auto& each) { return each.second.saidBye; });
  if (!isAlone && time_ < endBy_) return;
  state_ = State::kEnded;
  out_.emplace_back(Ended{});
}

// -- The engine of process 0 ------------------------------------------------------------------

void Leader::handle(const Planned& planned) {
  if (planned.generation != generation_ || state_ != State::kPlanning) return;
  begin_ = {generation_, ranks_, {}, planned.plan, planned.checkpoint};
  for (const std::int32_t rank : ranks_) begin_.hosts.push_back(hostOf(rank));
  state_ = State::kRunning;
  sendAll(begin_);
}

// A decision may follow from the total of a command, so nothing but a step is sent before the total
// of the command ahead is there, and a step only if that command is one, too.
void Leader::handle(const Issue& issue) {
  if (issue.generation != generation_ || state_ != State::kRunning) return;
  const bool isAhead = !pending_.empty();
  if (isAhead && (issue.kind != CommandKind::kStep || pending_.size() > 1 ||
                  pending_.back().command.kind != CommandKind::kStep))
    throw InvalidArgument("launch: only one step is sent ahead, and only behind a step");
  if (!disk_.empty()) throw InvalidArgument("launch: no command is sent during a commit");
  canSeal_ = false;
  const Command command{generation_, ++issued_, issue.kind, issue.arguments, issue.inputHash};
  pending_.push_back({command, time_, {}, {}});
  sendAll(command);
}

// The rename is the commit. Before it, all that the new name will hold is durable.
void Leader::handle(const Seal& seal) {
  using Kind = DiskOp::Kind;
  if (seal.generation != generation_ || state_ != State::kRunning) return;
  if (!canSeal_) throw InvalidArgument("launch: only a checkpoint that all have written is sealed");
  canSeal_ = false;
  const std::filesystem::path manifest = seal.temporary / seal.manifestName;
  disk_ = {{Kind::kWriteFile, manifest, seal.manifest},
           {Kind::kSyncFile, manifest, {}},
           {Kind::kSyncFolder, seal.temporary, {}},
           {Kind::kRename, seal.temporary, {}, seal.committed},
           {Kind::kSyncFolder, seal.committed.parent_path(), {}}};
  out_.emplace_back(Write{disk_.front()});
}

void Leader::handle(const DiskDone& done) {
  if (disk_.empty()) return;
  if (done.problem.empty())
    disk_.pop_front();
  else
    disk_.clear();
  if (!disk_.empty()) {
    out_.emplace_back(Write{disk_.front()});
    return;
  }
  out_.emplace_back(Sealed{generation_, done.problem});
  if (held_) judge(*std::exchange(held_, std::nullopt));
}

void Leader::handle(const EndRun& run) {
  if (state_ >= State::kEnding) return;
  const bool isWell = run.problem.empty();
  end({generation_, isWell ? Ending::kFinished : Ending::kFailed, isWell ? -1 : run.rank,
       isWell ? "" : hostOf(run.rank), run.problem});
}

}  // namespace parapet::launch
