// SPDX-License-Identifier: Apache-2.0
#include "engine/base/atomic_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace parapet {

Status writeAtomically(const std::filesystem::path& path,
                       const std::function<Status(FileWriter&)>& fill) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  // Said of the path that was asked for, not of the temporary beside it.
  std::error_code missing;
  if (!std::filesystem::is_directory(folder, missing)) {
    return writeError("create", path, missing ? missing.value() : ENOTDIR);
  }
  std::filesystem::path temporary = path;
  temporary += fmt::format(".{}.tmp", ::getpid());
  PARAPET_ASSIGN(FileWriter writer, FileWriter::create(temporary));
  PARAPET_TRY(fill(writer));
  PARAPET_TRY(writer.finish());
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    ::unlink(temporary.c_str());
    return writeError("replace", path, reason);
  }
  return syncFolder(folder);
}

}  // namespace parapet
