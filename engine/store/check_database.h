// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace parapet::store {

/// The findings of a look at every page and every row of a run database.
struct DatabaseReport {
  std::int64_t version = 0;  ///< of the schema
  std::int64_t runs = 0;
  /// Damage of the file: what SQLite's integrity check, foreign keys and reading of all tables say.
  std::vector<std::string> damage;
  /// Inconsistent rows in a file that is whole: values of the wrong type, text that is not
  /// UTF-8, states that do not exist, counts that contradict each other.
  std::vector<std::string> inconsistent;
  /// Rows that are no longer what was stored, by their hash, and epochs that are gone. A repair leaves them as they are, and
  /// their hash: what has changed is not made right by it.
  std::vector<std::string> changed;
  std::vector<std::string> changedDocuments;  ///< runs whose document is among them
  /// Remarks that are no damage: epochs that a crash has left out, rows that were taken over
  /// from an older version without being verified, what an earlier repair has lost.
  std::vector<std::string> notes;
  [[nodiscard]] bool ok() const {
    return damage.empty() && inconsistent.empty() && changed.empty();
  }
};

/// Whether there is no database, or one without a table: an empty file, or one that was emptied. While
/// another program makes the database in this moment, that is waited for.
bool isEmptyDatabase(const std::filesystem::path& file);

/// Reads the whole database. It may be in use; nothing is written.
///
/// Errors   kNotFound if there is no file; kIo, kStore if it cannot be opened, belongs to another
///          program or to a newer version of this one. Damage is no error but the answer.
Result<DatabaseReport> checkDatabase(const std::filesystem::path& file);

/// checkDatabase() by whoever holds the lock on the folder already (FolderLock).
Result<DatabaseReport> examineDatabase(const std::filesystem::path& file);

/// How the notes begin that a repair leaves in the events of each run that lost something by it.
inline constexpr std::string_view kRepairNote = "a repair of the run database ";

/// The changes that a repair made.
struct RepairReport {
  std::int64_t rowsKept = 0;
  std::int64_t rowsFixed = 0;           ///< inconsistent rows, changed or deleted
  std::vector<std::string> incomplete;  ///< tables of which not every row could be read
  std::filesystem::path backup;         ///< the database as it was
};

/// Makes a database whole again: the rows that can still be read are copied into a new one, inconsistent
/// rows are fixed or deleted, and the new file takes the place of the old one, which is kept
/// beside it under another name. No other program opens the database meanwhile. One that is whole, maybe
/// because it was being made when it was first looked at, stays as it is: `backup` is empty.
///
/// Errors   kStore if a run in it is going on; kIo if there is no space for the copy. The database is
///          then as it was.
Result<RepairReport> repairDatabase(const std::filesystem::path& file);

}  // namespace parapet::store
