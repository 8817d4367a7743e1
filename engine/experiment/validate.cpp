// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/base/text.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/text_data.h"

namespace parapet::experiment {
namespace {

/// Names of the columns at whose role the reader has found a problem.
std::unordered_set<std::string_view> columnsWithoutRole(const std::vector<Column>& columns,
                                                        const Findings& read) {
  constexpr std::string_view kColumns = "/dataset/columns/", kRole = "/role";
  std::unordered_set<std::string_view> names;
  for (const Problem& problem : read.problems) {
    std::string_view pointer = problem.pointer;
    if (!pointer.starts_with(kColumns) || !pointer.ends_with(kRole)) continue;
    pointer.remove_prefix(kColumns.size());
    pointer.remove_suffix(kRole.size());
    const auto index = parseInt(pointer);
    if (index && *index >= 0 && *index < std::ssize(columns))
      names.insert(columns[static_cast<std::size_t>(*index)].name);
  }
  return names;
}

void checkReference(const Reference& reference, const Location& location) {
  if (!reference.curve) return;
  if (const auto curve = findReferenceCurve(*reference.curve); !curve.ok())
    (location / "curve").problem(curve.error().message, "a published curve, or null");
}

constexpr std::size_t kMaxListed = 32;
constexpr std::size_t kMaxHints = 100;

}  // namespace

DocumentIndex::DocumentIndex(const Experiment& experiment, const Findings& read)
    : columns(experiment.dataset.columns),
      vocabularies(experiment.dataset.vocabularies),
      vectors(experiment.dataset.vectors),
      tables(experiment.tables),
      unreadRoles(columnsWithoutRole(experiment.dataset.columns, read)),
      idColumns(experiment.dataset.idColumns()),
      numericColumns(experiment.dataset.numericColumns()),
      dataset_(&experiment.dataset) {
  for (const Table& table : experiment.tables)
    if (!table.name.empty() && tables.find(table.name) != &table)
      duplicateTableVocabularies.insert(table.vocabulary);
  for (const Problem& problem : read.problems) {
    lacksTables = lacksTables || problem.pointer == "/tables";
    lacksFeatures = lacksFeatures || problem.pointer == "/features";
  }
  if (auto expanded = expandDevices(experiment.mesh.devices); expanded.ok())
    devices = std::move(expanded).value();
  const Batch& batch = experiment.dataset.batch;
  if (batch.size)
    batchSize = batch.size;
  else if (batch.perDevice && !devices.empty())
    batchSize = *batch.perDevice * static_cast<std::int64_t>(devices.size());
  // The reader has refused it, and what would follow from it is not said.
  if (batchSize && *batchSize < 1) batchSize.reset();
}

std::optional<ColumnRole> DocumentIndex::roleOf(const std::string& column) const {
  if (dataset_->columns.empty()) return dataset_->roleOf(column);
  const Column* found = columns.find(column);
  return found ? std::optional(found->role) : std::nullopt;
}

const std::string* DocumentIndex::vocabularyOf(const std::string& column) const {
  if (dataset_->columns.empty()) return dataset_->vocabularyOf(column);
  const Column* found = columns.find(column);
  return found && holdsIds(found->role) ? &found->vocabularyName() : nullptr;
}

std::string oneOf(const std::vector<std::string>& names) {
  if (names.size() <= kMaxListed) return "one of: " + join(names);
  return fmt::format("one of: {} and {} more", join(std::span(names).first(kMaxListed)),
                     names.size() - kMaxListed);
}

std::string hint(const std::string& name, const std::vector<std::string>& names,
                 const Location& location) {
  return location.problemCount() < kMaxHints ? didYouMean(name, names) : std::string();
}

void validate(const Experiment& experiment, const Location& root) {
  const DocumentIndex index(experiment, root.findings());
  validateDataset(experiment, index, root);
  validateSource(experiment, index, root);
  validateText(experiment, root);
  validateTables(experiment, index, root);
  // A model of other data lacks columns for that reason alone.
  if (modelFitsData(experiment)) {
    validateFeatures(experiment, index, root);
    validateModel(experiment, index, root);
  }
  validateOptimizer(experiment.optimizer, root / "optimizer");
  validateSchedule(experiment.schedule, experiment.optimizer.learningRate, root / "schedule");
  validateAccumulation(experiment, root);
  validateDecayExclusions(experiment, root);
  validateScheduleUse(experiment, root);
  validateMesh(experiment, root / "mesh");
  validateTraining(experiment, root);
  checkReference(experiment.reference, root / "reference");
}

void validateMesh(const Experiment& experiment, const Location& location) {
  const Mesh& mesh = experiment.mesh;
  const Batch& batch = experiment.dataset.batch;
  const auto devices = expandDevices(mesh.devices);
  // An empty list was refused when it was read.
  if (!devices.ok() && !mesh.devices.empty()) {
    constexpr std::string_view kBetween = "; accepted: ";
    const std::string& message = devices.error().message;
    const std::size_t end = std::min(message.find(kBetween), message.size());
    const std::size_t accepted = std::min(end + kBetween.size(), message.size());
    location.at(devices.error().pointer).problem(message.substr(0, end), message.substr(accepted));
  }

  // Slices of a batch that does not divide differ by one example.
  const auto ranks = devices.ok() ? static_cast<std::int64_t>(devices->size()) : 0;
  if (batch.size && !batch.perDevice && *batch.size > 0 && ranks > *batch.size)
    (location / "devices")
        .problem(fmt::format("{} devices share a batch of {} examples: {} would be idle", ranks,
                             *batch.size, ranks - *batch.size),
                 fmt::format("at most {} devices, or a /dataset/batch/size of {} and more",
                             *batch.size, ranks));

  if (devices.ok())
    for (const auto& problem : {kindsProblem(*devices), capacityProblem(mesh, *devices)})
      if (problem) location.at(problem->pointer).problem(problem->message, problem->accepted);

  const std::size_t axes = mesh.shape ? mesh.shape->size() : 1;
  if (mesh.axes.size() != axes)
    (location / "axes")
        .problem(fmt::format("{} axes are named, and the shape has {}", mesh.axes.size(), axes),
                 "a name for each axis of the shape; without a shape there is one axis");
  if (std::set(mesh.axes.begin(), mesh.axes.end()).size() != mesh.axes.size())
    (location / "axes").problem("an axis is named twice", "names that differ");
  if (!mesh.shape || !devices.ok()) return;

  std::int64_t product = 1;
  // Entries are at most 1024; beyond the largest mesh the exact product does not matter.
  for (const std::int64_t length : *mesh.shape)
    product = std::min<std::int64_t>(product * length, std::int64_t{1} << 40);
  const auto count = static_cast<std::int64_t>(devices->size());
  if (product != count)
    (location / "shape")
        .problem(fmt::format("the shape has {} devices, and {} are named", product, count),
                 fmt::format("lengths whose product is {}", count));
  // A table without axes is sharded over all devices; the planner may use some.
  const bool splits =
      !experiment.layout.empty() || std::ranges::any_of(experiment.tables, [](const Table& table) {
        return !table.axes.empty() || table.placement == Placement::kAuto;
      });
  if (mesh.shape->size() > 1 && !splits)
    (location / "axes").warning("no table is sharded over some of the axes: they have no effect");
}

}  // namespace parapet::experiment
