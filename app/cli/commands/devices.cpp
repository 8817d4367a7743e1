// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands/commands.h"
#include "app/cli/text_table.h"
#include "engine/base/text.h"

namespace parapet::cli {
namespace {

Answer listDevices() {
  Json list = Json::array();
  TextTable table(
      {{"device"}, {"kind"}, {"plugin"}, {"memory", Align::kRight}, {"outcome"}, {"reason"}});
  for (const workspace::DeviceInfo& device : workspace::Workspace::devices()) {
    list.push_back(
        Json{{"name", device.name},
             {"kind", device.kind},
             {"plugin", device.plugin},
             {"outcome", device.outcome},
             {"reason", textOrNull(device.reason)},
             {"memory_bytes", countOrNull(static_cast<std::int64_t>(device.memoryBytes))}});
    table.add({device.name, device.kind, device.plugin,
               device.memoryBytes > 0 ? formatBytes(device.memoryBytes) : "–", device.outcome,
               device.reason});
  }
  return Answer::of(std::move(list), table.text());
}

}  // namespace

void addDevices(CLI::App& program, Session& session) {
  CLI::App* command =
      program.add_subcommand("devices", "List devices and plugins, and why one cannot be used");
  command->footer("Example: parapet-cli devices --json");
  onRun(*command, session, listDevices);
}

}  // namespace parapet::cli
