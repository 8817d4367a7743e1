// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/devices_to_ask.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text.h"
#include "engine/tensor/device.h"

namespace parapet::workspace {

using experiment::Experiment;

namespace {

std::vector<std::string> devicesOf(const Experiment& experiment) {
  auto names = experiment::expandDevices(experiment.mesh.devices);
  return names ? std::move(names).value() : std::vector<std::string>{};
}

}  // namespace

std::optional<std::string> absentDevice(const Experiment& experiment) {
  for (const std::string& name : devicesOf(experiment))
    if (const std::string whole = experiment::wholeDevice(name);
        !tensor::DeviceRegistry::instance().find(whole))
      return fmt::format("{} is not here", whole);
  return std::nullopt;
}

Experiment onCpuDevices(Experiment experiment) {
  const std::vector<std::string> names = devicesOf(experiment);
  // Limits are those of the devices that are not asked.
  experiment.mesh.capacityBytes.reset();
  experiment.mesh.devices = {fmt::format("cpu*{}", names.size())};
  for (experiment::Table& table : experiment.tables) {
    if (!table.device) continue;
    const auto at = std::ranges::find(names, *table.device);
    if (at == names.end())
      table.device.reset();
    else
      table.device = fmt::format("cpu:{}", at - names.begin());
  }
  return experiment;
}

std::string onCpuWarning(const Experiment& trainedOn, const std::string& reason) {
  const std::vector<std::string> names = devicesOf(trainedOn);
  return fmt::format("{}: cpu*{} answers in the place of {}", reason, names.size(),
                     names.size() == 1 ? names[0] : names.front() + " … " + names.back());
}

}  // namespace parapet::workspace
