// SPDX-License-Identifier: Apache-2.0
#include "engine/store/row_rules.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>

#include "engine/base/text.h"

namespace parapet::store {
namespace {

#define ALL_STATES                                                                              \
  "('Queued','Running','Paused','Finished','Stopped','Failed','Crashed','Diverged','DiskFull'," \
  "'DeviceLost')"
#define LIVE_STATES "('Queued','Running','Paused')"

constexpr auto kRules = std::to_array<RowRule>({
    {"runs", "length(id)<>12 OR id GLOB '*[^0-9a-f]*'", "the id is not 12 lower-case hex digits",
     nullptr},
    {"runs", "state NOT IN " ALL_STATES, "the state is unknown", "SET state='Crashed'"},
    {"runs", "state NOT IN " LIVE_STATES " AND ended_ms<=0", "an ended run has no end time",
     "SET ended_ms=max(heartbeat_ms, 1)"},
    {"runs", "state IN " LIVE_STATES " AND ended_ms<>0", "a run that has not ended has an end time",
     "SET ended_ms=0"},
    {"runs", "created_ms<=0", "the creation time is missing",
     "SET created_ms=max(heartbeat_ms, 1)"},
    {"runs", "total_epochs<0 OR steps_per_epoch<0", "a count of epochs or steps is negative",
     "SET total_epochs=max(total_epochs, 0), steps_per_epoch=max(steps_per_epoch, 0)"},
    {"runs", "epochs<>(SELECT coalesce(max(epoch), 0) FROM epochs WHERE run_id=id)",
     "the count of epochs is not the last recorded epoch",
     "SET epochs=(SELECT coalesce(max(epoch), 0) FROM epochs WHERE run_id=id)"},
    {"runs", "steps<(SELECT coalesce(max(last_step), 0) FROM steps WHERE run_id=id)",
     "the count of steps is below the last recorded step",
     "SET steps=(SELECT coalesce(max(last_step), 0) FROM steps WHERE run_id=id)"},
    {"runs", "NOT (seconds>=0 AND seconds<9e99 AND train_seconds>=0 AND train_seconds<9e99)",
     "a duration is negative or infinite", "SET seconds=0, train_seconds=0"},
    {"runs", "trashed NOT IN (0, 1)", "trashed is neither 0 nor 1", "SET trashed=0"},
    {"runs", "started_json<>'' AND NOT json_valid(started_json)", "started_json is not JSON",
     "SET started_json=''"},
    {"runs", "sweep_json<>'' AND NOT json_valid(sweep_json)", "sweep_json is not JSON",
     "SET sweep_json=''"},
    {"runs", "queued<0 OR queued>0 AND state<>'Queued'", "a run that does not wait is in the queue",
     "SET queued=0"},
    {"runs", "forked_step<0", "the step of the fork is negative", "SET forked_step=0"},
    {"runs", "test_json<>'' AND NOT json_valid(test_json)", "test_json is not JSON",
     "SET test_json=''"},
    {"runs",
     "best_epoch IS NOT NULL AND NOT EXISTS (SELECT 1 FROM epochs LEFT JOIN epoch_metrics"
     " ON epoch_metrics.run_id=epochs.run_id AND epoch_metrics.epoch=epochs.epoch"
     " WHERE epochs.run_id=id AND epochs.epoch=best_epoch AND epochs.step=best_step AND"
     " (key=best_metric AND value=best_value OR best_metric='loss' AND loss=best_value))",
     "the best epoch is not among the recorded epochs",
     "SET best_value=NULL, best_epoch=NULL, best_step=NULL"},
    {"runs", "NOT EXISTS (SELECT 1 FROM documents WHERE run_id=id)", "the run has no document",
     nullptr},
    {"documents", "resolved<>'' AND NOT json_valid(resolved)", "resolved is not JSON",
     "SET resolved=''"},
    {"documents", "NOT json_valid(experiment)", "the document is not JSON", "SET experiment='{}'"},
    {"epochs", "epoch<1 OR step<0", "the epoch is below 1 or the step below 0", nullptr},
    {"epochs", "abs(loss)>9e99 OR abs(seconds)>9e99 OR abs(learning_rate)>9e99",
     "a value is infinite", nullptr},
    {"epochs", "seconds<0 OR train_seconds<0 OR ms_per_step<0 OR examples_per_second<0",
     "a duration or rate is negative", nullptr},
    {"epochs", "time_json<>'' AND NOT json_valid(time_json)", "time_json is not JSON",
     "SET time_json=''"},
    {"epoch_metrics", "position<0 OR key=''", "a metric has no name", nullptr},
    {"steps", "first_step<1 OR last_step<first_step OR epoch<1", "the range of steps is invalid",
     nullptr},
    {"steps", "min>max OR last<min OR last>max", "the last loss is outside of minimum and maximum",
     nullptr},
    {"steps", "non_finite<0 OR non_finite>last_step-first_step+1",
     "there are more non-finite losses than steps", nullptr},
    {"steps",
     "first_step<=(SELECT max(before.last_step) FROM steps AS before WHERE"
     " before.run_id=steps.run_id AND before.last_step<steps.last_step)",
     "the range of steps overlaps another", nullptr},
    {"checkpoints", "step<0 OR epoch<0 OR bytes<0 OR best NOT IN (0, 1) OR path=''",
     "a value of the checkpoint is out of range", nullptr},
    {"events",
     "kind NOT IN ('warning','note','state','checkpoint','started','ended') OR wall_ms<=0",
     "the kind of the event is unknown or its time is missing", nullptr},
    {"experiments", "length(id)<>12 OR id GLOB '*[^0-9a-f]*'",
     "the id is not 12 lower-case hex digits", nullptr},
    {"experiments", "name=''", "the name is empty", "SET name='experiment-' || id"},
    {"experiments", "title=''", "the title is empty", "SET title=name"},
    {"experiments", "reasons<>'' AND NOT json_valid(reasons)", "reasons is not JSON",
     "SET reasons=''"},
    {"experiments", "NOT json_valid(document)", "the document is not JSON",
     "SET draft=CASE draft WHEN '' THEN document ELSE draft END, document='{}'"},
    {"experiments", "trashed NOT IN (0, 1)", "trashed is neither 0 nor 1", "SET trashed=0"},
    {"experiments", "revision<1 OR created_ms<=0 OR modified_ms<=0",
     "the revision or a time is missing",
     "SET revision=max(revision, 1), created_ms=max(created_ms, 1),"
     " modified_ms=max(modified_ms, 1)"},
    {"requests", "kind NOT IN ('pause','resume','stop')", "the kind of the request is unknown",
     nullptr},
});

}  // namespace

Result<std::vector<ColumnType>> columnTypes(Database& database, const char* table) {
  std::vector<ColumnType> columns;
  PARAPET_TRY(database.each(
      "SELECT name, type, \"notnull\" OR pk>0 FROM pragma_table_info(?) ORDER BY cid",
      [&](Statement& row) {
        columns.push_back({row.text(0), row.text(1), row.integer(2) == 0});
      },
      table));
  return columns;
}

std::string faultOf(const Statement& row, int column, const ColumnType& declared) {
  const int type = row.type(column);
  if (type == SQLITE_NULL) return declared.isNullable ? "" : "is empty";
  if (declared.type == "INTEGER") return type == SQLITE_INTEGER ? "" : "is not an integer";
  if (declared.type == "REAL") return type == SQLITE_FLOAT ? "" : "is not a number";
  if (type != SQLITE_TEXT) return "is not text";
  const std::string text = row.text(column);
  if (!isValidUtf8(text)) return fmt::format("is not UTF-8: {}", printable(text));
  if (text.find('\0') != std::string::npos) return "holds a NUL character";
  return "";
}

std::span<const RowRule> rowRules() {
  return kRules;
}

}  // namespace parapet::store
