// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>

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

}  // namespace parapet::store
