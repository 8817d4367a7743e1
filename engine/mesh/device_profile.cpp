// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/device_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/experiment/experiment.h"

namespace parapet::mesh {
namespace {

// TorchRec's planner assumes 897 GB/s for rows in random order on an A100 with 1,555 GB/s.
constexpr double kRandomShare = 897.0 / 1555.0;

// Launching one operation; of a kernel it is what drivers need, and a guess until it is measured.
constexpr double kGpuNodeSeconds = 5e-6;

DeviceProfile gpu(std::string kind, std::string product, double memoryBytes, double streamBytes,
                  double flops) {
  DeviceProfile profile;
  profile.kind = std::move(kind);
  profile.source = fmt::format(
      "{} data sheet: memory, bandwidth, f32; random rows at {:.0f} % of the bandwidth, as "
      "TorchRec "
      "assumes; {:.0f} µs an operation is assumed",
      product, 100 * kRandomShare, 1e6 * kGpuNodeSeconds);
  profile.memoryBytes = static_cast<std::int64_t>(memoryBytes);
  profile.streamBytesPerSecond = streamBytes;
  profile.lookup = profile.update = {0.0, streamBytes * kRandomShare};
  profile.cachedLookup = profile.cachedUpdate = profile.lookup;
  // An id is read and written about sixteen times while it is sorted.
  profile.groupSecondsPerId = 16 * 8 / streamBytes;
  profile.flopsPerSecond = flops;
  profile.pairs = {0.0, flops};
  profile.nodeSeconds = kGpuNodeSeconds;
  profile.stepSeconds = 4 * kGpuNodeSeconds;
  return profile;
}

/// Two cores of an EPYC of the Zen 4 generation, as the benchmarks of this project found them.
DeviceProfile cpu() {
  DeviceProfile profile;
  profile.kind = "cpu";
  profile.source = "measured on two cores of an EPYC Zen 4";
  profile.sharesMemory = true;
  profile.streamBytesPerSecond = 36e9;
  profile.lookup = {4e-9, 24e9};
  profile.update = {8e-9, 20e9};
  profile.cacheBytes = 16 << 20;
  profile.cachedLookup = {2e-9, 60e9};
  profile.cachedUpdate = {4e-9, 40e9};
  profile.groupSecondsPerId = 4e-9;
  profile.flopsPerSecond = 180e9;
  profile.pairs = {0.5e-9, 160e9};
  profile.nodeSeconds = 2e-6;
  profile.stepSeconds = 10e-6;
  return profile;
}

constexpr const char* kUsualGpu = "h100-80gb";

}  // namespace

const RowRate& DeviceProfile::lookupOf(double tableBytes) const {
  return tableBytes <= static_cast<double>(cacheBytes) ? cachedLookup : lookup;
}

const RowRate& DeviceProfile::updateOf(double tableBytes) const {
  return tableBytes <= static_cast<double>(cacheBytes) ? cachedUpdate : update;
}

std::span<const DeviceProfile> knownProfiles() {
  static const std::array<DeviceProfile, 5> profiles{
      cpu(), gpu("a100-40gb", "NVIDIA A100 40 GB SXM", 40e9, 1555e9, 19.5e12),
      gpu("a100-80gb", "NVIDIA A100 80 GB SXM", 80e9, 2039e9, 19.5e12),
      gpu("h100-80gb", "NVIDIA H100 SXM", 80e9, 3350e9, 67e12),
      gpu("h200-141gb", "NVIDIA H200 SXM", 141e9, 4800e9, 67e12)};
  return profiles;
}

const DeviceProfile* findProfile(std::string_view kind) {
  const auto found = std::ranges::find(knownProfiles(), kind, &DeviceProfile::kind);
  return found == knownProfiles().end() ? nullptr : &*found;
}

std::vector<std::string> Hardware::deviceNames() const {
  std::vector<std::string> names;
  for (const Device& device : devices) names.push_back(device.name);
  return names;
}

Result<Hardware> Hardware::restrictedTo(const std::vector<std::string>& names) const {
  Hardware chosen = *this;
  chosen.devices.clear();
  chosen.shape.clear();
  chosen.axes.clear();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto found = std::ranges::find(devices, names[i], &Device::name);
    if (found == devices.end())
      return Error{ErrorCode::kInvalidDocument,
                   fmt::format("device \"{}\" is not in the profile, which has {} devices from "
                               "\"{}\" to \"{}\"",
                               names[i], devices.size(), devices.front().name, devices.back().name),
                   fmt::format("/mesh/devices/{}", i)};
    chosen.devices.push_back(*found);
  }
  return chosen;
}

DeviceProfile DeviceProfile::part(int parts) const {
  const double share = 1.0 / parts;
  DeviceProfile one = *this;
  one.memoryBytes /= parts;
  one.cacheBytes /= parts;
  one.streamBytesPerSecond *= share;
  one.flopsPerSecond *= share;
  one.groupSecondsPerId *= parts;
  for (RowRate* rate : {&one.lookup, &one.update, &one.cachedLookup, &one.cachedUpdate}) {
    rate->secondsPerRow *= parts;
    rate->bytesPerSecond *= share;
  }
  one.nodeSeconds *= parts;
  one.pairs.secondsPerPair *= parts;
  one.pairs.flopsPerSecond *= share;
  return one;
}

Hardware localHardware(const std::vector<std::string>& names, const DeviceProfile& cpu,
                       experiment::MemorySpaces spaces,
                       const std::map<std::string, DeviceProfile>& measured) {
  Hardware hardware;
  // Between the GPUs of a machine without more: PCI Express 5.
  hardware.withinHost = {50e9, 1e-5};
  // Parts of a device, "cuda:0/1", are ranks of its memory where they stand side by side
  // (DeviceMesh::arrange), unless each is to have its own.
  const bool divides = spaces == experiment::MemorySpaces::kSeparate;
  const auto isGpu = [](const std::string& name) { return name.starts_with("cuda"); };
  const auto joins = [&](std::size_t rank) {
    return !divides && rank > 0 &&
           experiment::wholeDevice(names[rank]) == experiment::wholeDevice(names[rank - 1]);
  };
  std::map<std::string, int> memoriesOf;
  int memories = 0;
  for (std::size_t rank = 0; rank < names.size(); ++rank)
    if (!joins(rank)) ++memories, ++memoriesOf[experiment::wholeDevice(names[rank])];
  if (divides && std::ranges::none_of(names, isGpu))
    // Copies within the memory of the machine, there and back.
    hardware.withinHost = {cpu.streamBytesPerSecond / 2.0 / static_cast<double>(names.size()),
                           cpu.nodeSeconds};
  hardware.betweenHosts = hardware.withinHost;
  const auto profileOf = [&](const std::string& device) {
    const auto found = measured.find(device);
    if (found != measured.end()) return found->second.part(memoriesOf[device]);
    if (isGpu(device)) return findProfile(kUsualGpu)->part(memoriesOf[device]);
    return cpu.part(memories);  // memory of its own, on the cores of this machine
  };
  for (std::size_t rank = 0; rank < names.size(); ++rank) {
    const std::string& name = names[rank];
    const std::string device = experiment::wholeDevice(name);
    if (!divides && name.starts_with("cpu")) {
      if (hardware.spaces.empty()) hardware.spaces.push_back({"host memory", 0, cpu});
    } else if (!joins(rank)) {
      const std::string& named = memoriesOf[device] == 1 ? device : name;
      hardware.spaces.push_back({isGpu(name) ? named : "memory of " + named, 0, profileOf(device)});
    }
    hardware.devices.push_back({name, static_cast<int>(hardware.spaces.size()) - 1});
  }
  return hardware;
}

}  // namespace parapet::mesh
