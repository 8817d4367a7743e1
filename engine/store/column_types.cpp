// SPDX-License-Identifier: Apache-2.0
#include "engine/store/column_types.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "engine/base/text.h"

namespace parapet::store {

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

}  // namespace parapet::store
