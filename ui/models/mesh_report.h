// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/experiment/document.h"
#include "engine/experiment/run_event.h"
#include "engine/mesh/sharding_plan.h"
#include "engine/store/run_store.h"
#include "engine/workspace/plan.h"
#include "engine/workspace/workspace.h"
#include "ui/models/experiment_editor.h"
#include "ui/models/rows_model.h"

namespace parapet::ui {

/// A table, the layers or the buffers on one device.
struct PlanBlock {
  int table = -1;            ///< in the document's order; −1: layers or buffers
  QString title, detail;     ///< "user", "row-wise (modulo) over all devices"
  std::int64_t bytes = 0;    ///< on this device, with optimizer state
  std::int64_t traffic = 0;  ///< bytes that a step sends for the table, all devices together
  double rowsRead = 0.0;     ///< here in a step
  /// All of it, in a line.
  [[nodiscard]] QString sentence() const;
};

struct PlanColumn {
  QString device;
  std::int64_t bytes = 0, capacity = 0;  ///< capacity 0: not known
  std::vector<PlanBlock> blocks;         ///< from the bottom
};

/// A plan as a picture: a column for each device, with a block for each table or shard on it.
struct PlanPicture {
  std::vector<PlanColumn> columns;
  std::int64_t maxTraffic = 0;  ///< of a table
  std::int64_t maxBytes = 0;    ///< of a block of a table
  double maxRowsRead = 0.0;     ///< of a block
};

PlanPicture pictureOf(const mesh::ShardingPlan& plan, const experiment::Mesh& mesh);

/// Placement of a table in a document.
struct PlacementChoice {
  experiment::Placement placement = experiment::Placement::kAuto;
  std::vector<std::string> axes{};      ///< over which it is split; none: over all of the mesh
  std::optional<std::string> device{};  ///< placement table only; null: the planner picks one

  bool operator==(const PlacementChoice&) const = default;
};

/// The placements that a table may have on this mesh: the planner's choice, replicated, table-wise
/// on a device, rows and columns over every set of axes. Empty if the devices are none.
std::vector<PlacementChoice> placementChoices(const experiment::Mesh& mesh);
/// The placement of a table; axes that are all of the mesh come as none, as in placementChoices().
PlacementChoice placementOf(const experiment::Table& table, const experiment::Mesh& mesh);
/// "row-wise (modulo) over model", "table-wise on cpu:1", "auto (planner)".
QString placementText(const PlacementChoice& choice);

/// One undo step: sets the placement of a table of the document. What the layout says of tables is
/// written into them first, for nothing may be said twice.
void placeTable(ExperimentEditor& editor, int table, const PlacementChoice& choice);
/// One undo step: applies a plan to the tables with placement auto.
void placeAsPlanned(ExperimentEditor& editor, const mesh::ShardingPlan& plan);

/// The memory of this machine that a run needs, or why that is not known.
QString memoryText(const workspace::Preflight& preflight);

// A plan as report tables. Numeric columns are listed by ...Numbers().

/// "12.3 µs", "4.56 ms".
QString stepTimeText(double seconds);
PlacementChoice plannedPlacement(const mesh::TablePlan& table, const experiment::Mesh& mesh);

QStringList planTableTitles();
QList<int> planTableNumbers();
std::vector<ReportTableModel::Row> planTableRows(const mesh::ShardingPlan& plan,
                                                 const experiment::Mesh& mesh);

QStringList planDeviceTitles();
QList<int> planDeviceNumbers();
std::vector<ReportTableModel::Row> planDeviceRows(const mesh::ShardingPlan& plan);

QStringList planCandidateTitles();
QList<int> planCandidateNumbers();
/// The placements that were considered for a table, and why they were not taken.
std::vector<ReportTableModel::Row> planCandidateRows(const mesh::ShardingPlan& plan,
                                                     const mesh::TablePlan& table,
                                                     const experiment::Mesh& mesh);

/// The last epoch of the newest run that trained an experiment on the same mesh, its tables placed
/// in the same way.
struct MeasuredStep {
  std::string runId;
  experiment::EpochSummary epoch;
};
/// Nothing if there is no such run, or none of its epochs has ended.
///
/// Errors   of the store.
/// Thread   any.
Result<std::optional<MeasuredStep>> measuredStep(const store::RunStore& store,
                                                 const experiment::Experiment& experiment);

QStringList estimateTitles();
QList<int> estimateNumbers();
/// The planned time of a step beside the measured one, and the memory of the run; "–" for what is
/// not known.
std::vector<ReportTableModel::Row> estimateRows(const workspace::PlanReport* report,
                                                const MeasuredStep* measured);

}  // namespace parapet::ui
