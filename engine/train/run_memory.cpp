// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run_memory.h"

#include <algorithm>
#include <set>

#include "engine/data/split/split.h"
#include "engine/mesh/device_profile.h"
#include "engine/nn/plan_layout.h"
#include "engine/retrieval/catalogue_ranking.h"
#include "engine/retrieval/top_k.h"
#include "engine/train/histories.h"
#include "engine/train/later_lists.h"
#include "engine/train/task.h"

namespace parapet::train {
namespace {

using experiment::Experiment;

bool isSplit(const experiment::Table& table) {
  return table.placement != experiment::Placement::kAuto &&
         table.placement != experiment::Placement::kReplicated;
}

/// What a plan that predicts `targets` is laid out as.
nn::PlanLayout layoutOf(const nn::Model& model, const std::vector<nn::Value>& targets,
                        const std::vector<experiment::Table>& tables,
                        const std::map<std::string, nn::ColumnIds>& columns, int ranks,
                        std::int64_t rows) {
  nn::PlanCapacity capacity{rows, ranks, {}, {}};
  for (const std::string& column : model.columns) {
    const auto found = columns.find(column);
    capacity.idsPerRow.push_back(found == columns.end() ? 1 : found->second.maxIds);
  }
  for (const experiment::Table& table : tables) capacity.split.push_back(isSplit(table));
  return {model.graph, targets, nn::PlanPurpose::kForward, std::move(capacity)};
}

/// What the sharded tables that a plan reads exchange, over all devices: the planner counts it with
/// the buffers of their tables.
std::int64_t exchangeBytes(const Experiment& experiment, const nn::Model& model,
                           const nn::PlanLayout& layout,
                           const std::vector<experiment::Table>& tables,
                           const std::map<std::string, nn::ColumnIds>& columns,
                           const mesh::DeviceMesh& mesh, std::int64_t rows) {
  Experiment predicting = experiment;
  predicting.tables = tables;
  predicting.layout.clear();
  predicting.mesh.overlap = false;  // nothing is sorted ahead of a batch that is only predicted
  mesh::PlanRequest request = nn::planRequest(
      predicting, model, columns, mesh,
      mesh::localHardware(mesh.deviceNames(), *mesh::findProfile("cpu"), experiment.mesh.spaces),
      rows);
  std::vector<mesh::TableRequest> read;
  for (std::size_t lookup = 0; lookup < model.graph.lookups().size(); ++lookup) {
    const auto table = static_cast<std::size_t>(model.graph.lookups()[lookup].table);
    const auto isKnown = [&](const mesh::TableRequest& known) {
      return known.table.name == tables[table].name;
    };
    if (layout.runs[lookup] && isSplit(tables[table]) && std::ranges::none_of(read, isKnown))
      read.push_back(request.tables[table]);
  }
  if (read.empty()) return 0;
  request.tables = std::move(read);
  request.batchRows = rows;
  request.dense = {};
  request.capacityBytes.reset();
  std::int64_t bytes = 0;
  for (const mesh::DevicePlan& device : mesh::planTables(request).plan.devices)
    bytes += device.bufferBytes;
  return bytes;
}

/// The queries of the validation part by the protocol of the experiment.
std::int64_t validationQueries(const Experiment& experiment, const nn::Model& model,
                               const data::Dataset& dataset, const data::Split& split) {
  const retrieval::Interactions interactions(dataset, model.queryColumn, model.candidateColumn,
                                             split);
  const retrieval::CatalogueRanking ranking(
      dataset, model.queryColumn, model.candidateColumn, interactions,
      experiment::SplitPart::kValidation, split.validation,
      rankingProtocol(experiment, dataset, model.candidateColumn));
  return static_cast<std::int64_t>(ranking.queries().size());
}

bool measuresLists(const Experiment& experiment, const nn::Model& model) {
  return Task::of(model.kind).hasCatalogue() &&
         experiment.evaluation.catalogue != experiment::CatalogueTime::kNever &&
         experiment.training.validateEvery > 0;
}

std::int64_t vectorBytes(const Experiment& experiment, const nn::Model& model,
                         const data::Dataset& dataset, const data::Split& split) {
  const std::int64_t queries = validationQueries(experiment, model, dataset, split);
  if (queries == 0) return 0;
  const std::int64_t row = model.graph.cols(model.query) * static_cast<std::int64_t>(sizeof(float));
  const std::int64_t items = dataset.vocabularyOf(model.candidateColumn).size() * row;
  // Larger ones are measured while training waits, a block of queries at a time.
  const std::int64_t all = items + queries * row;
  return all <= LaterLists::kMaxBytes
             ? all
             : items + std::min(queries, std::int64_t{retrieval::kQueriesOfTopK}) * row;
}

std::int64_t historyBytes(const Experiment& experiment, const data::Dataset& dataset,
                          const data::RowSet& trainingRows) {
  std::set<const data::UserHistory*> counted;  // features may share an index
  std::uint64_t bytes = 0;
  for (const auto& [column, of] : makeHistories(experiment, dataset, trainingRows))
    if (counted.insert(of.history.get()).second) bytes += of.history->bytes();
  return static_cast<std::int64_t>(bytes);
}

}  // namespace

std::int64_t evaluationBufferBytes(const Experiment& experiment, const nn::Model& model,
                                   const std::vector<experiment::Table>& tables,
                                   const std::map<std::string, nn::ColumnIds>& columns,
                                   const mesh::DeviceMesh& mesh, std::int64_t batchRows) {
  const auto bytesOf = [&](const std::vector<nn::Value>& targets, std::int64_t rows) {
    const nn::PlanLayout layout = layoutOf(model, targets, tables, columns, mesh.ranks(), rows);
    return static_cast<std::int64_t>(layout.bytes(model.graph)) +
           exchangeBytes(experiment, model, layout, tables, columns, mesh, rows);
  };
  std::int64_t bytes = bytesOf(evaluatedValues(model), nn::stepRows(experiment, batchRows));
  for (const Task::Output& output : Task::of(model.kind).outputs(model, batchRows))
    bytes += bytesOf({output.value}, output.capacityRows);
  return bytes;
}

Result<RunMemory> runMemory(const Experiment& experiment, const nn::Model& model,
                            const std::vector<experiment::Table>& tables,
                            const std::map<std::string, nn::ColumnIds>& columns,
                            const mesh::DeviceMesh& mesh, std::int64_t batchRows,
                            const data::Dataset* dataset) {
  RunMemory memory;
  memory.evaluationBuffers =
      evaluationBufferBytes(experiment, model, tables, columns, mesh, batchRows);
  const bool hasLists = measuresLists(experiment, model);
  const bool hasHistories = std::ranges::any_of(
      experiment.features, [](const auto& of) { return of.history.has_value(); });
  if (!dataset) {
    if (hasLists) memory.catalogueVectors.reset();
    if (hasHistories) memory.histories.reset();
    return memory;
  }
  if (!hasLists && !hasHistories) return memory;
  PARAPET_ASSIGN(const data::Split split, data::makeSplit(*dataset, experiment, batchRows));
  if (hasLists) memory.catalogueVectors = vectorBytes(experiment, model, *dataset, split);
  if (hasHistories) memory.histories = historyBytes(experiment, *dataset, split.train);
  return memory;
}

}  // namespace parapet::train
