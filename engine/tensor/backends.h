// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/plugin_library.h"
#include "engine/base/probe_journal.h"
#include "engine/tensor/cpu_check.h"
#include "engine/tensor/plugin_abi.h"

namespace parapet::tensor {

/// The instruction set of the backend that is linked in, as PARAPET_CPU_BACKEND names it.
inline constexpr std::string_view kPortable = "portable";

/// Where backends are looked for, and which one the user insists on.
struct BackendSearch {
  std::vector<std::filesystem::path> folders;
  bool foldersNamed = false;  ///< the user named them: one that is not there is a wrong setting
  ProbeJournal journal;
  std::string pinnedCpu{};  ///< instruction set of the CPU backend; "": the best there is
  CpuChecks cpuChecks{""};

  /// PARAPET_PLUGIN_PATH, PARAPET_CPU_BACKEND, the user's journal and checks.
  static BackendSearch fromEnvironment();
};

/// A backend that works here; the table lives as long as the process.
struct Backend {
  const PpPlugin* plugin;
  std::string file;                        ///< "" for the one that is linked in
  std::vector<std::uint64_t> memoryBytes;  ///< by device; 0: unknown
  double gflops = 0.0;                     ///< f32 products of a CPU by its check; 0: not measured
  double bf16Gflops = 0.0;                 ///< bf16 products, likewise

  [[nodiscard]] std::string_view kind() const { return plugin->device->kind; }
  [[nodiscard]] std::string_view instructionSet() const { return plugin->instructionSet; }
};

/// A plugin that cannot be used, and why.
struct RefusedPlugin {
  std::string file;
  PluginOutcome outcome;
  std::string reason;
};

struct FoundBackends {
  std::vector<Backend> usable;  ///< better ones of a kind first; the portable CPU is always there
  std::vector<RefusedPlugin> refused;
};

/// Tries every plugin of the folders once, each under a mark in the journal, and checks those that
/// compute on the CPU: one that computes wrongly is refused, and the fastest comes first.
FoundBackends findBackends(const BackendSearch& search);

}  // namespace parapet::tensor
