// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

#include "engine/base/result.h"
#include "engine/experiment/run_event.h"
#include "engine/store/run_store.h"
#include "engine/workspace/plan.h"
#include "ui/models/mesh_placement.h"
#include "ui/models/report_table_model.h"

namespace parapet::ui {

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
/// What was considered for a table, and why it was not taken.
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
/// What a step was to take beside what it took, and the memory of the run; "–" for what is not known.
std::vector<ReportTableModel::Row> estimateRows(const workspace::PlanReport* report,
                                                const MeasuredStep* measured);

}  // namespace parapet::ui
