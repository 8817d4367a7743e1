// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/backends.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "engine/base/text.h"
#include "engine/tensor/cpu/backend.h"

namespace parapet::tensor {
namespace {

// CPU backends, best first. An instruction set that is not listed comes last: it is used only where
// the user asks for it.
constexpr std::array<std::string_view, 2> kCpuPreference{"x86-64-v3", kPortable};

std::ptrdiff_t rankOf(const Backend& backend) {
  return std::ranges::find(kCpuPreference, backend.instructionSet()) - kCpuPreference.begin();
}

std::int32_t probePortable(char*, std::size_t) {
  return PP_OK;
}
std::int32_t onePortableDevice() {
  return 1;
}

Backend portableBackend() {
  static const PpPlugin plugin{sizeof(PpPlugin), kPortable.data(),  kPortable.data(),
                               probePortable,    onePortableDevice, &cpu::backend()};
  return {&plugin, "", {cpu::backend().memoryBytes(0)}};
}

// Every slot of PpOps behind structSize is a function.
bool hasEveryOp(const PpOps& ops) {
  if (ops.structSize < sizeof(PpOps)) return false;
  constexpr std::size_t kFirst = offsetof(PpOps, fill);
  std::array<void*, (sizeof(PpOps) - kFirst) / sizeof(void*)> slots{};
  std::memcpy(slots.data(), reinterpret_cast<const std::byte*>(&ops) + kFirst, sizeof slots);
  return std::ranges::all_of(slots, [](const void* slot) { return slot != nullptr; });
}

/// What is missing in a plugin's table; null if it is whole.
const char* lackOf(const PpPlugin& plugin) {
  if (plugin.structSize < sizeof(PpPlugin)) return "its table is shorter than this ABI's";
  if (!plugin.instructionSet || !plugin.probe || !plugin.deviceCount || !plugin.device)
    return "its table has empty slots";
  const PpDevice& device = *plugin.device;
  if (device.structSize < sizeof(PpDevice)) return "its device is shorter than this ABI's";
  if (!device.kind || !device.allocate || !device.release || !device.copyToDevice ||
      !device.copyToHost || !device.recordEvent || !device.waitEvent || !device.workspaceBytes ||
      !device.memoryBytes || !device.lastError)
    return "its device has empty slots";
  if (!device.ops || !hasEveryOp(*device.ops)) return "its device lacks operations";
  return nullptr;
}

/// Asks an opened plugin whether it works here; fills in its devices.
PluginOpening probe(Backend& backend) {
  if (const char* lack = lackOf(*backend.plugin)) return {PluginOutcome::kInitFailed, lack};
  std::array<char, 512> said{};
  const std::int32_t status = backend.plugin->probe(said.data(), said.size() - 1);
  const std::string reason = printable(said.data(), said.size());
  if (status == PP_UNSUPPORTED)
    return {PluginOutcome::kNotSupported, reason.empty() ? "it gives no reason" : reason};
  if (status != PP_OK)
    return {PluginOutcome::kInitFailed,
            reason.empty() ? fmt::format("its probe gave {}", status) : reason};
  const std::int32_t devices = backend.plugin->deviceCount();
  if (devices < 1) return {PluginOutcome::kNotSupported, "it finds no device of its kind"};
  for (std::int32_t index = 0; index < devices; ++index)
    backend.memoryBytes.push_back(backend.plugin->device->memoryBytes(index));
  return {};
}

void tryBackend(const std::filesystem::path& file, const BackendSearch& search,
                FoundBackends& found) {
  Backend backend{nullptr, file.string(), {}};
  PluginOpening opening =
      tryPlugin(file, {PP_ABI_VERSION, PARAPET_BUILD_TAG}, search.journal, [&](const void* table) {
        backend.plugin = static_cast<const PpPlugin*>(table);
        return probe(backend);
      });
  if (opening.outcome == PluginOutcome::kLoaded)
    found.usable.push_back(std::move(backend));
  else
    found.refused.push_back({file.string(), opening.outcome, std::move(opening.reason)});
}

}  // namespace

BackendSearch BackendSearch::fromEnvironment() {
  const char* named = std::getenv("PARAPET_PLUGIN_PATH");
  const char* pinned = std::getenv("PARAPET_CPU_BACKEND");
  return {pluginFolders(), named && *named, ProbeJournal::ofUser(), pinned ? pinned : ""};
}

FoundBackends findBackends(const BackendSearch& search) {
  FoundBackends found;
  found.usable.push_back(portableBackend());
  for (const auto& folder : search.folders) {
    const auto files = pluginFiles(folder);
    if (files) {
      for (const auto& file : *files) tryBackend(file, search, found);
    } else if (search.foldersNamed || files.error().code != ErrorCode::kNotFound) {
      found.refused.push_back(
          {folder.string(), PluginOutcome::kWrongSetting, files.error().text()});
    }
  }
  std::ranges::stable_sort(found.usable, {}, rankOf);
  return found;
}

}  // namespace parapet::tensor
