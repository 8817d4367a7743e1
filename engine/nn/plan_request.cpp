// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/plan_request.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/experiment/layout.h"
#include "engine/experiment/query_context.h"
#include "engine/nn/space.h"

namespace parapet::nn {
namespace {

constexpr std::int64_t kElementBytes = 4;

/// The tables with the layout of the document; those that the graph reads as a whole are
/// replicated.
std::vector<experiment::Table> tablesOf(const experiment::Experiment& experiment,
                                        const Model& model) {
  std::vector<experiment::Table> tables = experiment::withLayout(experiment);
  for (std::size_t i = 0; i < tables.size(); ++i)
    if (tables[i].placement == experiment::Placement::kAuto &&
        model.graph.readsWhole(static_cast<ParameterIndex>(i)))
      tables[i].placement = experiment::Placement::kReplicated;
  return tables;
}

/// Slots and scratch as bytes per element of the weight and per row.
void setBytes(mesh::TableRequest& table, const ParameterSpec& spec) {
  if (!spec.trainable) return;
  std::int64_t narrow = 0, wide = 0;
  for (const SlotSpec& slot : slotSpecs(spec.optimizer, 1)) narrow += slot.cols;
  for (const SlotSpec& slot : slotSpecs(spec.optimizer, 2)) wide += slot.cols;
  table.slotBytesPerElement = kElementBytes * (wide - narrow);
  // The last element is the index of a row within a batch.
  table.bytesPerRow = kElementBytes * (2 * narrow - wide + 1);
}

/// The ids of all features that read a table, taken together.
void setIds(mesh::TableRequest& table, const Model& model, ParameterIndex parameter,
            const std::map<std::string, ColumnIds>& columns, const StepTask& task) {
  table.lookups = 0;
  table.idsPerExample = 0.0;
  table.maxIdsPerExample = table.maxIdsOfLookup = 0;
  double largest = 0.0;
  for (const Lookup& lookup : model.graph.lookups()) {
    if (lookup.table != parameter) continue;
    const auto found = columns.find(model.columns.at(static_cast<std::size_t>(lookup.feature)));
    double ids = 1.0;
    std::int64_t most = 1;
    if (found != columns.end()) {
      ids = found->second.idsPerExample;
      most = found->second.maxIds;
      // The curve of the column that brings most stands for all of them.
      if (ids > largest) {
        largest = ids;
        table.distinct = found->second.distinct;
        table.accessCdf = found->second.accessCdf;
      }
    }
    if (lookup.maxLength > 0) {
      ids = std::min(ids, static_cast<double>(lookup.maxLength));
      most = std::min(most, lookup.maxLength);
    }
    if (task.lists.count > 0 && lookup.sequence) {
      most = task.idsPerRow[static_cast<std::size_t>(lookup.feature)];
      ids = std::min(ids, static_cast<double>(most));
    }
    ++table.lookups;
    table.idsPerExample += ids;
    table.maxIdsPerExample += most;
    table.maxIdsOfLookup = std::max(table.maxIdsOfLookup, most);
  }
}

mesh::DenseRequest denseRequest(const Model& model, const std::vector<experiment::Table>& tables,
                                const mesh::DeviceMesh& mesh, StepTask task) {
  const Graph& graph = model.graph;
  mesh::DenseRequest dense;
  std::vector<bool> replicated;
  for (std::size_t i = 0; i < graph.parameters().size(); ++i) {
    const ParameterSpec& spec = graph.parameters()[i];
    const bool isTable = i < tables.size();
    replicated.push_back(!isTable || mesh.spaces().size() == 1 ||
                         tables[i].placement == experiment::Placement::kAuto ||
                         tables[i].placement == experiment::Placement::kReplicated);
    if (spec.trainable && graph.readsWhole(static_cast<ParameterIndex>(i)))
      dense.gradientBytes += kElementBytes * spec.rows * spec.cols;
    if (isTable) continue;
    dense.parameterBytes += static_cast<std::int64_t>(parameterBytes(spec).total());
    if (spec.trainable && !spec.isState)
      dense.gradientBytes += kElementBytes * spec.rows * spec.cols;
  }
  for (const Model::Head& head : model.heads) task.targets.push_back(head.lossValue);
  const std::vector<bool> split = exchangedTables(graph, mesh, task, replicated);
  const Program program = compile(graph, task, spaceCapacity(mesh, 0, task, split));
  // Spaces of as many ranks are alike.
  std::map<int, SpaceBytes> bytesOf;
  for (int space = 0; space < static_cast<int>(mesh.spaces().size()); ++space) {
    const int ranks = mesh.spaces()[at(space)].ranks;
    if (!bytesOf.contains(ranks)) bytesOf[ranks] = spaceBytes(graph, mesh, space, task, split);
    dense.bufferBytes += bytesOf[ranks].all;
    dense.preparedBytes += bytesOf[ranks].prepared;
  }
  const std::int64_t sharing = task.lists.rows;
  dense.trainingFlopsPerExample = graph.trainingFlopsPerExample(0, sharing);
  dense.pairLosses = graph.pairLosses();
  dense.trainingFlopsPerPair =
      graph.trainingFlopsPerExample(1, sharing) - dense.trainingFlopsPerExample;
  dense.nodes = static_cast<int>(program.nodes.size());
  for (const auto& node : graph.nodes()) dense.gatheredCols += node->gatheredCols();
  // Each value is written and read once, and so is its gradient.
  for (Value value = 0; value < graph.values(); ++value) {
    const auto index = static_cast<std::size_t>(value);
    const RowSpaceSpec& rows = graph.rowSpaces()[at(graph.rowSpace(value))];
    const auto perExample = static_cast<double>(rows.maxPerExample) /
                            static_cast<double>(graph.rowSpace(value) == kExamples ? 1 : sharing);
    dense.bytesPerExample += 2.0 * kElementBytes * static_cast<double>(graph.cols(value)) *
                             perExample * (program.hasValue[index] + program.hasGradient[index]);
  }
  return dense;
}

}  // namespace

std::int64_t stepRows(const experiment::Experiment& experiment, std::int64_t batchRows) {
  const experiment::Loss& loss = experiment.loss;
  const bool draws = experiment::usesNegatives(loss.kind) && loss.extraNegatives;
  return batchRows + (draws ? loss.extraNegatives->count : 0);
}

StepTask trainingTask(const experiment::Experiment& experiment, std::int64_t batchRows,
                      std::vector<std::int64_t> idsPerRow) {
  StepTask task{.purpose = StepPurpose::kTrain,
                .idsPerRow = std::move(idsPerRow),
                .batchesPerStep = static_cast<int>(experiment.optimizer.accumulateSteps),
                .stackTables = experiment.mesh.stackTables,
                .overlap = experiment.mesh.overlap};
  const auto windows = experiment::sequenceWindows(experiment);
  if (windows) {
    task.lists = {batchRows, windows->stride};
    batchRows *= windows->stride;
  }
  task.capacityRows = stepRows(experiment, batchRows);
  for (std::size_t i = 0; windows && i < experiment.features.size(); ++i)
    if (i < task.idsPerRow.size() &&
        experiment::isSharedSequence(experiment, experiment.features[i]))
      task.idsPerRow[i] = (windows->length + windows->stride - 1) / windows->stride;
  return task;
}

mesh::PlanRequest planRequest(const experiment::Experiment& experiment, const Model& model,
                              const std::map<std::string, ColumnIds>& columns,
                              mesh::DeviceMesh mesh, mesh::Hardware hardware,
                              std::int64_t batchRows) {
  std::vector<std::int64_t> idsPerRow;
  for (const std::string& column : model.columns) {
    const auto found = columns.find(column);
    idsPerRow.push_back(found == columns.end() ? 1 : found->second.maxIds);
  }
  const StepTask task = trainingTask(experiment, batchRows, std::move(idsPerRow));
  batchRows = task.capacityRows;
  const std::vector<experiment::Table> tables = tablesOf(experiment, model);
  const mesh::DenseRequest dense = denseRequest(model, tables, mesh, task);
  mesh::PlanRequest request{.tables = {},
                            .dense = dense,
                            .batchRows = batchRows,
                            .mesh = std::move(mesh),
                            .hardware = std::move(hardware),
                            .capacityBytes = experiment.mesh.capacityBytes,
                            .overlap = experiment.mesh.overlap,
                            .stackTables = experiment.mesh.stackTables};
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const ParameterSpec& spec = model.graph.parameters()[i];
    mesh::TableRequest table;
    table.table = tables[i];
    table.pointer = fmt::format("/tables/{}", i);
    table.rows = spec.rows;
    table.distinct = mesh::DistinctRows::uniform(spec.rows);
    table.cacheRows = spec.cacheRows;
    table.cacheBlockRows = RowCache::kBlockRows;
    table.isReadWhole = model.graph.readsWhole(static_cast<ParameterIndex>(i));
    table.updatesEveryRow = spec.trainable && experiment::movesEveryRow(spec.optimizer);
    setBytes(table, spec);
    setIds(table, model, static_cast<ParameterIndex>(i), columns, task);
    table.addsWholeGradient = addsWholeGradient(
        spec, largestSpaceRows(request.mesh, batchRows, task.lists) * table.maxIdsPerExample,
        request.mesh.spaces().size());
    request.tables.push_back(std::move(table));
  }
  return request;
}

std::vector<experiment::Table> withPlacements(std::vector<experiment::Table> tables,
                                              const mesh::ShardingPlan& plan) {
  for (std::size_t i = 0; i < tables.size() && i < plan.tables.size(); ++i) {
    experiment::Table& table = tables[i];
    if (table.placement != experiment::Placement::kAuto) continue;
    const mesh::TablePlan& planned = plan.tables[i];
    table.placement = planned.placement;
    table.axes = planned.axes;
    if (!planned.device.empty()) table.device = planned.device;
  }
  return tables;
}

}  // namespace parapet::nn
