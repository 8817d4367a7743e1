// SPDX-License-Identifier: Apache-2.0
#include "engine/base/scratch_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>

#include "engine/base/files.h"

namespace parapet {

Result<ScratchMemory> ScratchMemory::create(const std::filesystem::path& folder,
                                            std::size_t bytes) {
  ScratchMemory memory;
  if (bytes == 0) return memory;
  std::string name = (folder / ".scratch-XXXXXX").string();
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) return ioError("create a file in", folder, errno);
  ::unlink(name.c_str());
  const int full = ::posix_fallocate(descriptor, 0, static_cast<off_t>(bytes));
  void* mapped = MAP_FAILED;
  int reason = full;
  if (full == 0) {
    mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    reason = errno;
  }
  ::close(descriptor);  // the mapping keeps the file
  if (mapped == MAP_FAILED) return ioError("take disk space in", folder, reason);
  auto range = MappedRange::adopt(mapped, bytes, PROT_READ | PROT_WRITE, folder.string());
  if (!range) return ioError("map a file in", folder, ENOMEM);
  memory.range_ = *std::move(range);
  memory.folder_ = folder;
  return memory;
}

Status ScratchMemory::intact() const {
  return range_.isLost() ? Status(ioError("read back memory in", folder_, EIO)) : Status{};
}

}  // namespace parapet
