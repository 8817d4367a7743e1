// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <clocale>

#include "app/cli/commands/commands.h"
#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/workspace/health.h"

namespace parapet::cli {
namespace {

constexpr std::uint64_t kLowDisk = 1ULL << 30, kLowMemory = 1ULL << 30;

using workspace::HealthCheck;
using workspace::HealthOptions;

struct DoctorArguments {
  bool deep = false, repair = false;
};

/// Checks that programs can open a workspace whose parts the single checks found to be whole.
/// Opening brings the schema up to date and adopts what a crash has left.
HealthCheck checkOpening(Invocation& invocation) {
  const auto opened = invocation.existingWorkspace();
  if (!opened.ok() && opened.error().code == ErrorCode::kNotFound)
    return {"opening", true, opened.error().text() + "; the first run makes it one"};
  if (!opened.ok())
    return {"opening", false, opened.error().text(),
            "See the other checks, or name another folder with --workspace DIR."};
  if (workspace::Workspace::isModel((*opened)->folder()))
    return {"opening", true, "the model opens"};
  if (const auto& why = (*opened)->readOnlyBecause())
    return {"opening", false, "the workspace can only be read: " + why->text(),
            "Make the folder writable and free space on its disk, or name another with --workspace "
            "DIR."};
  return {"opening", true, "the workspace opens"};
}

HealthCheck checkDisk(std::filesystem::path folder) {
  // One that is not there yet is made on the disk of the folders above it.
  folder = std::filesystem::absolute(folder);
  for (std::error_code error;
       folder.has_relative_path() && !std::filesystem::exists(folder, error);)
    folder = folder.parent_path();
  const auto free = freeBytes(folder);
  if (!free.ok())
    return {"disk", false, free.error().text(), "Name another folder with --workspace DIR."};
  const bool enough = *free >= kLowDisk;
  return {"disk", enough, formatBytes(*free) + " free",
          enough ? "" : "Free some space: checkpoints and data sets need it."};
}

HealthCheck checkMemory() {
  const std::uint64_t memory = physicalMemoryBytes();
  if (memory == 0)
    return {"memory", false, "the size of the memory is unknown", "Mount /proc and /sys."};
  const bool enough = memory >= kLowMemory;
  return {"memory", enough, formatBytes(memory) + " in the machine",
          enough ? "" : "Train small models only, or use a larger machine."};
}

// A plugin that is not installed is no fault; one that is there and cannot be used is.
HealthCheck checkDevices() {
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
HealthCheck checkLocale() {
  const bool ok = fmt::format("{}", 0.5) == "0.5" && parseDouble("0.5") == 0.5;
  const char* name = std::setlocale(LC_NUMERIC, nullptr);
  return {"locale", ok, fmt::format("numbers are read and written as 0.5 (LC_NUMERIC {})", name),
          ok ? "" : "Start with LC_ALL=C."};
}

// A line of its own for what to do: findings name paths and hashes, and are long.
std::string describe(const HealthCheck& check) {
  std::string text = fmt::format("{:<11}  {:<6}  {}\n", check.name, check.ok ? "ok" : "FAILED",
                                 terminalText(check.message, LineEnds::kEscape));
  if (!check.fix.empty())
    text += fmt::format("{:21}To do: {}\n", "", terminalText(check.fix, LineEnds::kEscape));
  return text;
}

Answer examine(Invocation& invocation, const DoctorArguments& arguments) {
  HealthOptions options;
  if (arguments.deep) options.depth = HealthOptions::Depth::kDeep;
  if (arguments.repair) options.action = HealthOptions::Action::kRepair;
  const WorkContext work = invocation.work();
  std::vector<HealthCheck> checks =
      workspace::checkHealth(invocation.workspaceFolder, options, work);
  if (work.cancelled()) return Error{ErrorCode::kCancelled, "the check was cancelled"};
  checks.push_back(checkOpening(invocation));
  checks.push_back(checkDisk(invocation.workspaceFolder));
  checks.push_back(checkMemory());
  checks.push_back(checkDevices());
  checks.push_back(checkLocale());
  Json list = Json::array();
  std::string text;
  std::vector<std::string> failed;
  for (const HealthCheck& check : checks) {
    list.push_back(Json{{"name", check.name},
                        {"ok", check.ok},
                        {"message", check.message},
                        {"fix", textOrNull(check.fix)}});
    text += describe(check);
    if (!check.ok) failed.push_back(check.name);
  }
  Answer answer = Answer::of(Json{{"checks", std::move(list)}}, std::move(text));
  if (!failed.empty()) {
    answer.failure =
        Failure{Error{ErrorCode::kIo, fmt::format("{} of {} checks failed: {}", failed.size(),
                                                  checks.size(), join(failed))}};
    answer.code = ExitCode::kFailed;
  }
  return answer;
}

}  // namespace

void addDoctor(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("doctor", "Check the health of the installation and the workspace");
  command->footer("Example: parapet-cli --workspace /data/parapet doctor --deep");
  const auto arguments = std::make_shared<DoctorArguments>();
  command->add_flag(
      "--deep", arguments->deep,
      "Compare the hashes of data sets of more than 1 GiB too, which reads all of them");
  command->add_flag("--repair", arguments->repair,
                    "Rebuild a damaged database from its readable parts, and move damaged "
                    "checkpoints and data sets aside; nothing is deleted");
  onRun(*command, invocation, [&invocation, arguments] { return examine(invocation, *arguments); });
}

}  // namespace parapet::cli
