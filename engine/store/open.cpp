// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include "engine/base/files.h"
#include "engine/base/log.h"
#include "engine/store/migrations.h"
#include "engine/store/schema.h"
#include "engine/store/store_state.h"

namespace parapet::store {
namespace {

namespace fs = std::filesystem;

fs::path folderOf(const fs::path& databaseFile) {
  return databaseFile.has_parent_path() ? databaseFile.parent_path() : ".";
}

/// SQLite says "unable to open database file" for every trouble with the folder; find out which.
Status checkFolder(const fs::path& databaseFile) {
  std::error_code error;
  const fs::path folder = folderOf(databaseFile);
  if (!fs::is_directory(folder, error))
    return Error{
        ErrorCode::kIo, fmt::format("{} is not a folder", folder.string()), {}, folder.string()};
  if (fs::is_directory(databaseFile, error)) return ioError("open", databaseFile, EISDIR);
  return {};
}

/// Opens or creates the file. A log or shared-memory file without a database belongs to one that
/// was removed, and so does the log of `replaced`, whose path another database has now; the new
/// database must not take it for its own.
Result<Database> openOrCreate(const fs::path& file, const Database* replaced) {
  std::error_code error;
  if (!fs::exists(file, error) || (replaced && replaced->logIsOurs()))
    for (const char* suffix : {"-wal", "-shm", "-journal"})
      fs::remove(file.string() + suffix, error);
  return Database::open(file, Database::Access::kReadWrite);
}

}  // namespace

int RunStore::schemaVersion() {
  return static_cast<int>(migrationScripts().size());
}

Result<Database> openForWriting(const fs::path& file,
                                const std::function<void(const std::string&)>& onWarning,
                                const Database* replaced) {
  PARAPET_TRY(checkFolder(file));
  const fs::path folder = folderOf(file);
  if (::access(folder.c_str(), W_OK) != 0) return ioError("write into", folder, errno);
  const FolderLock lock(file, FolderLock::Share::kAlone);
  PARAPET_ASSIGN(Database database, openOrCreate(file, replaced));
  if (database.fileIsReadOnly())
    return Error{ErrorCode::kIo,
                 fmt::format("run database {} is read-only", file.string()),
                 {},
                 file.string()};
  // The first look at the file; before anything is written into what may belong to somebody else.
  PARAPET_TRY(requireOurs(database, RunStore::schemaVersion()));
  PARAPET_ASSIGN(const std::string warning, chooseJournalMode(database));
  if (!warning.empty() && onWarning) onWarning(warning);
  if (!warning.empty() && !onWarning) log(LogLevel::kWarning, warning);
  PARAPET_TRY(migrate(database, migrationScripts()));
  PARAPET_TRY(database.script("PRAGMA synchronous=FULL"));
  database.noteLog();
  return database;
}

Result<Database> openForReading(const fs::path& file, SchemaVersion version) {
  const auto requireVersion = [version](Database& opened) {
    return version == SchemaVersion::kCurrent ? requireCurrent(opened, RunStore::schemaVersion())
                                              : requireOurs(opened, RunStore::schemaVersion());
  };
  PARAPET_TRY(checkFolder(file));
  std::error_code error;
  if (!fs::exists(file, error))
    return Error{ErrorCode::kNotFound,
                 fmt::format("there is no run database {}", file.string()),
                 {},
                 file.string()};
  PARAPET_ASSIGN(Database database, Database::open(file, Database::Access::kReadOnly));
  const Status current = requireVersion(database);
  if (current.ok()) return database;
  // In WAL mode a reader needs files beside the database, and may not be allowed to make them.
  // Without them nobody writes; with a log there are rows that only it holds.
  const fs::path wal = file.string() + "-wal";
  if (database.lastFailure() != Failure::kDisk) return current.error();
  if (fs::exists(wal, error) && fs::file_size(wal, error) > 0)
    return current.error().wrap(fmt::format(
        "{} holds rows that were not moved into the database yet; open the workspace once where it "
        "can be written",
        wal.string()));
  PARAPET_ASSIGN(Database immutable, Database::open(file, Database::Access::kImmutable));
  PARAPET_TRY(requireVersion(immutable));
  return immutable;
}

Result<std::unique_ptr<RunStore>> RunStore::open(const fs::path& databaseFile, Options options) {
  if (options.access == Access::kReadOnly) {
    PARAPET_ASSIGN(Database database, openForReading(databaseFile));
    return std::unique_ptr<RunStore>(
        new RunStore(std::make_unique<StoreState>(std::move(database), std::move(options))));
  }
  PARAPET_ASSIGN(Database database, openForWriting(databaseFile, options.onWarning));
  PARAPET_ASSIGN(Database second, Database::open(databaseFile, Database::Access::kReadWrite));
  second.noteLog();
  auto state = std::make_unique<StoreState>(std::move(database), options);
  state->writer = std::make_unique<Writer>(std::move(second), std::move(options.onWarning));
  return std::unique_ptr<RunStore>(new RunStore(std::move(state)));
}

}  // namespace parapet::store
