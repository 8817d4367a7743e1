// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/mesh/planner.h"
#include "engine/nn/model.h"

namespace parapet::nn {

/// Statistics of an id column by which a table is read; see data::measureIds.
struct ColumnIds {
  double idsPerExample = 1.0;
  std::int64_t maxIds = 1;  ///< of an example
  mesh::DistinctRows distinct = mesh::DistinctRows::uniform(1);
  std::vector<double> accessCdf;  ///< see mesh::TableRequest
};

/// Rows of a step with a batch of so many: the batch and its extra negatives.
std::int64_t stepRows(const experiment::Experiment& experiment, std::int64_t batchRows);

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

/// Tells what is known of id columns, by name. Looking at data takes a moment, so it is asked only
/// where something depends on it.
using ColumnSource = std::function<std::map<std::string, ColumnIds>()>;

/// The tables of an experiment with its layout applied and every `auto` replaced by what the
/// planner decides for its devices. The same for the same document and data: figures are those of
/// known kinds of devices, and nothing is timed. Without `columns` every example has one id.
///
/// The memory of the host counts as endless, unless the document gives devices a capacity.
///
/// Errors   kInvalidDocument: the first problem of the plan.
Result<std::vector<experiment::Table>> resolvePlacements(const experiment::Experiment& experiment,
                                                         const Model& model,
                                                         const mesh::DeviceMesh& mesh,
                                                         std::int64_t batchRows,
                                                         const ColumnSource& columns = {});

}  // namespace parapet::nn
