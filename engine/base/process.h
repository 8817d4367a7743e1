// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace parapet {

/// A process of this machine: enough to tell a living one from a dead one, and from another process
/// that was given its pid.
struct ProcessIdentity {
  std::int64_t pid = 0;
  /// Where a pid means a process: the boot, and within it the PID namespace. Containers share a
  /// boot and count their processes apart.
  std::string bootId;
  std::int64_t startTicks = 0;  ///< start time of the process, field 22 of /proc/<pid>/stat

  static ProcessIdentity thisProcess();
  [[nodiscard]] bool alive() const;
};

/// The system's name of the processor: "AMD EPYC 9654 96-Core Processor"; "unknown processor"
/// where it does not tell.
std::string processorName();
/// The folder of the running program; empty if unknown.
std::filesystem::path programFolder();
/// Where the programs keep the user's data: $XDG_DATA_HOME/parapet, else ~/.local/share/parapet; a
/// relative variable is ignored, and without HOME the user database is asked. Empty if there is no
/// home either. It need not exist.
std::filesystem::path dataFolder();
/// Where they keep what outlives them but is no data: $XDG_STATE_HOME/parapet, else
/// ~/.local/state/parapet, by the same rules.
std::filesystem::path stateFolder();

/// The error that std::bad_alloc becomes: who ran out of memory, and how much there is.
Error outOfMemory(std::string_view what);

}  // namespace parapet
