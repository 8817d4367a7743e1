// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/mesh/planner.h"
#include "engine/nn/model.h"
#include "engine/nn/program.h"

namespace parapet::nn {

/// Statistics of an id column by which a table is read; see data::measureIds.
struct ColumnIds {
  double idsPerExample = 1.0;
  std::int64_t maxIds = 1;  ///< of an example
  mesh::DistinctRows distinct = mesh::DistinctRows::uniform(1);
  std::vector<double> accessCdf;  ///< see mesh::TableRequest
};

/// Rows of an evaluation with a batch of so many: the batch and its extra negatives.
std::int64_t stepRows(const experiment::Experiment& experiment, std::int64_t batchRows);
/// The task of a training step with a batch of so many rows, or sequences: its rows, lists and ids. `idsPerRow`: max. ids of an example that stands alone, by feature.
StepTask trainingTask(const experiment::Experiment& experiment, std::int64_t batchRows,
                      std::vector<std::int64_t> idsPerRow);

/// The request to the planner for a model: its tables with the document's pins and layout,
/// optimizer state and ids; its layers, buffers and operations.
///
/// `model` is that of the experiment; `columns`: what is known of id columns by name, others are
/// taken to have one id per example with uniform access. `hardware` has the devices of `mesh`, in
/// order.
mesh::PlanRequest planRequest(const experiment::Experiment& experiment, const Model& model,
                              const std::map<std::string, ColumnIds>& columns,
                              mesh::DeviceMesh mesh, mesh::Hardware hardware,
                              std::int64_t batchRows);

/// Tables with every `auto` replaced by the placement that a plan gives.
std::vector<experiment::Table> withPlacements(std::vector<experiment::Table> tables,
                                              const mesh::ShardingPlan& plan);

}  // namespace parapet::nn
