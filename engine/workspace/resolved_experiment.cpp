// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/resolved_experiment.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/clock.h"
#include "engine/base/text.h"
#include "engine/base/workers.h"
#include "engine/mesh/local_devices.h"
#include "engine/train/column_ids.h"
#include "engine/workspace/machine_profile.h"
#include "engine/workspace/workspace_state.h"

namespace parapet::workspace {
namespace {

using experiment::Experiment;
using experiment::Problem;

int profileThreads(const Experiment& experiment) {
  return experiment.mesh.threads ? static_cast<int>(*experiment.mesh.threads)
                                 : Workers::available();
}

/// The settings that decide the statistics of the id columns.
std::string columnsKey(const Experiment& experiment, const data::Dataset& dataset,
                       std::int64_t batchRows) {
  std::string key = fmt::format("{} {}", dataset.rowsKey(), batchRows);
  for (const experiment::Feature& feature : experiment.features)
    key += fmt::format("|{}:{}:{}:{}", feature.column, feature.table,
                       feature.history ? feature.history->length : 0,
                       feature.table.empty() ? 0 : dataset.vocabularyOf(feature.column).size());
  return key;
}

std::map<std::string, nn::ColumnIds> columnsOf(Shared& shared, const Experiment& experiment,
                                               const data::Dataset& dataset,
                                               std::int64_t batchRows) {
  const std::string key = columnsKey(experiment, dataset, batchRows);
  {
    const std::lock_guard lock(shared.mutex);
    if (const auto found = shared.knownColumns.find(key); found != shared.knownColumns.end())
      return found->second;
  }
  auto columns = train::measureColumns(experiment, dataset, batchRows);
  const std::lock_guard lock(shared.mutex);
  // Every batch size that was tried would stay.
  if (shared.knownColumns.size() >= Shared::kMaxKnownColumns) shared.knownColumns.clear();
  return shared.knownColumns[key] = std::move(columns);
}

mesh::Hardware hardwareOf(const Experiment& experiment, const mesh::DeviceMesh& mesh,
                          const MachineFigures& figures) {
  mesh::Hardware hardware =
      mesh::hardwareOf(mesh, figures.cpu, experiment.mesh.spaces, figures.devices);
  hardware.shape = mesh.shape();
  hardware.axes = mesh.axes();
  return hardware;
}

/// The devices of a document that are here and have memory of their own, each once: of "cuda:0/1" and
/// "cuda:0/2" the one that they are parts of.
std::vector<tensor::Device> ownMemoryDevices(const Experiment& experiment) {
  std::vector<tensor::Device> found;
  const auto names = experiment::expandDevices(experiment.mesh.devices);
  for (const std::string& name : names ? *names : std::vector<std::string>{}) {
    const std::string whole = experiment::wholeDevice(name);
    const auto device = tensor::DeviceRegistry::instance().find(whole);
    if (device && !device->isHost() &&
        std::ranges::find(found, whole, &tensor::Device::name) == found.end())
      found.push_back(*device);
  }
  return found;
}

void keepProfile(Shared& shared, const MachineProfile& profile) {
  const Status kept = shared.readOnlyBecause ? Status(*shared.readOnlyBecause)
                                             : MachineProfiles(shared.folder).keep(profile);
  if (kept) return;
  if (!shared.readOnlyBecause) shared.warn(kept.error().text());
  const std::lock_guard lock(shared.mutex);
  shared.measured.push_back(profile);
}

}  // namespace

MachineFigures storedFigures(Shared& shared, const Experiment& experiment) {
  MachineFigures figures{*mesh::findProfile("cpu"), {}, "", false};
  const int threads = profileThreads(experiment);
  const std::string here = thisMachine();
  auto profiles = MachineProfiles(shared.folder).all();
  if (!profiles) figures.unusable = profiles.error().text();
  std::vector<MachineProfile> known =
      profiles ? std::move(profiles).value() : std::vector<MachineProfile>{};
  {
    const std::lock_guard lock(shared.mutex);
    known.insert(known.end(), shared.measured.begin(), shared.measured.end());
  }
  std::vector<std::string> others;
  bool isKnown = false;
  for (const MachineProfile& profile : known) {
    isKnown = isKnown || profile.machine == here;
    if (!isIn(profile.machine, here)) others.push_back(fmt::format("\"{}\"", profile.machine));
    if (profile.machine != here || profile.threads != threads) continue;
    figures.cpu = profile.figures;
    figures.isMeasured = true;
  }
  for (const tensor::Device& device : ownMemoryDevices(experiment)) {
    const std::string machine = machineOf(device);
    for (const MachineProfile& profile : known)
      if (profile.machine == machine) figures.devices[device.name()] = profile.figures;
  }
  if (!isKnown && !others.empty())
    figures.unusable = fmt::format(
        "the measured profiles of this workspace are of another machine: {}; this one is "
        "\"{}\"",
        join(others), here);
  if (figures.isMeasured) figures.unusable.clear();
  return figures;
}

Result<MachineFigures> measuredFigures(Shared& shared, const Experiment& experiment,
                                       const WorkContext& context) {
  MachineFigures figures = storedFigures(shared, experiment);
  if (!figures.isMeasured) {
    context.report("measuring", 0, 0);
    PARAPET_ASSIGN(const MachineProfile profile,
                   measureMachine(tensor::cpuDevice(), profileThreads(experiment), context.stop));
    keepProfile(shared, profile);
    figures.cpu = profile.figures;
    figures.isMeasured = true;
  }
  for (const tensor::Device& device : ownMemoryDevices(experiment)) {
    if (figures.devices.contains(device.name())) continue;
    context.report("measuring", 0, 0);
    PARAPET_ASSIGN(const MachineProfile profile,
                   measureMachine(device, Workers::available(), context.stop));
    keepProfile(shared, profile);
    figures.devices[device.name()] = profile.figures;
  }
  return figures;
}

namespace {

std::string figuresText(const MachineProfile& profile) {
  const mesh::DeviceProfile& of = profile.figures;
  return fmt::format(
      "measured {} with {} thread{}: {:.1f} GB/s in order, {:.0f} GFLOP/s of small products, "
      "{:.1f} ns "
      "to group an id, {:.1f} µs an operation",
      formatUtc(profile.measuredMs), profile.threads, profile.threads == 1 ? "" : "s",
      1e-9 * of.streamBytesPerSecond, 1e-9 * of.flopsPerSecond, 1e9 * of.groupSecondsPerId,
      1e6 * of.nodeSeconds);
}

}  // namespace

std::vector<DeviceInfo> Workspace::machines() const {
  const Shared& shared = *state_->shared;
  const MachineProfiles stored(shared.folder);
  auto profiles = stored.all();
  if (!profiles)
    return {{.name = "machines.json",
             .kind = "machine",
             .plugin = stored.file().string(),
             .outcome = "damaged",
             .reason = profiles.error().message + "; `devices --measure` writes it anew",
             .fault = true}};
  const std::string here = thisMachine();
  std::vector<DeviceInfo> machines;
  for (const MachineProfile& profile : *profiles) {
    const bool isHere = isIn(profile.machine, here);
    machines.push_back(
        {.name = profile.machine,
         .kind = "machine",
         .plugin = stored.file().string(),
         .outcome = isHere ? "measured" : "another machine",
         .reason = figuresText(profile) +
                   (isHere ? "; plans and placements rest on it" : "; nothing here rests on it"),
         .memoryBytes = static_cast<std::uint64_t>(profile.figures.memoryBytes)});
  }
  std::ranges::stable_partition(
      machines, [&](const DeviceInfo& machine) { return isIn(machine.name, here); });
  return machines;
}

Status Workspace::measureMachine(const WorkContext& context) {
  const Shared& shared = *state_->shared;
  PARAPET_TRY(shared.requireWritable("the profile of this machine cannot be kept"));
  const tensor::DeviceRegistry& registry = tensor::DeviceRegistry::instance();
  std::vector<tensor::Device> devices{tensor::cpuDevice()};
  for (const tensor::BackendOutcome& outcome : registry.outcomes())
    if (const auto device = registry.find(outcome.name); device && !device->isHost())
      devices.push_back(*device);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    context.report("measuring", static_cast<std::int64_t>(i),
                   static_cast<std::int64_t>(devices.size()));
    PARAPET_ASSIGN(const MachineProfile profile,
                   workspace::measureMachine(devices[i], Workers::available(), context.stop));
    PARAPET_TRY(MachineProfiles(shared.folder).keep(profile));
  }
  return {};
}

Resolution resolveExperiment(Shared& shared, const Experiment& experiment,
                             const MachineFigures& figures,
                             const std::map<std::string, std::int64_t>& rows, Question question) {
  Resolution out;
  if (!question.mesh) {
    auto mesh = mesh::DeviceMesh::create(experiment.mesh);
    if (!mesh) {
      out.problems.push_back(
          {mesh.error().pointer, mesh.error().message, "devices of this machine, e.g. \"cpu*4\""});
      return out;
    }
    question.mesh = std::move(mesh).value();
  }
  if (!question.hardware) question.hardware = hardwareOf(experiment, *question.mesh, figures);
  const std::int64_t batchRows =
      train::globalBatchRows(experiment.dataset.batch, question.mesh->ranks());
  train::ResolveInput input{.mesh = *std::move(question.mesh),
                            .hardware = *std::move(question.hardware),
                            .vocabularyRows = {},
                            .dataset = question.dataset.get(),
                            .kept = std::move(question.kept)};
  bool sizesKnown = true;
  for (const auto& [name, count] : rows) {
    sizesKnown = sizesKnown && count >= 0;
    input.vocabularyRows[name] = std::max<std::int64_t>(1, count);
  }
  if (question.dataset) input.columns = columnsOf(shared, experiment, *question.dataset, batchRows);
  train::ResolveOutcome outcome = train::resolve(experiment, std::move(input));
  out.model = std::move(outcome.model);
  out.problems = std::move(outcome.problems);
  if (outcome.resolved)
    out.resolved = std::make_shared<const ResolvedExperiment>(ResolvedExperiment{
        experiment, *std::move(outcome.resolved), question.dataset != nullptr, sizesKnown});
  return out;
}

std::map<std::string, train::KeptPlacement> keptBy(const store::RunRecord& record,
                                                   const Experiment& experiment) {
  const auto json = nlohmann::json::parse(record.resolvedJson, nullptr, false);
  const auto mesh = mesh::DeviceMesh::create(experiment.mesh);
  if (json.is_discarded() || !mesh) return {};
  return train::keptPlacements(json, *mesh);
}

Result<std::shared_ptr<const ResolvedExperiment>> resolveOn(
    Shared& shared, const Experiment& experiment,
    const std::shared_ptr<const data::Dataset>& dataset,
    std::map<std::string, train::KeptPlacement> kept) {
  Resolution answer = resolveExperiment(shared, experiment, storedFigures(shared, experiment),
                                        train::vocabularySizes(experiment, *dataset),
                                        {.dataset = dataset, .kept = std::move(kept)});
  if (!answer.problems.empty()) {
    experiment::Findings findings;
    findings.problems = std::move(answer.problems);
    return firstProblem(findings);
  }
  return std::move(answer.resolved);
}

}  // namespace parapet::workspace
