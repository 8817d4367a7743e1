// SPDX-License-Identifier: Apache-2.0
#include "engine/store/migrations.h"

#include <fmt/format.h>

namespace parapet::store {
namespace {

Error refuse(const Database& database, std::string_view what) {
  return Error{ErrorCode::kStore,
               fmt::format("run database {}: {}", database.file().string(), what),
               {},
               database.file().string()};
}

/// Version of the schema in the file, after checking that the file is ours.
Result<int> versionOf(Database& database, int known) {
  // In one statement: between several, another program may create what we are looking at.
  std::int64_t application = 0, version = 0, objects = 0;
  PARAPET_TRY(database.each(
      "SELECT (SELECT application_id FROM pragma_application_id),"
      " (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)",
      [&](Statement& row) {
        application = row.integer(0);
        version = row.integer(1);
        objects = row.integer(2);
      }));
  if (application != kApplicationId && (objects > 0 || application != 0))
    return refuse(database, "is an SQLite database of another program");
  if (version < 0 || version > known)
    return refuse(database,
                  fmt::format("has schema version {}; this program knows versions up to {}; "
                              "open it with a newer parapet",
                              version, known));
  return static_cast<int>(version);
}

}  // namespace

Status migrate(Database& database, std::span<const char* const> scripts) {
  const int known = static_cast<int>(scripts.size());
  PARAPET_ASSIGN(int version, versionOf(database, known));
  while (version < known) {
    PARAPET_ASSIGN(Transaction transaction, Transaction::begin(database));
    // Somebody else may have migrated while we waited for the lock.
    PARAPET_ASSIGN(version, versionOf(database, known));
    if (version == known) break;
    PARAPET_TRY(database.script(scripts[static_cast<std::size_t>(version)]));
    ++version;
    PARAPET_TRY(database.script(
        fmt::format("PRAGMA application_id={}; PRAGMA user_version={}", kApplicationId, version)
            .c_str()));
    PARAPET_TRY(transaction.commit());
  }
  return {};
}

Status requireOurs(Database& database, int known) {
  const auto version = versionOf(database, known);
  return version.ok() ? Status() : version.error();
}

Status requireCurrent(Database& database, int version) {
  PARAPET_ASSIGN(const int found, versionOf(database, version));
  if (found == version) return {};
  return refuse(database,
                fmt::format("has schema version {}, this program reads {}; open the workspace "
                            "once for writing to bring it up to date",
                            found, version));
}

}  // namespace parapet::store
