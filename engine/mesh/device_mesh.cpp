// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/device_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>

#include "engine/base/record/problem.h"
#include "engine/base/text.h"
#include "engine/experiment/experiment.h"
#include "engine/mesh/device_profile.h"

namespace parapet::mesh {

using record::documentError;
namespace {

bool sharesMemory(const tensor::Device& one, const tensor::Device& other) {
  if (one.isHost() || other.isHost()) return one.isHost() && other.isHost();
  return &one.backend() == &other.backend() && one.index() == other.index();
}

/// "cpu (any number), emu:0 … emu:7".
std::string devicesHere(const tensor::DeviceRegistry& registry) {
  std::vector<std::string> kinds;
  std::map<std::string, std::pair<std::string, std::string>> ends;  // of each kind, first and last
  for (const tensor::BackendOutcome& outcome : registry.outcomes()) {
    if (outcome.outcome != PluginOutcome::kLoaded) continue;
    const auto [at, isNew] = ends.try_emplace(outcome.kind, outcome.name, outcome.name);
    at->second.second = outcome.name;
    if (isNew) kinds.push_back(outcome.kind);
  }
  std::vector<std::string> all;
  for (const std::string& kind : kinds) {
    const auto& [first, last] = ends[kind];
    const auto device = registry.find(first);
    if (device && device->isHost())
      all.push_back(kind + " (any number)");
    else
      all.push_back(first == last ? first : fmt::format("{} … {}", first, last));
  }
  return all.empty() ? "none" : join(all);
}

/// Message that a device is missing: the reason, if it is known, and the devices that are here.
std::string absence(const std::string& name, const tensor::DeviceRegistry& registry) {
  const std::string kind = name.substr(0, name.find(':'));
  const auto& outcomes = registry.outcomes();
  const bool hasKind = std::ranges::any_of(outcomes, [&](const tensor::BackendOutcome& outcome) {
    return outcome.kind == kind && outcome.outcome == PluginOutcome::kLoaded;
  });
  const auto why = std::ranges::find(outcomes, kind, &tensor::BackendOutcome::kind);
  const std::string reason =
      hasKind || why == outcomes.end() || why->reason.empty() ? "" : " (" + why->reason + ")";
  return fmt::format("device \"{}\" is not here{}; here are: {}. `parapet-cli devices` lists them",
                     name, reason, devicesHere(registry));
}

}  // namespace

Result<DeviceMesh> DeviceMesh::create(const experiment::Mesh& spec) {
  PARAPET_ASSIGN(const std::vector<std::string> names, experiment::expandDevices(spec.devices));
  const tensor::DeviceRegistry& registry = tensor::DeviceRegistry::instance();
  std::vector<tensor::Device> devices;
  for (const std::string& name : names) {
    const auto device = registry.find(name);
    if (!device) return documentError("/mesh/devices", absence(name, registry));
    devices.push_back(*device);
  }
  if (const auto mixed = experiment::kindsProblem(names))
    return documentError(mixed->pointer, mixed->message + "; accepted: " + mixed->accepted);
  return arrange(std::move(devices), spec.shape, spec.axes, spec.spaces);
}

Result<DeviceMesh> DeviceMesh::hypothetical(const Hardware& hardware,
                                            const std::optional<std::vector<std::int64_t>>& shape,
                                            const std::vector<std::string>& axes,
                                            experiment::MemorySpaces spaces) {
  std::vector<tensor::Device> devices;
  const tensor::Device& stand = tensor::hostDevice();
  for (const Hardware::Device& device : hardware.devices)
    devices.emplace_back(device.name, stand.backend(), stand.index(), stand.instructionSet());
  PARAPET_ASSIGN(DeviceMesh mesh, arrange(std::move(devices), shape, axes, spaces));
  const auto spaceOf = [&](int rank) {
    return hardware.devices[static_cast<std::size_t>(rank)].space;
  };
  if (spaces == experiment::MemorySpaces::kShared)
    mesh.cutSpaces([&](int rank) { return spaceOf(rank - 1) == spaceOf(rank); });
  mesh.hypothetical_ = true;
  return mesh;
}

DeviceMesh DeviceMesh::within(std::span<const std::int64_t> capacityBytes) const {
  if (capacityBytes.size() != devices_.size())
    throw InvalidArgument(fmt::format("[mesh.DeviceMesh] {} capacities for {} devices",
                                      capacityBytes.size(), devices_.size()));
  DeviceMesh limited = *this;
  for (const SpaceRanks& space : spaces_) {
    const auto first = static_cast<std::size_t>(space.firstRank);
    const auto ranks = static_cast<std::size_t>(space.ranks);
    const auto ofRanks = capacityBytes.subspan(first, ranks);
    const tensor::Device& shared = device(space.firstRank);
    if (shared.isHost() || shared.isElsewhere() || std::ranges::find(ofRanks, 0) != ofRanks.end())
      continue;
    std::vector<std::string> names;
    for (const tensor::Device& device : devices().subspan(first, ranks))
      names.push_back(device.name());
    const auto limit = std::make_shared<tensor::MemoryLimit>(
        join(names), std::accumulate(ofRanks.begin(), ofRanks.end(), std::uint64_t{0}));
    for (std::size_t rank = first; rank < first + ranks; ++rank)
      limited.devices_[rank] = devices_[rank].within(limit);
  }
  return limited;
}

DeviceMesh DeviceMesh::dry() const {
  DeviceMesh counting = *this;
  counting.firstRanks_ = {0};
  counting.process_ = 0;
  for (const SpaceRanks& space : spaces_) {
    const auto count = std::make_shared<tensor::MemoryLimit>();
    for (int rank = space.firstRank; rank < space.firstRank + space.ranks; ++rank)
      counting.devices_[static_cast<std::size_t>(rank)] = device(rank).dry(count);
  }
  return counting;
}

LocalRange localRange(std::span<const tensor::Device> devices) {
  const auto isHere = [](const tensor::Device& device) { return !device.isElsewhere(); };
  const auto first = std::ranges::find_if(devices, isHere);
  const auto end = std::find_if_not(first, devices.end(), isHere);
  return {static_cast<int>(first - devices.begin()), static_cast<int>(end - first)};
}

LocalRange DeviceMesh::localSpaces() const {
  const LocalRange ranks = localRanks();
  const int first = spaceOf(ranks.first);
  return {first, spaceOf(ranks.end() - 1) - first + 1};
}

DeviceMesh DeviceMesh::divided(std::span<const int> firstRanks, int process) const {
  const bool ascends =
      std::ranges::adjacent_find(firstRanks, std::greater_equal<>{}) == firstRanks.end();
  if (firstRanks.empty() || firstRanks.front() != 0 || firstRanks.back() >= ranks() || !ascends ||
      process < 0 || static_cast<std::size_t>(process) >= firstRanks.size())
    throw InvalidArgument(
        fmt::format("[mesh.DeviceMesh] process {} of {}, whose first ranks are {}; {} ranks are "
                    "divided from 0 on",
                    process, firstRanks.size(), fmt::join(firstRanks, ", "), ranks()));
  DeviceMesh part = *this;
  part.firstRanks_.assign(firstRanks.begin(), firstRanks.end());
  part.process_ = process;
  const auto begins = [&](int rank) { return std::ranges::binary_search(firstRanks, rank); };
  part.cutSpaces([&](int rank) { return spaceOf(rank) == spaceOf(rank - 1) && !begins(rank); });
  const auto next =
      std::ranges::upper_bound(firstRanks, firstRanks[static_cast<std::size_t>(process)]);
  const int first = firstRanks[static_cast<std::size_t>(process)],
            end = next == firstRanks.end() ? ranks() : *next;
  for (int rank = 0; rank < ranks(); ++rank)
    if (rank < first || rank >= end)
      part.devices_[static_cast<std::size_t>(rank)] = device(rank).elsewhere();
  return part;
}

template <class Joins>
void DeviceMesh::cutSpaces(const Joins& joins) {
  spaces_.clear();
  for (int rank = 0; rank < ranks(); ++rank)
    if (rank > 0 && joins(rank))
      ++spaces_.back().ranks;
    else
      spaces_.push_back({rank, 1});
}

Result<DeviceMesh> DeviceMesh::arrange(std::vector<tensor::Device> devices,
                                       const std::optional<std::vector<std::int64_t>>& shape,
                                       const std::vector<std::string>& axes,
                                       experiment::MemorySpaces spaces) {
  DeviceMesh mesh;
  mesh.devices_ = std::move(devices);
  const auto ranks = static_cast<std::int64_t>(mesh.devices_.size());
  mesh.shape_ = shape.value_or(std::vector<std::int64_t>{ranks});
  mesh.axes_ = axes;
  const auto product =
      std::accumulate(mesh.shape_.begin(), mesh.shape_.end(), std::int64_t{1}, std::multiplies<>{});
  const bool positive = std::ranges::all_of(mesh.shape_, [](auto extent) { return extent > 0; });
  if (product != ranks || !positive)
    return documentError("/mesh/shape", fmt::format("shape [{}] holds {} devices, the mesh has {}",
                                                    fmt::join(mesh.shape_, ", "), product, ranks));
  if (mesh.axes_.size() != mesh.shape_.size())
    return documentError("/mesh/axes", fmt::format("{} axis names for {} dimensions",
                                                   mesh.axes_.size(), mesh.shape_.size()));
  for (auto axis = mesh.axes_.begin(); axis != mesh.axes_.end(); ++axis)
    if (std::find(mesh.axes_.begin(), axis, *axis) != axis)
      return documentError("/mesh/axes",
                           fmt::format("axis \"{}\" again; names of axes differ", *axis));
  mesh.cutSpaces([&](int rank) {
    return spaces == experiment::MemorySpaces::kShared &&
           sharesMemory(mesh.device(rank - 1), mesh.device(rank));
  });
  return mesh;
}

std::vector<std::int64_t> DeviceMesh::coordinates(int rank) const {
  std::vector<std::int64_t> at(shape_.size());
  std::int64_t rest = rank;
  for (std::size_t axis = shape_.size(); axis-- > 0;) {
    at[axis] = rest % shape_[axis];
    rest /= shape_[axis];
  }
  return at;
}

std::vector<std::string> DeviceMesh::deviceNames() const {
  std::vector<std::string> names;
  for (const tensor::Device& device : devices_) names.push_back(device.name());
  return names;
}

int DeviceMesh::spaceOf(int rank) const {
  int space = 0;
  while (rank >= spaces_.at(static_cast<std::size_t>(space)).firstRank +
                     spaces_[static_cast<std::size_t>(space)].ranks)
    ++space;
  return space;
}

RowSlice DeviceMesh::slice(const SpaceRanks& space, std::int64_t batchRows) const {
  return {slice(space.firstRank, batchRows).begin,
          slice(space.firstRank + space.ranks - 1, batchRows).end};
}

RowSlice DeviceMesh::slice(int rank, std::int64_t batchRows) const {
  const std::int64_t ranksHere = ranks();
  return {batchRows * rank / ranksHere, batchRows * (rank + 1) / ranksHere};
}

}  // namespace parapet::mesh
