// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/backend_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <map>
#include <mutex>

#include "engine/base/text.h"

namespace parapet::tensor {
namespace {

// Every slot of PpOps behind structSize is a function.
bool hasEveryOp(const PpOps& ops) {
  if (ops.structSize < sizeof(PpOps)) return false;
  constexpr std::size_t kFirst = offsetof(PpOps, fill);
  std::array<void*, (sizeof(PpOps) - kFirst) / sizeof(void*)> slots{};
  std::memcpy(slots.data(), reinterpret_cast<const std::byte*>(&ops) + kFirst, sizeof slots);
  return std::ranges::all_of(slots, [](const void* slot) { return slot != nullptr; });
}

/// The entry that is missing in a plugin's table; null if the table is whole.
const char* lackOf(const PpPlugin& plugin) {
  if (plugin.structSize < sizeof(PpPlugin)) return "its table is shorter than this ABI's";
  if (!plugin.instructionSet || !plugin.probe || !plugin.deviceCount || !plugin.device)
    return "its table has empty slots";
  const PpDevice& device = *plugin.device;
  if (device.structSize < sizeof(PpDevice)) return "its device is shorter than this ABI's";
  if (!device.kind || !device.allocate || !device.release || !device.copyToDevice ||
      !device.stream || !device.copyToHost || !device.wait || !device.supports ||
      !device.memoryBytes || !device.lastError)
    return "its device has empty slots";
  if (!device.ops || !hasEveryOp(*device.ops)) return "its device lacks operations";
  return nullptr;
}

// Remarks that the probe of each plugin has made. A plugin's table lives as long as the process.
std::mutex remarkMutex;
std::map<const PpPlugin*, std::vector<std::string>>& remarks() {
  static std::map<const PpPlugin*, std::vector<std::string>> all;
  return all;
}

void keepRemarks(const PpPlugin& plugin, std::string_view said) {
  constexpr std::size_t kMaxRemarkBytes = 400;
  const std::lock_guard lock(remarkMutex);
  remarks().erase(&plugin);
  if (said.empty()) return;
  std::vector<std::string>& lines = remarks()[&plugin];
  for (const std::string_view line : splitFields(said, '\n'))
    lines.push_back(printable(line, kMaxRemarkBytes));
}

}  // namespace

PluginOpening probeBackend(const PpPlugin& plugin, std::vector<std::uint64_t>& memoryBytes) {
  if (const char* lack = lackOf(plugin)) return {PluginOutcome::kInitFailed, lack};
  std::array<char, 4096> said{};
  const std::int32_t status = plugin.probe(said.data(), said.size() - 1);
  const std::string reason = printable(said.data(), said.size());  // of a refusal
  if (status == PP_UNSUPPORTED)
    return {PluginOutcome::kNotSupported, reason.empty() ? "it gives no reason" : reason};
  if (status != PP_OK)
    return {PluginOutcome::kInitFailed,
            reason.empty() ? fmt::format("its probe gave {}", status) : reason};
  const std::int32_t devices = plugin.deviceCount();
  if (devices < 1) return {PluginOutcome::kNotSupported, "it finds no device of its kind"};
  for (std::int32_t index = 0; index < devices; ++index)
    memoryBytes.push_back(plugin.device->memoryBytes(index));
  keepRemarks(plugin, said.data());
  return {};
}

std::string remarkOn(const PpPlugin& plugin, std::size_t index) {
  const std::lock_guard lock(remarkMutex);
  const auto found = remarks().find(&plugin);
  if (found == remarks().end()) return "";
  return found->second[std::min(index, found->second.size() - 1)];
}

}  // namespace parapet::tensor
