// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>

#include "engine/base/clock.h"
#include "engine/base/files.h"
#include "engine/base/hash.h"
#include "engine/base/text.h"
#include "engine/store/check_database.h"
#include "engine/store/migrations.h"
#include "engine/store/recorder.h"
#include "engine/store/row_rules.h"
#include "engine/store/schema.h"
#include "engine/store/step_blocks.h"
#include "engine/store/store_state.h"

namespace parapet::store {
namespace {

namespace fs = std::filesystem;

/// Bytes that are kept of a value that should be a text and was none.
constexpr std::size_t kMaxFixedText = 1000;

/// Removes a file and what SQLite keeps beside it.
void removeDatabase(const fs::path& file) {
  std::error_code ignored;
  for (const char* suffix : {"", "-wal", "-shm", "-journal"})
    fs::remove(file.string() + suffix, ignored);
}

/// Binds a value that the column may hold in place of one that it may not. `texts` keeps a text until
/// the row is inserted.
void bindFixed(Statement& insert, int parameter, const Statement& row, int column,
               const ColumnType& declared, std::deque<std::string>& texts) {
  if (declared.type == "INTEGER") return insert.bind(parameter, row.integer(column));
  // NaN is NULL, where a column may hold it.
  if (declared.type == "REAL")
    return insert.bind(parameter, declared.isNullable ? std::nan("") : 0.0);
  insert.bind(parameter, texts.emplace_back(printable(row.text(column), kMaxFixedText)));
}

/// The losses of runs, in words that follow kRepairNote.
using Losses = std::set<std::pair<std::string, std::string>>;

struct Salvaged {
  std::int64_t kept = 0, fixed = 0;
  Losses losses;
  std::vector<std::string> incomplete;  ///< tables that could not be read to their end
};

/// Reads from one end of a table until its end or until damage.
Status copyFrom(Database& from, Database& to, const RunTable& table,
                const std::vector<ColumnType>& columns, const char* direction, Salvaged& salvaged) {
  std::vector<std::string> names;
  for (const ColumnType& column : columns) names.push_back(column.name);
  const auto run = static_cast<int>(std::ranges::find(names, table.runColumn) - names.begin());
  const bool isAscending = std::string_view(direction) == "ASC";
  const auto lose = [&](const Statement& row, const char* what) {
    salvaged.losses.emplace(row.text(run), fmt::format("{} the table {}", what, table.name));
  };
  const std::string insert =
      fmt::format("INSERT OR IGNORE INTO {} ({}) VALUES ({})", table.name, join(names),
                  join(std::vector<std::string>(names.size(), "?")));
  return from.each(fmt::format("SELECT {} FROM {} ORDER BY {} {}", join(names), table.name,
                               table.order, direction),
                   [&](Statement& row) {
                     auto statement = to.prepare(insert);
                     if (!statement) return;
                     bool fixed = false;
                     std::deque<std::string> texts;
                     for (int column = 0; column < row.columns(); ++column) {
                       const ColumnType& declared = columns[static_cast<std::size_t>(column)];
                       const bool wrong = !faultOf(row, column, declared).empty();
                       fixed = fixed || wrong;
                       if (wrong)
                         bindFixed(*statement, column + 1, row, column, declared, texts);
                       else
                         statement->bindColumn(column + 1, row, column);
                     }
                     // A row that the schema does not take is lost, not the rest. From the other
                     // end rows come that are there already.
                     if (!statement->step().ok() || to.changes() == 0) {
                       if (isAscending) lose(row, "could not keep a row of");
                       return;
                     }
                     if (fixed)
                       lose(row, "put another value in the place of one that was none, in");
                     ++salvaged.kept;
                     salvaged.fixed += fixed ? 1 : 0;
                   });
}

/// The columns that both have, since the old database may be of an older version.
Result<std::vector<ColumnType>> commonColumns(Database& from, Database& to, const RunTable& table) {
  PARAPET_ASSIGN(const std::vector<ColumnType> old, columnTypes(from, table.name));
  PARAPET_ASSIGN(std::vector<ColumnType> common, columnTypes(to, table.name));
  std::erase_if(common, [&](const ColumnType& column) {
    return std::ranges::find(old, column.name, &ColumnType::name) == old.end();
  });
  return common;
}

void salvageTable(Database& from, Database& to, const RunTable& table, Salvaged& salvaged) {
  const auto columns = commonColumns(from, to, table);
  // An older version may not have the table.
  if (columns && (columns->empty() || copyFrom(from, to, table, *columns, "ASC", salvaged).ok()))
    return;
  salvaged.incomplete.emplace_back(table.name);
  // Rows behind the damage are reached from the other end.
  if (columns) (void)copyFrom(from, to, table, *columns, "DESC", salvaged);
}

/// Copies all that can be read of the old database into the new one.
Salvaged salvage(Database& from, Database& to) {
  Salvaged salvaged;
  for (const RunTable& table : kRunTables) salvageTable(from, to, table, salvaged);
  salvageTable(from, to, kExperimentTable, salvaged);
  return salvaged;
}

/// Deletes rows whose run or epoch did not come over.
Status deleteOrphans(Database& database) {
  for (const RunTable& table : kRunTables)
    if (std::string_view(table.name) != "runs")
      PARAPET_TRY(database.run(
          fmt::format("DELETE FROM {} WHERE run_id NOT IN (SELECT id FROM runs)", table.name)));
  return database.run(
      "DELETE FROM epoch_metrics WHERE NOT EXISTS (SELECT 1 FROM epochs WHERE"
      " epochs.run_id=epoch_metrics.run_id AND epochs.epoch=epoch_metrics.epoch)");
}

Result<std::int64_t> fixRows(Database& database, Losses& losses) {
  std::int64_t fixed = 0;
  for (const RowRule& rule : rowRules()) {
    const std::string_view table = rule.table;
    if (table != kExperimentTable.name)
      PARAPET_TRY(database.each(
          fmt::format("SELECT {} FROM {} WHERE {}", table == "runs" ? "id" : "run_id", table,
                      rule.wrong),
          [&](Statement& row) {
            losses.emplace(row.text(0), fmt::format("{} of the table {}: {}",
                                                    rule.fix ? "set a value" : "deleted a row",
                                                    table, rule.message));
          }));
    PARAPET_TRY(database.run(
        rule.fix ? fmt::format("UPDATE {} {} WHERE {}", rule.table, rule.fix, rule.wrong)
                 : fmt::format("DELETE FROM {} WHERE {}", rule.table, rule.wrong)));
    fixed += database.changes();
  }
  return fixed;
}

/// So that the loss is told as long as the run is there.
Status noteLosses(Database& database, const std::vector<std::string>& runs,
                  const std::vector<std::string>& incomplete, Losses losses) {
  for (const std::string& run : runs)
    if (!incomplete.empty())
      losses.emplace(run, fmt::format("could not read every row of the tables {}; some of this run "
                                      "may be lost",
                                      join(incomplete)));
  for (const auto& [run, what] : losses)
    if (std::ranges::find(runs, run) != runs.end())
      PARAPET_TRY(
          addEvent(database, run, wallClockMs(), "note", std::string(kRepairNote) + what, 0));
  return {};
}

/// Runs whose document is lost keep their metrics, under an empty document that its hash is not of: like
/// every document that has changed it is given by none, unless a checkpoint gives it back.
Status fixDocuments(Database& database) {
  return database.script(
      "INSERT INTO documents (run_id, experiment, hash) SELECT id, '{}', 'lost' FROM runs"
      " WHERE id NOT IN (SELECT run_id FROM documents)");
}

Status requireNoLivingRuns(Database& database, const fs::path& file) {
  const Owner self = Owner::thisProcess();
  std::vector<std::string> ids;
  // Damage may hide them; then nothing can be known.
  (void)database.each("SELECT id FROM runs", [&](Statement& row) { ids.push_back(row.text(0)); });
  for (const std::string& id : ids)
    if (const auto run = readRun(database, id); run && hasLivingOwner(*run, self, wallClockMs()))
      return Error{
          ErrorCode::kStore,
          fmt::format("run database {}: run {} is going on; stop it before the database is "
                      "repaired",
                      file.string(), id)};
  return {};
}

Result<RepairReport> rebuild(const fs::path& file, const fs::path& rebuilt) {
  RepairReport report;
  PARAPET_ASSIGN(Database from, Database::open(file, Database::Access::kReadOnly));
  // Else SQLite reads nothing of a file that was cut: it has fewer pages than it says.
  PARAPET_TRY(from.script("PRAGMA writable_schema=ON"));
  PARAPET_TRY(requireNoLivingRuns(from, file));
  PARAPET_ASSIGN(Database to, Database::open(rebuilt, Database::Access::kReadWrite));
  PARAPET_TRY(migrate(to, migrationScripts()));
  PARAPET_TRY(to.script("PRAGMA foreign_keys=OFF"));
  PARAPET_ASSIGN(Transaction transaction, Transaction::begin(to));
  Salvaged salvaged = salvage(from, to);
  report.rowsKept = salvaged.kept;
  // Blocks are made again from the steps.
  std::erase(salvaged.incomplete, "step_blocks");
  report.incomplete = std::move(salvaged.incomplete);
  // Rows of this version keep their hashes, whatever they hold now.
  if (const auto version = from.integer("PRAGMA user_version");
      version.ok() && *version < kFirstVersionWithHashes)
    PARAPET_TRY(to.script(kTakeOverRows));
  PARAPET_TRY(deleteOrphans(to));
  PARAPET_TRY(fixDocuments(to));
  PARAPET_ASSIGN(report.rowsFixed, fixRows(to, salvaged.losses));
  report.rowsFixed += salvaged.fixed;
  PARAPET_TRY(deleteOrphans(to));
  // Opening reads the checkpoints that have no row, and with them the epochs that their manifests hold.
  if (std::ranges::count(report.incomplete, "epochs") > 0)
    PARAPET_TRY(to.script("DELETE FROM checkpoints"));
  std::vector<std::string> runs;
  PARAPET_TRY(to.each("SELECT id FROM runs", [&](Statement& row) { runs.push_back(row.text(0)); }));
  PARAPET_TRY(noteLosses(to, runs, report.incomplete, std::move(salvaged.losses)));
  // Both follow from the rows that are there now.
  PARAPET_TRY(to.script("DELETE FROM step_blocks"));
  for (const std::string& run : runs) {
    PARAPET_TRY(findBestEpoch(to, run));
    PARAPET_TRY(rebuildBlocks(to, run, 0));
  }
  PARAPET_TRY(transaction.commit());
  return report;
}

Status moveAside(const fs::path& file, const fs::path& backup) {
  std::error_code error;
  for (const char* suffix : {"-wal", "-shm", "-journal", ""}) {
    const fs::path part = file.string() + suffix;
    if (!fs::exists(part, error)) continue;
    fs::rename(part, backup.string() + suffix, error);
    if (error) return ioError("rename", part, error.value());
  }
  return {};
}

}  // namespace

Result<RepairReport> repairDatabase(const fs::path& file) {
  const FolderLock lock(file, FolderLock::Share::kAlone);
  if (const auto now = examineDatabase(file);
      now.ok() && now->damage.empty() && now->inconsistent.empty())
    return RepairReport{};
  const fs::path rebuilt = file.string() + ".rebuilt";
  removeDatabase(rebuilt);
  auto report = rebuild(file, rebuilt);
  if (!report) {
    removeDatabase(rebuilt);
    return report.error().wrap(fmt::format("run database {} cannot be repaired", file.string()));
  }
  report->backup = fmt::format("{}.damaged-{}", file.string(), wallClockMs());
  PARAPET_TRY(moveAside(file, report->backup));
  std::error_code error;
  fs::rename(rebuilt, file, error);
  if (error) return ioError("rename", rebuilt, error.value());
  PARAPET_TRY(syncFolder(file.has_parent_path() ? file.parent_path() : "."));
  return report;
}

}  // namespace parapet::store
