// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/clock.h"
#include "engine/store/recorder.h"
#include "engine/store/store_state.h"

// The queue of a workspace: runs in the state Queued with a place and without an owner. A program that
// starts one becomes its owner first, in one transaction in which it also sees that nothing else is
// under way; the place stays until the run trains, so that an owner that dies before leaves it waiting.
namespace parapet::store {
namespace {

Result<std::int64_t> lastPlace(Database& database) {
  return database.integer("SELECT coalesce(max(queued), 0) FROM runs");
}

/// Runs that wait or have lost their owner, in the order of the queue; the trash left out.
Result<std::vector<RunRecord>> readQueue(Database& database) {
  return readRuns(database, "queued>0 AND state='Queued' AND trashed=0 ORDER BY queued, rowid");
}

/// Between two runs of a sweep nothing is under way for a moment. The queue waits meanwhile: one that was started
/// there would take turns with the sweep.
constexpr std::int64_t kBetweenRunsOfSweepMs = 60'000;

Result<bool> sweepGoesOn(Database& database, const Owner& self, std::int64_t nowMs) {
  PARAPET_ASSIGN(const std::vector<RunRecord> ended,
                 readRuns(database, fmt::format("run_group<>'' AND ended_ms>{}",
                                                nowMs - kBetweenRunsOfSweepMs)));
  return std::ranges::any_of(ended, [&](const RunRecord& run) {
    return run.owner.bootId == self.bootId && run.owner.pid != self.pid && run.owner.alive();
  });
}

Error doesNotWait(const RunRecord& run, std::string_view refused) {
  return Error{ErrorCode::kStore,
               fmt::format("run {} is {} and does not wait in the queue; it cannot be {}", run.id,
                           experiment::runStateName(run.state), refused)};
}

}  // namespace

Status takeOutOfQueue(Database& database, const RunRecord& run) {
  experiment::RunEnded ended;
  ended.state = experiment::RunState::kStopped;
  PARAPET_TRY(recordEnd(database, run.id, wallClockMs(), ended));
  return addEvent(database, run.id, wallClockMs(), "ended", "Stopped: taken out of the queue", 0);
}

Status waitAgain(Database& database, const RunRecord& run) {
  PARAPET_TRY(database.run(
      "UPDATE runs SET owner_pid=0, owner_boot_id='', owner_start=0 WHERE id=? AND queued>0"
      " AND owner_pid=? AND owner_boot_id=? AND owner_start=?",
      run.id, run.owner.pid, run.owner.bootId, run.owner.startTicks));
  if (database.changes() == 0) return {};
  return addEvent(database, run.id, wallClockMs(), "state",
                  fmt::format("Queued again: process {} did not start it", run.owner.pid), 0);
}

Status RunStore::enqueue(const RunRecord& run) {
  requireRunId(run.id);
  return state_->change([&](Database& database) -> Status {
    PARAPET_ASSIGN(const std::int64_t last, lastPlace(database));
    return insertRun(database, run, Owner{}, last + 1);
  });
}

Status RunStore::dequeue(const std::string& id) {
  return state_->changeRun(id, [&](Database& database) -> Status {
    PARAPET_ASSIGN(const RunRecord run, readRun(database, id));
    if (!run.isWaiting()) return doesNotWait(run, "taken out of it");
    return takeOutOfQueue(database, run);
  });
}

Status RunStore::requeue(const std::string& id) {
  return state_->changeRun(id, [&](Database& database) -> Status {
    PARAPET_ASSIGN(const RunRecord run, readRun(database, id));
    if (run.isWaiting()) return {};
    if (run.state != experiment::RunState::kStopped || run.steps > 0)
      return Error{ErrorCode::kStore,
                   fmt::format("run {} has begun to train; only one that was stopped before its "
                               "first step can be put back into the queue",
                               id)};
    PARAPET_ASSIGN(const std::int64_t last, lastPlace(database));
    PARAPET_TRY(
        database.run("UPDATE runs SET state='Queued', ended_ms=0, queued=?, owner_pid=0,"
                     " owner_boot_id='', owner_start=0, trashed=0 WHERE id=?",
                     last + 1, id));
    return addEvent(database, id, wallClockMs(), "state", "Queued", 0);
  });
}

Status RunStore::moveQueued(const std::string& id, std::int64_t places) {
  return state_->changeRun(id, [&](Database& database) -> Status {
    PARAPET_ASSIGN(std::vector<RunRecord> queue, readQueue(database));
    std::erase_if(queue, [](const RunRecord& run) { return !run.isWaiting(); });
    const auto found = std::ranges::find(queue, id, &RunRecord::id);
    if (found == queue.end()) {
      PARAPET_ASSIGN(const RunRecord run, readRun(database, id));
      return doesNotWait(run, "moved");
    }
    std::vector<std::int64_t> numbers;
    for (const RunRecord& run : queue) numbers.push_back(run.queued);
    const std::int64_t from = found - queue.begin();
    const std::int64_t to =
        std::clamp<std::int64_t>(from + places, 0, static_cast<std::int64_t>(queue.size()) - 1);
    if (to < from)
      std::rotate(queue.begin() + to, queue.begin() + from, queue.begin() + from + 1);
    else
      std::rotate(queue.begin() + from, queue.begin() + from + 1, queue.begin() + to + 1);
    for (std::size_t i = 0; i < queue.size(); ++i)
      if (queue[i].queued != numbers[i])
        PARAPET_TRY(database.run("UPDATE runs SET queued=? WHERE id=?", numbers[i], queue[i].id));
    return {};
  });
}

Result<std::optional<std::string>> RunStore::claimQueued() {
  PARAPET_TRY(state_->requireWritable());
  const auto anyWaits = [](Database& database) {
    return database.integer("SELECT count(*) FROM runs WHERE queued>0 AND trashed=0");
  };
  {
    // Asked often and mostly in vain: look before taking the write lock.
    std::lock_guard lock(state_->mutex);
    PARAPET_ASSIGN(const std::int64_t count, anyWaits(state_->current()));
    if (count == 0) return std::optional<std::string>();
  }
  std::optional<std::string> claimed;
  const Owner& self = state_->owner;
  const Status changed = state_->change([&](Database& database) -> Status {
    claimed.reset();
    const std::int64_t nowMs = wallClockMs();
    PARAPET_ASSIGN(const std::vector<RunRecord> live,
                   readRuns(database, fmt::format("state IN {}", kLiveStates)));
    for (const RunRecord& run : live)
      if (hasLivingOwner(run, self, nowMs)) return {};
    PARAPET_ASSIGN(const bool waitsForSweep, sweepGoesOn(database, self, nowMs));
    if (waitsForSweep) return {};
    PARAPET_ASSIGN(const std::vector<RunRecord> queue, readQueue(database));
    if (queue.empty()) return {};
    const std::string& first = queue.front().id;
    // A queued run counts as created when it begins, so that it does not stand before runs that ran
    // meanwhile.
    PARAPET_TRY(database.run(
        "UPDATE runs SET owner_pid=?, owner_boot_id=?, owner_start=?, heartbeat_ms=?, created_ms=?"
        " WHERE id=?",
        self.pid, self.bootId, self.startTicks, nowMs, nowMs, first));
    PARAPET_TRY(addEvent(database, first, nowMs, "state",
                         fmt::format("Taken from the queue by process {}", self.pid), 0));
    claimed = first;
    return {};
  });
  if (!changed.ok()) return changed.error();
  if (claimed) state_->writer->beginHeartbeat(*claimed);
  return claimed;
}

Status RunStore::releaseQueued(const std::string& id) {
  const Status changed = state_->changeRun(id, [&](Database& database) -> Status {
    PARAPET_ASSIGN(const RunRecord run, readRun(database, id));
    return waitAgain(database, run);
  });
  if (changed.ok()) state_->writer->endHeartbeat(id);
  return changed;
}

Result<std::vector<RunRecord>> RunStore::liveRuns() const {
  std::lock_guard lock(state_->mutex);
  return readRuns(state_->current(),
                  fmt::format("state IN {} AND trashed=0 ORDER BY queued>0 AND owner_pid=0, queued,"
                              " created_ms DESC, rowid DESC",
                              kLiveStates));
}

}  // namespace parapet::store
