// SPDX-License-Identifier: Apache-2.0
#include "engine/store/schema.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "engine/base/text.h"

namespace parapet::store {
namespace {

Result<std::vector<std::string>> columnsOf(Database& database, const RunTable& table) {
  std::vector<std::string> columns;
  PARAPET_TRY(database.each(
      "SELECT name FROM pragma_table_info(?)",
      [&](Statement& row) {
        if (!table.serialColumn || row.text(0) != table.serialColumn)
          columns.push_back(row.text(0));
      },
      table.name));
  return columns;
}

Status insertRow(Database& to, const std::string& insert, const Statement& row) {
  PARAPET_ASSIGN(Statement statement, to.prepare(insert));
  for (int column = 0; column < row.columns(); ++column)
    statement.bindColumn(column + 1, row, column);
  PARAPET_TRY(statement.step());
  return {};
}

Status copyRows(Database& from, Database& to, const RunTable& table, const std::string& runId) {
  PARAPET_ASSIGN(const std::vector<std::string> columns, columnsOf(from, table));
  const std::string names = join(columns);
  const std::string insert = fmt::format("INSERT INTO {} ({}) VALUES ({})", table.name, names,
                                         join(std::vector<std::string>(columns.size(), "?")));
  Status inserted;
  PARAPET_TRY(from.each(
      fmt::format("SELECT {} FROM {} WHERE {}=?", names, table.name, table.runColumn),
      [&](Statement& row) {
        if (inserted.ok()) inserted = insertRow(to, insert, row);
      },
      runId));
  return inserted;
}

// The experiment documents have their own table: they are kilobytes each, and a list of a hundred
// thousand runs must not read past them.
constexpr const char* kVersion1 = R"sql(
CREATE TABLE runs (
  id               TEXT PRIMARY KEY NOT NULL,
  name             TEXT NOT NULL,
  recipe           TEXT NOT NULL,
  state            TEXT NOT NULL,
  fingerprint      TEXT NOT NULL,
  dataset          TEXT NOT NULL,
  created_ms       INTEGER NOT NULL,
  ended_ms         INTEGER NOT NULL DEFAULT 0,
  heartbeat_ms     INTEGER NOT NULL,
  owner_pid        INTEGER NOT NULL,
  owner_boot_id    TEXT NOT NULL,
  owner_start      INTEGER NOT NULL,
  epochs           INTEGER NOT NULL DEFAULT 0,
  total_epochs     INTEGER NOT NULL DEFAULT 0,
  steps_per_epoch  INTEGER NOT NULL DEFAULT 0,
  steps            INTEGER NOT NULL DEFAULT 0,
  notes            TEXT NOT NULL DEFAULT '',
  error            TEXT NOT NULL DEFAULT '',
  started_json     TEXT NOT NULL DEFAULT '',
  test_json        TEXT NOT NULL DEFAULT '',
  trashed          INTEGER NOT NULL DEFAULT 0,
  seconds          REAL NOT NULL DEFAULT 0,
  train_seconds    REAL NOT NULL DEFAULT 0
);
CREATE INDEX runs_by_time ON runs (created_ms);
CREATE INDEX runs_by_state ON runs (state);

CREATE TABLE documents (
  run_id      TEXT PRIMARY KEY NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  experiment  TEXT NOT NULL
);

CREATE TABLE epochs (
  run_id               TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  epoch                INTEGER NOT NULL,
  step                 INTEGER NOT NULL,
  loss                 REAL,
  loss_as_displayed    REAL,
  learning_rate        REAL,
  train_seconds        REAL,
  validation_seconds   REAL,
  retrieval_seconds    REAL,
  seconds              REAL,
  ms_per_step          REAL,
  examples_per_second  REAL,
  PRIMARY KEY (run_id, epoch)
) WITHOUT ROWID;

CREATE TABLE epoch_metrics (
  run_id    TEXT NOT NULL,
  epoch     INTEGER NOT NULL,
  position  INTEGER NOT NULL,
  key       TEXT NOT NULL,
  value     REAL,
  PRIMARY KEY (run_id, epoch, position),
  FOREIGN KEY (run_id, epoch) REFERENCES epochs (run_id, epoch) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE TABLE steps (
  run_id      TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  last_step   INTEGER NOT NULL,
  first_step  INTEGER NOT NULL,
  epoch       INTEGER NOT NULL,
  min         REAL,
  max         REAL,
  last        REAL,
  seconds     REAL,
  non_finite  INTEGER NOT NULL,
  PRIMARY KEY (run_id, last_step)
) WITHOUT ROWID;

CREATE TABLE checkpoints (
  run_id      TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  step        INTEGER NOT NULL,
  epoch       INTEGER NOT NULL,
  path        TEXT NOT NULL,
  bytes       INTEGER NOT NULL,
  best        INTEGER NOT NULL,
  created_ms  INTEGER NOT NULL,
  PRIMARY KEY (run_id, step)
) WITHOUT ROWID;

CREATE TABLE events (
  id       INTEGER PRIMARY KEY,
  run_id   TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  wall_ms  INTEGER NOT NULL,
  kind     TEXT NOT NULL,
  message  TEXT NOT NULL,
  step     INTEGER NOT NULL
);
CREATE INDEX events_by_run ON events (run_id);

CREATE TABLE requests (
  id          INTEGER PRIMARY KEY,
  run_id      TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  kind        TEXT NOT NULL,
  created_ms  INTEGER NOT NULL,
  done_ms     INTEGER
);
CREATE INDEX requests_by_run ON requests (run_id);
CREATE INDEX requests_open ON requests (id) WHERE done_ms IS NULL;
)sql";

// Where the time of an epoch's steps went, as experiment::toJson(TimeUse); '' if not measured.
constexpr const char* kVersion2 = R"sql(
ALTER TABLE epochs ADD COLUMN time_json TEXT NOT NULL DEFAULT '';
)sql";

// The best epoch of a run stands with the run, so that a list of runs is one query. Documents name
// the metric; best_epoch is NULL while nothing was measured. (ORDER BY of SQLite cannot name a column
// of the updated row, hence the join with the runs.) Paths of checkpoints are those in the
// workspace, so that it can be moved. A document has its hash, '' where it was not kept.
constexpr const char* kVersion3 = R"sql(
ALTER TABLE runs ADD COLUMN best_metric TEXT NOT NULL DEFAULT 'val_loss';
ALTER TABLE runs ADD COLUMN best_value REAL;
ALTER TABLE runs ADD COLUMN best_epoch INTEGER;
ALTER TABLE runs ADD COLUMN best_step INTEGER;
UPDATE runs SET best_metric = coalesce(
  (SELECT CASE WHEN json_valid(experiment)
               THEN json_extract(experiment, '$.training.checkpoints.best') END
   FROM documents WHERE run_id = runs.id), 'val_loss');
UPDATE runs SET (best_value, best_epoch, best_step) =
  (SELECT m.value, e.epoch, e.step FROM epoch_metrics m
   JOIN epochs e ON e.run_id = m.run_id AND e.epoch = m.epoch
   JOIN runs r ON r.id = m.run_id AND r.best_metric = m.key
   WHERE m.run_id = runs.id AND abs(m.value) < 9e999
   ORDER BY m.value * (CASE WHEN r.best_metric LIKE '%loss' OR r.best_metric LIKE '%rmse'
                              OR r.best_metric LIKE '%mae' OR r.best_metric LIKE '%\_ne' ESCAPE '\'
                            THEN 1 ELSE -1 END), e.epoch LIMIT 1);
ALTER TABLE documents ADD COLUMN hash TEXT NOT NULL DEFAULT '';
UPDATE checkpoints SET path = 'checkpoints/' || run_id || '/ckpt-' || step;
)sql";

// How the validation of an epoch compares with baselines, as experiment::toJson has the verdicts; ''
// if there was none.
constexpr const char* kVersion4 = R"sql(
ALTER TABLE epochs ADD COLUMN verdicts_json TEXT NOT NULL DEFAULT '';
)sql";

// Levels of detail of the steps (step_blocks.h). Runs that are there already stay without until they
// are resumed: they are read step by step.
constexpr const char* kVersion5 = R"sql(
CREATE TABLE step_blocks (
  run_id      TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  level       INTEGER NOT NULL,
  block       INTEGER NOT NULL,
  first_step  INTEGER NOT NULL,
  last_step   INTEGER NOT NULL,
  epoch       INTEGER NOT NULL,
  min         REAL,
  max         REAL,
  last        REAL,
  seconds     REAL,
  non_finite  INTEGER NOT NULL,
  PRIMARY KEY (run_id, level, block)
) WITHOUT ROWID;
)sql";

// Experiments are edited over time and have a name of their own; a run keeps the document of its start.
// Names differ in more than case, so that none is chosen by mistake, but only outside of the trash. What
// a list of runs tells them apart by stands with the run; a document with a path names its data by it.
constexpr const char* kVersion6 = R"sql(
CREATE TABLE experiments (
  id           TEXT PRIMARY KEY NOT NULL,
  name         TEXT NOT NULL,
  document     TEXT NOT NULL,
  draft        TEXT NOT NULL DEFAULT '',
  origin       TEXT NOT NULL DEFAULT '',
  created_ms   INTEGER NOT NULL,
  modified_ms  INTEGER NOT NULL,
  revision     INTEGER NOT NULL DEFAULT 1,
  trashed      INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX experiments_by_name ON experiments (name COLLATE NOCASE) WHERE trashed=0;
ALTER TABLE runs ADD COLUMN experiment_id TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN data TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN model TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN loss TEXT NOT NULL DEFAULT '';
CREATE INDEX runs_by_experiment ON runs (experiment_id) WHERE experiment_id<>'';
UPDATE runs SET (data, model, loss) =
  (SELECT coalesce(json_extract(experiment, '$.dataset.path'),
                   'generated ' || json_extract(experiment, '$.dataset.generator.kind'),
                   json_extract(experiment, '$.dataset.source'), ''),
          coalesce(json_extract(experiment, '$.model.kind'), ''),
          coalesce(json_extract(experiment, '$.loss.kind'), '')
   FROM documents WHERE run_id=runs.id)
WHERE EXISTS (SELECT 1 FROM documents WHERE run_id=runs.id AND json_valid(experiment));
)sql";

// Lists of the catalogue by segment, as experiment::toJson has them; '' if none were asked for.
constexpr const char* kVersion7 = R"sql(
ALTER TABLE epochs ADD COLUMN segments_json TEXT NOT NULL DEFAULT '';
)sql";

// Where a run began, and the runs that it was started together with: of a sweep they have a group, and
// each the settings that are its own.
constexpr const char* kVersion8 = R"sql(
ALTER TABLE runs ADD COLUMN seed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN forked_from TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN forked_step INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN run_group TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN sweep_json TEXT NOT NULL DEFAULT '';
CREATE INDEX runs_by_group ON runs (run_group) WHERE run_group<>'';
UPDATE runs SET seed=coalesce(
  (SELECT json_extract(experiment, '$.training.seed') FROM documents
   WHERE run_id=runs.id AND json_valid(experiment)
     AND json_type(experiment, '$.training.seed')='integer'), 0);
)sql";

// How a run was resolved: mesh, memory spaces, where each table lay and why; '' if that was not kept.
constexpr const char* kVersion9 = R"sql(
ALTER TABLE documents ADD COLUMN resolved TEXT NOT NULL DEFAULT '';
)sql";

// Rows of measurements carry a hash, as documents do, so that a changed one is found; those that are
// there already are taken over as they are (kTakeOverRows). Metrics say which rules they follow
// (experiment::kMetricRules). A session is a program that trained the run, from its start or from a
// checkpoint on.
constexpr const char* kVersion10 = R"sql(
ALTER TABLE documents ADD COLUMN taken_over INTEGER NOT NULL DEFAULT 0;
ALTER TABLE epochs ADD COLUMN rules INTEGER NOT NULL DEFAULT 1;
ALTER TABLE epochs ADD COLUMN hash TEXT NOT NULL DEFAULT '';
ALTER TABLE epochs ADD COLUMN taken_over INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN rules INTEGER NOT NULL DEFAULT 1;
ALTER TABLE runs ADD COLUMN hash TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN taken_over INTEGER NOT NULL DEFAULT 0;
CREATE TABLE sessions (
  id               INTEGER PRIMARY KEY,
  run_id           TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  first_step       INTEGER NOT NULL,
  began_ms         INTEGER NOT NULL,
  build            TEXT NOT NULL,
  instruction_set  TEXT NOT NULL,
  threads          INTEGER NOT NULL
);
CREATE INDEX sessions_by_run ON sessions (run_id);
)sql";

// Runs wait in a queue of the workspace: their place, 0 if they are in none. An experiment has a title,
// which is free text; its name is derived from it. The reasons of a proposal stay with the experiment that
// it became, [{"pointer", "reason"}]; '' if it was none.
constexpr const char* kVersion11 = R"sql(
ALTER TABLE runs ADD COLUMN queued INTEGER NOT NULL DEFAULT 0;
CREATE INDEX runs_queued ON runs (queued) WHERE queued>0;
ALTER TABLE experiments ADD COLUMN title TEXT NOT NULL DEFAULT '';
ALTER TABLE experiments ADD COLUMN reasons TEXT NOT NULL DEFAULT '';
UPDATE experiments SET title=name;
)sql";

// Joined with kTakeOverRows, once.
const std::string& version10() {
  static const std::string script = std::string(kVersion10) + kTakeOverRows;
  return script;
}

}  // namespace

Status copyExperiments(Database& from, Database& to) {
  PARAPET_ASSIGN(const std::vector<std::string> columns, columnsOf(from, kExperimentTable));
  if (columns.empty()) return {};
  const std::string names = join(columns);
  const std::string insert =
      fmt::format("INSERT OR IGNORE INTO experiments ({}) VALUES ({})", names,
                  join(std::vector<std::string>(columns.size(), "?")));
  Status inserted;
  PARAPET_TRY(from.each(fmt::format("SELECT {} FROM experiments", names), [&](Statement& row) {
    if (inserted.ok()) inserted = insertRow(to, insert, row);
  }));
  return inserted;
}

Status copyRun(Database& from, Database& to, const std::string& runId) {
  PARAPET_ASSIGN(const std::int64_t known,
                 from.integer("SELECT count(*) FROM runs WHERE id=?", runId));
  if (known == 0) return {};
  PARAPET_TRY(to.run("DELETE FROM runs WHERE id=?", runId));
  for (const RunTable& table : kRunTables) PARAPET_TRY(copyRows(from, to, table, runId));
  return {};
}

std::span<const char* const> migrationScripts() {
  static const std::array scripts{kVersion1, kVersion2,           kVersion3, kVersion4,
                                  kVersion5, kVersion6,           kVersion7, kVersion8,
                                  kVersion9, version10().c_str(), kVersion11};
  return scripts;
}

}  // namespace parapet::store
