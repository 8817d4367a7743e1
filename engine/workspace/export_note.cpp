// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/export_note.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "engine/base/files.h"
#include "engine/base/process.h"
#include "engine/data/dataset/pending_folder.h"

namespace parapet::workspace {
namespace fs = std::filesystem;
namespace {

constexpr const char* kNotes = "exports";
constexpr std::chrono::hours kLongestExport{24};

bool mayLive(const ProcessIdentity& owner, const fs::path& note) {
  if (owner.bootId == ProcessIdentity::thisProcess().bootId) return owner.alive();
  std::error_code error;
  const auto written = fs::last_write_time(note, error);
  return !error && fs::file_time_type::clock::now() - written < kLongestExport;
}

}  // namespace

ExportNote::ExportNote(const fs::path& workspace, const fs::path& folder)
    : file_(workspace / kNotes / (folder.filename().string() + ".json")) {
  const ProcessIdentity self = ProcessIdentity::thisProcess();
  std::error_code error;
  const nlohmann::json note{{"folder", fs::absolute(folder, error).string()},
                            {"pid", self.pid},
                            {"boot_id", self.bootId},
                            {"start_ticks", self.startTicks}};
  // Without a note the export is as good; what it leaves when it is killed goes with the next one.
  if (createFolders(file_.parent_path()).ok())
    (void)writeFileAtomically(file_,
                              note.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

ExportNote::~ExportNote() {
  std::error_code ignored;
  fs::remove(file_, ignored);
  fs::remove(file_.parent_path(), ignored);  // unless another export has its note there
}

void removeKilledExports(const fs::path& workspace) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(workspace / kNotes, error)) {
    const auto text = readFile(entry.path());
    const auto note = nlohmann::json::parse(text ? *text : std::string(), nullptr, false);
    if (!note.is_object()) continue;
    try {
      const ProcessIdentity owner{note.at("pid"), note.at("boot_id"), note.at("start_ticks")};
      const fs::path folder = note.at("folder").get<std::string>();
      if (mayLive(owner, entry.path())) continue;
      std::error_code ignored;
      // A note may have been damaged, or come with a workspace of someone else.
      if (folder.is_absolute() && data::isPendingFolderOf(folder, owner.pid))
        fs::remove_all(folder, ignored);
      fs::remove(entry.path(), ignored);
    } catch (const nlohmann::json::exception&) {
      continue;  // no note of ours
    }
  }
  fs::remove(workspace / kNotes, error);
}

}  // namespace parapet::workspace
