// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "engine/base/text.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/layout.h"
#include "engine/experiment/validate.h"

namespace parapet::experiment {
namespace {

void checkVectors(const DocumentIndex& names, const Table& table, const Location& location) {
  if (table.initializer.kind != InitializerKind::kVectors) return;
  requireNamed(names.vectors, table.initializer.vectors, "entry of /dataset/vectors", location);
  if (table.initializer.vectors.empty()) {
    const std::vector<std::string>& vectors = names.vectors.names();
    location.problem("it names no entry of /dataset/vectors",
                     vectors.empty() ? "an entry; there is none" : oneOf(vectors));
  }
  const PretrainedEmbeddings* found = names.vectors.find(table.initializer.vectors);
  if (found != nullptr && !found->of.empty() && found->of != table.vocabulary)
    location.problem(
        fmt::format("the embeddings \"{}\" belong to the vocabulary \"{}\", and the table "
                    "embeds \"{}\"",
                    found->name, found->of, table.vocabulary),
        "embeddings of the vocabulary \"" + table.vocabulary + "\"");
}

/// Product of the lengths of the mesh axes over which a table is sharded.
std::int64_t shardsOf(const Table& table, const Mesh& mesh, std::int64_t ranks) {
  if (table.axes.empty() || !mesh.shape || mesh.shape->size() != mesh.axes.size()) return ranks;
  std::int64_t shards = 1;
  for (std::size_t axis = 0; axis < mesh.axes.size(); ++axis)
    if (std::ranges::find(table.axes, mesh.axes[axis]) != table.axes.end())
      shards = std::min<std::int64_t>(shards * (*mesh.shape)[axis], std::int64_t{1} << 40);
  return shards;
}

void checkAxes(const Table& table, const Mesh& mesh, const Location& location) {
  std::unordered_set<std::string_view> seen;
  for (std::size_t index = 0; index < table.axes.size(); ++index) {
    const std::string& axis = table.axes[index];
    if (std::ranges::find(mesh.axes, axis) == mesh.axes.end())
      (location / index)
          .problem("the mesh has no axis \"" + axis + "\"" + hint(axis, mesh.axes, location),
                   oneOf(mesh.axes));
    if (!seen.insert(axis).second)
      (location / index).problem("the axis \"" + axis + "\" appears twice", "axes that differ");
  }
  const bool unsharded =
      table.placement == Placement::kReplicated || table.placement == Placement::kTable;
  if (unsharded && !table.axes.empty())
    location.problem("a table with this placement is not sharded, so no axis is used",
                     "[], or placement \"row\", \"row_block\" or \"column\"");
}

void checkDevice(const Table& table, const std::vector<std::string>& devices,
                 const Location& location) {
  if (!table.device) return;
  if (table.placement != Placement::kTable)
    location.problem("only a table with placement \"table\" has one device",
                     "null, or placement \"table\"");
  else if (!devices.empty() && std::ranges::find(devices, *table.device) == devices.end())
    location.problem("the mesh has no device \"" + printable(*table.device) + "\"" +
                         hint(*table.device, devices, location),
                     oneOf(devices));
}

void checkPlacements(const Experiment& experiment, const std::vector<std::string>& devices,
                     const Location& root) {
  const std::vector<Table> placed = withLayout(experiment, root);
  for (std::size_t index = 0; index < placed.size(); ++index) {
    const Location at = root / "tables" / index;
    checkAxes(experiment.tables[index], experiment.mesh, at / "axes");
    checkDevice(experiment.tables[index], devices, at / "device");
    const Table& table = placed[index];
    const std::int64_t shards =
        shardsOf(table, experiment.mesh, static_cast<std::int64_t>(devices.size()));
    if (table.placement == Placement::kColumn && shards > table.embeddingDim)
      (at / "placement")
          .problem(fmt::format("{} devices share {} columns: {} would have none", shards,
                               table.embeddingDim, shards - table.embeddingDim),
                   fmt::format("another placement, at most {} devices along its axes, or an "
                               "embedding_dim of {} and more",
                               table.embeddingDim, shards));
  }
}

// Run, table and step are looked up where the runs are known.
void checkWarmStart(const Experiment& experiment, const Table& table, const Location& location) {
  if (!table.warmStart) return;
  if (table.warmStart->run.empty())
    (location / "run").problem("no run is named", "the id of a run, or a unique prefix of one");
  if (experiment.training.fork)
    location.problem("a run that begins with a checkpoint has the weights of all tables from there",
                     "null, or /training/fork null");
}

/// A cache holds the rows of a step, so a step has to do with no others.
void checkCache(const Experiment& experiment, const DocumentIndex& names, const Table& table,
                const Location& location) {
  if (!table.cacheRows) return;
  if (table.trainable && movesEveryRow(table.optimizer.value_or(experiment.optimizer)))
    location.problem(
        "its optimizer moves every row of the table in every step, not those of the batch alone",
        "null, or an optimizer with sparse_update \"lazy\"");
  if (table.trainable && experiment.optimizer.accumulateSteps > 1)
    location.problem(
        "gradients of several batches are added up by row, and rows leave the cache between them",
        "null, or accumulate_steps 1");
  const bool hasOwnMemory = std::ranges::any_of(
      names.devices, [](const std::string& device) { return !device.starts_with("cpu"); });
  if (!names.devices.empty() && !hasOwnMemory)
    location.warning(
        "not used: the devices of the mesh read the host's memory, where the table lies",
        "null, or devices with memory of their own");
}

void checkTable(const Experiment& experiment, const DocumentIndex& names, const Table& table,
                const Location& at) {
  requireNamed(names.vocabularies, table.vocabulary, "vocabulary", at / "vocabulary");
  validateInitializer(table.initializer, at / "initializer");
  checkVectors(names, table, at / "initializer" / "vectors");
  checkWarmStart(experiment, table, at / "warm_start");
  checkCache(experiment, names, table, at / "cache_rows");
  if (table.optimizer) validateOptimizer(*table.optimizer, at / "optimizer");
  if (table.optimizer && !table.trainable)
    (at / "optimizer").warning("not used: the table is not trainable", "null");
  else if (table.optimizer && !table.optimizer->schedule &&
           experiment.schedule.kind == ScheduleKind::kPiecewise)
    (at / "optimizer" / "learning_rate")
        .warning("not used: the piecewise /schedule gives the rates of this table as well",
                 "a schedule of the table's own");
}

}  // namespace

void validateInitializer(const Initializer& initializer, const Location& location) {
  if (initializer.kind == InitializerKind::kUniform && initializer.min > initializer.max)
    location.problem(fmt::format("min {} is above max {}", initializer.min, initializer.max),
                     "min at most max");
  if (initializer.kind == InitializerKind::kFile && initializer.path.empty())
    (location / "path").problem("no file is named", "the path of a NumPy file");
}

void validateTables(const Experiment& experiment, const DocumentIndex& index,
                    const Location& root) {
  refuseDuplicateNames(experiment.tables, root / "tables");
  std::unordered_set<std::string_view> used;
  for (const Feature& feature : experiment.features) used.insert(feature.table);
  for (std::size_t position = 0; position < experiment.tables.size(); ++position) {
    const Table& table = experiment.tables[position];
    const Location at = root / "tables" / position;
    checkTable(experiment, index, table, at);
    if (!index.lacksFeatures && !table.name.empty() && !used.contains(table.name))
      at.warning("no feature uses the table \"" + table.name + "\"");
  }
  checkPlacements(experiment, index.devices, root);
}

}  // namespace parapet::experiment
