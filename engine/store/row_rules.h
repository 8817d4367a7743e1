// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/store/sqlite.h"

namespace parapet::store {

/// The declaration of a column in the schema. SQLite itself takes any value in any column.
struct ColumnType {
  std::string name;
  std::string type;  ///< "INTEGER", "REAL" or "TEXT"
  bool isNullable = true;
};

/// The columns of a table in their order; empty if there is no such table.
Result<std::vector<ColumnType>> columnTypes(Database& database, const char* table);

/// The fault of a value of a column, in words that follow its name: "is not an integer"; "" if
/// nothing is.
std::string faultOf(const Statement& row, int column, const ColumnType& declared);

/// A condition that no consistent row of a table meets, though SQLite accepts the row.
struct RowRule {
  const char* table;
  const char* wrong;    ///< SQL condition on a row
  const char* message;  ///< what is wrong, after "table runs, run 0123456789ab: "
  const char* fix;      ///< "SET …" that makes the row right; null: the row is deleted
};

/// All rules; those of `runs` first, since other tables refer to it.
std::span<const RowRule> rowRules();

}  // namespace parapet::store
