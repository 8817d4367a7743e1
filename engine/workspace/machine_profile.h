// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/mesh/device_profile.h"
#include "engine/tensor/device.h"

namespace parapet::workspace {

/// Costs of a machine as they were measured once, kept in a workspace under its name.
struct MachineProfile {
  std::string machine;  ///< see thisMachine()
  int threads = 0;      ///< that measured; a decision never rests on those of a single run
  std::int64_t measuredMs = 0;
  mesh::DeviceProfile figures;
};

/// Processor, cores, memory and instruction set of this process: "AMD EPYC, 2 cores, 23.4 GiB,
/// x86-64-v3". Figures of another one say nothing here.
std::string thisMachine();
/// The text of machineOf() for a device in this machine: "cuda:0, 79.1 GiB, in AMD EPYC, …", and of
/// the CPU thisMachine().
std::string machineOf(const tensor::Device& device);
/// Whether a profile's machine is that of `here`, thisMachine(), or a device in it.
bool isIn(const std::string& machine, const std::string& here);

/// The profiles of a workspace, in its file machines.json: plans and runs rest on the same one, so
/// that placements depend on a machine by what stands there and by nothing else. Several
/// machines may share a workspace; each has its own.
class MachineProfiles {
 public:
  explicit MachineProfiles(std::filesystem::path workspace);

  /// All of them; none if there is no file.
  ///
  /// Errors   kData for a file that does not read, with the line or the pointer.
  [[nodiscard]] Result<std::vector<MachineProfile>> all() const;
  /// In the place of that of the same machine and threads.
  Status keep(const MachineProfile& profile) const;
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

 private:
  std::filesystem::path file_;
};

/// Measures the CPU of this machine, or another device in it; see mesh::probeDevice. `threads` > 0.
Result<MachineProfile> measureMachine(const tensor::Device& device, int threads,
                                      const std::stop_token& stop);

}  // namespace parapet::workspace
