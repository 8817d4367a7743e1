// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include "engine/base/files.h"
#include "engine/base/log.h"
#include "engine/store/journal_mode.h"
#include "engine/store/migrations.h"
#include "engine/store/schema.h"
#include "engine/store/store_state.h"

namespace parapet::store {
namespace {

namespace fs = std::filesystem;

/// SQLite says "unable to open database file" for every trouble with the folder; find out which.
Status checkFolder(const fs::path& databaseFile, bool readOnly) {
  const fs::path folder = databaseFile.has_parent_path() ? databaseFile.parent_path() : ".";
  std::error_code error;
  if (!fs::is_directory(folder, error))
    return Error{
        ErrorCode::kIo, fmt::format("{} is not a folder", folder.string()), {}, folder.string()};
  if (readOnly && !fs::exists(databaseFile, error))
    return Error{ErrorCode::kNotFound,
                 fmt::format("there is no run database {}", databaseFile.string()),
                 {},
                 databaseFile.string()};
  if (!readOnly && ::access(folder.c_str(), W_OK) != 0) return ioError("write into", folder, errno);
  if (fs::is_directory(databaseFile, error)) return ioError("open", databaseFile, EISDIR);
  return {};
}

Status prepareForWriting(Database& database, const RunStore::Options& options) {
  if (database.fileIsReadOnly())
    return Error{ErrorCode::kIo,
                 fmt::format("run database {} is read-only", database.file().string()),
                 {},
                 database.file().string()};
  // The first look at the file; before anything is written into what may belong to somebody else.
  PARAPET_TRY(requireOurs(database, RunStore::schemaVersion()));
  PARAPET_ASSIGN(const std::string warning, chooseJournalMode(database));
  if (!warning.empty()) {
    log(LogLevel::kWarning, warning);
    if (options.onWarning) options.onWarning(warning);
  }
  PARAPET_TRY(migrate(database, migrationScripts()));
  return database.script("PRAGMA synchronous=FULL");
}

}  // namespace

int RunStore::schemaVersion() {
  return static_cast<int>(migrationScripts().size());
}

Result<std::unique_ptr<RunStore>> RunStore::open(const fs::path& databaseFile, Options options) {
  PARAPET_TRY(checkFolder(databaseFile, options.readOnly));
  const auto access = options.readOnly ? Database::Access::kReadOnly : Database::Access::kReadWrite;
  PARAPET_ASSIGN(Database database, Database::open(databaseFile, access));
  if (options.readOnly)
    PARAPET_TRY(requireCurrent(database, schemaVersion()));
  else
    PARAPET_TRY(prepareForWriting(database, options));

  auto state = std::make_unique<State>(std::move(database), options);
  if (!options.readOnly) {
    PARAPET_ASSIGN(Database second, Database::open(databaseFile, access));
    state->writer = std::make_unique<Writer>(std::move(second), options.onWarning);
  }
  return std::unique_ptr<RunStore>(new RunStore(std::move(state)));
}

}  // namespace parapet::store
