// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "app/cli/commands/commands.h"
#include "app/cli/output.h"
#include "app/cli/text_table.h"
#include "engine/base/text.h"

namespace parapet::cli {
namespace {

std::string fileName(const std::string& plugin) {
  return std::filesystem::path(plugin).filename().string();
}

struct DevicesArguments {
  bool retry = false, measure = false;
};

/// Devices and plugins, and the profiles of machines that the workspace keeps, if there is one.
std::vector<workspace::DeviceInfo> found(Invocation& invocation) {
  std::vector<workspace::DeviceInfo> all = workspace::Workspace::devices();
  if (const auto opened = invocation.existingWorkspace(); opened.ok())
    std::ranges::move((*opened)->machines(), std::back_inserter(all));
  return all;
}

Answer listDevices(Invocation& invocation, const DevicesArguments& arguments) {
  if (arguments.measure) {
    PARAPET_ASSIGN(const auto opened, invocation.workspace());
    PARAPET_TRY(opened->measureMachine(invocation.work()));
  }
  if (arguments.retry) {
    const int again = workspace::Workspace::forgetPluginCrashes();
    writeStderr(again == 0 ? "no plugin is disabled"
                           : fmt::format("{} failed trials are forgotten", again));
  }
  Json list = Json::array();
  TextTable table({{"device"},
                   {"kind"},
                   {"instruction set"},
                   {"plugin"},
                   {"memory", Align::kRight},
                   {"outcome"},
                   {"reason"}});
  const std::vector<workspace::DeviceInfo> devices = found(invocation);
  if (stopRequested()) return Error{ErrorCode::kCancelled, "plugins were not tried to the end"};
  for (const workspace::DeviceInfo& device : devices) {
    list.push_back(
        Json{{"name", device.name},
             {"kind", textOrNull(device.kind)},
             {"instruction_set", textOrNull(device.instructionSet)},
             {"plugin", textOrNull(device.plugin)},
             {"outcome", device.outcome},
             {"reason", textOrNull(device.reason)},
             {"memory_bytes", countOrNull(static_cast<std::int64_t>(device.memoryBytes))}});
    table.add({device.name, device.kind, device.instructionSet, fileName(device.plugin),
               device.memoryBytes > 0 ? formatBytes(device.memoryBytes) : "–", device.outcome,
               device.reason});
  }
  return Answer::of(std::move(list), table.text());
}

}  // namespace

void addDevices(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("devices", "List devices and plugins, and why one cannot be used");
  command->footer("Example: parapet-cli devices --json");
  const auto arguments = std::make_shared<DevicesArguments>();
  command->add_flag("--retry", arguments->retry,
                    "Try plugins again that hung or ended their process when they were tried");
  command->add_flag("--measure", arguments->measure,
                    "Measure this machine again and store its profile in the workspace: plans and "
                    "placements rest on it");
  onRun(*command, invocation,
        [&invocation, arguments] { return listDevices(invocation, *arguments); });
}

}  // namespace parapet::cli
