// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
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
