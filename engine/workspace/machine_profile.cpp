// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/machine_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/clock.h"
#include "engine/base/files.h"
#include "engine/base/process.h"
#include "engine/base/record/parse_json.h"
#include "engine/base/text.h"
#include "engine/base/workers.h"
#include "engine/mesh/device_probe.h"
#include "engine/tensor/device.h"

namespace parapet::workspace {
namespace {

Result<MachineProfile> profileFrom(const nlohmann::json& json, const std::string& path) {
  MachineProfile profile;
  try {
    profile.machine = json.at("machine").get<std::string>();
    profile.threads = json.at("threads").get<int>();
    profile.measuredMs = json.at("measured_ms").get<std::int64_t>();
    PARAPET_ASSIGN(profile.figures, mesh::profileFromJson(json.at("figures"), path));
  } catch (const nlohmann::json::exception& wrong) {
    return Error{ErrorCode::kData, fmt::format("{}: {}", path, wrong.what()), {}, path};
  }
  return profile;
}

}  // namespace

std::string thisMachine() {
  const tensor::Device& cpu = tensor::cpuDevice();
  const int cores = Workers::available();
  return fmt::format("{}, {} core{}, {}, {}", processorName(), cores, cores == 1 ? "" : "s",
                     formatBytes(physicalMemoryBytes()), cpu.instructionSet());
}

std::string machineOf(const tensor::Device& device) {
  if (device.isHost()) return thisMachine();
  return fmt::format("{}, {}, in {}", device.name(),
                     formatBytes(device.backend().memoryBytes(device.index())), thisMachine());
}

bool isIn(const std::string& machine, const std::string& here) {
  return machine == here || machine.ends_with(", in " + here);
}

MachineProfiles::MachineProfiles(std::filesystem::path workspace)
    : file_(std::move(workspace) / "machines.json") {}

Result<std::vector<MachineProfile>> MachineProfiles::all() const {
  std::vector<MachineProfile> profiles;
  std::error_code missing;
  if (!std::filesystem::exists(file_, missing)) return profiles;
  PARAPET_ASSIGN(const std::string text, readFile(file_.string()));
  PARAPET_ASSIGN(const nlohmann::json json, record::parseJson(text, file_.string()));
  if (!json.is_object() || !json.contains("profiles") || !json.at("profiles").is_array())
    return Error{ErrorCode::kData, fmt::format("{}: no list \"profiles\"", file_.string()),
                 "/profiles", file_.string()};
  for (const nlohmann::json& one : json.at("profiles")) {
    PARAPET_ASSIGN(MachineProfile profile, profileFrom(one, file_.string()));
    profiles.push_back(std::move(profile));
  }
  return profiles;
}

Status MachineProfiles::keep(const MachineProfile& profile) const {
  auto known = all();  // one that does not read is replaced
  std::vector<MachineProfile> profiles =
      known ? std::move(known).value() : std::vector<MachineProfile>{};
  std::erase_if(profiles, [&](const MachineProfile& other) {
    return other.machine == profile.machine && other.threads == profile.threads;
  });
  profiles.push_back(profile);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const MachineProfile& one : profiles)
    list.push_back({{"machine", one.machine},
                    {"threads", one.threads},
                    {"measured_ms", one.measuredMs},
                    {"figures", mesh::profileToJson(one.figures)}});
  return writeFileAtomically(file_, nlohmann::ordered_json{{"profiles", list}}.dump(1) + "\n");
}

Result<MachineProfile> measureMachine(const tensor::Device& device, int threads,
                                      const std::stop_token& stop) {
  MachineProfile profile{machineOf(device), threads, wallClockMs(), {}};
  PARAPET_ASSIGN(profile.figures, mesh::probeDevice(device, threads, stop));
  profile.figures.source =
      fmt::format("profile \"{}\", measured {} with {} thread{}", profile.machine,
                  formatUtc(profile.measuredMs), threads, threads == 1 ? "" : "s");
  return profile;
}

}  // namespace parapet::workspace
