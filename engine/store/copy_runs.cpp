// SPDX-License-Identifier: Apache-2.0
#include "engine/store/copy_runs.h"

#include <fmt/format.h>

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

}  // namespace parapet::store
