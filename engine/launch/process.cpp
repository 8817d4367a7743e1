// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

#include "engine/base/clock.h"
#include "engine/base/files.h"
#include "engine/base/threads.h"

namespace parapet::launch {
namespace {

std::string hostName() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown host";
}

Join joinOf(const Settings& settings) {
  return {1, settings.rank, settings.processes, settings.host.empty() ? hostName() : settings.host,
          0, settings.facts};
}

Status writeWhole(const std::filesystem::path& path, const std::string& content) {
  PARAPET_ASSIGN(FileWriter writer, FileWriter::create(path));
  PARAPET_TRY(writer.write(content));
  return writer.finish();
}

Status applyOp(const DiskOp& op) {
  switch (op.kind) {
    case DiskOp::Kind::kWriteFile:
      return writeWhole(op.path, op.content);
    case DiskOp::Kind::kSyncFile:
      return syncFile(op.path);
    case DiskOp::Kind::kSyncFolder:
      return syncFolder(op.path);
    case DiskOp::Kind::kRename:
      if (std::rename(op.path.c_str(), op.target.c_str()) != 0)
        return ioError("commit", op.target, errno);
      return {};
  }
  throw InternalError("launch: unknown operation of a disk");
}

}  // namespace

Process::Process(Settings settings, std::unique_ptr<Endpoint> endpoint)
    : settings_(std::move(settings)),
      endpoint_(std::move(endpoint)),
      member_(settings_.limits, joinOf(settings_)) {
  if (settings_.rank == 0) leader_.emplace(settings_.limits, settings_.processes);
  {
    const std::lock_guard lock(mutex_);
    tick(steadyMs());
  }
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

Process::~Process() {
  thread_.request_stop();
  endpoint_->wake();
  if (thread_.joinable()) thread_.join();
}

void Process::run(const std::stop_token& stop) {
  const ThreadName name("launch");
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    auto waits = endpoint_->waits();
    const Milliseconds tickMs = leader_ ? std::min(memberTickMs_, leaderTickMs_) : memberTickMs_;
    const int wait = endpoint_->waitMs(steadyMs(), std::max<Milliseconds>(tickMs - steadyMs(), 0));
    lock.unlock();
    ::poll(waits.data(), waits.size(), wait);
    lock.lock();
    for (const Endpoint::Event& event : endpoint_->handle(waits, steadyMs())) receive(event);
    tick(steadyMs());
    callStop(lock);
  }
  endpoint_->flush(200);
}

void Process::callStop(std::unique_lock<std::mutex>& lock) {
  const auto stops = std::exchange(stops_, {});
  if (stops.empty() || !settings_.onStop) return;
  lock.unlock();
  for (const Verdict& verdict : stops) settings_.onStop(verdict);
  lock.lock();
}

void Process::tick(Milliseconds now) {
  const Tick tick{wallClockMs()};
  if (leader_ && now >= leaderTickMs_) carryOut(leader_->on(now, tick), true);
  if (now >= memberTickMs_) carryOut(member_.on(now, tick), false);
}

void Process::receive(const Endpoint::Event& event) {
  if (!event.message) {
    leader_ ? carryOut(leader_->on(steadyMs(), Closed{event.link}), true)
            : carryOut(member_.on(steadyMs(), Closed{0}), false);
  } else if (const auto* value = std::get_if<Value>(&*event.message)) {
    if (const auto answer = answers_.find(value->question); answer != answers_.end())
      answer->second = *value;
    changed_.notify_all();
  } else if (leader_) {
    carryOut(leader_->on(steadyMs(), Received{event.link, *event.message}), true);
  } else {
    carryOut(member_.on(steadyMs(), Received{0, *event.message}), false);
  }
}

// Process 0 talks to itself over link 0, in order and without recursion.
void Process::carryOut(std::vector<Output> outputs, bool isLeader) {
  for (Output& output : outputs) {
    if (auto* send = std::get_if<Send>(&output)) {
      if (leader_ && send->link == 0)
        loopback_.push_back({isLeader ? 1 : 0, std::move(send->message)});
      else
        endpoint_->send(send->link, send->message);
    } else if (const auto* timer = std::get_if<Timer>(&output)) {
      (isLeader ? leaderTickMs_ : memberTickMs_) = timer->atMs;
    } else if (std::holds_alternative<Ended>(output)) {
      hasEnded_ = hasEnded_ || isLeader == leader_.has_value();
    } else if (const auto* verdict = std::get_if<Verdict>(&output)) {
      if (isLeader != leader_.has_value()) continue;  // process 0 hears it twice
      given_.clear();
      verdict_ = *verdict;
      stops_.push_back(*verdict);
      given_.push_back({*verdict, isLeader});
    } else {
      given_.push_back({std::move(output), isLeader});
    }
  }
  changed_.notify_all();
  if (isDelivering_) return;
  isDelivering_ = true;
  while (!loopback_.empty()) {
    const Send send = std::move(loopback_.front());
    loopback_.pop_front();
    if (send.link == 1)
      carryOut(member_.on(steadyMs(), Received{0, send.message}), false);
    else
      carryOut(leader_->on(steadyMs(), Received{0, send.message}), true);
  }
  isDelivering_ = false;
}

// -- The engine's thread ----------------------------------------------------------------------

void Process::feed(const MemberInput& input) {
  const std::lock_guard lock(mutex_);
  carryOut(member_.on(steadyMs(), input), false);
  endpoint_->wake();
}

void Process::feedLeader(const LeaderInput& input) {
  const std::lock_guard lock(mutex_);
  carryOut(leader_->on(steadyMs(), input), true);
  endpoint_->wake();
}

std::optional<Process::Given> Process::next() {
  for (;;) {
    std::unique_lock lock(mutex_);
    // The machines end every wait: they notice who is silent.
    changed_.wait(lock, [&] { return !given_.empty() || hasEnded_; });
    if (given_.empty()) return std::nullopt;
    Given given = std::move(given_.front());
    given_.pop_front();
    lock.unlock();
    const auto* const write = std::get_if<Write>(&given.output);
    if (!write) return given;
    const Status applied = applyOp(write->op);
    const DiskDone done{applied.ok() ? "" : applied.error().text()};
    given.isLeader ? feedLeader(done) : feed(done);
  }
}

std::string Process::waiting() const {
  const std::lock_guard lock(mutex_);
  return leader_ ? leader_->waiting() : "";
}

std::string Process::turnedAway() const {
  const std::lock_guard lock(mutex_);
  std::string text;
  for (const auto& [address, count] : endpoint_->wrongSecrets())
    text += fmt::format("{}{} ({})", text.empty() ? "; turned away for another secret: " : ", ",
                        address, count == 1 ? "once" : fmt::format("{} times", count));
  return text;
}

bool Process::isFinished() const {
  const std::lock_guard lock(mutex_);
  return verdict_ && verdict_->ending == Ending::kFinished;
}

Error Process::lastError() const {
  const std::lock_guard lock(mutex_);
  return lastErrorHere();
}

Error Process::lastErrorHere() const {
  return {ErrorCode::kPeer, verdict_ ? verdict_->text() : "launch: the run is over"};
}

// -- The store --------------------------------------------------------------------------------

Status Process::set(const std::string& key, const std::string& value) {
  const std::lock_guard lock(mutex_);
  if (isOver()) return lastErrorHere();
  endpoint_->ask(Set{key, value}, steadyMs());
  endpoint_->wake();
  return {};
}

Result<std::string> Process::get(const std::string& key, Milliseconds timeoutMs) {
  std::unique_lock lock(mutex_);
  const std::uint64_t question = ++question_;
  answers_[question];
  endpoint_->ask(Get{question, key, timeoutMs}, steadyMs());
  endpoint_->wake();
  // The answer of process 0 comes within the time-out; without process 0 the run ends.
  const auto limit = std::chrono::milliseconds(timeoutMs + settings_.limits.beatMs);
  changed_.wait_for(lock, limit, [&] { return answers_[question] || isOver(); });
  const auto answer = answers_.extract(question).mapped();
  if (answer && answer->isSet) return answer->value;
  if (isOver()) return lastErrorHere();
  return Error{ErrorCode::kPeer,
               fmt::format("launch: nobody set \"{}\" within {} ms", key, timeoutMs)};
}

}  // namespace parapet::launch
