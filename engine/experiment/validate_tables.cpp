// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/layout.h"
#include "engine/experiment/validate.h"

namespace parapet::experiment {
namespace {

void checkVectors(const Experiment& experiment, const Table& table, const Location& location) {
  if (table.initializer.kind != InitializerKind::kVectors) return;
  const auto& vectors = experiment.dataset.vectors;
  requireNamed(vectors, table.initializer.vectors, "entry of /dataset/vectors", location);
  if (table.initializer.vectors.empty())
    location.problem(
        "it names no entry of /dataset/vectors",
        vectors.empty() ? "an entry; there is none" : "one of: " + join(namesOf(vectors)));
  const DenseVectors* found = findNamed(vectors, table.initializer.vectors);
  if (found != nullptr && !found->of.empty() && found->of != table.vocabulary)
    location.problem(
        fmt::format("the vectors \"{}\" are of the vocabulary \"{}\", and the table has the "
                    "rows of \"{}\"",
                    found->name, found->of, table.vocabulary),
        "vectors of the vocabulary \"" + table.vocabulary + "\"");
}

/// Axes over which a table is split; those that the mesh has.
std::int64_t shardsOf(const Table& table, const Mesh& mesh, std::int64_t ranks) {
  if (table.axes.empty() || !mesh.shape || mesh.shape->size() != mesh.axes.size()) return ranks;
  std::int64_t shards = 1;
  for (std::size_t axis = 0; axis < mesh.axes.size(); ++axis)
    if (std::ranges::find(table.axes, mesh.axes[axis]) != table.axes.end())
      shards = std::min<std::int64_t>(shards * (*mesh.shape)[axis], std::int64_t{1} << 40);
  return shards;
}

void checkAxes(const Table& table, const Mesh& mesh, const Location& location) {
  for (std::size_t index = 0; index < table.axes.size(); ++index) {
    const std::string& axis = table.axes[index];
    if (std::ranges::find(mesh.axes, axis) == mesh.axes.end())
      (location / index)
          .problem("the mesh has no axis \"" + axis + "\"" + didYouMean(axis, mesh.axes),
                   "one of: " + join(mesh.axes));
    if (std::find(table.axes.begin(), table.axes.begin() + static_cast<std::ptrdiff_t>(index),
                  axis) != table.axes.begin() + static_cast<std::ptrdiff_t>(index))
      (location / index).problem("the axis \"" + axis + "\" stands twice", "axes that differ");
  }
  const bool whole =
      table.placement == Placement::kReplicated || table.placement == Placement::kTable;
  if (whole && !table.axes.empty())
    location.problem("this placement splits nothing, so no axis is used",
                     "[], or placement \"row\", \"row_block\" or \"column\"");
}

void checkDevice(const Table& table, const std::vector<std::string>& devices,
                 const Location& location) {
  if (!table.device) return;
  if (table.placement != Placement::kTable)
    location.problem("only a table with placement \"table\" lies on one device",
                     "null, or placement \"table\"");
  else if (!devices.empty() && std::ranges::find(devices, *table.device) == devices.end())
    location.problem("the mesh has no device \"" + printable(*table.device) + "\"" +
                         didYouMean(*table.device, devices),
                     devices.size() <= 16
                         ? "one of: " + join(devices)
                         : fmt::format("one of: {} … {}", devices[0], devices.back()));
}

void checkPlacements(const Experiment& experiment, const Location& root) {
  const auto devices = expandDevices(experiment.mesh.devices);
  const std::vector<std::string> names = devices.ok() ? *devices : std::vector<std::string>{};
  const std::vector<Table> placed = withLayout(experiment, root);
  for (std::size_t index = 0; index < placed.size(); ++index) {
    const Location at = root / "tables" / index;
    checkAxes(experiment.tables[index], experiment.mesh, at / "axes");
    checkDevice(experiment.tables[index], names, at / "device");
    const Table& table = placed[index];
    const std::int64_t shards =
        shardsOf(table, experiment.mesh, static_cast<std::int64_t>(names.size()));
    if (table.placement == Placement::kColumn && shards > table.embeddingDim)
      (at / "placement")
          .problem(fmt::format("{} devices share {} columns: {} would have none", shards,
                               table.embeddingDim, shards - table.embeddingDim),
                   fmt::format("another placement, at most {} devices along its axes, or an "
                               "embedding_dim of {} and more",
                               table.embeddingDim, shards));
  }
}

void checkTable(const Experiment& experiment, const Table& table, const Location& at) {
  requireNamed(experiment.dataset.vocabularies, table.vocabulary, "vocabulary", at / "vocabulary");
  validateInitializer(table.initializer, at / "initializer");
  checkVectors(experiment, table, at / "initializer" / "vectors");
  if (table.optimizer) validateOptimizer(*table.optimizer, at / "optimizer");
  if (table.optimizer && !table.trainable)
    (at / "optimizer").warning("not used: the table is not trainable", "null");
  else if (table.optimizer && !table.optimizer->schedule &&
           experiment.schedule.kind == ScheduleKind::kPiecewise)
    (at / "optimizer" / "learning_rate")
        .warning("not used: /schedule gives the rates of this table as well",
                 "a schedule of the table's own");
  const bool used = std::ranges::any_of(
      experiment.features, [&](const Feature& feature) { return feature.table == table.name; });
  if (!used && !table.name.empty()) at.warning("no feature uses the table \"" + table.name + "\"");
}

}  // namespace

void validateInitializer(const Initializer& initializer, const Location& location) {
  if (initializer.kind == InitializerKind::kUniform && initializer.min > initializer.max)
    location.problem(fmt::format("min {} is above max {}", initializer.min, initializer.max),
                     "min at most max");
  if (initializer.kind == InitializerKind::kFile && initializer.path.empty())
    (location / "path").problem("no file is named", "the path of a NumPy file");
}

void validateTables(const Experiment& experiment, const Location& root) {
  refuseDuplicateNames(experiment.tables, root / "tables");
  for (std::size_t index = 0; index < experiment.tables.size(); ++index)
    checkTable(experiment, experiment.tables[index], root / "tables" / index);
  checkPlacements(experiment, root);
}

}  // namespace parapet::experiment
