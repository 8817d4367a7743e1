// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <clocale>

#include "app/cli/commands/commands.h"
#include "app/cli/text_table.h"
#include "engine/base/files.h"
#include "engine/base/text.h"

namespace parapet::cli {
namespace {

constexpr std::uint64_t kLowDisk = 1ULL << 30, kLowMemory = 1ULL << 30;

/// One thing looked at: how it is, and what to do if it is not well.
struct Check {
  std::string name;
  bool ok = true;
  std::string message;
  std::string fix{};
};

Check checkWritable(const std::string& folder) {
  const auto probe = std::filesystem::path(folder) / ".parapet-doctor";
  Status written = createFolders(folder);
  if (written.ok()) written = writeFileAtomically(probe, "ok\n");
  std::error_code ignored;
  std::filesystem::remove(probe, ignored);
  if (written.ok()) return {"workspace", true, folder + " can be written"};
  return {"workspace", false, written.error().text(),
          "Make the folder writable, or name another with --workspace DIR."};
}

Check checkDatabase(Session& session) {
  const auto opened = session.workspace();
  if (!opened.ok())
    return {"database", false, opened.error().text(),
            "Use the newest parapet, or name another folder with --workspace DIR."};
  const auto runs = (*opened)->store().runs();
  if (!runs.ok())
    return {"database", false, runs.error().text(), "Restore parapet.db from a backup."};
  return {"database", true,
          fmt::format("opens, schema version {}, {} runs", store::RunStore::schemaVersion(),
                      runs->size())};
}

Check checkDisk(const std::string& folder) {
  const auto free = freeBytes(folder);
  if (!free.ok())
    return {"disk", false, free.error().text(), "Name another folder with --workspace DIR."};
  const bool enough = *free >= kLowDisk;
  return {"disk", enough, formatBytes(*free) + " free",
          enough ? "" : "Free some space: checkpoints and data sets need it."};
}

Check checkMemory() {
  const std::uint64_t memory = physicalMemoryBytes();
  if (memory == 0)
    return {"memory", false, "the size of the memory is unknown", "Mount /proc and /sys."};
  const bool enough = memory >= kLowMemory;
  return {"memory", enough, formatBytes(memory) + " in the machine",
          enough ? "" : "Train small models only, or use a larger machine."};
}

// A plugin that is not installed is no fault; one that is there and cannot be used is.
Check checkDevices() {
  std::vector<std::string> usable, broken;
  for (const workspace::DeviceInfo& device : workspace::Workspace::devices()) {
    if (device.usable) usable.push_back(fmt::format("{} ({})", device.name, device.instructionSet));
    if (device.fault)
      broken.push_back(fmt::format("{} ({}: {})", device.name, device.outcome, device.reason));
  }
  if (!broken.empty())
    return {"devices", false, join(broken),
            "Rebuild or remove the plugin, or correct the setting; see `parapet-cli devices`."};
  return {"devices", true, "usable: " + join(usable)};
}

// Numbers are read and written without the locale; this shows that nothing has changed it.
Check checkLocale() {
  const bool ok = fmt::format("{}", 0.5) == "0.5" && parseDouble("0.5") == 0.5;
  const char* name = std::setlocale(LC_NUMERIC, nullptr);
  return {"locale", ok, fmt::format("numbers are read and written as 0.5 (LC_NUMERIC {})", name),
          ok ? "" : "Start with LC_ALL=C."};
}

Answer examine(Session& session) {
  const std::vector<Check> checks{checkWritable(session.workspaceFolder),
                                  checkDatabase(session),
                                  checkDisk(session.workspaceFolder),
                                  checkMemory(),
                                  checkDevices(),
                                  checkLocale()};
  Json list = Json::array();
  TextTable table({{"check"}, {""}, {"found"}, {"what to do"}});
  std::vector<std::string> failed;
  for (const Check& check : checks) {
    list.push_back(Json{{"name", check.name},
                        {"ok", check.ok},
                        {"message", check.message},
                        {"fix", textOrNull(check.fix)}});
    table.add({check.name, check.ok ? "ok" : "FAILED", check.message, check.fix});
    if (!check.ok) failed.push_back(check.name);
  }
  Answer answer = Answer::of(Json{{"checks", std::move(list)}}, table.text());
  if (!failed.empty()) {
    answer.failure = Failure{Error{ErrorCode::kIo, "not well: " + join(failed)}};
    answer.code = ExitCode::kFailed;
  }
  return answer;
}

}  // namespace

void addDoctor(CLI::App& program, Session& session) {
  CLI::App* command =
      program.add_subcommand("doctor", "Check the health of the installation and the workspace");
  command->footer("Example: parapet-cli --workspace /data/parapet doctor");
  onRun(*command, session, [&session] { return examine(session); });
}

}  // namespace parapet::cli
