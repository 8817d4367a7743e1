// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/store/sqlite.h"

namespace parapet::store {

/// What the schema says of a column. SQLite itself takes any value in any column.
struct ColumnType {
  std::string name;
  std::string type;  ///< "INTEGER", "REAL" or "TEXT"
  bool isNullable = true;
};

/// The columns of a table in their order; empty if there is no such table.
Result<std::vector<ColumnType>> columnTypes(Database& database, const char* table);

/// What is wrong with a value of a column, after its name: "is not an integer"; "" if nothing is.
std::string faultOf(const Statement& row, int column, const ColumnType& declared);

}  // namespace parapet::store
