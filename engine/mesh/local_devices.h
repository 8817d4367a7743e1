// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/mesh/device_mesh.h"
#include "engine/mesh/device_profile.h"

namespace parapet::mesh {

/// The devices of a machine that a mesh may be made of.
struct LocalDevices {
  int cores = 1;                  ///< cores that this process may use
  std::vector<std::string> gpus;  ///< "cuda:0", …
};
LocalDevices localDevices(
    const tensor::DeviceRegistry& registry = tensor::DeviceRegistry::instance());

/// Names of devices for a document, in which "cpu*" (a logical device per core), "cuda*" (every
/// GPU) and "all" (every GPU, or every core where there is none: a mesh has devices of one kind)
/// have been replaced by what is `here`. A document thus always says on how many devices it was
/// trained.
///
/// Errors   kInvalidDocument at /mesh/devices: no GPU is here, and those of
///          experiment::expandDevices.
Result<std::vector<std::string>> namedDevices(const std::vector<std::string>& names,
                                              const LocalDevices& here);

/// localHardware() of a mesh, with the memory that its devices say they have; logical devices of
/// one have equal shares of it.
Hardware hardwareOf(const DeviceMesh& mesh, const DeviceProfile& cpu,
                    experiment::MemorySpaces spaces,
                    const std::map<std::string, DeviceProfile>& measured);

}  // namespace parapet::mesh
