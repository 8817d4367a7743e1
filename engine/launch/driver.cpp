// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/driver.h"

#include "engine/launch/process.h"

namespace parapet::launch {
namespace {

Worked workedOf(const Command& command, const Work& work) {
  return {command.generation, command.sequence, work.status,
          work.pieces,        work.folder,      work.problem};
}

void answerCommand(Process& process, const Command& command, const WorkResult& result) {
  if (const auto* work = std::get_if<Work>(&result)) {
    process.feed(workedOf(command, *work));
  } else {
    const auto& lost = std::get<WorkLost>(result);
    process.feed(WorkFailed{command.generation, lost.reason, lost.suspect});
  }
}

void checkRank(const Settings& settings, bool isLeader) {
  if ((settings.rank == 0) != isLeader || settings.rank < 0 || settings.rank >= settings.processes)
    throw InvalidArgument("launch: the rank is not one of this role");
}

Result<Secret> secretOf(const Settings& settings) {
  return settings.secret.empty() ? readSecret(settings.secretFile)
                                 : parseSecret(settings.secret, "what was given");
}

}  // namespace

Status Store::set(const std::string& key, const std::string& value) {
  return process_.set(key, value);
}

Result<std::string> Store::get(const std::string& key, Milliseconds timeoutMs) {
  return process_.get(key, timeoutMs);
}

// -- Process 0 --------------------------------------------------------------------------------

Driver::Driver(std::unique_ptr<Process> process) : process_(std::move(process)) {}
Driver::~Driver() {
  if (process_) (void)finish("process 0 left without an end of the run");
}

Result<std::unique_ptr<Driver>> Driver::start(Settings settings) {
  checkRank(settings, true);
  PARAPET_ASSIGN(const Secret secret, secretOf(settings));
  PARAPET_ASSIGN(auto endpoint, Endpoint::listen(settings.address, settings.port, secret));
  return std::unique_ptr<Driver>(
      new Driver(std::make_unique<Process>(std::move(settings), std::move(endpoint))));
}

std::uint16_t Driver::port() const {
  return process_->port();
}

Result<Formed> Driver::form() {
  process_->feed(Idle{});
  while (const auto given = process_->next()) {
    if (const auto* formed = std::get_if<Formed>(&given->output)) {
      generation_ = formed->generation;
      return *formed;
    }
    if (const auto* verdict = std::get_if<Verdict>(&given->output)) {
      if (verdict->ending != Ending::kRestart) break;
      process_->feed(Idle{});
    }
  }
  Error error = process_->lastError();
  error.message += process_->turnedAway();
  return error;
}

std::string Driver::waiting() const {
  const std::string missing = process_->waiting();
  return missing.empty() ? missing : missing + process_->turnedAway();
}

Status Driver::begin(const std::string& plan, const std::string& checkpoint) {
  process_->feedLeader(Planned{generation_, plan, checkpoint});
  while (const auto given = process_->next()) {
    if (std::holds_alternative<Begin>(given->output)) return {};
    if (std::holds_alternative<Verdict>(given->output)) break;
  }
  return process_->lastError();
}

void Driver::issue(CommandKind kind, const std::string& arguments, std::uint64_t inputHash) {
  process_->feedLeader(Issue{generation_, kind, arguments, inputHash});
}

Result<Outcome> Driver::complete(const Own& own) {
  while (const auto given = process_->next()) {
    if (const auto* command = std::get_if<Command>(&given->output))
      answerCommand(*process_, *command, own(*command));
    else if (const auto* outcome = std::get_if<Outcome>(&given->output))
      return *outcome;
    else if (std::holds_alternative<Verdict>(given->output))
      break;
  }
  return process_->lastError();
}

Status Driver::commit(const std::filesystem::path& temporary,
                      const std::filesystem::path& committed, const std::string& manifestName,
                      const std::string& manifest) {
  process_->feedLeader(Seal{generation_, temporary, committed, manifestName, manifest});
  while (const auto given = process_->next()) {
    if (const auto* seal = std::get_if<Sealed>(&given->output)) {
      if (seal->problem.empty()) return {};
      return Error{ErrorCode::kIo, seal->problem};
    }
    if (std::holds_alternative<Verdict>(given->output)) break;
  }
  return process_->lastError();
}

void Driver::cancel(const std::string& reason, int rank) {
  process_->feedLeader(EndRun{reason, rank});
}

Status Driver::finish(const std::string& problem) {
  process_->feedLeader(EndRun{problem});
  while (process_->next()) {
  }
  if (problem.empty() && !process_->isFinished()) return process_->lastError();
  return {};
}

// -- The others -------------------------------------------------------------------------------

Follower::Follower(std::unique_ptr<Process> process) : process_(std::move(process)) {}
Follower::~Follower() = default;

Result<std::unique_ptr<Follower>> Follower::start(Settings settings) {
  checkRank(settings, false);
  PARAPET_ASSIGN(const Secret secret, secretOf(settings));
  PARAPET_ASSIGN(auto endpoint, Endpoint::connect(settings.address, settings.port, secret,
                                                  settings.limits.joinMs));
  return std::unique_ptr<Follower>(
      new Follower(std::make_unique<Process>(std::move(settings), std::move(endpoint))));
}

const std::string& Follower::localAddress() const {
  return process_->localAddress();
}

Result<Follower::Order> Follower::next() {
  if (!command_) process_->feed(Idle{});
  while (auto given = process_->next()) {
    if (auto* begin = std::get_if<Begin>(&given->output)) {
      generation_ = begin->generation;
      return Order(std::move(*begin));
    }
    if (auto* command = std::get_if<Command>(&given->output)) {
      command_ = *command;
      return Order(std::move(*command));
    }
    if (auto* verdict = std::get_if<Verdict>(&given->output)) {
      if (verdict->ending == Ending::kFinished) return Order(std::move(*verdict));
      if (verdict->ending == Ending::kFailed) return process_->lastError();
      command_.reset();
      process_->feed(Idle{});
    }
  }
  return process_->lastError();
}

void Follower::done(const WorkResult& result) {
  const auto* const lost = std::get_if<WorkLost>(&result);
  if (command_)
    answerCommand(*process_, *command_, result);
  else if (lost)
    process_->feed(WorkFailed{generation_, lost->reason, lost->suspect});
  command_.reset();
}

}  // namespace parapet::launch
