// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/parapet/start_mark.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/base/clock.h"
#include "engine/base/files.h"
#include "engine/base/hash.h"
#include "engine/base/process.h"

namespace parapet::window {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kForgottenAfterMs = 30LL * 24 * 3600 * 1000;

struct Entry {
  ProcessIdentity process;
  std::int64_t beganMs = 0;
  bool hasStarted = false;
};

std::optional<Entry> readEntry(const fs::path& file) {
  const auto text = readFile(file);
  if (!text) return std::nullopt;
  try {
    const auto json = nlohmann::json::parse(*text);
    return Entry{{json.at("pid"), json.at("boot_id"), json.at("start_ticks")},
                 json.at("began_ms"),
                 json.at("started")};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

StartMark::StartMark(const fs::path& folder) {
  if (folder.empty()) return;
  const ProcessIdentity self = ProcessIdentity::thisProcess();
  std::error_code refusal;
  for (fs::directory_iterator entry(folder, refusal), end; !refusal && entry != end;
       entry.increment(refusal)) {
    if (entry->path().extension() != ".json") continue;
    const std::optional<Entry> left = readEntry(entry->path());
    // A mark that cannot be read was cut off, or is being written by a window that starts now.
    if (!left) continue;
    const bool isOfThisBoot = left->process.bootId == self.bootId;
    const bool isDead = isOfThisBoot && !left->process.alive();
    std::error_code failed;
    // Two windows may start at once: the one that takes the mark away reports the crash.
    if (isDead && fs::remove(entry->path(), failed))
      lastEnd_ =
          std::max(lastEnd_, left->hasStarted ? LastEnd::kCrashed : LastEnd::kCrashedAtStart);
    else if (!isOfThisBoot && wallClockMs() - left->beganMs > kForgottenAfterMs)
      fs::remove(entry->path(), failed);
  }
  // Containers count their processes apart and may share the folder.
  constexpr std::size_t kHashDigits = 8;
  if (createFolders(folder).ok())
    file_ =
        folder / fmt::format("{}-{}.json", self.pid, hashHex(self.bootId).substr(0, kHashDigits));
  write(false);
}

StartMark::~StartMark() {
  std::error_code failed;
  if (!file_.empty()) fs::remove(file_, failed);
}

void StartMark::setStarted() {
  write(true);
}

void StartMark::write(bool hasStarted) const {
  if (file_.empty()) return;
  const ProcessIdentity self = ProcessIdentity::thisProcess();
  (void)writeFileAtomically(file_, nlohmann::json{{"pid", self.pid},
                                                  {"boot_id", self.bootId},
                                                  {"start_ticks", self.startTicks},
                                                  {"began_ms", wallClockMs()},
                                                  {"started", hasStarted}}
                                       .dump());
}

}  // namespace parapet::window
