// SPDX-License-Identifier: Apache-2.0
#include "engine/base/probe_journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/base/clock.h"
#include "engine/base/files.h"
#include "engine/base/hash.h"

namespace parapet {
namespace {

namespace fs = std::filesystem;

// Fewer may have had any cause outside of the plugin.
constexpr int kDeathsOfCrash = 2;
// The home folder may be shared with other machines, whose processes cannot be looked up here. A
// try takes seconds at most; a mark of another boot that is older than this is of no use to any.
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
    return process.bootId == self.bootId && !process.alive();
  }
  [[nodiscard]] bool isVoid(const ProcessIdentity& self) const {
    return state != FileState::of(plugin) ||
           (process.bootId != self.bootId && wallClockMs() - beganMs > kLongestTryMs);
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

constexpr std::string_view kTrialPrefix = "trial-";

/// A file of the journal as JSON; null if it cannot be read.
nlohmann::json readJson(const fs::path& file) {
  const auto text = readFile(file);
  auto json = text ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
  return json.is_object() ? json : nlohmann::json();
}

const char* endName(TrialEnd end) {
  return end == TrialEnd::kReturned ? "returned" : end == TrialEnd::kHung ? "hung" : "died";
}
std::optional<TrialEnd> endOf(const nlohmann::json& name) {
  for (const TrialEnd end : {TrialEnd::kReturned, TrialEnd::kHung, TrialEnd::kDied})
    if (name == endName(end)) return end;
  return std::nullopt;
}

// A mark that cannot be read was cut off before the plugin was opened, so it stands for no crash.
std::optional<Entry> readEntry(const fs::path& file) {
  const nlohmann::json json = readJson(file);
  if (json.is_null()) return std::nullopt;
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

/// The files of one plugin are named alike, whichever process wrote them.
std::string prefixOf(const std::string& plugin) {
  constexpr std::size_t kHashDigits = 12;
  return fmt::format("{}-{}-", fs::path(plugin).stem().string(),
                     hashHex(plugin).substr(0, kHashDigits));
}

fs::path trialFile(const fs::path& folder, const std::string& plugin) {
  return folder / fmt::format("{}{}.json", kTrialPrefix, prefixOf(plugin));
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

/// A mark that a process left which is gone.
struct Left {
  fs::path mark;
  std::int64_t beganMs = 0;
};

/// The marks of dead processes for a plugin, as its file is now; void ones are removed.
std::vector<Left> leftOf(const fs::path& folder, const std::string& plugin) {
  const ProcessIdentity self = ProcessIdentity::thisProcess();
  std::vector<Left> left;
  for (const fs::path& mark : marksIn(folder, prefixOf(plugin))) {
    const std::optional<Entry> entry = readEntry(mark);
    if (!entry || entry->plugin != plugin) continue;
    std::error_code ignored;
    if (entry->isVoid(self)) fs::remove(mark, ignored);
    // A process that ended well since its mark was read has taken the mark along.
    else if (entry->crashed(self) && fs::exists(mark, ignored))
      left.push_back({mark, entry->beganMs});
  }
  return left;
}

}  // namespace

ProbeJournal ProbeJournal::ofUser() {
  const fs::path state = stateFolder();
  return ProbeJournal(state.empty() ? state : state / "probes");
}

std::optional<std::int64_t> ProbeJournal::crashOf(const fs::path& plugin) const {
  const std::vector<Left> left = leftOf(folder_, absoluteName(plugin));
  if (std::ssize(left) < kDeathsOfCrash) return std::nullopt;
  return std::ranges::max(left, {}, &Left::beganMs).beganMs;
}

std::optional<PastTrial> ProbeJournal::trialOf(const fs::path& plugin,
                                               const std::string& buildTag) const {
  if (folder_.empty()) return std::nullopt;
  const std::string name = absoluteName(plugin);
  const nlohmann::json json = readJson(trialFile(folder_, name));
  try {
    const FileState tried{json.at("bytes"), json.at("modified")};
    const auto end = endOf(json.at("end"));
    if (!end || json.at("plugin") != name || json.at("build") != buildTag ||
        tried != FileState::of(plugin))
      return std::nullopt;
    // A driver may be another one after a start of the machine, and its load was of that hour.
    if (*end != TrialEnd::kReturned &&
        json.value("boot_id", "") != ProcessIdentity::thisProcess().bootId)
      return std::nullopt;
    return PastTrial{json.at("began_ms"), {*end, json.at("reason")}};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;  // absent, or not of our writing
  }
}

void ProbeJournal::rememberTrial(const fs::path& plugin, const std::string& buildTag,
                                 const PastTrial& past) const {
  const std::string name = absoluteName(plugin);
  const FileState state = FileState::of(plugin);
  const nlohmann::json json{{"plugin", name},
                            {"bytes", state.bytes},
                            {"modified", state.modified},
                            {"build", buildTag},
                            {"end", endName(past.trial.end)},
                            {"reason", past.trial.reason},
                            {"began_ms", past.beganMs},
                            {"boot_id", ProcessIdentity::thisProcess().bootId}};
  // Where it cannot be written, the next start holds the trial again.
  if (createFolders(folder_).ok())
    (void)writeFileAtomically(trialFile(folder_, name),
                              json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

ProbeJournal::Mark ProbeJournal::mark(const fs::path& plugin, MarkedBy by) const {
  if (folder_.empty()) return {};
  const Entry entry{absoluteName(plugin), FileState::of(plugin), ProcessIdentity::thisProcess(),
                    wallClockMs()};
  const fs::path file =
      folder_ / fmt::format("{}{}.json", prefixOf(entry.plugin), entry.process.pid);
  std::error_code refusal;
  fs::create_directories(folder_, refusal);
  std::vector<fs::path> left;
  for (Left& each : leftOf(folder_, entry.plugin)) left.push_back(std::move(each.mark));
  if (by == MarkedBy::kCrash)
    return {{}, std::move(left), std::make_unique<CrashNote>(file.string(), textOf(entry))};
  // Not synced to the disk: what ends a process leaves written pages in the system's care.
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << textOf(entry);
  out.close();
  return {out ? file : fs::path(), std::move(left), nullptr};
}

ProbeJournal::Mark::~Mark() {
  std::error_code ignored;
  if (!file_.empty()) fs::remove(file_, ignored);
  for (const fs::path& each : left_) fs::remove(each, ignored);
}

int ProbeJournal::forgetCrashes() const {
  const ProcessIdentity self = ProcessIdentity::thisProcess();
  int forgotten = 0;
  for (const fs::path& mark : marksIn(folder_, "")) {
    std::error_code refusal;
    bool failed = false;
    if (mark.filename().string().starts_with(kTrialPrefix)) {
      const nlohmann::json trial = readJson(mark);
      failed = trial.value("end", "") != endName(TrialEnd::kReturned);
    } else {
      const std::optional<Entry> entry = readEntry(mark);
      failed = entry && entry->crashed(self);
    }
    if (failed && fs::remove(mark, refusal)) ++forgotten;
  }
  return forgotten;
}

}  // namespace parapet
