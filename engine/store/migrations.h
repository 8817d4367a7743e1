// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "engine/base/result.h"
#include "engine/store/sqlite.h"

namespace parapet::store {

/// A lock on the folder of a database, between programs. Whoever makes a database, brings its schema up to
/// date or puts another in its place holds it alone, from the first look to the end; whoever judges a
/// database waits for that. So nobody takes one that is being made for one that is damaged.
///
/// One process may hold one at a time. File systems without locks have no two programs that could meet
/// here, or lose this guard only.
class FolderLock {
 public:
  enum class Share {
    kAlone,
    kWithReaders,
  };
  FolderLock(const std::filesystem::path& databaseFile, Share share)
      : descriptor_(
            ::open(databaseFile.has_parent_path() ? databaseFile.parent_path().c_str() : ".",
                   O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor_ >= 0) (void)::flock(descriptor_, share == Share::kAlone ? LOCK_EX : LOCK_SH);
  }
  ~FolderLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

/// Whether a file system with this statfs magic may be shared between machines. WAL needs memory
/// shared by all who open the database, which such file systems do not give.
bool isNetworkFileSystem(std::uint64_t statfsMagic);

/// WAL where the file system allows it, else DELETE. Returns a warning for the user, "" if none.
Result<std::string> chooseJournalMode(Database& database);

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
