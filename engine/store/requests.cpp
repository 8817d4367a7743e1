// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "engine/base/clock.h"
#include "engine/store/recorder.h"
#include "engine/store/store_state.h"

namespace parapet::store {
namespace {

using experiment::runStateName;

constexpr std::array<std::pair<Request, const char*>, 3> kRequests{{
    {Request::kPause, "pause"},
    {Request::kResume, "resume"},
    {Request::kStop, "stop"},
}};

const char* requestName(Request what) {
  for (const auto& [request, name] : kRequests)
    if (request == what) return name;
  throw InvalidArgument("run store: no such request");
}

std::optional<Request> requestFromName(std::string_view asked) {
  for (const auto& [request, name] : kRequests)
    if (asked == name) return request;
  return std::nullopt;
}

}  // namespace

Status RunStore::request(const std::string& id, Request what) {
  return state_->changeRun(id, [&](Database& database) -> Status {
    PARAPET_ASSIGN(const RunRecord run, readRun(database, id));
    if (experiment::isTerminal(run.state))
      return Error{ErrorCode::kStore,
                   fmt::format("run {} is {}; only a run that is under way can be "
                               "asked to {}",
                               id, runStateName(run.state), requestName(what))};
    return database.run("INSERT INTO requests (run_id, kind, created_ms) VALUES (?,?,?)", id,
                        requestName(what), wallClockMs());
  });
}

Result<std::vector<std::pair<std::string, Request>>> RunStore::takeRequests() {
  PARAPET_TRY(state_->requireWritable());
  {
    // Asked often and mostly in vain: look before taking the write lock.
    std::lock_guard lock(state_->mutex);
    PARAPET_ASSIGN(
        const std::int64_t open,
        state_->current().integer("SELECT count(*) FROM requests WHERE done_ms IS NULL"));
    if (open == 0) return std::vector<std::pair<std::string, Request>>{};
  }
  std::vector<std::pair<std::string, Request>> taken;
  const Owner& self = state_->owner;
  const Status changed = state_->change([&](Database& database) -> Status {
    taken.clear();
    std::vector<std::int64_t> rows;
    PARAPET_TRY(database.each(
        "SELECT requests.id, run_id, kind FROM requests JOIN runs ON runs.id=run_id"
        " WHERE done_ms IS NULL AND owner_pid=? AND owner_boot_id=? AND owner_start=?"
        " ORDER BY requests.id",
        [&](Statement& row) {
          rows.push_back(row.integer(0));
          if (const auto what = requestFromName(row.text(2)))
            taken.emplace_back(row.text(1), *what);
        },
        self.pid, self.bootId, self.startTicks));
    for (const std::int64_t row : rows)
      PARAPET_TRY(database.run("UPDATE requests SET done_ms=? WHERE id=?", wallClockMs(), row));
    return {};
  });
  if (!changed.ok()) return changed.error();
  return taken;
}

Result<std::vector<std::string>> RunStore::markCrashed() {
  const std::int64_t nowMs = wallClockMs();
  std::vector<RunRecord> gone;
  {
    std::lock_guard lock(state_->mutex);
    Database& database = state_->current();
    std::vector<std::string> suspects;
    // Whether a process of this boot is there can be seen at once. Of others only the heartbeat is
    // known; one in the future comes from a clock that was set back: no sign of life either.
    PARAPET_TRY(database.each(
        fmt::format("SELECT id FROM runs WHERE state IN {} AND"
                    " (abs(heartbeat_ms-?)>? OR owner_boot_id=?)",
                    kLiveStates),
        [&](Statement& row) { suspects.push_back(row.text(0)); }, nowMs, kLostHeartbeatMs,
        state_->owner.bootId));
    for (const std::string& id : suspects) {
      PARAPET_ASSIGN(RunRecord run, readRun(database, id));
      if (!run.owner.alive()) gone.push_back(std::move(run));
    }
  }
  std::vector<std::string> marked;
  if (gone.empty()) return marked;
  const Status changed = state_->change([&](Database& database) -> Status {
    marked.clear();
    for (const RunRecord& run : gone) {
      // Unless somebody took the run over, or found it crashed, since we looked.
      PARAPET_TRY(database.run(
          fmt::format("UPDATE runs SET state='Crashed', ended_ms=min(heartbeat_ms, ?) WHERE id=?"
                      " AND heartbeat_ms=? AND state IN {}",
                      kLiveStates),
          nowMs, run.id, run.heartbeatMs));
      if (database.changes() == 0) continue;
      PARAPET_TRY(addEvent(database, run.id, wallClockMs(), "state",
                           fmt::format("Crashed: process {} is gone", run.owner.pid), run.steps));
      marked.push_back(run.id);
    }
    return {};
  });
  if (!changed.ok()) return changed.error();
  return marked;
}

}  // namespace parapet::store
