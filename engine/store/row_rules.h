// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace parapet::store {

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
