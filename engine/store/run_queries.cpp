// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <limits>

#include "engine/store/schema.h"
#include "engine/store/step_blocks.h"
#include "engine/store/store_state.h"

namespace parapet::store {
namespace {

using experiment::EpochSummary;
using experiment::StepBucket;

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

// The order that runOfRow reads.
#define RUN_COLUMNS                                                                               \
  "id, name, recipe, state, fingerprint, dataset, created_ms, ended_ms, heartbeat_ms, owner_pid," \
  " owner_boot_id, owner_start, epochs, total_epochs, steps_per_epoch, steps, notes, error,"      \
  " started_json, test_json, trashed, seconds, train_seconds, best_metric, best_value, "          \
  "best_epoch,"                                                                                   \
  " best_step, experiment_id, data, model, loss, seed, forked_from, forked_step, run_group,"      \
  " sweep_json, rules, queued"

RunRecord runOfRow(const Statement& row) {
  int column = 0;
  RunRecord run;
  run.id = row.text(column++);
  run.name = row.text(column++);
  run.recipe = row.text(column++);
  // A state that only a newer program knows can be nothing that this one may act on.
  run.state =
      experiment::runStateFromName(row.text(column++)).value_or(experiment::RunState::kFailed);
  run.fingerprint = row.text(column++);
  run.dataset = row.text(column++);
  run.createdMs = row.integer(column++);
  run.endedMs = row.integer(column++);
  run.heartbeatMs = row.integer(column++);
  run.owner.pid = row.integer(column++);
  run.owner.bootId = row.text(column++);
  run.owner.startTicks = row.integer(column++);
  run.epochs = row.integer(column++);
  run.totalEpochs = row.integer(column++);
  run.stepsPerEpoch = row.integer(column++);
  run.steps = row.integer(column++);
  run.notes = row.text(column++);
  run.error = row.text(column++);
  run.startedJson = row.text(column++);
  run.testJson = row.text(column++);
  run.trashed = row.integer(column++) != 0;
  run.seconds = row.real(column++);
  run.trainSeconds = row.real(column++);
  run.bestMetric = row.text(column++);
  const BestEpoch best{row.real(column), row.integer(column + 1), row.integer(column + 2)};
  if (best.epoch > 0) run.best = best;
  column += 3;
  run.experimentId = row.text(column++);
  run.data = row.text(column++);
  run.model = row.text(column++);
  run.loss = row.text(column++);
  run.seed = static_cast<std::uint64_t>(row.integer(column++));
  run.forkedFrom = row.text(column++);
  run.forkedStep = row.integer(column++);
  run.group = row.text(column++);
  run.sweepJson = row.text(column++);
  run.rules = static_cast<int>(row.integer(column++));
  run.queued = row.integer(column++);
  return run;
}

Result<std::vector<std::string>> ids(Database& database, const char* sql,
                                     const std::string& parameter) {
  std::vector<std::string> found;
  PARAPET_TRY(database.each(
      sql, [&](Statement& row) { found.push_back(row.text(0)); }, parameter));
  return found;
}

Error notFound(Database& database, const std::string& asked) {
  const auto count = database.integer("SELECT count(*) FROM runs WHERE trashed=0");
  const std::int64_t total = count.ok() ? *count : 0;
  if (total == 0) return Error{ErrorCode::kNotFound, "this workspace holds no runs"};
  const auto newest = ids(database, "SELECT id FROM runs ORDER BY created_ms DESC LIMIT ?", "1000");
  const std::string hint = newest.ok() ? didYouMean(asked, *newest) : std::string();
  return Error{ErrorCode::kNotFound,
               fmt::format("there is no run {}; this workspace holds {} run{}{}", printable(asked),
                           formatCount(total), total == 1 ? "" : "s", hint)};
}

Error ambiguous(const std::string& prefix, std::vector<std::string> matches) {
  constexpr std::size_t kNamed = 8;
  const std::size_t total = matches.size();
  matches.resize(std::min(total, kNamed));
  return Error{ErrorCode::kInvalidDocument,
               fmt::format("{} begins the ids of {} runs: {}{}; give more digits", prefix, total,
                           join(matches), total > kNamed ? ", …" : "")};
}

/// The one id that the text stands for.
Result<std::string> resolve(Database& database, const std::string& asked) {
  if (asked == "latest") {
    PARAPET_ASSIGN(const auto newest,
                   ids(database,
                       "SELECT id FROM runs WHERE trashed=0 AND NOT (owner_pid=0 AND (queued>0 OR"
                       " steps=0)) ORDER BY created_ms DESC, rowid DESC LIMIT ?",
                       "1"));
    if (newest.empty()) return notFound(database, asked);
    return newest.front();
  }
  // Ids are hex digits, so all ids with the prefix are between it and the prefix with a 'g'.
  PARAPET_ASSIGN(
      auto matches,
      ids(database, "SELECT id FROM runs WHERE id>=?1 AND id<?1||'g' ORDER BY id", asked));
  if (asked.empty() || matches.empty()) return notFound(database, asked);
  if (matches.size() > 1) return ambiguous(asked, std::move(matches));
  return matches.front();
}

EpochSummary epochOfRow(const Statement& row) {
  EpochSummary epoch;
  epoch.epoch = row.integer(0);
  epoch.step = row.integer(1);
  epoch.loss = row.real(2);
  epoch.lossAsDisplayed = row.real(3);
  epoch.learningRate = row.real(4);
  epoch.trainSeconds = row.real(5);
  epoch.validationSeconds = row.real(6);
  epoch.retrievalSeconds = row.real(7);
  epoch.seconds = row.real(8);
  epoch.msPerStep = row.real(9);
  epoch.examplesPerSecond = row.real(10);
  epoch.timeUse =
      experiment::timeUseFromJson(nlohmann::ordered_json::parse(row.text(11), nullptr, false));
  epoch.verdicts =
      experiment::verdictsFromJson(nlohmann::ordered_json::parse(row.text(12), nullptr, false));
  epoch.segments =
      experiment::segmentsFromJson(nlohmann::ordered_json::parse(row.text(13), nullptr, false));
  return epoch;
}

}  // namespace

Result<RunRecord> readRun(Database& database, const std::string& id) {
  std::optional<RunRecord> run;
  PARAPET_TRY(database.each(
      "SELECT " RUN_COLUMNS " FROM runs WHERE id=?", [&](Statement& row) { run = runOfRow(row); },
      id));
  if (!run) return noSuchRun(id);
  return *run;
}

Result<std::vector<RunRecord>> readRuns(Database& database, const std::string& condition) {
  std::vector<RunRecord> found;
  PARAPET_TRY(database.each("SELECT " RUN_COLUMNS " FROM runs WHERE " + condition,
                            [&](Statement& row) { found.push_back(runOfRow(row)); }));
  return found;
}

Result<std::string> missingEpochs(Database& database, const std::string& id) {
  // While a run goes on, the lists of its last epoch are measured beside the next one, and a checkpoint
  // may come first.
  std::vector<std::string> ranges;
  PARAPET_TRY(database.each(
      fmt::format("WITH known(epoch) AS ("
                  "  SELECT epoch FROM epochs WHERE run_id=?1"
                  "  UNION SELECT max(epoch) + 1 FROM checkpoints WHERE run_id=?1 AND"
                  "    (SELECT state FROM runs WHERE id=?1) NOT IN {}),"
                  " gaps(epoch, before) AS (SELECT epoch, lag(epoch, 1, 0) OVER (ORDER BY epoch)"
                  "  FROM known WHERE epoch IS NOT NULL)"
                  "SELECT before + 1, epoch - 1 FROM gaps WHERE epoch > before + 1"
                  // A fork counts its epochs from the beginning of the run that it began with.
                  " AND (before > 0 OR (SELECT forked_from FROM runs WHERE id=?1)='')",
                  kLiveStates),
      [&](Statement& row) {
        const std::int64_t first = row.integer(0), last = row.integer(1);
        ranges.push_back(first == last ? fmt::format("{}", first)
                                       : fmt::format("{} to {}", first, last));
      },
      id));
  return join(ranges);
}

Result<std::vector<RunRecord>> RunStore::runs(const RunFilter& filter) const {
  std::lock_guard lock(state_->mutex);
  std::vector<RunRecord> found;
  PARAPET_TRY(state_->current().each(
      "SELECT " RUN_COLUMNS
      " FROM runs WHERE trashed<=? AND (?='' OR run_group=?) ORDER BY created_ms DESC, rowid DESC"
      " LIMIT ?",
      [&](Statement& row) { found.push_back(runOfRow(row)); },
      filter.trashed == RunFilter::Trashed::kInclude, filter.group, filter.group,
      filter.limit > 0 ? filter.limit : kNoLimit));
  return found;
}

Result<RunRecord> RunStore::find(const std::string& idPrefixOrLatest) const {
  RunRecord run;
  bool documentStands = false, runStands = false;
  {
    std::lock_guard lock(state_->mutex);
    Database& database = state_->current();
    PARAPET_ASSIGN(const std::string id, resolve(database, idPrefixOrLatest));
    PARAPET_ASSIGN(run, readRun(database, id));
    PARAPET_TRY(database.each(
        "SELECT experiment, resolved, hash=content_hash(experiment) FROM documents WHERE run_id=?",
        [&](Statement& row) {
          run.experimentJson = row.text(0);
          run.resolvedJson = row.text(1);
          documentStands = row.integer(2) != 0;
        },
        id));
    PARAPET_ASSIGN(const std::int64_t stands,
                   database.integer("SELECT hash=" PARAPET_RUN_HASH " FROM runs WHERE id=?", id));
    runStands = stands != 0;
  }
  if (!runStands)
    state_->warnOnce(
        fmt::format("run {}: its recorded results have changed since they were stored", run.id));
  if (!documentStands) recoverDocument(run);
  return run;
}

void RunStore::recoverDocument(RunRecord& run) const {
  run.experimentJson.clear();
  const std::string fault =
      fmt::format("the stored document of run {} has changed since it was stored", run.id);
  auto recovered =
      state_->options.recoverDocument
          ? state_->options.recoverDocument(run.id)
          : Result<Options::Recovered>(Error{ErrorCode::kNotFound, "no one else has it"});
  if (!recovered) {
    run.documentFault =
        fmt::format("{}, and nothing gives it back ({}); restore parapet.db from a backup", fault,
                    recovered.error().text());
    return;
  }
  run.experimentJson = std::move(recovered->experimentJson);
  run.documentChange = fmt::format("{}; {} takes its place", fault, recovered->from);
  state_->warnOnce(run.documentChange);
}

Result<std::vector<EpochSummary>> RunStore::epochs(const std::string& id, std::int64_t after,
                                                   std::int64_t limit) const {
  std::lock_guard lock(state_->mutex);
  Database& database = state_->current();
  std::vector<EpochSummary> found;
  std::vector<std::string> changed;
  PARAPET_TRY(database.each(
      "SELECT epoch, step, loss, loss_as_displayed, learning_rate, train_seconds,"
      " validation_seconds, retrieval_seconds, seconds, ms_per_step, examples_per_second,"
      " time_json, verdicts_json, segments_json, hash=" PARAPET_EPOCH_HASH
      " FROM epochs WHERE run_id=? AND epoch>? ORDER BY epoch LIMIT ?",
      [&](Statement& row) {
        found.push_back(epochOfRow(row));
        if (row.integer(14) == 0) changed.push_back(fmt::format("{}", found.back().epoch));
      },
      id, after, limit > 0 ? limit : kNoLimit));
  if (!changed.empty())
    state_->warnOnce(fmt::format(
        "run {}: what is recorded of epoch {} has changed since it was stored", id, join(changed)));
  std::string missing;
  if (after == 0) {
    PARAPET_ASSIGN(missing, missingEpochs(database, id));
  }
  if (!missing.empty())
    state_->warnOnce(fmt::format("run {}: of epoch {} nothing is recorded", id, missing));
  // Another program may have added an epoch in between; its metrics are left out.
  auto epoch = found.begin();
  PARAPET_TRY(database.each(
      "SELECT epoch, key, value FROM epoch_metrics WHERE run_id=? AND epoch>? AND epoch<=?"
      " ORDER BY epoch, position",
      [&](Statement& row) {
        while (epoch != found.end() && epoch->epoch < row.integer(0)) ++epoch;
        if (epoch != found.end() && epoch->epoch == row.integer(0))
          epoch->metrics.emplace_back(row.text(1), row.real(2));
      },
      id, after, found.empty() ? after : found.back().epoch));
  return found;
}

Result<std::vector<StepBucket>> RunStore::steps(const std::string& id, std::int64_t afterStep,
                                                std::int64_t limit) const {
  std::lock_guard lock(state_->mutex);
  std::vector<StepBucket> found;
  const std::int64_t rows = limit > 0 ? limit : kNoLimit;
  PARAPET_TRY(state_->current().each(
      "SELECT first_step, last_step, epoch, min, max, last, seconds, non_finite FROM steps"
      " WHERE run_id=? AND last_step>? ORDER BY last_step LIMIT ?",
      [&](Statement& row) {
        found.push_back({row.integer(0), row.integer(1), row.integer(2), row.real(3), row.real(4),
                         row.real(5), row.real(6), row.integer(7)});
      },
      id, afterStep, rows));
  return found;
}

Result<std::vector<StepBucket>> RunStore::stepBlocks(const std::string& id, std::int64_t first,
                                                     std::int64_t last,
                                                     std::int64_t maxBuckets) const {
  std::lock_guard lock(state_->mutex);
  return readBlocks(state_->database, id, first, last, maxBuckets);
}

Result<std::vector<DataSource>> RunStore::dataSources(std::int64_t limit) const {
  std::lock_guard lock(state_->mutex);
  std::vector<DataSource> found;
  PARAPET_TRY(state_->current().each(
      "SELECT path, max(used) FROM"
      " (SELECT data AS path, created_ms AS used FROM runs WHERE data LIKE '/%' AND trashed=0"
      "  UNION ALL SELECT json_extract(document, '$.dataset.path'), modified_ms FROM experiments"
      "  WHERE trashed=0 AND json_valid(document))"
      " WHERE path LIKE '/%' GROUP BY path ORDER BY 2 DESC LIMIT ?",
      [&](Statement& row) {
        found.push_back({row.text(0), row.integer(1)});
      },
      limit));
  return found;
}

Result<std::vector<CheckpointRecord>> RunStore::checkpoints(const std::string& id) const {
  std::lock_guard lock(state_->mutex);
  std::vector<CheckpointRecord> found;
  PARAPET_TRY(state_->current().each(
      "SELECT step, epoch, path, bytes, best, created_ms FROM checkpoints WHERE run_id=?"
      " ORDER BY step",
      [&](Statement& row) {
        found.push_back({row.integer(0), row.integer(1), row.text(2),
                         static_cast<std::uint64_t>(row.integer(3)), row.integer(4) != 0,
                         row.integer(5)});
      },
      id));
  return found;
}

Result<std::vector<RunSession>> RunStore::sessions(const std::string& id) const {
  std::lock_guard lock(state_->mutex);
  std::vector<RunSession> found;
  PARAPET_TRY(state_->current().each(
      "SELECT first_step, began_ms, build, instruction_set, threads FROM sessions WHERE run_id=?"
      " ORDER BY id",
      [&](Statement& row) {
        found.push_back({row.integer(0), row.integer(1), row.text(2), row.text(3), row.integer(4)});
      },
      id));
  return found;
}

Result<std::vector<EventRecord>> RunStore::events(const std::string& id) const {
  std::lock_guard lock(state_->mutex);
  std::vector<EventRecord> found;
  PARAPET_TRY(state_->current().each(
      "SELECT wall_ms, kind, message, step FROM events WHERE run_id=? ORDER BY id",
      [&](Statement& row) {
        found.push_back({row.integer(0), row.text(1), row.text(2), row.integer(3)});
      },
      id));
  return found;
}

}  // namespace parapet::store
