// SPDX-License-Identifier: Apache-2.0
#include "engine/base/probe_journal.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/base/clock.h"
#include "engine/base/files.h"
#include "engine/base/hash.h"

namespace parapet {
namespace {

namespace fs = std::filesystem;

// The home folder may be shared with other machines, whose processes cannot be looked up here. A
// try takes seconds at most; a mark of another boot that is older than this was left by a crash.
constexpr std::int64_t kLongestTryMs = 60'000;

/// Enough of a file to see that it is no longer the same.
struct FileState {
  std::uintmax_t bytes = 0;
  std::int64_t modified = 0;
  bool operator==(const FileState&) const = default;

  static FileState of(const fs::path& file) {
    std::error_code unknown;
    return {
        fs::file_size(file, unknown),
        static_cast<std::int64_t>(fs::last_write_time(file, unknown).time_since_epoch().count())};
  }
};

struct Entry {
  std::string plugin;
  FileState state;
  ProcessIdentity process;
  std::int64_t beganMs = 0;

  [[nodiscard]] bool crashed(const ProcessIdentity& self) const {
    if (process.bootId != self.bootId) return wallClockMs() - beganMs > kLongestTryMs;
    return !process.alive();
  }
};

std::string textOf(const Entry& entry) {
  return nlohmann::json{
      {"plugin", entry.plugin},           {"bytes", entry.state.bytes},
      {"modified", entry.state.modified}, {"pid", entry.process.pid},
      {"boot_id", entry.process.bootId},  {"start_ticks", entry.process.startTicks},
      {"began_ms", entry.beganMs}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// A mark that cannot be read was cut off before the plugin was opened, so it stands for no crash.
std::optional<Entry> readEntry(const fs::path& file) {
  const auto text = readFile(file);
  if (!text) return std::nullopt;
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  try {
    return Entry{json.at("plugin"),
                 {json.at("bytes"), json.at("modified")},
                 {json.at("pid"), json.at("boot_id"), json.at("start_ticks")},
                 json.at("began_ms")};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

std::string absoluteName(const fs::path& plugin) {
  return fs::absolute(plugin).lexically_normal().string();
}

/// Marks of one plugin begin alike, whichever process wrote them.
std::string prefixOf(const std::string& plugin) {
  constexpr std::size_t kHashDigits = 12;
  return fmt::format("{}-{}-", fs::path(plugin).stem().string(),
                     hashHex(plugin).substr(0, kHashDigits));
}

/// The marks whose names begin with `prefix`; none if the folder cannot be read.
std::vector<fs::path> marksIn(const fs::path& folder, const std::string& prefix) {
  std::error_code refusal;
  std::vector<fs::path> marks;
  for (fs::directory_iterator entry(folder, refusal), end; !refusal && entry != end;
       entry.increment(refusal))
    if (entry->path().filename().string().starts_with(prefix)) marks.push_back(entry->path());
  return marks;
}

}  // namespace

ProbeJournal ProbeJournal::ofUser() {
  return ProbeJournal(stateFolder() / "probes");
}

std::optional<std::int64_t> ProbeJournal::crashOf(const fs::path& plugin) const {
  const std::string name = absoluteName(plugin);
  const ProcessIdentity self = ProcessIdentity::thisProcess();
  std::optional<std::int64_t> latest;
  for (const fs::path& mark : marksIn(folder_, prefixOf(name))) {
    const std::optional<Entry> entry = readEntry(mark);
    if (!entry || entry->plugin != name || !entry->crashed(self)) continue;
    // A process that ended well since its mark was read has taken the mark along.
    std::error_code ignored;
    if (!fs::exists(mark, ignored)) continue;
    if (entry->state != FileState::of(plugin))
      fs::remove(mark, ignored);
    else
      latest = std::max(latest.value_or(0), entry->beganMs);
  }
  return latest;
}

ProbeJournal::Mark ProbeJournal::mark(const fs::path& plugin) const {
  const Entry entry{absoluteName(plugin), FileState::of(plugin), ProcessIdentity::thisProcess(),
                    wallClockMs()};
  const fs::path file =
      folder_ / fmt::format("{}{}.json", prefixOf(entry.plugin), entry.process.pid);
  std::error_code refusal;
  fs::create_directories(folder_, refusal);
  // Not synced to the disk: what ends a process leaves written pages in the system's care.
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << textOf(entry);
  out.close();
  return Mark(out ? file : fs::path());
}

ProbeJournal::Mark::~Mark() {
  std::error_code ignored;
  if (!file_.empty()) std::filesystem::remove(file_, ignored);
}

int ProbeJournal::forgetCrashes() const {
  const ProcessIdentity self = ProcessIdentity::thisProcess();
  int forgotten = 0;
  for (const fs::path& mark : marksIn(folder_, "")) {
    const std::optional<Entry> entry = readEntry(mark);
    std::error_code refusal;
    if (entry && entry->crashed(self) && fs::remove(mark, refusal)) ++forgotten;
  }
  return forgotten;
}

}  // namespace parapet
