// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/clock.h"
#include "engine/base/hash.h"
#include "engine/experiment/metric_key.h"
#include "engine/store/best_epoch.h"
#include "engine/store/recorder.h"
#include "engine/store/step_blocks.h"
#include "engine/store/store_state.h"

namespace parapet::store {
namespace {

using experiment::RunState;
using experiment::runStateName;

void requireRunId(const std::string& id) {
  const auto isDigit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (id.size() == 12 && std::ranges::all_of(id, isDigit)) return;
  throw InvalidArgument(
      fmt::format("run store: \"{}\" is not 12 lower-case hex digits", printable(id)));
}

Error ownedByLiving(const RunRecord& run, std::string_view refused) {
  return Error{ErrorCode::kStore,
               fmt::format("run {} is {} in process {} and cannot be {}; stop it first", run.id,
                           runStateName(run.state), run.owner.pid, refused)};
}

Status setOwner(Database& database, const std::string& id, const Owner& owner) {
  return changeSealedRun(database, id, [&] {
    return database.run(
        "UPDATE runs SET owner_pid=?, owner_boot_id=?, owner_start=?, heartbeat_ms=?,"
        " state='Queued', ended_ms=0, error='', test_json='' WHERE id=?",
        owner.pid, owner.bootId, owner.startTicks, wallClockMs(), id);
  });
}

/// What a resumed run will measure again. Steps that were recorded as one bucket across `step` are
/// kept as steps up to `step`: their extremes stay visible, and nothing overlaps what comes.
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

Status RunStore::createRun(const RunRecord& run) {
  requireRunId(run.id);
  const std::int64_t nowMs = wallClockMs();
  const Status changed = state_->change([&](Database& database) -> Status {
    const Owner& owner = state_->owner;
    PARAPET_TRY(changeSealedRun(database, run.id, [&] {
      return database.run(
          "INSERT INTO runs (id, name, recipe, state, fingerprint, dataset, created_ms, "
          "heartbeat_ms,"
          " owner_pid, owner_boot_id, owner_start, total_epochs, steps_per_epoch, steps, notes, "
          "best_metric,"
          " experiment_id, data, model, loss, seed, forked_from, forked_step, run_group, "
          "sweep_json,"
          " rules) VALUES (?,?,?,'Queued',?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
          run.id, run.name, run.recipe, run.fingerprint, run.dataset,
          run.createdMs > 0 ? run.createdMs : nowMs, nowMs, owner.pid, owner.bootId,
          owner.startTicks, run.totalEpochs, run.stepsPerEpoch, run.steps, run.notes,
          run.bestMetric, run.experimentId, run.data, run.model, run.loss,
          static_cast<std::int64_t>(run.seed), run.forkedFrom, run.forkedStep, run.group,
          run.sweepJson, experiment::kMetricRules);
    }));
    return database.run(
        "INSERT INTO documents (run_id, experiment, hash, resolved) VALUES (?,?,?,?)", run.id,
        run.experimentJson, hashHex(run.experimentJson), run.resolvedJson);
  });
  if (!changed.ok()) return changed.error();
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

Status RunStore::replaceCheckpoints(const std::string& id,
                                    const std::vector<CheckpointRecord>& onDisk) {
  return state_->changeRun(id, [&](Database& database) -> Status {
    PARAPET_TRY(database.run("DELETE FROM checkpoints WHERE run_id=?", id));
    for (const CheckpointRecord& row : onDisk) PARAPET_TRY(insertCheckpoint(database, id, row));
    return {};
  });
}

}  // namespace parapet::store
