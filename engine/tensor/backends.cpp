// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/backends.h"

#include <cstddef>
#include <cstdlib>

#include "engine/tensor/backend_probe.h"
#include "engine/tensor/cpu/backend.h"

namespace parapet::tensor {
namespace {

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

void tryBackend(const std::filesystem::path& file, const BackendSearch& search,
                FoundBackends& found) {
  Backend backend{nullptr, file.string(), {}};
  PluginOpening opening =
      tryPlugin(file, {PP_ABI_VERSION, PARAPET_BUILD_TAG}, search.journal, [&](const void* table) {
        backend.plugin = static_cast<const PpPlugin*>(table);
        PluginOpening probed = probeBackend(*backend.plugin, backend.memoryBytes);
        if (probed.outcome != PluginOutcome::kLoaded || backend.kind() != "cpu") return probed;
        CpuCheck check = search.cpuChecks.of(backend);
        backend.gflops = check.gflops;
        backend.bf16Gflops = check.bf16Gflops;
        if (!check.fault.empty()) return PluginOpening{PluginOutcome::kInitFailed, check.fault};
        return probed;
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
  return {pluginFolders(), named && *named, ProbeJournal::ofUser(), pinned ? pinned : "",
          CpuChecks::ofUser()};
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
  sortByPreference(found.usable);
  return found;
}

}  // namespace parapet::tensor
