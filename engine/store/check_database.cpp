// SPDX-License-Identifier: Apache-2.0
#include "engine/store/check_database.h"

#include <fmt/format.h>

#include "engine/base/hash.h"
#include "engine/base/text.h"
#include "engine/store/column_types.h"
#include "engine/store/copy_runs.h"
#include "engine/store/row_rules.h"
#include "engine/store/store_state.h"

namespace parapet::store {
namespace {

/// Further lines of the same kind add nothing.
constexpr std::size_t kMaxLines = 20;

void add(std::vector<std::string>& lines, std::string line) {
  if (lines.size() < kMaxLines) lines.push_back(std::move(line));
}

/// What the first column of a table's findings names.
const char* ownerOf(std::string_view table) {
  return table == kExperimentTable.name ? "experiment" : "run";
}

/// Reads every value of a table, which shows pages that cannot be read and values of other types.
Status readTable(Database& database, const RunTable& table, DatabaseReport& report) {
  PARAPET_ASSIGN(const std::vector<ColumnType> columns, columnTypes(database, table.name));
  if (columns.empty()) {
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

/// Documents that are not what was stored.
Status checkDocuments(Database& database, DatabaseReport& report) {
  return database.each(
      "SELECT run_id, experiment, hash FROM documents WHERE hash<>''", [&](Statement& row) {
        if (hashHex(row.text(1)) != row.text(2))
          add(report.inconsistent,
              fmt::format("table documents, run {}: the document has changed since "
                          "it was stored",
                          printable(row.text(0))));
      });
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
  return checkDocuments(database, report);
}

Status checkPages(Database& database, DatabaseReport& report) {
  PARAPET_TRY(database.each("PRAGMA integrity_check", [&](Statement& row) {
    if (const std::string line = row.text(0); line != "ok") add(report.damage, line);
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

}  // namespace

Result<DatabaseReport> checkDatabase(const std::filesystem::path& file) {
  DatabaseReport report;
  auto opened = openForReading(file, SchemaVersion::kAnyKnown);
  if (!opened) {
    if (!isUnreadable(file)) return opened.error();
    add(report.damage, opened.error().message);
    return report;
  }
  Database database = std::move(opened).value();
  // A check ends at the first damage it reads; the following ones may find more.
  const auto note = [&](const Status& outcome) {
    if (!outcome.ok()) add(report.damage, outcome.error().message);
  };
  note(checkPages(database, report));
  for (const RunTable& table : kRunTables) note(readTable(database, table, report));
  if (const auto version = database.integer("PRAGMA user_version")) report.version = *version;
  // The rules, and the table of experiments, are those of this version.
  if (report.version == RunStore::schemaVersion()) {
    note(readTable(database, kExperimentTable, report));
    note(checkRows(database, report));
  }
  if (const auto runs = database.integer("SELECT count(*) FROM runs")) report.runs = *runs;
  return report;
}

}  // namespace parapet::store
