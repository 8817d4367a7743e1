// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/base/text.h"
#include "engine/data/generate/make_generator.h"
#include "engine/experiment/layout.h"
#include "engine/mesh/device_probe.h"
#include "engine/train/column_ids.h"
#include "engine/train/run_memory.h"
#include "engine/workspace/workspace_state.h"

namespace parapet::workspace {
namespace {

using experiment::Experiment;
using experiment::Problem;

Problem problemOf(const Error& error, std::string accepted) {
  return {error.pointer, error.message, std::move(accepted)};
}

/// The devices of the document, with figures of this machine.
Result<mesh::Hardware> hardwareOf(const Experiment& experiment, const PlanOptions& options,
                                  const WorkContext& context) {
  PARAPET_ASSIGN(const mesh::DeviceMesh mesh, mesh::DeviceMesh::create(experiment.mesh));
  mesh::DeviceProfile cpu = *mesh::findProfile("cpu");
  if (options.figures == PlanOptions::Figures::kMeasured) {
    context.report("measuring", 0, 0);
    PARAPET_ASSIGN(cpu, mesh::probeCpu(threadsFor(experiment, options.threads), context.stop));
  }
  mesh::Hardware hardware = mesh::localHardware(mesh.deviceNames(), cpu, experiment.mesh.spaces);
  hardware.shape = mesh.shape();
  hardware.axes = mesh.axes();
  return hardware;
}

/// The mesh that hardware forms: as its file says, else as the document does if that fits, else one
/// axis.
Result<mesh::DeviceMesh> meshOf(const Experiment& experiment, const mesh::Hardware& hardware,
                                std::vector<std::string>& assumptions) {
  if (!hardware.shape.empty())
    return mesh::DeviceMesh::hypothetical(hardware.deviceNames(), hardware.shape, hardware.axes,
                                          experiment.mesh.spaces);
  const auto devices = static_cast<std::int64_t>(hardware.devices.size());
  if (experiment.mesh.shape) {
    const auto& shape = *experiment.mesh.shape;
    if (std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>{}) ==
        devices)
      return mesh::DeviceMesh::hypothetical(hardware.deviceNames(), shape, experiment.mesh.axes,
                                            experiment.mesh.spaces);
  }
  const std::string axis = experiment.mesh.axes.empty() ? "data" : experiment.mesh.axes.front();
  assumptions.push_back(
      fmt::format("the {} devices form one axis \"{}\": neither the profile nor the document says "
                  "another shape "
                  "of as many",
                  devices, axis));
  return mesh::DeviceMesh::hypothetical(hardware.deviceNames(), std::nullopt, {axis},
                                        experiment.mesh.spaces);
}

/// A table whose vocabulary has no size before the data are imported cannot be planned for.
void checkSizes(const Experiment& experiment, const std::map<std::string, std::int64_t>& rows,
                std::vector<Problem>& problems) {
  for (const experiment::Table& table : experiment.tables) {
    const auto& vocabularies = experiment.dataset.vocabularies;
    const auto found =
        std::ranges::find(vocabularies, table.vocabulary, &experiment::Vocabulary::name);
    if (found == vocabularies.end() || rows.at(table.vocabulary) >= 0) continue;
    problems.push_back(
        {fmt::format("/dataset/vocabularies/{}/size", found - vocabularies.begin()),
         fmt::format(
             "table \"{}\" has as many rows as vocabulary \"{}\", whose size depends on data that "
             "were not imported",
             table.name, table.vocabulary),
         "a number, or data that have been imported (`parapet-cli import`, `plan` without "
         "--no-import)"});
  }
}

/// The imported data of an experiment; null if there are none.
Result<std::shared_ptr<const data::Dataset>> datasetFor(Shared& shared,
                                                        const Experiment& experiment,
                                                        const PlanOptions& options,
                                                        const WorkContext& context) {
  using Found = std::shared_ptr<const data::Dataset>;
  const bool imports = options.data == PlanOptions::Data::kImport && experiment.dataset.namesData();
  Result<Found> found = [&]() -> Result<Found> {
    if (!imports)
      return data::findImported(experiment.dataset, shared.datasetsFolder(), context,
                                data::makeGenerator);
    PARAPET_ASSIGN(const data::ImportReport report, importFor(shared, experiment, context));
    return report.dataset;
  }();
  if (found) {
    if (*found) shared.remember(experiment, **found);
    return found;
  }
  // A source that cannot be read does not matter where the document gives the sizes.
  const auto rows = vocabularyRows(experiment, std::nullopt);
  const bool sizesAreKnown =
      std::ranges::all_of(rows, [](const auto& vocabulary) { return vocabulary.second >= 0; });
  if (imports && (!sizesAreKnown || found.error().code == ErrorCode::kCancelled))
    return found.error();
  return Found();
}

/// A sentence on what a run holds besides the plan.
std::string besidesText(const PlanReport& report) {
  const train::RunMemory& of = report.besides;
  const auto bytes = [](std::int64_t count) {
    return formatBytes(static_cast<std::uint64_t>(count));
  };
  const auto known = [&](const std::optional<std::int64_t>& count) {
    return count ? bytes(*count) : std::string("an amount that the data decide");
  };
  return fmt::format(
      "evaluation takes {} of buffers and {} of vectors of items and queries besides, histories "
      "{}; "
      "with them a run holds {}",
      bytes(of.evaluationBuffers), known(of.catalogueVectors), known(of.histories),
      bytes(report.peakBytes()));
}

/// Buffers of evaluation are shared out among the devices as those of steps are. The planner does not
/// place tables by them.
void checkRoom(PlanReport& report) {
  const auto devices = static_cast<std::int64_t>(report.plan.devices.size());
  if (devices == 0) return;
  const std::int64_t share = report.besides.evaluationBuffers / devices;
  for (const mesh::DevicePlan& device : report.plan.devices) {
    if (device.capacityBytes == 0 || device.bytes() + share <= device.capacityBytes) continue;
    report.findings.warnings.push_back(
        {"/mesh/devices",
         fmt::format("evaluation needs {} more on {}, which has {} left",
                     formatBytes(static_cast<std::uint64_t>(share)), device.name,
                     formatBytes(static_cast<std::uint64_t>(
                         std::max<std::int64_t>(0, device.capacityBytes - device.bytes())))),
         "a smaller batch, or more devices"});
    return;
  }
}

}  // namespace

std::int64_t PlanReport::peakBytes() const {
  std::int64_t bytes = besides.total();
  for (const mesh::DevicePlan& device : plan.devices) bytes += device.bytes();
  return bytes;
}

Result<PlanReport> Workspace::plan(const Experiment& experiment, const PlanOptions& options,
                                   const WorkContext& context) const {
  PlanReport report;
  auto& problems = report.findings.problems;
  auto hardware = options.hardware ? Result<mesh::Hardware>(*options.hardware)
                                   : hardwareOf(experiment, options, context);
  if (!hardware) {
    problems.push_back(
        problemOf(hardware.error(), "devices of this machine, or --profile FILE for others"));
    return report;
  }
  std::vector<std::string> assumptions;
  auto mesh = meshOf(experiment, *hardware, assumptions);
  if (!mesh) {
    problems.push_back(problemOf(mesh.error(), ""));
    return report;
  }
  report.shape = mesh->shape();
  report.axes = mesh->axes();
  report.batchRows = train::globalBatchRows(experiment.dataset.batch, mesh->ranks());

  PARAPET_ASSIGN(const std::shared_ptr<const data::Dataset> dataset,
                 datasetFor(*state_->shared, experiment, options, context));
  std::optional<KnownSizes> sizes;
  if (dataset) sizes = state_->shared->recall(experiment);
  const auto rows = vocabularyRows(experiment, sizes);
  checkSizes(experiment, rows, problems);
  if (!problems.empty()) return report;
  const auto model = nn::buildModel(experiment, rows);
  if (!model) {
    problems.push_back(problemOf(model.error(), ""));
    return report;
  }
  std::map<std::string, nn::ColumnIds> columns;
  if (dataset) columns = train::measureColumns(experiment, *dataset, report.batchRows);
  report.idsMeasured = dataset != nullptr;
  mesh::PlanOutcome outcome = mesh::planTables(
      nn::planRequest(experiment, *model, columns, *mesh, *hardware, report.batchRows));
  problems = std::move(outcome.problems);
  report.plan = std::move(outcome.plan);
  report.plan.assumptions.insert(report.plan.assumptions.end(), assumptions.begin(),
                                 assumptions.end());
  Experiment placed = experiment;
  applyPlan(placed, report.plan);
  PARAPET_ASSIGN(report.besides, train::runMemory(experiment, *model, placed.tables, columns, *mesh,
                                                  report.batchRows, dataset.get()));
  report.plan.assumptions.push_back(besidesText(report));
  checkRoom(report);
  return report;
}

void applyPlan(Experiment& experiment, const mesh::ShardingPlan& plan) {
  experiment.tables = experiment::withLayout(experiment);
  experiment.layout.clear();
  for (std::size_t i = 0; i < experiment.tables.size() && i < plan.tables.size(); ++i) {
    experiment::Table& table = experiment.tables[i];
    if (table.placement != experiment::Placement::kAuto) continue;
    const mesh::TablePlan& planned = plan.tables[i];
    table.placement = planned.placement;
    table.axes = planned.axes;
    if (!planned.device.empty()) table.device = planned.device;
  }
}

}  // namespace parapet::workspace
