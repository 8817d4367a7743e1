// SPDX-License-Identifier: Apache-2.0
#include "engine/store/disk_reserve.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace parapet::store {
namespace {

/// The rows of an end are a few pages, each written to the log; the rest is for epochs that wait. Where so
/// much is not left, the pages alone.
constexpr off_t kReservedBytes = 512 << 10, kMinReservedBytes = 64 << 10;

/// Writing beyond the limit of a process ends it with a signal.
bool limitAllows(off_t bytes) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= static_cast<rlim_t>(bytes);
}

}  // namespace

void DiskReserve::hold() {
  if (descriptor_ >= 0 || !limitAllows(kReservedBytes)) return;
  std::string name = (folder_ / ".parapet-reserve-XXXXXX").string();
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) return;
  ::unlink(name.c_str());
  for (off_t bytes = kReservedBytes; bytes >= kMinReservedBytes && descriptor_ < 0; bytes /= 2)
    if (::posix_fallocate(descriptor, 0, bytes) == 0) descriptor_ = descriptor;
  if (descriptor_ < 0) ::close(descriptor);
}

bool DiskReserve::release() {
  if (descriptor_ < 0) return false;
  ::close(descriptor_);
  descriptor_ = -1;
  return true;
}

}  // namespace parapet::store
