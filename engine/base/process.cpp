// SPDX-License-Identifier: Apache-2.0
#include "engine/base/process.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>

#include "engine/base/files.h"
#include "engine/base/text.h"

namespace parapet {
namespace {

/// Files under /proc have no size, so they are read to their end rather than mapped.
std::string readProc(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// "8f14…-… pid:[4026531836]".
std::string currentBootId() {
  std::error_code unknown;
  const auto pids = std::filesystem::read_symlink("/proc/self/ns/pid", unknown);
  return fmt::format("{} {}", trim(readProc("/proc/sys/kernel/random/boot_id")),
                     unknown ? std::string() : pids.string());
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

namespace {

/// The home folder: $HOME, else as the user database has it; empty if neither knows.
std::filesystem::path homeFolder() {
  const char* home = std::getenv("HOME");
  if (home && std::filesystem::path(home).is_absolute()) return home;
  std::array<char, 16384> buffer;
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(::getuid(), &entry, buffer.data(), buffer.size(), &found) != 0 || !found ||
      !found->pw_dir || *found->pw_dir != '/')
    return {};
  return found->pw_dir;
}

/// A folder of the XDG base directory specification, by which a relative path is as good as none.
std::filesystem::path userFolder(const char* variable, const std::filesystem::path& belowHome) {
  const char* named = std::getenv(variable);
  if (named && std::filesystem::path(named).is_absolute())
    return std::filesystem::path(named) / "parapet";
  const std::filesystem::path home = homeFolder();
  return home.empty() ? home : home / belowHome / "parapet";
}

}  // namespace

std::filesystem::path dataFolder() {
  return userFolder("XDG_DATA_HOME", ".local/share");
}

std::filesystem::path stateFolder() {
  return userFolder("XDG_STATE_HOME", ".local/state");
}

std::string processorName() {
  std::ifstream file("/proc/cpuinfo");  // a file without a size
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (line.starts_with("model name") && colon != std::string::npos)
      return std::string(trim(std::string_view(line).substr(colon + 1)));
  }
  return "unknown processor";
}

Error outOfMemory(std::string_view what) {
  return Error{
      ErrorCode::kInternal,
      fmt::format("not enough memory for {}: the program has used up to {} of the {} of "
                  "this machine",
                  what, formatBytes(peakResidentBytes()), formatBytes(physicalMemoryBytes()))};
}

}  // namespace parapet
