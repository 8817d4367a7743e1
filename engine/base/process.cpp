// SPDX-License-Identifier: Apache-2.0
#include "engine/base/process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>

#include "engine/base/text.h"

namespace parapet {
namespace {

/// Files under /proc have no size, so they are read to their end rather than mapped.
std::string readProc(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string currentBootId() {
  return std::string(trim(readProc("/proc/sys/kernel/random/boot_id")));
}

/// Start time (field 22) of a process that has not ended; nullopt if there is none. Field 2 is the
/// program's name in parentheses and may itself hold blanks and parentheses, so fields are counted
/// from the last ')'.
std::optional<std::int64_t> startTicksOf(std::int64_t pid) {
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

ProcessIdentity ProcessIdentity::thisProcess() {
  const auto pid = static_cast<std::int64_t>(::getpid());
  return {pid, currentBootId(), startTicksOf(pid).value_or(0)};
}

bool ProcessIdentity::alive() const {
  return pid > 0 && bootId == currentBootId() && startTicksOf(pid) == startTicks;
}

std::filesystem::path programFolder() {
  std::error_code unknown;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  return unknown ? std::filesystem::path() : program.parent_path();
}

std::filesystem::path stateFolder() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state && *state)
    return std::filesystem::path(state) / "parapet";
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home && *home ? home : ".") / ".local" / "state" / "parapet";
}

}  // namespace parapet
