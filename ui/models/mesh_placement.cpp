// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/mesh_placement.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

#include "engine/experiment/layout.h"
#include "engine/workspace/plan.h"
#include "ui/models/document_edits.h"

namespace parapet::ui {
namespace {

using experiment::Placement;

// More axes than this have more subsets than a menu can hold.
constexpr std::size_t kMaxAxes = 4;

QString tr(const char* text) {
  return QCoreApplication::translate("MeshPlacement", text);
}

/// Every set of axes; all of them are the empty list and come first.
std::vector<std::vector<std::string>> axisSets(const std::vector<std::string>& axes) {
  std::vector<std::vector<std::string>> sets{{}};
  if (axes.size() < 2 || axes.size() > kMaxAxes) return sets;
  const unsigned all = (1U << axes.size()) - 1U;
  for (unsigned bits = 1; bits < all; ++bits) {
    std::vector<std::string>& set = sets.emplace_back();
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
      if ((bits >> axis & 1U) != 0) set.push_back(axes[axis]);
  }
  return sets;
}

QString overAxes(const QString& what, const std::vector<std::string>& axes) {
  QStringList names;
  for (const std::string& axis : axes) names << QString::fromStdString(axis);
  return names.isEmpty() ? tr("%1 over all devices").arg(what)
                         : tr("%1 over %2").arg(what, names.join(QStringLiteral(" × ")));
}

/// Puts placement, axes and device of typed tables into those of the document.
void writePlacements(ExperimentEditor& editor, const std::vector<experiment::Table>& tables,
                     const QString& what) {
  editor.undoStack().beginMacro(what);
  if (!editor.experiment().layout.empty())
    editor.setValue("/layout", nlohmann::json::object(), what);
  const auto words = experiment::toJson([&] {
    experiment::Experiment placed = editor.experiment();
    placed.tables = tables;
    return placed;
  }())["tables"];
  for (std::size_t i = 0; i < words.size(); ++i) {
    const QString element = elementPointer("/tables", static_cast<int>(i));
    for (const char* key : {"placement", "axes", "device"}) {
      const QString pointer = element + '/' + key;
      if (editor.value(pointer) != words[i][key]) editor.setValue(pointer, words[i][key], what);
    }
  }
  editor.undoStack().endMacro();
}

}  // namespace

std::vector<PlacementChoice> placementChoices(const experiment::Mesh& mesh) {
  const auto devices = experiment::expandDevices(mesh.devices);
  if (!devices) return {};
  std::vector<PlacementChoice> choices{{Placement::kAuto}, {Placement::kReplicated}};
  for (const Placement split : {Placement::kRow, Placement::kRowBlock, Placement::kColumn})
    for (auto& axes : axisSets(mesh.axes)) choices.push_back({split, axes});
  choices.push_back({Placement::kTable});
  for (const std::string& device : *devices) choices.push_back({Placement::kTable, {}, device});
  return choices;
}

PlacementChoice placementOf(const experiment::Table& table, const experiment::Mesh& mesh) {
  PlacementChoice choice{table.placement, {}, table.device};
  for (const std::string& axis : mesh.axes)
    if (std::ranges::find(table.axes, axis) != table.axes.end()) choice.axes.push_back(axis);
  if (choice.axes == mesh.axes) choice.axes.clear();
  return choice;
}

QString placementText(const PlacementChoice& choice) {
  switch (choice.placement) {
    case Placement::kAuto:
      return tr("auto (planner)");
    case Placement::kReplicated:
      return tr("replicated");
    case Placement::kRow:
      return overAxes(tr("row-wise (modulo)"), choice.axes);
    case Placement::kRowBlock:
      return overAxes(tr("row-wise (block)"), choice.axes);
    case Placement::kColumn:
      return overAxes(tr("column-wise"), choice.axes);
    case Placement::kTable:
      return choice.device ? tr("table-wise on %1").arg(QString::fromStdString(*choice.device))
                           : tr("table-wise");
  }
  return {};
}

void placeTable(ExperimentEditor& editor, int table, const PlacementChoice& choice) {
  std::vector<experiment::Table> tables = experiment::withLayout(editor.experiment());
  if (table < 0 || table >= static_cast<int>(tables.size())) return;
  experiment::Table& placed = tables[static_cast<std::size_t>(table)];
  if (placementOf(placed, editor.experiment().mesh) == choice) return;
  placed.placement = choice.placement;
  placed.axes = choice.axes;
  placed.device = choice.device;
  writePlacements(editor, tables, tr("Place table %1").arg(QString::fromStdString(placed.name)));
}

void placeAsPlanned(ExperimentEditor& editor, const mesh::ShardingPlan& plan) {
  experiment::Experiment placed = editor.experiment();
  workspace::applyPlan(placed, plan);
  writePlacements(editor, placed.tables, tr("Apply the plan"));
}

}  // namespace parapet::ui
