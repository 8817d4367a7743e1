// SPDX-License-Identifier: Apache-2.0
#include "engine/store/run_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <random>

#include "engine/base/clock.h"
#include "engine/base/files.h"
#include "engine/base/hash.h"
#include "engine/base/log.h"
#include "engine/experiment/metric_key.h"
#include "engine/store/recorder.h"
#include "engine/store/schema.h"
#include "engine/store/step_blocks.h"
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

using experiment::RunState;

Error ownedByLiving(const RunRecord& run, std::string_view refused) {
  return Error{ErrorCode::kStore,
               fmt::format("run {} is {} in process {} and cannot be {}; stop it first", run.id,
                           runStateName(run.state), run.owner.pid, refused)};
}

Status setOwner(Database& database, const std::string& id, const Owner& owner) {
  return changeSealedRun(database, id, [&] {
    return database.run(
        "UPDATE runs SET owner_pid=?, owner_boot_id=?, owner_start=?, heartbeat_ms=?,"
        " state='Queued', ended_ms=0, error='', test_json='', queued=0 WHERE id=?",
        owner.pid, owner.bootId, owner.startTicks, wallClockMs(), id);
  });
}

/// Removes the measurements that a resumed run will make again. Steps that were recorded as one
/// bucket across `step` are kept as steps up to `step`: their extremes stay visible, and nothing
/// overlaps what comes.
Status forgetAfter(Database& database, const std::string& id, std::int64_t step) {
  PARAPET_TRY(database.run("DELETE FROM epochs WHERE run_id=? AND step>?", id, step));
  PARAPET_TRY(database.run("DELETE FROM steps WHERE run_id=? AND first_step>?", id, step));
  PARAPET_TRY(database.run("UPDATE OR REPLACE steps SET last_step=? WHERE run_id=? AND last_step>?",
                           step, id, step));
  PARAPET_TRY(rebuildBlocks(database, id, step));
  PARAPET_TRY(database.run("UPDATE requests SET done_ms=? WHERE run_id=? AND done_ms IS NULL",
                           wallClockMs(), id));
  PARAPET_TRY(database.run(
      "UPDATE runs SET steps=?2,"
      " epochs=(SELECT coalesce(max(epoch), 0) FROM epochs WHERE run_id=?1),"
      " train_seconds=(SELECT total(train_seconds) FROM epochs WHERE run_id=?1),"
      " seconds=(SELECT coalesce(max(seconds), 0) FROM steps WHERE run_id=?1) WHERE id=?1",
      id, step));
  return findBestEpoch(database, id);
}

Status insertCheckpoint(Database& database, const std::string& id, const CheckpointRecord& row) {
  return database.run("INSERT OR REPLACE INTO checkpoints VALUES (?,?,?,?,?,?,?)", id, row.step,
                      row.epoch, pathInWorkspace(database, row.path),
                      static_cast<std::int64_t>(row.bytes), row.best, row.createdMs);
}

}  // namespace

RunStore::RunStore(std::unique_ptr<StoreState> state)
    : state_(std::move(state)), experiments_(*state_) {}
RunStore::~RunStore() = default;

bool isRunId(std::string_view id) {
  const auto isDigit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return id.size() == 12 && std::ranges::all_of(id, isDigit);
}

void requireRunId(const std::string& id) {
  if (isRunId(id)) return;
  throw InvalidArgument(
      fmt::format("run store: \"{}\" is not 12 lower-case hex digits", printable(id)));
}

std::string newId() {
  // Random rather than counted: two programs may start runs in one workspace at the same time.
  std::random_device device;
  const std::uint64_t bits = (std::uint64_t{device()} << 32) | device();
  return fmt::format("{:012x}", bits & 0xffffffffffffULL);
}

std::string RunStore::newRunId() {
  return newId();
}

experiment::RunSink& RunStore::sink() {
  if (state_->writer) return *state_->writer;
  return state_->silent;
}

Status RunStore::flush() {
  return state_->writer ? state_->writer->flush() : Status();
}

void StoreState::warnOnce(const std::string& message) {
  {
    std::lock_guard lock(warnedMutex);
    if (!warned.insert(message).second) return;
  }
  if (options.onWarning)
    options.onWarning(message);
  else
    log(LogLevel::kWarning, message);
}

Status StoreState::requireWritable() const {
  if (writer) return {};
  return Error{ErrorCode::kStore, fmt::format("run database {} was opened for reading only",
                                              database.file().string())};
}

Status StoreState::change(const std::function<Status(Database&)>& body) {
  PARAPET_TRY(requireWritable());
  constexpr int kAttempts = 4;
  std::lock_guard lock(mutex);
  if (database.fileHasMoved()) {
    PARAPET_ASSIGN(Database opened, openForWriting(database.file(), options.onWarning, &database));
    PARAPET_TRY(copyExperiments(database, opened));
    database = std::move(opened);
  }
  for (int attempt = 1;; ++attempt) {
    const Status outcome = [&]() -> Status {
      PARAPET_ASSIGN(Transaction transaction, Transaction::begin(database));
      PARAPET_TRY(body(database));
      return transaction.commit();
    }();
    if (outcome.ok() || database.lastFailure() != Failure::kBusy || attempt == kAttempts)
      return outcome;
  }
}

Database& StoreState::current() {
  std::error_code error;
  if (!database.fileHasMoved() || !std::filesystem::exists(database.file(), error)) return database;
  auto opened = writer ? openForWriting(database.file(), options.onWarning, &database)
                       : openForReading(database.file());
  if (opened) database = std::move(opened).value();
  return database;
}

Status StoreState::changeRun(const std::string& id, const std::function<Status(Database&)>& body) {
  return change([&](Database& opened) -> Status {
    PARAPET_ASSIGN(const std::int64_t count,
                   opened.integer("SELECT count(*) FROM runs WHERE id=?", id));
    if (count == 0) return noSuchRun(id);
    return body(opened);
  });
}

bool hasLivingOwner(const RunRecord& run, const Owner& self, std::int64_t nowMs) {
  if (experiment::isTerminal(run.state) || run.isWaiting()) return false;
  if (run.owner.bootId != self.bootId) return std::abs(nowMs - run.heartbeatMs) <= kLostHeartbeatMs;
  return run.owner.alive();
}

Status RunStore::request(const std::string& id, Request what) {
  return state_->changeRun(id, [&](Database& database) -> Status {
    PARAPET_ASSIGN(const RunRecord run, readRun(database, id));
    if (experiment::isTerminal(run.state))
      return Error{ErrorCode::kStore,
                   fmt::format("run {} is {}; only a run that is under way can be "
                               "asked to {}",
                               id, runStateName(run.state), requestName(what))};
    if (run.isWaiting() && what == Request::kStop) return takeOutOfQueue(database, run);
    if (run.isWaiting())
      return Error{ErrorCode::kStore, fmt::format("run {} waits in the queue; only a run that is "
                                                  "under way can be asked to {}",
                                                  id, requestName(what))};
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
        fmt::format("SELECT id FROM runs WHERE state IN {} AND NOT (queued>0 AND owner_pid=0) AND"
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
      if (run.queued > 0) {
        PARAPET_TRY(waitAgain(database, run));
        continue;
      }
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

Status insertRun(Database& database, const RunRecord& run, const Owner& owner,
                 std::int64_t queued) {
  const std::int64_t nowMs = wallClockMs();
  PARAPET_TRY(changeSealedRun(database, run.id, [&] {
    return database.run(
        "INSERT INTO runs (id, name, recipe, state, fingerprint, dataset, created_ms, heartbeat_ms,"
        " owner_pid, owner_boot_id, owner_start, total_epochs, steps_per_epoch, steps, notes,"
        " best_metric, experiment_id, data, model, loss, seed, forked_from, forked_step, run_group,"
        " sweep_json, rules, queued)"
        " VALUES (?,?,?,'Queued',?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        run.id, run.name, run.recipe, run.fingerprint, run.dataset,
        run.createdMs > 0 ? run.createdMs : nowMs, nowMs, owner.pid, owner.bootId, owner.startTicks,
        run.totalEpochs, run.stepsPerEpoch, run.steps, run.notes, run.bestMetric, run.experimentId,
        run.data, run.model, run.loss, static_cast<std::int64_t>(run.seed), run.forkedFrom,
        run.forkedStep, run.group, run.sweepJson, experiment::kMetricRules, queued);
  }));
  return database.run("INSERT INTO documents (run_id, experiment, hash, resolved) VALUES (?,?,?,?)",
                      run.id, run.experimentJson, hashHex(run.experimentJson), run.resolvedJson);
}

Status RunStore::createRun(const RunRecord& run) {
  requireRunId(run.id);
  PARAPET_TRY(state_->change(
      [&](Database& database) { return insertRun(database, run, state_->owner, 0); }));
  state_->writer->beginHeartbeat(run.id);
  return {};
}

Status RunStore::adoptRun(const std::string& id, std::int64_t step) {
  if (step < 0) throw InvalidArgument(fmt::format("run store: step {} is negative", step));
  PARAPET_TRY(state_->requireWritable());
  // Events of an earlier part of this run must not be recorded after its metrics were cut.
  PARAPET_TRY(flush());
  const Status changed = state_->changeRun(id, [&](Database& database) -> Status {
    PARAPET_ASSIGN(const RunRecord run, readRun(database, id));
    if (hasLivingOwner(run, state_->owner, wallClockMs())) return ownedByLiving(run, "resumed");
    PARAPET_TRY(forgetAfter(database, id, step));
    return setOwner(database, id, state_->owner);
  });
  if (!changed.ok()) return changed.error();
  state_->writer->beginHeartbeat(id);
  return {};
}

Status RunStore::addSession(const std::string& id, const RunSession& session) {
  return state_->changeRun(id, [&](Database& database) {
    return database.run(
        "INSERT INTO sessions (run_id, first_step, began_ms, build, instruction_set, threads)"
        " VALUES (?,?,?,?,?,?)",
        id, session.firstStep, session.beganMs, session.build, session.instructionSet,
        session.threads);
  });
}

Status RunStore::restoreDocument(const std::string& id) {
  PARAPET_ASSIGN(const RunRecord run, find(id));
  if (!run.documentFault.empty()) return Error{ErrorCode::kStore, run.documentFault};
  if (run.documentChange.empty()) return {};
  return state_->changeRun(run.id, [&](Database& database) -> Status {
    PARAPET_TRY(database.run(
        "INSERT INTO documents (run_id, experiment, hash) VALUES (?1,?2,?3) ON CONFLICT (run_id)"
        " DO UPDATE SET experiment=?2, hash=?3, taken_over=0",
        run.id, run.experimentJson, hashHex(run.experimentJson)));
    return addEvent(database, run.id, wallClockMs(), "warning", run.documentChange, 0);
  });
}

Status RunStore::rename(const std::string& id, const std::string& name) {
  return state_->changeRun(id, [&](Database& database) {
    return database.run("UPDATE runs SET name=? WHERE id=?", name, id);
  });
}

Status RunStore::setResolved(const std::string& id, const std::string& resolvedJson) {
  return state_->changeRun(id, [&](Database& database) {
    return database.run("UPDATE documents SET resolved=? WHERE run_id=?", resolvedJson, id);
  });
}

Status RunStore::setNotes(const std::string& id, const std::string& notes) {
  return state_->changeRun(id, [&](Database& database) {
    return database.run("UPDATE runs SET notes=? WHERE id=?", notes, id);
  });
}

Status RunStore::trash(const std::string& id) {
  return state_->changeRun(id, [&](Database& database) {
    return database.run("UPDATE runs SET trashed=1 WHERE id=?", id);
  });
}

Status RunStore::restore(const std::string& id) {
  return state_->changeRun(id, [&](Database& database) {
    return database.run("UPDATE runs SET trashed=0 WHERE id=?", id);
  });
}

Status RunStore::erase(const std::string& id) {
  return state_->changeRun(id, [&](Database& database) -> Status {
    PARAPET_ASSIGN(const RunRecord run, readRun(database, id));
    if (hasLivingOwner(run, state_->owner, wallClockMs())) return ownedByLiving(run, "deleted");
    return database.run("DELETE FROM runs WHERE id=?", id);
  });
}

Status RunStore::copyRun(const std::string& id, const std::filesystem::path& file,
                         StepLosses losses) {
  std::error_code error;
  if (std::filesystem::exists(file, error)) return ioError("create", file, EEXIST);
  PARAPET_ASSIGN(Database copy, openForWriting(file, state_->options.onWarning));
  {
    PARAPET_ASSIGN(Transaction transaction, Transaction::begin(copy));
    const std::lock_guard lock(state_->mutex);
    PARAPET_TRY(store::copyRun(state_->current(), copy, id));
    PARAPET_ASSIGN(const std::int64_t copied, copy.integer("SELECT count(*) FROM runs"));
    if (copied == 0) return noSuchRun(id);
    PARAPET_TRY(copy.run(
        fmt::format("UPDATE runs SET state='Stopped', queued=0 WHERE state IN {}", kLiveStates)));
    PARAPET_TRY(copy.run("DELETE FROM requests"));
    if (losses == StepLosses::kLeaveOut)
      for (const char* table : {"steps", "step_blocks"})
        PARAPET_TRY(copy.run(fmt::format("DELETE FROM {}", table)));
    PARAPET_TRY(transaction.commit());
  }
  // One file, with no log beside it.
  PARAPET_TRY(copy.script("PRAGMA journal_mode=DELETE"));
  return copy.script("VACUUM");
}

Result<std::string> RunStore::takeRun(const std::filesystem::path& file) {
  PARAPET_ASSIGN(Database from, openForWriting(file, state_->options.onWarning));
  std::vector<std::string> ids;
  PARAPET_TRY(
      from.each("SELECT id FROM runs", [&ids](Statement& row) { ids.push_back(row.text(0)); }));
  // The id becomes the name of a folder.
  if (ids.size() != 1 || !isRunId(ids.front()))
    return Error{ErrorCode::kStore,
                 fmt::format("{} holds {} runs; accepted is one, with an id of 12 hex digits",
                             file.string(), ids.size()),
                 {},
                 file.string()};
  PARAPET_TRY(state_->change([&](Database& database) -> Status {
    PARAPET_ASSIGN(const std::int64_t known,
                   database.integer("SELECT count(*) FROM runs WHERE id=?", ids.front()));
    if (known > 0)
      return Error{ErrorCode::kStore,
                   fmt::format("run {} is in this workspace already", ids.front())};
    return store::copyRun(from, database, ids.front());
  }));
  return ids.front();
}

Status RunStore::replaceCheckpoints(const std::string& id,
                                    const std::vector<CheckpointRecord>& onDisk) {
  return state_->changeRun(id, [&](Database& database) -> Status {
    PARAPET_TRY(database.run("DELETE FROM checkpoints WHERE run_id=?", id));
    for (const CheckpointRecord& row : onDisk) PARAPET_TRY(insertCheckpoint(database, id, row));
    return {};
  });
}

}  // namespace parapet::store
