// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "engine/experiment/document.h"
#include "engine/mesh/sharding_plan.h"
#include "ui/models/experiment_editor.h"

namespace parapet::ui {

/// Placement of a table in a document.
struct PlacementChoice {
  experiment::Placement placement = experiment::Placement::kAuto;
  std::vector<std::string> axes{};      ///< over which it is split; none: over all of the mesh
  std::optional<std::string> device{};  ///< placement table only; null: the planner picks one

  bool operator==(const PlacementChoice&) const = default;
};

/// What a table may say on this mesh: the planner's choice, replicated, table-wise on a device,
/// rows and columns over every set of axes. Empty if the devices are none.
std::vector<PlacementChoice> placementChoices(const experiment::Mesh& mesh);
/// What a table says; axes that are all of the mesh come as none, as in placementChoices().
PlacementChoice placementOf(const experiment::Table& table, const experiment::Mesh& mesh);
/// "row-wise (modulo) over model", "table-wise on cpu:1", "auto (planner)".
QString placementText(const PlacementChoice& choice);

/// One undo step: sets the placement of a table of the document. What the layout says of tables is
/// written into them first, for nothing may be said twice.
void placeTable(ExperimentEditor& editor, int table, const PlacementChoice& choice);
/// One undo step: applies a plan to the tables with placement auto.
void placeAsPlanned(ExperimentEditor& editor, const mesh::ShardingPlan& plan);

}  // namespace parapet::ui
