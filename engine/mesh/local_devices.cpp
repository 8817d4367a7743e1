// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/local_devices.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/workers.h"
#include "engine/experiment/experiment.h"
#include "engine/tensor/device.h"

namespace parapet::mesh {

LocalDevices localDevices(const tensor::DeviceRegistry& registry) {
  LocalDevices here{Workers::available(), {}};
  for (const tensor::BackendOutcome& outcome : registry.outcomes())
    if (outcome.kind == "cuda" && outcome.name.starts_with("cuda:") &&
        outcome.outcome == PluginOutcome::kLoaded)
      here.gpus.push_back(outcome.name);
  return here;
}

Result<std::vector<std::string>> namedDevices(const std::vector<std::string>& names,
                                              const LocalDevices& here) {
  std::vector<std::string> named;
  for (const std::string& name : names) {
    const bool all = name == "all";
    if (name == "cpu*" || (all && here.gpus.empty())) {
      named.push_back(fmt::format("cpu*{}", here.cores));
    } else if (name == "cuda*" || all) {
      if (here.gpus.empty())
        return Error{.code = ErrorCode::kInvalidDocument,
                     .message =
                         "\"cuda*\" is every GPU, and none is here; `parapet-cli devices` "
                         "says why",
                     .pointer = "/mesh/devices"};
      named.insert(named.end(), here.gpus.begin(), here.gpus.end());
    } else {
      named.push_back(name);
    }
  }
  return experiment::expandDevices(named);
}

Hardware hardwareOf(const DeviceMesh& mesh, const DeviceProfile& cpu,
                    experiment::MemorySpaces spaces,
                    const std::map<std::string, DeviceProfile>& measured) {
  Hardware hardware = localHardware(mesh.deviceNames(), cpu, spaces, measured);
  const auto devices = mesh.devices();
  for (const tensor::Device& device : devices) {
    if (device.isHost()) continue;
    const auto isSame = [&](const tensor::Device& other) {
      return &other.backend() == &device.backend() && other.index() == device.index();
    };
    const auto rank = static_cast<std::size_t>(&device - devices.data());
    const int space = hardware.devices[rank].space;
    const auto logical = std::ranges::count_if(devices, isSame);
    const auto ofSpace = std::ranges::count(hardware.devices, space, &Hardware::Device::space);
    const auto bytes =
        static_cast<std::int64_t>(device.backend().memoryBytes(device.index())) / logical;
    hardware.spaces[static_cast<std::size_t>(space)].profile.memoryBytes = bytes * ofSpace;
  }
  return hardware;
}

}  // namespace parapet::mesh
