// SPDX-License-Identifier: Apache-2.0
#include "tests/launch/simulated_world.h"

#include <utility>

#include "engine/base/hash.h"

namespace parapet::launch::test {
namespace {

constexpr Milliseconds kLingerMs = 2 * kLimits.silenceMs;

std::string temporaryName(std::uint64_t step, std::uint64_t generation) {
  return fmt::format("{}/ckpt-{}.g{}.tmp", SimulatedDisk::kRoot, step, generation);
}
std::string committedName(std::uint64_t step) {
  return fmt::format("{}/ckpt-{}", SimulatedDisk::kRoot, step);
}
std::uint64_t stepOf(const std::string& folder) {
  return std::strtoull(folder.c_str() + folder.find('-') + 1, nullptr, 10);
}
std::string hostNamed(int rank) {
  return fmt::format("node{}", rank);
}

}  // namespace

const std::vector<ToyState>& reference() {
  static const std::vector<ToyState> states = referenceRun(kPlan);
  return states;
}

bool isCommitted(const std::string& folder) {
  return folder.find('.') == std::string::npos;
}

Process* World::current(int rank) {
  for (auto each = all_.rbegin(); each != all_.rend(); ++each)
    if ((*each)->rank == rank && (*each)->isUp) return each->get();
  return nullptr;
}

Process& World::start(int rank) {
  const int link = static_cast<int>(all_.size());
  Join self{1, rank, scenario_.processes, hostNamed(rank), 0, {{"build", "1"}}};
  all_.push_back(
      std::make_unique<Process>(Process{link, rank, true, false, 0, {kLimits, self}, {}}));
  Process& process = *all_.back();
  process.clockOffset = draws_.between(0, 1'000'000);
  if (rank == 0) {
    process.leader.emplace(kLimits, scenario_.processes);
    at(0, link, [this, &process] { feedLeader(process, Tick{now_}); });
  }
  at(draws_.between(0, 50), link, [this, &process] {
    feed(process, Tick{now_});
    feed(process, Idle{});
  });
  return process;
}

void World::run() {
  for (int rank = 0; rank < scenario_.processes; ++rank) start(rank);
  for (const Fault& fault : scenario_.faults)
    if (fault.atDiskOp < 0) at(fault.atMs, -1, [this, &fault] { inject(fault); });
  while (!events_.empty() && report_.violation.empty()) {
    Event event = events_.top();
    events_.pop();
    now_ = event.at;
    if (now_ > kBoundMs)
      return violate(fmt::format("the run hangs: not over after {} ms", kBoundMs));
    if (event.link >= 0) {
      Process& process = *all_[static_cast<std::size_t>(event.link)];
      if (!process.isUp) continue;
      if (process.isStopped) {
        process.whileStopped.push_back(std::move(event.action));
        continue;
      }
    }
    event.action();
  }
}

// -- Machines ---------------------------------------------------------------------------------

void World::feed(Process& process, const MemberInput& input) {
  if (!process.isUp) return;
  carryOut(process, false, std::holds_alternative<Tick>(input),
           process.member.on(now_ + process.clockOffset, input));
}

void World::feedLeader(Process& process, const LeaderInput& input) {
  if (!process.isUp) return;
  if (breaks(Mutation::kNeverSilent) && std::holds_alternative<Tick>(input))
    for (const auto& other : all_)
      if (other->link != process.link)
        (void)process.leader->on(now_ + process.clockOffset,
                                 Received{other->link, Beat{other->begin.generation, 0}});
  carryOut(process, true, std::holds_alternative<Tick>(input),
           process.leader->on(now_ + process.clockOffset, input));
}

void World::carryOut(Process& process, bool isLeader, bool isTick, std::vector<Output> outputs) {
  for (Output& output : outputs) {
    if (auto* message = std::get_if<Send>(&output)) {
      send(process, isLeader, isTick, *message);
    } else if (auto* write = std::get_if<Write>(&output)) {
      writeDisk(process, isLeader, write->op);
    } else if (auto* timer = std::get_if<Timer>(&output)) {
      setTimer(process, isLeader, timer->atMs);
    } else if (auto* begin = std::get_if<Begin>(&output)) {
      loadPiece(process, *begin);
    } else if (auto* command = std::get_if<Command>(&output)) {
      work(process, *command);
    } else if (auto* verdict = std::get_if<Verdict>(&output)) {
      trace("rank {}{}: {}", process.rank, isLeader ? " decides" : "", verdict->text());
      if (isLeader) {
        process.isRunning = false;
        if (verdict->ending == Ending::kRestart) ++report_.restarts;
        if (verdict->ending == Ending::kFinished) report_.isFinished = true;
      }
      stopWork(process, *verdict);
    } else if (auto* formed = std::get_if<Formed>(&output)) {
      at(0, process.link, [this, &process, value = *formed] { plan(process, value); });
    } else if (auto* outcome = std::get_if<Outcome>(&output)) {
      finishCommand(process, *outcome);
    } else if (auto* seal = std::get_if<Sealed>(&output)) {
      trace("checkpoint {}: {}", process.checkpointStep,
            seal->problem.empty() ? "committed" : seal->problem);
      if (seal->problem.empty()) {
        ++report_.commits;
        const auto state = readFolder(committedName(process.checkpointStep));
        if (!state && !scenario_.mayLoseSyncs)
          violate("a checkpoint that was just committed cannot be read");
        if (state && state->words != reference()[process.checkpointStep].words)
          violate(fmt::format("checkpoint {} has other bits", process.checkpointStep));
      } else if (!hasFault(FaultKind::kFullDisk)) {
        violate("a commit fails without a full disk: " + seal->problem);
      }
      process.isWaiting = false;
      at(0, process.link, [this, &process] { train(process); });
    } else if (std::holds_alternative<Ended>(output)) {
      if (isLeader)
        exit(process);
      else if (process.rank != 0)
        at(kLingerMs, process.link, [this, &process] { exit(process); });
    }
  }
}

void World::setTimer(Process& process, bool isLeader, Milliseconds clockMs) {
  const Milliseconds delay = std::max<Milliseconds>(clockMs - process.clockOffset - now_, 0);
  at(delay, process.link, [this, &process, isLeader] {
    isLeader ? feedLeader(process, Tick{now_}) : feed(process, Tick{now_});
  });
}

void World::send(Process& from, bool isLeader, bool isTick, const Send& send) {
  Process* to = isLeader ? all_[static_cast<std::size_t>(send.link)].get() : current(0);
  if (!to) return;
  Message message = send.message;
  const bool mayRepeat =
      std::holds_alternative<Command>(message) || std::holds_alternative<Done>(message);
  if (breaks(Mutation::kNoRepeat) && isTick && mayRepeat) return;
  if (auto* failure = std::get_if<Failure>(&message); failure && breaks(Mutation::kBlameReporter))
    failure->suspect = -1;
  Milliseconds delay = 0;
  if (from.rank != to->rank) {
    const auto isCut = [&](int rank) {
      return cutUntil_.contains(rank) && cutUntil_.at(rank) > now_;
    };
    if (isCut(from.rank) || isCut(to->rank)) return;
    if (draws_.below(1000) < static_cast<std::uint64_t>(scenario_.dropPermille)) return;
    delay = draws_.between(0, scenario_.maxDelayMs * (draws_.chance(1) ? 40 : 1));
  }
  at(delay, to->link,
     [this, to, link = from.link, message = std::move(message)] { arrive(*to, link, message); });
}

void World::arrive(Process& to, int from, Message message) {
  // The loopback of process 0 carries both ways; each message has one direction.
  const bool isForLeader = to.leader && (from != to.link || std::holds_alternative<Join>(message) ||
                                         std::holds_alternative<Done>(message) ||
                                         std::holds_alternative<Failure>(message) ||
                                         std::holds_alternative<Bye>(message));
  if (auto* done = std::get_if<Done>(&message); done && breaks(Mutation::kAnyGeneration))
    done->generation = to.generation;
  if (!isForLeader || std::holds_alternative<Beat>(message)) {
    if (auto* command = std::get_if<Command>(&message);
        command && breaks(Mutation::kRunTwice) && command->generation == to.begin.generation &&
        command->sequence <= to.lastSequence)
      to.state.advance(parseStepArguments(command->arguments).decision);
    if (!to.leader || from == to.link) feed(to, Received{0, message});
  }
  if (isForLeader || (to.leader && std::holds_alternative<Beat>(message)))
    feedLeader(to, Received{from, message});
}

// -- Disk -------------------------------------------------------------------------------------

std::string World::apply(int host, const DiskOp& op) {
  switch (op.kind) {
    case DiskOp::Kind::kWriteFile: {
      if (!breaks(Mutation::kRenameBeforeSync)) return disk_.write(host, op.path, op.content);
      const std::string problem = disk_.write(host, op.path, op.content);
      const std::string folder = op.path.parent_path().string();
      return problem.empty() ? disk_.rename(host, folder, committedName(stepOf(folder))) : problem;
    }
    case DiskOp::Kind::kSyncFile: {
      if (breaks(Mutation::kNoSync)) return {};
      const std::string folder = op.path.parent_path().string();
      if (breaks(Mutation::kRenameBeforeSync) && op.path.filename() == kManifestName)
        return disk_.syncFile(host,
                              std::filesystem::path(committedName(stepOf(folder))) / kManifestName);
      return disk_.syncFile(host, op.path);
    }
    case DiskOp::Kind::kSyncFolder:
      if (breaks(Mutation::kNoSync)) return {};
      if (breaks(Mutation::kRenameBeforeSync) && !disk_.folders().contains(op.path.string()) &&
          op.path != SimulatedDisk::kRoot)
        return disk_.syncFolder(host, committedName(stepOf(op.path.string())));
      return disk_.syncFolder(host, op.path.string());
    case DiskOp::Kind::kRename:
      if (breaks(Mutation::kRenameBeforeSync)) return {};
      return disk_.rename(host, op.path.string(), op.target.string());
  }
  return "unknown operation";
}

void World::writeDisk(Process& process, bool isLeader, DiskOp op) {
  for (const Fault& fault : scenario_.faults)
    if (fault.rank == process.rank && fault.atDiskOp == process.diskOps)
      at(0, -1, [this, &fault] { inject(fault); });
  ++process.diskOps;
  const int work = process.work;
  const int host = process.rank;
  at(draws_.between(0, 5), process.link, [this, &process, isLeader, host, work, op] {
    const std::string problem = apply(host, op);
    trace("rank {}: disk operation {} on {}{}", process.rank, static_cast<int>(op.kind),
          op.path.string(), problem.empty() ? "" : ": " + problem);
    if (isLeader)
      feedLeader(process, DiskDone{problem});
    else if (work == process.work)
      feed(process, DiskDone{problem});
  });
}

std::optional<ToyState> World::readFolder(const std::string& folder) const {
  return readCheckpoint([&](const std::string& file) { return disk_.read(folder, file); });
}

// -- Engine of every process ------------------------------------------------------------------

void World::loadPiece(Process& process, const Begin& begin) {
  hasBegun_ = true;
  const auto index = static_cast<std::uint64_t>(std::ranges::find(begin.ranks, process.rank) -
                                                begin.ranks.begin());
  const auto count = static_cast<std::uint64_t>(begin.ranks.size());
  const bool isKept = breaks(Mutation::kKeepState) && !process.state.words.empty();
  process.begin = begin;
  process.lastSequence = 0;
  process.hasFailed = false;
  if (begin.plan != fmt::format("{} processes", count)) violate("a member has another plan");
  if (isKept) return;
  process.state = ToyState::begin(index, count);
  if (begin.checkpoint.empty()) return;
  const auto whole = readFolder(begin.checkpoint);
  if (!whole) {
    // Read by process 0 a moment ago: only a power that fails in between takes it away.
    feed(process, WorkFailed{begin.generation, "cannot read " + begin.checkpoint, -1});
    return;
  }
  const auto first = static_cast<std::ptrdiff_t>(process.state.first);
  const auto size = static_cast<std::ptrdiff_t>(process.state.words.size());
  process.state.step = whole->step;
  process.state.words.assign(whole->words.begin() + first, whole->words.begin() + first + size);
}

void World::work(Process& process, const Command& command) {
  process.lastSequence = command.sequence;
  const int work = process.work;
  at(draws_.between(1, 20), process.link, [this, &process, work, command] {
    if (work == process.work) finishWork(process, command);
  });
}

/// A peer of the generation that an exchange of this moment would fail with.
std::optional<int> World::lostPeerOf(const Process& process) {
  std::vector<int> lost;
  for (const std::int32_t rank : process.begin.ranks) {
    const Process* const peer = current(rank);
    if (rank != process.rank && (!peer || peer->hasFailed)) lost.push_back(rank);
  }
  if (lost.empty() || draws_.chance(50)) return std::nullopt;
  return lost[draws_.below(lost.size())];
}

void World::finishWork(Process& process, const Command& command) {
  const std::uint64_t generation = command.generation;
  if (process.isFaulty) {
    process.hasFailed = true;
    process.isFaulty = false;
    return feed(process, WorkFailed{generation, "the device has failed", -1});
  }
  if (const auto lost = lostPeerOf(process)) {
    process.hasFailed = true;
    return feed(process, WorkFailed{generation, "lost a peer", *lost});
  }
  ToyState& state = process.state;
  Worked worked{generation, command.sequence, 0, {}, {}, {}};
  if (command.kind == CommandKind::kStep) {
    const StepArguments step = parseStepArguments(command.arguments);
    if (command.inputHash != mixed(state.step + 1) && !breaks(Mutation::kRunTwice) &&
        !breaks(Mutation::kKeepState))
      violate(fmt::format("rank {} is at step {}, the command is of step {}", process.rank,
                          state.step, step.step));
    state.advance(step.decision);
  } else if (command.kind == CommandKind::kCheckpoint) {
    const std::string text = state.text();
    const std::string name = fmt::format("piece-{:03}", state.first);
    const std::filesystem::path file = std::filesystem::path(command.arguments) / name;
    worked.folder = command.arguments;
    worked.pieces = {{name, text.size(), hashHex(text)}};
    if (breaks(Mutation::kAcknowledgeBeforeWrite)) {
      (void)disk_.write(process.rank, file, "");
      at(draws_.between(0, 40), process.link, [this, &process, file, text] {
        std::filesystem::path path = file;
        if (!disk_.folders().contains(path.parent_path().string()))
          path = std::filesystem::path(committedName(stepOf(path.parent_path().string()))) /
                 path.filename();
        (void)disk_.write(process.rank, path, text);
      });
    } else {
      worked.problem = disk_.write(process.rank, file, text);
    }
  }
  worked.status = state.sum();
  feed(process, worked);
}

void World::stopWork(Process& process, const Verdict& verdict) {
  process.verdict = verdict;
  process.hasFailed = false;
  if (verdict.ending != Ending::kRestart) {
    if (!process.end) process.end = verdict;
    ++process.work;
    return;
  }
  ++process.work;
  at(draws_.between(0, 30), process.link, [this, &process, work = process.work] {
    if (work == process.work) feed(process, Idle{});
  });
}

// -- Trainer of process 0 ---------------------------------------------------------------------

void World::plan(Process& process, const Formed& formed) {
  trace("generation {} of {} processes", formed.generation, formed.ranks.size());
  process.generation = formed.generation;
  std::string newest;
  std::uint64_t step = 0;
  for (const std::string& folder : disk_.folders()) {
    if (!isCommitted(folder)) {
      if (breaks(Mutation::kUncommitted) && stepOf(folder) > step && readFolder(folder))
        newest = folder, step = stepOf(folder);
      if (breaks(Mutation::kUncommitted) && stepOf(folder) > step && !readFolder(folder))
        violate("a restart takes a checkpoint that cannot be read");
      continue;
    }
    const auto state = readFolder(folder);
    if (!state && !scenario_.mayLoseSyncs) violate(folder + " is committed and cannot be read");
    if (!state) (void)disk_.rename(process.rank, folder, folder + ".bad");
    if (state && state->words != reference()[stepOf(folder)].words)
      violate(folder + " has other bits");
    if (state && stepOf(folder) >= step) newest = folder, step = stepOf(folder);
  }
  const auto state = newest.empty() ? std::nullopt : readFolder(newest);
  process.issued = process.done = step;
  process.decision = state ? state->decided : 0;
  process.todo.clear();
  process.isWaiting = false;
  process.isRunning = true;
  feedLeader(process,
             Planned{formed.generation, fmt::format("{} processes", formed.ranks.size()), newest});
  if (step == kPlan.steps) return feedLeader(process, EndRun{});
  train(process);
}

void World::train(Process& process) {
  if (!process.isRunning || process.isWaiting) return;
  if (!process.todo.empty()) {
    const CommandKind kind = process.todo.front();
    process.todo.pop_front();
    process.isWaiting = true;
    std::string arguments;
    if (kind == CommandKind::kCheckpoint) {
      process.checkpointStep = process.done;
      arguments = temporaryName(process.done, process.generation);
      if (disk_.folders().contains(committedName(process.done)))
        violate("a checkpoint is made twice");
      (void)disk_.makeFolder(0, arguments);
    }
    return feedLeader(process, Issue{process.generation, kind, arguments, 0});
  }
  if (process.done == kPlan.steps) {
    process.isRunning = false;
    return feedLeader(process, EndRun{});
  }
  while (process.isRunning && process.issued < kPlan.steps && process.issued < process.done + 2 &&
         (process.issued == process.done || kPlan.after(process.issued).empty())) {
    ++process.issued;
    feedLeader(process,
               Issue{process.generation, CommandKind::kStep,
                     stepArguments(process.issued, process.decision), mixed(process.issued)});
  }
}

void World::finishCommand(Process& process, const Outcome& outcome) {
  if (!process.isRunning) return;
  const auto next = [this, &process] { at(0, process.link, [this, &process] { train(process); }); };
  if (!process.isWaiting) {
    ++process.done;
    if (outcome.total != reference()[process.done].sum())
      violate(fmt::format("the total of step {} has other bits", process.done));
    const auto kinds = kPlan.after(process.done);
    process.todo.assign(kinds.begin(), kinds.end());
    return next();
  }
  if (outcome.total != reference()[process.done].sum() && outcome.problem.empty())
    violate(fmt::format("the total behind step {} has other bits", process.done));
  if (outcome.pieces.empty() && outcome.problem.empty()) {
    process.decision = outcome.total;
  } else if (outcome.problem.empty()) {
    return feedLeader(process,
                      Seal{process.generation, temporaryName(process.done, process.generation),
                           committedName(process.done), kManifestName,
                           manifestOf(process.done, process.decision, outcome.pieces)});
  } else {
    trace("checkpoint {}: {}", process.done, outcome.problem);
    const bool isKnown = std::ranges::any_of(scenario_.faults, [&](const Fault& fault) {
      return fault.kind == FaultKind::kFullDisk &&
             (outcome.problem.starts_with(nameOf(fault.rank, hostNamed(fault.rank))) ||
              fault.rank == 0);
    });
    if (!isKnown) violate("the checkpoint fails without a full disk: " + outcome.problem);
  }
  process.isWaiting = false;
  next();
}

// -- Faults -----------------------------------------------------------------------------------

void World::inject(const Fault& fault) {
  Process* const process = current(fault.rank);
  if (!process) return;
  trace("FAULT {}", fault.text());
  switch (fault.kind) {
    case FaultKind::kKill:
      return die(*process, false);
    case FaultKind::kPower:
      return die(*process, true);
    case FaultKind::kStartAgain:
      die(*process, false);
      if (fault.rank != 0) at(fault.durationMs, -1, [this, rank = fault.rank] { start(rank); });
      return;
    case FaultKind::kStop:
      process->isStopped = true;
      at(fault.durationMs, -1, [process] {
        process->isStopped = false;
        auto late = std::exchange(process->whileStopped, {});
        for (auto& action : late)
          if (process->isUp) action();
      });
      return;
    case FaultKind::kPartition:
      cutUntil_[fault.rank] = now_ + fault.durationMs;
      return;
    case FaultKind::kFullDisk:
      disk_.setFull(fault.rank, true);
      at(fault.durationMs / 10, -1, [this, rank = fault.rank] { disk_.setFull(rank, false); });
      return;
    case FaultKind::kLostSync:
      disk_.setLying(fault.rank, true);
      at(draws_.between(100, 500), -1, [this, rank = fault.rank] {
        disk_.setLying(rank, false);
        if (Process* const one = current(rank)) die(*one, true);
      });
      return;
    case FaultKind::kClockJump:
      process->clockOffset += fault.durationMs;
      return;
    case FaultKind::kEngineFault:
      process->isFaulty = true;
      return;
  }
}

void World::die(Process& process, bool losesPower) {
  process.isUp = false;
  if (losesPower)
    disk_.losePower(process.rank);
  else
    tellOthers(process);
}

void World::exit(Process& process) {
  trace("rank {} exits", process.rank);
  process.isUp = false;
  tellOthers(process);
}

// The kernel closes the connections behind all that was sent.
void World::tellOthers(const Process& process) {
  if (draws_.chance(30) && process.rank != 0 && !process.end) return;  // the notice is lost
  const Milliseconds delay = scenario_.maxDelayMs + 1;
  for (const auto& other : all_) {
    if (!other->isUp || (process.rank != 0 && !other->leader)) continue;
    at(delay, other->link, [this, to = other.get(), link = process.link, rank = process.rank] {
      if (rank == 0 && to->rank != 0)
        feed(*to, Closed{0});
      else if (to->leader)
        feedLeader(*to, Closed{link});
    });
  }
}

}  // namespace parapet::launch::test
