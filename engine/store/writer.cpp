// SPDX-License-Identifier: Apache-2.0
#include "engine/store/writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "engine/base/clock.h"
#include "engine/base/files.h"
#include "engine/base/log.h"
#include "engine/base/threads.h"
#include "engine/store/schema.h"
#include "engine/store/store_state.h"

namespace parapet::store {
namespace {

/// The rows of an end are a few pages, each written to the log; the rest is for epochs that wait. Where so
/// much is not left, the pages alone.
constexpr off_t kReservedBytes = 512 << 10, kMinReservedBytes = 64 << 10;

/// Writing beyond the limit of a process ends it with a signal.
bool limitAllows(off_t bytes) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= static_cast<rlim_t>(bytes);
}

using namespace std::chrono_literals;

constexpr std::size_t kQueuedEvents = 1024;
/// Events kept while the disk refuses: days of epochs, a few megabytes.
constexpr std::size_t kKeptEvents = 16384;
constexpr auto kCommitEvery = 500ms;
constexpr auto kBeatEvery = 1000ms;
constexpr auto kFirstPause = 500ms;
constexpr auto kLongestPause = 10000ms;
/// More than the waits of one attempt for another program (busy_timeout) added up.
constexpr auto kFlushTimeout = 60s;

bool endsRun(const ReceivedEvent& received) {
  return std::holds_alternative<experiment::RunEnded>(received.event);
}

}  // namespace

void DiskReserve::hold() {
  if (descriptor_ >= 0 || !limitAllows(kReservedBytes)) return;
  std::string name = (folder_ / ".parapet-reserve-XXXXXX").string();
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) return;
  ::unlink(name.c_str());
  for (off_t bytes = kReservedBytes; bytes >= kMinReservedBytes && descriptor_ < 0; bytes /= 2)
    if (::posix_fallocate(descriptor, 0, bytes) == 0) descriptor_ = descriptor;
  if (descriptor_ < 0) ::close(descriptor);
}

bool DiskReserve::release() {
  if (descriptor_ < 0) return false;
  ::close(descriptor_);
  descriptor_ = -1;
  return true;
}

Writer::Writer(Database database, std::function<void(const std::string&)> onWarning)
    : database_(std::move(database)),
      onWarning_(std::move(onWarning)),
      queue_(kQueuedEvents),
      reserve_(database_.file().parent_path()),
      nextCommit_(Clock::now() + kCommitEvery),
      nextBeat_(Clock::now() + kBeatEvery),
      retryAt_(Clock::now()),
      thread_([this] { work(); }) {}

Writer::~Writer() {
  queue_.close();
  thread_.join();
}

void Writer::onEvent(const std::string& runId, const experiment::RunEvent& event) {
  // Nothing of it is kept, so it must not make a commit sync either.
  if (std::holds_alternative<experiment::TimeSpent>(event)) return;
  if (!queue_.push(ReceivedEvent{runId, wallClockMs(), event}))
    log(LogLevel::kWarning, fmt::format("run store: event of run {} came after closing", runId));
}

void Writer::onStep(const std::string& runId, const experiment::StepPoint& point) {
  std::shared_ptr<experiment::StepRing> ring;
  {
    std::lock_guard lock(runsMutex_);
    auto& slot = rings_[runId];
    if (!slot) slot = std::make_shared<experiment::StepRing>();
    ring = slot;
  }
  ring->push(point);
}

Status Writer::flush() {
  auto promise = std::make_shared<std::promise<Status>>();
  auto answer = promise->get_future();
  if (!queue_.push(promise)) return Error{ErrorCode::kStore, "run store: flush after closing"};
  if (answer.wait_for(kFlushTimeout) == std::future_status::ready) return answer.get();
  return Error{ErrorCode::kStore, "run store: not committed within 60 s"};
}

void Writer::beginHeartbeat(const std::string& runId) {
  std::lock_guard lock(runsMutex_);
  live_.insert(runId);
  reserve_.hold();
}

void Writer::endHeartbeat(const std::string& runId) {
  std::lock_guard lock(runsMutex_);
  live_.erase(runId);
}

void Writer::work() {
  const ThreadName name("store");
  for (;;) {
    // Asked before the queue is emptied: once it is closed nothing new comes in, so the round that
    // sees it closed takes all that is left.
    const bool closing = queue_.closed();
    const auto until = inTrouble_ ? retryAt_ : std::min(nextCommit_, nextBeat_);
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    auto item = queue_.pop(std::clamp<std::chrono::milliseconds>(wait, 0ms, kBeatEvery));
    for (std::size_t taken = 0; item; item = queue_.pop(0ms)) {
      receive(std::move(*item));
      if (++taken == kQueuedEvents) break;
    }
    dropBeyondBound();
    const auto now = Clock::now();
    if (closing || due(now)) attempt(now);
    if (closing) break;
  }
  if (inTrouble_)
    log(LogLevel::kError,
        fmt::format("run store: {} events could not be recorded before closing", events_.size()));
}

void Writer::receive(Item item) {
  if (auto* flush = std::get_if<Flush>(&item)) {
    waiting_.push_back(std::move(*flush));
    urgent_ = true;
    return;
  }
  auto& received = std::get<ReceivedEvent>(item);
  if (endsRun(received)) {
    urgent_ = true;
    endHeartbeat(received.runId);
  }
  events_.push_back(std::move(received));
}

bool Writer::due(Clock::time_point now) const {
  if (!waiting_.empty()) return true;
  if (inTrouble_) return now >= retryAt_;
  return urgent_ || now >= nextCommit_ || now >= nextBeat_;
}

/// Moves the rings out, but only what the last attempt has recorded: while the disk refuses, the
/// steps stay in their rings, which merge neighbours rather than grow.
void Writer::drainRings() {
  std::vector<std::pair<std::string, std::shared_ptr<experiment::StepRing>>> rings;
  {
    std::lock_guard lock(runsMutex_);
    rings.assign(rings_.begin(), rings_.end());
  }
  for (const auto& [runId, ring] : rings) {
    auto& kept = steps_[runId];
    if (kept.empty()) ring->drain(kept);
  }
}

bool Writer::nothingToDo() const {
  return events_.empty() && beating_.empty() &&
         std::ranges::all_of(steps_, [](const auto& run) { return run.second.empty(); });
}

void Writer::attempt(Clock::time_point now) {
  chooseBeats(now);
  const Status outcome = commitAll();
  nextCommit_ = now + kCommitEvery;
  urgent_ = false;
  if (outcome.ok())
    succeeded();
  else
    failed(outcome.error(), now);
  for (const Flush& flush : waiting_) flush->set_value(outcome);
  waiting_.clear();
}

void Writer::chooseBeats(Clock::time_point now) {
  if (now < nextBeat_) return;
  nextBeat_ = now + kBeatEvery;
  std::lock_guard lock(runsMutex_);
  beating_.assign(live_.begin(), live_.end());
  if (live_.empty())
    reserve_.release();
  else if (!inTrouble_)
    reserve_.hold();
}

/// Exceptions end here: the thread goes on, and what it received is kept.
Status Writer::commitAll() try {
  // After the events were taken, so that steps are recorded before the events that followed them.
  drainRings();
  if (!nothingToDo()) PARAPET_TRY(commitWithReserve());
  // Takes the steps that the rings held back while older ones were kept.
  if (inTrouble_) {
    drainRings();
    if (!nothingToDo()) PARAPET_TRY(commitWithReserve());
  }
  std::lock_guard lock(runsMutex_);
  for (const std::string& runId : ended_) rings_.erase(runId);
  ended_.clear();
  return {};
} catch (const std::exception& error) {
  return Error{ErrorCode::kInternal, fmt::format("run store: {}", error.what())};
}

Status Writer::commitWithReserve() {
  PARAPET_TRY(followFile());
  const Status outcome = commit();
  if (outcome.ok() || database_.lastFailure() != Failure::kDisk) return outcome;
  if (std::ranges::none_of(events_, endsRun)) return outcome;
  bool released = false;
  {
    std::lock_guard lock(runsMutex_);
    released = reserve_.release();
  }
  if (released && commit().ok()) return {};
  if (commitEnds().ok()) return outcome;
  // The log is written into pages that the database has already; that makes room for a few rows.
  (void)database_.script("PRAGMA wal_checkpoint(TRUNCATE)");
  (void)commitEnds();
  return outcome;
}

/// Only the ends of runs. The events stay, so that the rest is recorded when there is space again.
Status Writer::commitEnds() {
  PARAPET_ASSIGN(Transaction transaction, Transaction::begin(database_));
  for (const ReceivedEvent& received : events_)
    if (const auto* ended = std::get_if<experiment::RunEnded>(&received.event))
      PARAPET_TRY(recordEnd(database_, received.runId, received.wallMs, *ended));
  return transaction.commit();
}

/// If the file is no longer the one at its path, goes on in that one, or in a new one. What was
/// recorded of the runs of this process is read from the old one, which is there as long as it is
/// open.
Status Writer::followFile() {
  if (!database_.fileHasMoved()) return {};
  const std::filesystem::path& file = database_.file();
  if (file.has_parent_path()) PARAPET_TRY(createFolders(file.parent_path()));
  PARAPET_ASSIGN(Database opened, openForWriting(file, onWarning_, &database_));
  const std::string message = fmt::format(
      "the run database {} was removed or replaced while runs were being recorded; what was "
      "recorded of the runs of this program was written anew",
      file.string());
  const Owner self = Owner::thisProcess();
  std::vector<std::string> runs;
  PARAPET_TRY(database_.each(
      "SELECT id FROM runs WHERE owner_pid=? AND owner_boot_id=? AND owner_start=?",
      [&](Statement& row) { runs.push_back(row.text(0)); }, self.pid, self.bootId,
      self.startTicks));
  {
    PARAPET_ASSIGN(Transaction transaction, Transaction::begin(opened));
    PARAPET_TRY(copyExperiments(database_, opened));
    for (const std::string& runId : runs) {
      PARAPET_TRY(copyRun(database_, opened, runId));
      PARAPET_TRY(addEvent(opened, runId, wallClockMs(), "warning", message, 0));
    }
    PARAPET_TRY(transaction.commit());
  }
  database_ = std::move(opened);
  warn(message);
  return {};
}

void Writer::warn(const std::string& message) const {
  if (onWarning_)
    onWarning_(message);
  else
    log(LogLevel::kWarning, message);
}

Status Writer::commit() {
  // Lifecycle must survive a power cut; steps and heartbeats may lose their last half second.
  PARAPET_TRY(
      database_.script(events_.empty() ? "PRAGMA synchronous=NORMAL" : "PRAGMA synchronous=FULL"));
  PARAPET_ASSIGN(Transaction transaction, Transaction::begin(database_));
  PARAPET_TRY(recordPending());
  PARAPET_TRY(beat());
  PARAPET_TRY(transaction.commit());
  for (const ReceivedEvent& received : events_)
    if (endsRun(received)) ended_.push_back(received.runId);
  events_.clear();
  steps_.clear();
  beating_.clear();
  return {};
}

Status Writer::recordPending() {
  for (const auto& [runId, buckets] : steps_) PARAPET_TRY(recordSteps(database_, runId, buckets));
  for (const ReceivedEvent& received : events_) {
    const Status recorded = recordEvent(database_, received);
    if (recorded.ok()) continue;
    if (database_.lastFailure() != Failure::kConstraint) return recorded;
    // Trying again would fail for ever and hold up all that comes after.
    log(LogLevel::kError, "run store: an event was left out: " + recorded.error().text());
  }
  return {};
}

Status Writer::beat() {
  const std::int64_t nowMs = wallClockMs();
  for (const std::string& runId : beating_)
    PARAPET_TRY(database_.run("UPDATE runs SET heartbeat_ms=? WHERE id=?", nowMs, runId));
  return {};
}

void Writer::dropBeyondBound() {
  while (events_.size() > kKeptEvents) {
    // The end of a run is the one event that nothing later makes up for.
    const auto victim = std::ranges::find_if_not(events_, endsRun);
    events_.erase(victim == events_.end() ? events_.begin() : victim);
    ++dropped_;
  }
}

void Writer::failed(const Error& error, Clock::time_point now) {
  pause_ =
      inTrouble_ ? std::min<std::chrono::milliseconds>(pause_ * 2, kLongestPause) : kFirstPause;
  retryAt_ = now + pause_;
  if (inTrouble_) return;
  inTrouble_ = true;
  const std::string message =
      "runs are not recorded at the moment; training goes on and recording is tried again: " +
      error.text();
  warn(message);
}

void Writer::succeeded() {
  if (!inTrouble_) return;
  inTrouble_ = false;
  log(LogLevel::kInfo, "run store: runs are recorded again");
  if (dropped_ == 0) return;
  const std::string message =
      fmt::format("{} events of runs were lost while they could not be recorded", dropped_);
  dropped_ = 0;
  warn(message);
}

}  // namespace parapet::store
