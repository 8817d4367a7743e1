// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace parapet {

/// A process of this machine: enough to tell a live one from a dead one and from a stranger that
/// got its pid.
struct ProcessIdentity {
  std::int64_t pid = 0;
  std::string bootId;
  std::int64_t startTicks = 0;  ///< start time of the process, field 22 of /proc/<pid>/stat

  static ProcessIdentity thisProcess();
  [[nodiscard]] bool alive() const;
};

/// The folder that the running program lies in; empty if unknown.
std::filesystem::path programFolder();
/// Where the programs keep what outlives them but is no data: $XDG_STATE_HOME/parapet, else
/// ~/.local/state/parapet. It need not exist.
std::filesystem::path stateFolder();

}  // namespace parapet
