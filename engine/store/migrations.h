// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "engine/base/result.h"
#include "engine/store/sqlite.h"

namespace parapet::store {

/// Marks our files among all SQLite files ("PRPT"), so that the database of another program is
/// refused rather than written into.
inline constexpr int kApplicationId = 0x50525054;

/// Brings the schema to version `scripts.size()`, one transaction per script, so that a process
/// killed in between leaves an old version or a new one.
///
/// Errors   kStore for a database that is newer than this program (both versions named) or that
///          belongs to another program; what SQLite says otherwise.
/// Thread   several processes may do this at once; one migrates, the others find it done.
Status migrate(Database& database, std::span<const char* const> scripts);

/// kStore unless the file is empty or a run database that this program knows; writes nothing.
Status requireOurs(Database& database, int known);

/// kStore unless the version is exactly that of this program.
Status requireCurrent(Database& database, int version);

}  // namespace parapet::store
