// SPDX-License-Identifier: Apache-2.0
#include "engine/store/recorder.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

#include "engine/base/log.h"
#include "engine/base/text.h"
#include "engine/experiment/metric_key.h"
#include "engine/store/schema.h"
#include "engine/store/step_blocks.h"

namespace parapet::store {
namespace {

constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

double valueIn(const experiment::EpochSummary& epoch, std::string_view metric) {
  for (const auto& [key, value] : epoch.metrics)
    if (key == metric) return value;
  return metric == "loss" ? epoch.loss : kNotMeasured;
}

Result<std::string> bestMetricOf(Database& database, const std::string& runId) {
  std::string metric;
  PARAPET_TRY(database.each(
      "SELECT best_metric FROM runs WHERE id=?", [&](Statement& row) { metric = row.text(0); },
      runId));
  return metric;
}

using nlohmann::ordered_json;
using namespace experiment;

/// On one line; bytes that are no UTF-8 become U+FFFD rather than an exception.
std::string dump(const ordered_json& document) {
  return document.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

/// NaN becomes null: JSON has no other word for "not measured".
ordered_json metricsJson(const std::vector<Metric>& metrics) {
  ordered_json object = ordered_json::object();
  for (const auto& [key, value] : metrics) object[key] = value;
  return object;
}

ordered_json baselinesJson(const Baselines& measured) {
  ordered_json baselines = ordered_json::object();
  for (const auto& [name, metrics] : measured) baselines[name] = metricsJson(metrics);
  return baselines;
}

std::string startedJson(const RunStarted& started) {
  return dump(ordered_json{{"first_step", started.firstStep},
                           {"steps_per_epoch", started.stepsPerEpoch},
                           {"total_epochs", started.totalEpochs},
                           {"train_rows", started.trainRows},
                           {"validation_rows", started.validationRows},
                           {"test_rows", started.testRows},
                           {"dataset", started.dataset},
                           {"baselines", baselinesJson(started.baselines)}});
}

/// The text of a column of JSON; "" where there is nothing.
template <class Value>
std::string jsonColumn(const Value& value) {
  return value.empty() ? std::string() : dump(toJson(value));
}

/// Columns of seconds are sums and hold no NULL.
double finite(double seconds) {
  return std::isfinite(seconds) ? seconds : 0.0;
}

/// changeSealedRun() for an epoch and its metrics.
Status changeSealedEpoch(Database& database, const std::string& runId, std::int64_t epoch,
                         const std::function<Status()>& change) {
  PARAPET_TRY(
      database.run("UPDATE epochs SET hash='' WHERE run_id=? AND epoch=? AND"
                   " hash=" PARAPET_EPOCH_HASH,
                   runId, epoch));
  PARAPET_TRY(change());
  return database.run("UPDATE epochs SET taken_over=0, hash=" PARAPET_EPOCH_HASH
                      " WHERE run_id=? AND epoch=? AND hash=''",
                      runId, epoch);
}

/// A run that was measured by other rules before goes on under those of this program: its best epoch is
/// one of theirs.
Status followRules(Database& database, const std::string& runId) {
  PARAPET_ASSIGN(const std::int64_t rules,
                 database.integer("SELECT rules FROM runs WHERE id=?", runId));
  if (rules == kMetricRules) return {};
  PARAPET_TRY(changeSealedRun(database, runId, [&] {
    return database.run("UPDATE runs SET rules=? WHERE id=?", kMetricRules, runId);
  }));
  return findBestEpoch(database, runId);
}

/// Writes one event; one overload per kind, so a new kind without one does not compile.
class StatementWriter {
 public:
  StatementWriter(Database& database, const ReceivedEvent& received)
      : database_(database), received_(received) {}

  Status operator()(const RunStarted& started) {
    PARAPET_TRY(changeSealedRun(database_, received_.runId, [&] {
      return database_.run(
          // Baselines that take long stand as they were before a resume, until they are measured again.
          "UPDATE runs SET steps_per_epoch=?, total_epochs=?, dataset=?, started_json="
          "CASE WHEN json_valid(started_json) THEN json_patch(started_json, ?4) ELSE ?4 END,"
          " state=CASE state WHEN 'Queued' THEN 'Running' ELSE state END, queued=0 WHERE id=?",
          started.stepsPerEpoch, started.totalEpochs, started.dataset, startedJson(started),
          received_.runId);
    }));
    return note(
        "started",
        started.firstStep == 0 ? "started" : fmt::format("resumed from step {}", started.firstStep),
        started.firstStep);
  }

  Status operator()(const BaselinesMeasured& measured) {
    if (!measured.verdicts.empty())
      PARAPET_TRY(changeSealedEpoch(database_, received_.runId, measured.epoch, [&] {
        return database_.run("UPDATE epochs SET verdicts_json=? WHERE run_id=? AND epoch=?",
                             dump(toJson(measured.verdicts)), received_.runId, measured.epoch);
      }));
    return changeSealedRun(database_, received_.runId, [&] {
      return database_.run(
          "UPDATE runs SET started_json=json_set(started_json, '$.baselines', json(?))"
          " WHERE id=? AND json_valid(started_json)",
          dump(baselinesJson(measured.baselines)), received_.runId);
    });
  }

  Status operator()(const EpochEnded& ended) {
    const EpochSummary& row = ended.summary;
    PARAPET_TRY(
        database_.run("DELETE FROM epochs WHERE run_id=? AND epoch=?", received_.runId, row.epoch));
    PARAPET_TRY(database_.run("INSERT INTO epochs VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,'',0)",
                              received_.runId, row.epoch, row.step, row.loss, row.lossAsDisplayed,
                              row.learningRate, row.trainSeconds, row.validationSeconds,
                              row.retrievalSeconds, row.seconds, row.msPerStep,
                              row.examplesPerSecond, jsonColumn(row.timeUse),
                              jsonColumn(row.verdicts), jsonColumn(row.segments), kMetricRules));
    std::int64_t position = 0;
    for (const auto& [key, value] : row.metrics)
      PARAPET_TRY(database_.run("INSERT INTO epoch_metrics VALUES (?,?,?,?,?)", received_.runId,
                                row.epoch, position++, key, value));
    PARAPET_TRY(database_.run("UPDATE epochs SET hash=" PARAPET_EPOCH_HASH
                              " WHERE run_id=? AND epoch=?",
                              received_.runId, row.epoch));
    PARAPET_TRY(followRules(database_, received_.runId));
    PARAPET_TRY(
        database_.run("UPDATE runs SET epochs=max(epochs, ?), steps=max(steps, ?), "
                      "train_seconds=train_seconds+? WHERE id=?",
                      row.epoch, row.step, finite(row.trainSeconds), received_.runId));
    return offerEpoch(database_, received_.runId, row);
  }

  Status operator()(const EpochMeasuredAgain& row) {
    PARAPET_TRY(changeSealedEpoch(database_, received_.runId, row.epoch,
                                  [&] { return replaceValidation(row); }));
    if (row.best)
      PARAPET_TRY(database_.run("UPDATE checkpoints SET best=(step=?) WHERE run_id=?", row.step,
                                received_.runId));
    PARAPET_TRY(followRules(database_, received_.runId));
    return findBestEpoch(database_, received_.runId);
  }

  // For those who watch; what stays came with the epoch.
  Status operator()(const TimeSpent&) { return {}; }

  Status operator()(const CheckpointWritten& written) {
    if (written.best)
      PARAPET_TRY(database_.run("UPDATE checkpoints SET best=0 WHERE run_id=?", received_.runId));
    PARAPET_TRY(
        database_.run("INSERT OR REPLACE INTO checkpoints VALUES (?,?,?,?,?,?,?)", received_.runId,
                      written.step, written.epoch, pathInWorkspace(database_, written.path),
                      static_cast<std::int64_t>(written.bytes), written.best, received_.wallMs));
    return note("checkpoint",
                fmt::format("checkpoint of step {} written{}: {}", written.step,
                            written.best ? ", the best so far" : "", formatBytes(written.bytes)),
                written.step);
  }

  Status operator()(const CheckpointRemoved& removed) {
    return database_.run("DELETE FROM checkpoints WHERE run_id=? AND step=?", received_.runId,
                         removed.step);
  }

  Status operator()(const StateChanged& changed) {
    PARAPET_TRY(database_.run("UPDATE runs SET state=?, queued=0 WHERE id=?",
                              runStateName(changed.state), received_.runId));
    return noteNow("state", runStateName(changed.state));
  }

  Status operator()(const RunWarning& warning) { return noteNow("warning", warning.message); }

  Status operator()(const RunNote& told) { return noteNow("note", told.message); }

  Status operator()(const RunEnded& ended) {
    PARAPET_TRY(recordEnd(database_, received_.runId, received_.wallMs, ended));
    const std::string error = ended.error ? ended.error->text() : std::string();
    return noteNow("ended", error.empty()
                                ? runStateName(ended.state)
                                : fmt::format("{}: {}", runStateName(ended.state), error));
  }

 private:
  /// Metrics of training stay as they were recorded, and an epoch that was lost stays so.
  Status replaceValidation(const EpochMeasuredAgain& row) {
    PARAPET_TRY(database_.run(
        "UPDATE epochs SET rules=?, verdicts_json=?, segments_json=? WHERE run_id=? AND epoch=?",
        kMetricRules, jsonColumn(row.verdicts), jsonColumn(row.segments), received_.runId,
        row.epoch));
    if (database_.changes() == 0) return {};
    PARAPET_TRY(database_.run(
        "DELETE FROM epoch_metrics WHERE run_id=? AND epoch=? AND substr(key, 1, 4)='val_'",
        received_.runId, row.epoch));
    for (const auto& [key, value] : row.metrics)
      PARAPET_TRY(database_.run(
          "INSERT INTO epoch_metrics SELECT ?1, ?2, coalesce(max(position), -1) + 1, ?3, ?4"
          " FROM epoch_metrics WHERE run_id=?1 AND epoch=?2",
          received_.runId, row.epoch, key, value));
    return {};
  }
  Status note(std::string_view kind, std::string_view message, std::int64_t step) {
    return addEvent(database_, received_.runId, received_.wallMs, kind, message, step);
  }
  Status noteNow(std::string_view kind, std::string_view message) {
    PARAPET_ASSIGN(const std::int64_t step,
                   database_.integer("SELECT steps FROM runs WHERE id=?", received_.runId));
    return note(kind, message, step);
  }

  Database& database_;
  const ReceivedEvent& received_;
};

Result<bool> isKnown(Database& database, const std::string& runId, std::string_view what) {
  PARAPET_ASSIGN(const std::int64_t count,
                 database.integer("SELECT count(*) FROM runs WHERE id=?", runId));
  if (count == 0)
    log(LogLevel::kWarning, fmt::format("run store: {} of run {} ignored: there is no such run",
                                        what, printable(runId)));
  return count > 0;
}

}  // namespace

Status offerEpoch(Database& database, const std::string& runId,
                  const experiment::EpochSummary& epoch) {
  std::string metric;
  double best = kNotMeasured;
  std::int64_t bestEpoch = 0;
  PARAPET_TRY(database.each(
      "SELECT best_metric, best_value, best_epoch FROM runs WHERE id=?",
      [&](Statement& row) {
        metric = row.text(0);
        best = row.real(1);
        bestEpoch = row.integer(2);
      },
      runId));
  // Recorded again after a resume: the value that made it the best is gone.
  if (epoch.epoch == bestEpoch) return findBestEpoch(database, runId);
  const double value = valueIn(epoch, metric);
  if (!std::isfinite(value)) return {};
  const bool isBetter =
      std::isnan(best) || (experiment::smallerIsBetter(metric) ? value < best : value > best);
  if (!isBetter) return {};
  return database.run("UPDATE runs SET best_value=?, best_epoch=?, best_step=? WHERE id=?", value,
                      epoch.epoch, epoch.step, runId);
}

Status findBestEpoch(Database& database, const std::string& runId) {
  PARAPET_ASSIGN(const std::string metric, bestMetricOf(database, runId));
  const double sign = experiment::smallerIsBetter(metric) ? 1.0 : -1.0;
  return database.run(
      "UPDATE runs SET (best_value, best_epoch, best_step) ="
      " (SELECT value, epoch, step FROM"
      "   (SELECT m.value AS value, e.epoch AS epoch, e.step AS step FROM epoch_metrics m"
      "    JOIN epochs e ON e.run_id=m.run_id AND e.epoch=m.epoch"
      "    WHERE m.run_id=?1 AND m.key=?2 AND e.rules=(SELECT rules FROM runs WHERE id=?1)"
      "    UNION ALL SELECT loss, epoch, step FROM epochs WHERE run_id=?1 AND ?2='loss')"
      "  WHERE abs(value) < 9e999 ORDER BY value*?3, epoch LIMIT 1) WHERE id=?1",
      runId, metric, sign);
}

Status recordEvent(Database& database, const ReceivedEvent& received) {
  PARAPET_ASSIGN(const bool known, isKnown(database, received.runId, "an event"));
  if (!known) return {};
  return std::visit(StatementWriter(database, received), received.event);
}

Status recordSteps(Database& database, const std::string& runId,
                   std::span<const StepBucket> buckets) {
  if (buckets.empty()) return {};
  PARAPET_ASSIGN(const bool known, isKnown(database, runId, "a step"));
  if (!known) return {};
  for (const StepBucket& row : buckets)
    PARAPET_TRY(database.run("INSERT OR REPLACE INTO steps VALUES (?,?,?,?,?,?,?,?,?)", runId,
                             row.lastStep, row.firstStep, row.epoch, row.min, row.max, row.last,
                             row.seconds, row.nonFinite));
  PARAPET_TRY(addToBlocks(database, runId, buckets));
  return database.run("UPDATE runs SET steps=max(steps, ?), seconds=max(seconds, ?) WHERE id=?",
                      buckets.back().lastStep, finite(buckets.back().seconds), runId);
}

Status recordEnd(Database& database, const std::string& runId, std::int64_t wallMs,
                 const RunEnded& ended) {
  const std::string error = ended.error ? ended.error->text() : std::string();
  const std::string test =
      ended.testMetrics.empty() ? std::string() : dump(metricsJson(ended.testMetrics));
  PARAPET_TRY(changeSealedRun(database, runId, [&] {
    return database.run(
        "UPDATE runs SET state=?, error=?, test_json=?, ended_ms=?, seconds=?, train_seconds=?,"
        " queued=0 WHERE id=?",
        runStateName(ended.state), error, test, wallMs, finite(ended.seconds),
        finite(ended.trainSeconds), runId);
  }));
  return test.empty() ? Status() : followRules(database, runId);
}

Status changeSealedRun(Database& database, const std::string& runId,
                       const std::function<Status()>& change) {
  PARAPET_TRY(database.run("UPDATE runs SET hash='' WHERE id=? AND hash=" PARAPET_RUN_HASH, runId));
  PARAPET_TRY(change());
  return database.run(
      "UPDATE runs SET taken_over=0, hash=" PARAPET_RUN_HASH " WHERE id=? AND hash=''", runId);
}

std::string pathInWorkspace(const Database& database, const std::string& path) {
  const std::filesystem::path workspace = database.file().parent_path();
  const std::filesystem::path relative = std::filesystem::path(path).lexically_relative(workspace);
  // Elsewhere, or the database was opened by a bare file name.
  if (relative.empty() || *relative.begin() == "..") return path;
  return relative.string();
}

Status addEvent(Database& database, const std::string& runId, std::int64_t wallMs,
                std::string_view kind, std::string_view message, std::int64_t step) {
  return database.run(
      "INSERT INTO events (run_id, wall_ms, kind, message, step) VALUES (?,?,?,?,?)", runId, wallMs,
      kind, message, step);
}

}  // namespace parapet::store
