// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string>

#include "engine/base/result.h"
#include "engine/store/sqlite.h"

namespace parapet::store {

/// A table of the schema, and how its rows name their run.
struct RunTable {
  const char* name;
  const char* runColumn;
  const char* order;  ///< the column that its rows are stored in the order of
  /// Assigned by the database and not copied; null if there is none.
  const char* serialColumn = nullptr;
};

/// All tables of runs; those that others refer to come first.
inline constexpr std::array<RunTable, 10> kRunTables{{
    {"runs", "id", "rowid"},
    {"documents", "run_id", "rowid"},
    {"epochs", "run_id", "run_id"},
    {"epoch_metrics", "run_id", "run_id"},
    {"steps", "run_id", "run_id"},
    {"step_blocks", "run_id", "run_id"},
    {"checkpoints", "run_id", "run_id"},
    {"events", "run_id", "id", "id"},
    {"sessions", "run_id", "id", "id"},
    {"requests", "run_id", "id", "id"},
}};

/// Copies all rows of a run; they replace what `to` holds of it. Nothing happens if `from` does not
/// know the run. Called inside a transaction of `to`; both have this program's schema.
Status copyRun(Database& from, Database& to, const std::string& runId);

/// The table of experiments, which no run owns.
inline constexpr RunTable kExperimentTable{"experiments", "id", "rowid"};

/// Copies the experiments that `to` does not hold; one whose name is taken there by another is left out.
/// Both have this program's schema.
Status copyExperiments(Database& from, Database& to);

}  // namespace parapet::store

// The texts that the `hash` of a row of `epochs` and `runs` is made from (sqlite.cpp): an epoch with
// its metrics, and the fields of a run that are stored once. The hash of a document is that of its text. Another
// expression needs a migration that makes the hashes anew.
#define PARAPET_EPOCH_HASH                                                                  \
  "content_hash(epochs.run_id, epochs.epoch, step, loss, loss_as_displayed, learning_rate," \
  " train_seconds, validation_seconds, retrieval_seconds, seconds, ms_per_step,"            \
  " examples_per_second, time_json, verdicts_json, segments_json, rules,"                   \
  " (SELECT content_sum(position, key, value) FROM epoch_metrics"                           \
  "  WHERE epoch_metrics.run_id=epochs.run_id AND epoch_metrics.epoch=epochs.epoch))"
#define PARAPET_RUN_HASH                                                                      \
  "content_hash(id, fingerprint, dataset, data, model, loss, seed, forked_from, forked_step," \
  " best_metric, rules, started_json, test_json)"

namespace parapet::store {

/// Older rows have no hash.
inline constexpr int kFirstVersionWithHashes = 10;

/// Gives rows without a hash that of what they hold now, and marks them: nobody has verified them.
/// For rows of an older version alone.
inline constexpr const char* kTakeOverRows =
    "UPDATE documents SET taken_over=1, hash=content_hash(experiment) WHERE hash='';"
    "UPDATE epochs SET taken_over=1, hash=" PARAPET_EPOCH_HASH
    " WHERE hash='';"
    "UPDATE runs SET taken_over=1, hash=" PARAPET_RUN_HASH " WHERE hash='';";

/// The scripts that lead from an empty file to today's schema; the n-th leads to version n. A
/// script that was released is never edited: a change is a new one at the end. Tables and columns
/// are described in README.md.
std::span<const char* const> migrationScripts();

}  // namespace parapet::store
