// SPDX-License-Identifier: Apache-2.0
#include "engine/store/check_database.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "engine/base/text.h"
#include "engine/experiment/verdict_text.h"
#include "engine/store/migrations.h"
#include "engine/store/row_rules.h"
#include "engine/store/schema.h"
#include "engine/store/store_state.h"

namespace parapet::store {
namespace {

/// Further lines of the same kind add nothing.
constexpr std::size_t kMaxLines = 20;

void add(std::vector<std::string>& lines, std::string line) {
  if (lines.size() < kMaxLines) lines.push_back(std::move(line));
}

/// The thing that the first column of a table's findings names.
const char* ownerOf(std::string_view table) {
  return table == kExperimentTable.name ? "experiment" : "run";
}

/// Reads every value of a table, which shows pages that cannot be read and values of other types.
Status readTable(Database& database, const RunTable& table, DatabaseReport& report) {
  PARAPET_ASSIGN(const std::vector<ColumnType> columns, columnTypes(database, table.name));
  if (columns.empty()) {
    // A table of a later version.
    if (report.version < RunStore::schemaVersion()) return {};
    add(report.damage, fmt::format("table {} is missing", table.name));
    return {};
  }
  std::vector<std::string> names;
  for (const ColumnType& column : columns) names.push_back(column.name);
  return database.each(
      fmt::format("SELECT {}, {} FROM {}", join(names), table.runColumn, table.name),
      [&](Statement& row) {
        for (std::size_t i = 0; i < columns.size(); ++i) {
          const std::string fault = faultOf(row, static_cast<int>(i), columns[i]);
          if (!fault.empty())
            add(report.inconsistent,
                fmt::format("table {}, {} {}: {} {}", table.name, ownerOf(table.name),
                            printable(row.text(static_cast<int>(columns.size()))), columns[i].name,
                            fault));
        }
      });
}

/// Rows that are not what was stored.
Status checkHashes(Database& database, DatabaseReport& report) {
  PARAPET_TRY(database.each(
      "SELECT run_id FROM documents WHERE hash<>content_hash(experiment)", [&](Statement& row) {
        report.changedDocuments.push_back(row.text(0));
        add(report.changed,
            fmt::format("run {}: its document has changed", printable(row.text(0))));
      }));
  PARAPET_TRY(
      database.each("SELECT id FROM runs WHERE hash<>" PARAPET_RUN_HASH, [&](Statement& row) {
        add(report.changed,
            fmt::format("run {}: its recorded results have changed", printable(row.text(0))));
      }));
  return database.each(
      "SELECT run_id, epoch FROM epochs WHERE hash<>" PARAPET_EPOCH_HASH, [&](Statement& row) {
        add(report.changed,
            fmt::format("run {}: epoch {} has changed", printable(row.text(0)), row.integer(1)));
      });
}

Status noteTheRest(Database& database, DatabaseReport& report) {
  PARAPET_ASSIGN(const std::int64_t takenOver,
                 database.integer("SELECT (SELECT total(taken_over) FROM epochs)+(SELECT"
                                  " total(taken_over) FROM documents)"));
  if (takenOver > 0)
    add(report.notes, fmt::format("{} documents and epochs were taken over from an older version, "
                                  "not verified",
                                  formatCount(takenOver)));
  PARAPET_TRY(database.each(
      "SELECT message, count(DISTINCT run_id) FROM events WHERE kind='note' AND"
      " substr(message, 1, length(?1))=?1 GROUP BY message",
      [&](Statement& row) {
        constexpr std::size_t kMaxNote = 400;
        add(report.notes, fmt::format("{} (runs: {})", printable(row.text(0), kMaxNote),
                                      formatCount(row.integer(1))));
      },
      kRepairNote));
  // A crash, and the adoption from a checkpoint, leave epochs behind that a resume may measure again.
  std::vector<std::pair<std::string, bool>> runs;
  PARAPET_TRY(database.each(
      "SELECT id, state='Crashed' OR recipe=? FROM runs ORDER BY created_ms DESC",
      [&](Statement& row) { runs.emplace_back(row.text(0), row.integer(1) != 0); },
      experiment::kRecoveredRecipe));
  for (const auto& [run, isExpected] : runs) {
    PARAPET_ASSIGN(const std::string missing, missingEpochs(database, run));
    if (!missing.empty())
      add(isExpected ? report.notes : report.changed,
          fmt::format("run {}: of epoch {} nothing is recorded", printable(run), missing));
  }
  return {};
}

Status checkRows(Database& database, DatabaseReport& report) {
  for (const RowRule& rule : rowRules()) {
    const std::string_view table = rule.table;
    const bool hasId = table == "runs" || table == kExperimentTable.name;
    PARAPET_TRY(database.each(
        fmt::format("SELECT {} FROM {} WHERE {}", hasId ? "id" : "run_id", table, rule.wrong),
        [&](Statement& row) {
          add(report.inconsistent, fmt::format("table {}, {} {}: {}", table, ownerOf(table),
                                               printable(row.text(0)), rule.message));
        }));
  }
  PARAPET_TRY(checkHashes(database, report));
  return noteTheRest(database, report);
}

Status checkPages(Database& database, DatabaseReport& report) {
  PARAPET_TRY(database.each("PRAGMA integrity_check", [&](Statement& row) {
    // A line of asterisks names the database, each other one a fault.
    std::istringstream lines(row.text(0));
    for (std::string line; std::getline(lines, line);)
      if (line != "ok" && !line.starts_with("***")) add(report.damage, line);
  }));
  return database.each("PRAGMA foreign_key_check", [&](Statement& row) {
    add(report.damage, fmt::format("a row of table {} refers to a row of {} that is not there",
                                   row.text(0), row.text(2)));
  });
}

/// Whether SQLite itself cannot read the file, in contrast to one of another program or of a
/// newer version.
bool isUnreadable(const std::filesystem::path& file) {
  auto database = Database::open(file, Database::Access::kReadOnly);
  return database && !database->integer("SELECT count(*) FROM sqlite_schema").ok() &&
         database->lastFailure() == Failure::kOther;
}

/// Without a table: the first program that writes makes them.
bool holdsNothing(const std::filesystem::path& file) {
  auto database = Database::open(file, Database::Access::kReadOnly);
  if (!database) return false;
  const auto objects = database->integer("SELECT count(*) FROM sqlite_schema");
  return objects.ok() && *objects == 0;
}

}  // namespace

bool isEmptyDatabase(const std::filesystem::path& file) {
  const FolderLock lock(file, FolderLock::Share::kWithReaders);
  std::error_code error;
  return !std::filesystem::exists(file, error) || holdsNothing(file);
}

Result<DatabaseReport> checkDatabase(const std::filesystem::path& file) {
  // Not longer than until the database is made: a check may take a while.
  { const FolderLock lock(file, FolderLock::Share::kWithReaders); }
  return examineDatabase(file);
}

Result<DatabaseReport> examineDatabase(const std::filesystem::path& file) {
  DatabaseReport report;
  auto opened = openForReading(file, SchemaVersion::kAnyKnown);
  if (!opened) {
    if (!isUnreadable(file)) return opened.error();
    add(report.damage, opened.error().message);
    return report;
  }
  if (holdsNothing(file)) return report;
  Database database = std::move(opened).value();
  // A check ends at the first damage it reads; the following ones may find more.
  const auto note = [&](const Status& outcome) {
    if (!outcome.ok() && std::ranges::count(report.damage, outcome.error().message) == 0)
      add(report.damage, outcome.error().message);
  };
  note(checkPages(database, report));
  if (const auto version = database.integer("PRAGMA user_version")) report.version = *version;
  for (const RunTable& table : kRunTables) note(readTable(database, table, report));
  // The rules, and the table of experiments, are those of this version.
  if (report.version == RunStore::schemaVersion()) {
    note(readTable(database, kExperimentTable, report));
    note(checkRows(database, report));
  }
  if (const auto runs = database.integer("SELECT count(*) FROM runs")) report.runs = *runs;
  return report;
}

}  // namespace parapet::store
