// SPDX-License-Identifier: Apache-2.0
#include "engine/base/atomic_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace parapet {

Status writeAtomically(const std::filesystem::path& path,
                       const std::function<Status(FileWriter&)>& fill) {
  std::filesystem::path temporary = path;
  temporary += fmt::format(".{}.tmp", ::getpid());
  PARAPET_ASSIGN(FileWriter writer, FileWriter::create(temporary));
  PARAPET_TRY(fill(writer));
  PARAPET_TRY(writer.finish());
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    ::unlink(temporary.c_str());
    return ioError("replace", path, reason);
  }
  return syncFolder(path.has_parent_path() ? path.parent_path() : std::filesystem::path("."));
}

}  // namespace parapet
