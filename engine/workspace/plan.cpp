// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/base/text.h"
#include "engine/data/generate/make_generator.h"
#include "engine/experiment/layout.h"
#include "engine/nn/space.h"
#include "engine/train/run_memory.h"
#include "engine/workspace/expected_learning.h"
#include "engine/workspace/resolved_experiment.h"
#include "engine/workspace/workspace_state.h"

namespace parapet::workspace {
namespace {

using experiment::Experiment;
using experiment::Problem;

Problem problemOf(const Error& error, std::string accepted) {
  return {error.pointer, error.message, std::move(accepted)};
}

/// The mesh that hardware forms: as its file says, else as the document does if that fits, else one
/// axis.
Result<mesh::DeviceMesh> meshOf(const Experiment& experiment, const mesh::Hardware& hardware,
                                std::vector<std::string>& assumptions) {
  if (!hardware.shape.empty())
    return mesh::DeviceMesh::hypothetical(hardware, hardware.shape, hardware.axes,
                                          experiment.mesh.spaces);
  const auto devices = static_cast<std::int64_t>(hardware.devices.size());
  if (experiment.mesh.shape) {
    const auto& shape = *experiment.mesh.shape;
    if (std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>{}) ==
        devices)
      return mesh::DeviceMesh::hypothetical(hardware, shape, experiment.mesh.axes,
                                            experiment.mesh.spaces);
  }
  const std::string axis = experiment.mesh.axes.empty() ? "data" : experiment.mesh.axes.front();
  assumptions.push_back(
      fmt::format("the {} devices form one axis \"{}\": neither the profile nor the document says "
                  "another shape "
                  "of as many",
                  devices, axis));
  return mesh::DeviceMesh::hypothetical(hardware, std::nullopt, {axis}, experiment.mesh.spaces);
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
                                                        const WorkContext& context) try {
  using Found = std::shared_ptr<const data::Dataset>;
  const bool imports = options.data == PlanOptions::Data::kImport && experiment.dataset.namesData();
  Result<Found> found = [&]() -> Result<Found> {
    if (!imports) {
      PARAPET_ASSIGN(auto there, data::findImported(experiment.dataset, shared.datasetsFolder(),
                                                    context, data::makeGenerator));
      return fitted(shared, experiment, std::move(there), context.stop);
    }
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
} catch (const data::PassStopped&) {
  return Error{ErrorCode::kCancelled, "the plan was cancelled"};
}

/// Bytes in the host's memory of tables whose devices have caches.
std::int64_t hostedBytes(const train::ResolvedModel& resolved) {
  const auto spaces = nn::spaceParameters(resolved.model->graph, resolved.shardings, resolved.mesh);
  return static_cast<std::int64_t>(nn::onHost(spaces).total());
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
  const std::int64_t onHost = report.cachedTableBytes;
  return fmt::format(
      "evaluation takes {} of buffers and {} of vectors of items and queries besides, histories "
      "{}{}; with them a run holds {}",
      bytes(of.evaluationBuffers), known(of.catalogueVectors), known(of.histories),
      onHost > 0 ? fmt::format(", tables in the host's memory {}", bytes(onHost)) : std::string(),
      bytes(report.peakBytes()));
}

/// Buffers of evaluation come on top of what the planner places tables by.
void checkRoom(PlanReport& report, const train::ResolvedModel& resolved) {
  for (std::size_t rank = 0; rank < report.plan.devices.size(); ++rank) {
    const mesh::DevicePlan& device = report.plan.devices[rank];
    const std::int64_t more = resolved.evaluationBytes[rank];
    if (device.capacityBytes == 0 || device.bytes() + more <= device.capacityBytes) continue;
    report.findings.warnings.push_back(
        {"/mesh/devices",
         fmt::format("evaluation needs {} more on {}, which has {} left",
                     formatBytes(static_cast<std::uint64_t>(more)), device.name,
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
  return bytes + cachedTableBytes;
}

namespace {

/// The figures that a plan rests on. Of hardware that a file describes those of the file count.
Result<MachineFigures> figuresOf(Shared& shared, const Experiment& experiment,
                                 const PlanOptions& options, const WorkContext& context,
                                 std::vector<std::string>& notes) {
  MachineFigures figures = storedFigures(shared, experiment);
  if (options.hardware || options.figures == PlanOptions::Figures::kStored) return figures;
  if (!figures.unusable.empty()) notes.push_back(figures.unusable + ", so it was measured now");
  return measuredFigures(shared, experiment, context);
}

}  // namespace

Result<PlanReport> Workspace::plan(const Experiment& experiment, const PlanOptions& options,
                                   const WorkContext& context) const {
  Shared& shared = *state_->shared;
  PlanReport report;
  auto& problems = report.findings.problems;
  std::vector<std::string> assumptions;
  auto mesh = options.hardware ? meshOf(experiment, *options.hardware, assumptions)
                               : mesh::DeviceMesh::create(experiment.mesh);
  if (!mesh) {
    problems.push_back(
        problemOf(mesh.error(),
                  options.hardware ? "" : "devices of this machine, or --profile FILE for others"));
    return report;
  }
  auto figures = figuresOf(shared, experiment, options, context, assumptions);
  if (!figures) {
    if (figures.error().code == ErrorCode::kCancelled) return figures.error();
    problems.push_back(problemOf(figures.error(), "--profile FILE"));
    return report;
  }
  report.shape = mesh->shape();
  report.axes = mesh->axes();
  report.batchRows = train::globalBatchRows(experiment.dataset.batch, mesh->ranks());

  PARAPET_ASSIGN(const std::shared_ptr<const data::Dataset> dataset,
                 datasetFor(shared, experiment, options, context));
  std::optional<KnownSizes> sizes;
  if (dataset) sizes = shared.recall(experiment);
  const auto rows = vocabularyRows(experiment, sizes);
  checkSizes(experiment, rows, problems);
  if (!problems.empty()) return report;
  report.idsMeasured = dataset != nullptr;
  Resolution answer = resolveExperiment(
      shared, experiment, *figures, rows,
      {.dataset = dataset, .hardware = options.hardware, .mesh = std::move(mesh).value()});
  problems = std::move(answer.problems);
  if (!answer.resolved) return report;
  report.resolved = answer.resolved;
  report.plan = answer.resolved->model.plan;
  report.program = train::programText(experiment, answer.resolved->model);
  report.plan.assumptions.insert(report.plan.assumptions.end(), assumptions.begin(),
                                 assumptions.end());
  PARAPET_ASSIGN(report.besides,
                 train::runMemory(experiment, answer.resolved->model, dataset.get()));
  report.cachedTableBytes = hostedBytes(answer.resolved->model);
  report.plan.assumptions.push_back(besidesText(report));
  checkRoom(report, answer.resolved->model);
  if (sizes)
    if (const auto warning = warnOfNoLearning(experiment, sizes->rows, rows, report.batchRows))
      report.findings.warnings.push_back(*warning);
  return report;
}

void applyPlan(Experiment& experiment, const mesh::ShardingPlan& plan) {
  experiment.tables = nn::withPlacements(experiment::withLayout(experiment), plan);
  experiment.layout.clear();
}

}  // namespace parapet::workspace
