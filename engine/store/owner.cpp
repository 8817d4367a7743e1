// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <optional>

#include "engine/base/text.h"
#include "engine/store/run_store.h"

namespace parapet::store {
namespace {

/// Files under /proc have no size, so they are read to their end rather than mapped.
std::string readProc(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string bootId() {
  return std::string(trim(readProc("/proc/sys/kernel/random/boot_id")));
}

/// Start time (field 22) of a process that has not ended; nullopt if there is none. Field 2 is the
/// program's name in parentheses and may itself hold blanks and parentheses, so fields are counted
/// from the last ')'.
std::optional<std::int64_t> startTicks(std::int64_t pid) {
  const std::string stat = readProc(fmt::format("/proc/{}/stat", pid));
  const std::size_t nameEnd = stat.rfind(')');
  if (nameEnd == std::string::npos || nameEnd + 2 >= stat.size()) return std::nullopt;
  const auto fields = splitFields(std::string_view(stat).substr(nameEnd + 2), ' ');  // from field 3
  constexpr std::size_t kState = 0, kStartTime = 22 - 3;
  if (fields.size() <= kStartTime) return std::nullopt;
  // A zombie is dead; only its parent has not looked yet.
  if (fields[kState] == "Z" || fields[kState] == "X") return std::nullopt;
  return parseInt(fields[kStartTime]);
}

}  // namespace

Owner Owner::thisProcess() {
  const auto pid = static_cast<std::int64_t>(::getpid());
  return {pid, store::bootId(), store::startTicks(pid).value_or(0)};
}

bool Owner::alive() const {
  return pid > 0 && bootId == store::bootId() && store::startTicks(pid) == startTicks;
}

}  // namespace parapet::store
