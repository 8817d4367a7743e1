// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/device.h"

#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/tensor/cpu/backend.h"

namespace parapet::tensor {

DeviceRegistry::DeviceRegistry() {
  backends_.push_back(&cpu::backend());
  outcomes_.push_back({"cpu:0", "cpu", "built in", "loaded", "", physicalMemoryBytes()});
  outcomes_.push_back({"cuda", "cuda", "", "not installed",
                       "no CUDA plugin is installed beside the program; training uses the CPU", 0});
}

const DeviceRegistry& DeviceRegistry::instance() {
  static const DeviceRegistry registry;
  return registry;
}

std::optional<Device> DeviceRegistry::find(std::string_view name) const {
  const std::string_view kind = name.substr(0, name.find(':'));
  for (const PpDevice* backend : backends_) {
    if (kind != backend->kind) continue;
    const std::string_view rest = kind.size() < name.size() ? name.substr(kind.size() + 1) : "0";
    const auto index = parseInt(rest.substr(0, rest.find('/')));
    return Device(std::string(name), *backend, static_cast<std::int32_t>(index.value_or(0)));
  }
  return std::nullopt;
}

const Device& hostDevice() {
  static const Device device("cpu:0", cpu::backend(), 0);
  return device;
}

}  // namespace parapet::tensor
