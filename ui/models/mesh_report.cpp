// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/mesh_report.h"

#include <fmt/format.h>

#include <QObject>
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/files.h"
#include "engine/base/text.h"
#include "engine/experiment/layout.h"
#include "engine/experiment/renamed_keys.h"
#include "engine/workspace/plan.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/document_edits.h"
#include "ui/models/runs_format.h"

namespace parapet::ui {
namespace {

/// `isShared`: one copy in the memory of all devices, which is shared out among them.
void addTable(PlanPicture& picture, const mesh::TablePlan& table, int index,
              const experiment::Mesh& mesh, bool isShared) {
  const QString placement = isShared ? QObject::tr("shared by all devices")
                                     : placementText(plannedPlacement(table, mesh));
  for (std::size_t part = 0; part < table.devices.size(); ++part) {
    PlanBlock block{index,
                    QString::fromStdString(table.name),
                    placement,
                    table.bytesOfDevice[part],
                    table.trafficBytes,
                    table.rowsReadOfDevice[part]};
    picture.maxTraffic = std::max(picture.maxTraffic, block.traffic);
    picture.maxBytes = std::max(picture.maxBytes, block.bytes);
    picture.maxRowsRead = std::max(picture.maxRowsRead, block.rowsRead);
    picture.columns[static_cast<std::size_t>(table.devices[part])].blocks.push_back(
        std::move(block));
  }
}

using experiment::Placement;

// More axes than this have more subsets than a menu can hold.
constexpr std::size_t kMaxAxes = 4;

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
  return names.isEmpty() ? QObject::tr("%1 over all devices").arg(what)
                         : QObject::tr("%1 over %2").arg(what, names.join(QStringLiteral(" × ")));
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

using Row = ReportTableModel::Row;
constexpr double kNoTime = -1.0;

QString timeOrDash(double seconds) {
  return seconds < 0.0 ? QStringLiteral("–") : stepTimeText(seconds);
}

QString whyNot(const mesh::PlanCandidate& candidate, double best) {
  if (candidate.chosen) return QObject::tr("chosen");
  if (!candidate.fits) return QObject::tr("exceeds the memory");
  const double longer = candidate.stepSeconds - best;
  return longer > 0.0 ? QObject::tr("%1 slower").arg(stepTimeText(longer))
                      : QObject::tr("not faster");
}

template <class Figure>
double maxOfDevices(const mesh::ShardingPlan* plan, Figure figure) {
  if (plan == nullptr) return kNoTime;
  double most = kNoTime;
  for (const mesh::DevicePlan& device : plan->devices)
    most = std::max(most, static_cast<double>(device.*figure));
  return most;
}

/// Seconds of a part of the measured step, on the rank where it is longest.
double maxOfLanes(const MeasuredStep* measured, double experiment::LaneShares::*part) {
  if (measured == nullptr) return kNoTime;
  double most = kNoTime;
  for (const experiment::LaneShares& lane : experiment::laneShares(measured->epoch.timeUse))
    most = std::max(most, lane.*part * measured->epoch.msPerStep * 1e-3);
  return most;
}

/// The part of a document that decides how a run of it spreads over devices.
nlohmann::ordered_json spreadOf(const experiment::Experiment& experiment) {
  const nlohmann::ordered_json document = experiment::toJson(experiment);
  return {
      {"mesh", document["mesh"]}, {"layout", document["layout"]}, {"tables", document["tables"]}};
}

}  // namespace

QString PlanBlock::sentence() const {
  QStringList parts{title};
  if (!detail.isEmpty()) parts << detail;
  parts << bytesText(bytes);
  if (table >= 0)
    parts << QObject::tr("%1 sent per step").arg(bytesText(traffic))
          << QObject::tr("%1 rows read here per step").arg(countText(std::llround(rowsRead)));
  return parts.join(QStringLiteral(" · "));
}

PlanPicture pictureOf(const mesh::ShardingPlan& plan, const experiment::Mesh& mesh) {
  PlanPicture picture;
  for (const mesh::DevicePlan& device : plan.devices) {
    PlanColumn column{
        QString::fromStdString(device.name), device.bytes(), device.capacityBytes, {}};
    if (device.bufferBytes > 0)
      column.blocks.push_back({-1, QObject::tr("step buffers"), {}, device.bufferBytes});
    if (device.denseBytes > 0)
      column.blocks.push_back({-1, QObject::tr("layers"), {}, device.denseBytes});
    picture.columns.push_back(std::move(column));
  }
  const bool isOneMemory =
      plan.devices.size() > 1 &&
      std::ranges::count(plan.devices, plan.devices[0].memory, &mesh::DevicePlan::memory) ==
          std::ssize(plan.devices);
  for (std::size_t i = 0; i < plan.tables.size(); ++i)
    addTable(picture, plan.tables[i], static_cast<int>(i), mesh,
             isOneMemory && plan.tables[i].placement == experiment::Placement::kReplicated);
  return picture;
}

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
      return QObject::tr("auto (planner)");
    case Placement::kReplicated:
      return QObject::tr("replicated");
    case Placement::kRow:
      return overAxes(QObject::tr("row-wise (modulo)"), choice.axes);
    case Placement::kRowBlock:
      return overAxes(QObject::tr("row-wise (block)"), choice.axes);
    case Placement::kColumn:
      return overAxes(QObject::tr("column-wise"), choice.axes);
    case Placement::kTable:
      return choice.device
                 ? QObject::tr("table-wise on %1").arg(QString::fromStdString(*choice.device))
                 : QObject::tr("table-wise");
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
  writePlacements(editor, tables,
                  QObject::tr("Place table %1").arg(QString::fromStdString(placed.name)));
}

void placeAsPlanned(ExperimentEditor& editor, const mesh::ShardingPlan& plan) {
  experiment::Experiment placed = editor.experiment();
  workspace::applyPlan(placed, plan);
  writePlacements(editor, placed.tables, QObject::tr("Apply the plan"));
}

QString memoryText(const workspace::Preflight& preflight) {
  if (preflight.ranks.empty()) return QObject::tr("Sizes are known once the problems are fixed.");
  const auto bytes = [](std::uint64_t count) { return QString::fromStdString(formatBytes(count)); };
  const bool unknown =
      std::ranges::any_of(preflight.tables, [](const auto& table) { return table.rows < 0; });
  QString text = QObject::tr("Parameters with optimizer state %1, step buffers %2, total %3")
                     .arg(bytes(preflight.parameterBytes), bytes(preflight.activationBytes),
                          bytes(preflight.totalBytes));
  if (preflight.cachedTableBytes > 0)
    text += QObject::tr(", of it %1 in the host's memory").arg(bytes(preflight.cachedTableBytes));
  else if (const std::uint64_t memory = physicalMemoryBytes(); memory > 0)
    text += QObject::tr(" of %1 memory").arg(bytes(memory));
  return unknown ? text + QObject::tr(", and tables whose rows are known after the import") : text;
}

QString stepTimeText(double seconds) {
  return QString::fromStdString(seconds < 1e-3 ? fmt::format("{:.1f} µs", 1e6 * seconds)
                                               : fmt::format("{:.2f} ms", 1e3 * seconds));
}

PlacementChoice plannedPlacement(const mesh::TablePlan& table, const experiment::Mesh& mesh) {
  experiment::Table placed;
  placed.placement = table.placement;
  placed.axes = table.axes;
  if (!table.device.empty()) placed.device = table.device;
  return placementOf(placed, mesh);
}

QStringList planTableTitles() {
  return {QObject::tr("Table"), QObject::tr("Placement"),     QObject::tr("Devices"),
          QObject::tr("Bytes"), QObject::tr("Sent per step"), QObject::tr("Chosen by"),
          QObject::tr("Reason")};
}

QList<int> planTableNumbers() {
  return {2, 3, 4};
}

std::vector<Row> planTableRows(const mesh::ShardingPlan& plan, const experiment::Mesh& mesh) {
  std::vector<Row> rows;
  for (const mesh::TablePlan& table : plan.tables)
    rows.push_back({QString::fromStdString(table.name),
                    placementText(plannedPlacement(table, mesh)),
                    countText(static_cast<std::int64_t>(table.devices.size())),
                    bytesText(table.bytes), bytesText(table.trafficBytes),
                    table.pinned ? QObject::tr("the document") : QObject::tr("the planner"),
                    shownText(table.reason)});
  return rows;
}

QStringList planDeviceTitles() {
  return {QObject::tr("Device"),  QObject::tr("Memory"),   QObject::tr("Tables"),
          QObject::tr("State"),   QObject::tr("Layers"),   QObject::tr("Buffers"),
          QObject::tr("Total"),   QObject::tr("Capacity"), QObject::tr("Sent per step"),
          QObject::tr("Compute"), QObject::tr("Exchange"), QObject::tr("Update"),
          QObject::tr("Wait")};
}

QList<int> planDeviceNumbers() {
  return {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
}

std::vector<Row> planDeviceRows(const mesh::ShardingPlan& plan) {
  std::vector<Row> rows;
  for (const mesh::DevicePlan& device : plan.devices)
    rows.push_back({QString::fromStdString(device.name), QString::fromStdString(device.memory),
                    bytesText(device.tableBytes), bytesText(device.slotBytes),
                    bytesText(device.denseBytes), bytesText(device.bufferBytes),
                    bytesText(device.bytes()),
                    device.capacityBytes > 0 ? bytesText(device.capacityBytes) : QString("–"),
                    bytesText(device.trafficBytes()), stepTimeText(device.computeSeconds),
                    stepTimeText(device.exchangeSeconds), stepTimeText(device.updateSeconds),
                    stepTimeText(device.waitSeconds)});
  return rows;
}

QStringList planCandidateTitles() {
  return {QObject::tr("Placement"), QObject::tr("Peak bytes per device"), QObject::tr("Step"),
          QObject::tr("Reason")};
}

QList<int> planCandidateNumbers() {
  return {1, 2};
}

std::vector<Row> planCandidateRows(const mesh::ShardingPlan& plan, const mesh::TablePlan& table,
                                   const experiment::Mesh& mesh) {
  std::vector<Row> rows;
  for (const mesh::PlanCandidate& candidate : table.candidates) {
    mesh::TablePlan placed;
    placed.placement = candidate.placement;
    placed.axes = candidate.axes;
    placed.device = candidate.device;
    rows.push_back({placementText(plannedPlacement(placed, mesh)),
                    bytesText(candidate.bytesPerDevice), stepTimeText(candidate.stepSeconds),
                    whyNot(candidate, plan.stepSeconds)});
  }
  return rows;
}

Result<std::optional<MeasuredStep>> measuredStep(const store::RunStore& store,
                                                 const experiment::Experiment& experiment) {
  PARAPET_ASSIGN(const std::vector<store::RunRecord> runs, store.runs());
  const std::string wanted = experiment::fingerprint(experiment);
  const nlohmann::ordered_json spread = spreadOf(experiment);
  for (const store::RunRecord& run : runs) {
    if (run.fingerprint != wanted || run.epochs == 0) continue;
    PARAPET_ASSIGN(const store::RunRecord found, store.find(run.id));
    const auto document = experiment::parseStoredJson(found.experimentJson);
    if (!document || spreadOf(experiment::parse(*document).experiment) != spread) continue;
    PARAPET_ASSIGN(const std::vector<experiment::EpochSummary> epochs, store.epochs(run.id));
    if (!epochs.empty()) return std::optional(MeasuredStep{run.id, epochs.back()});
  }
  return std::optional<MeasuredStep>();
}

QStringList estimateTitles() {
  return {QObject::tr("Per step"), QObject::tr("Estimated"), QObject::tr("Measured")};
}

QList<int> estimateNumbers() {
  return {1, 2};
}

std::vector<Row> estimateRows(const workspace::PlanReport* report, const MeasuredStep* measured) {
  using experiment::LaneShares;
  using mesh::DevicePlan;
  const mesh::ShardingPlan* plan = report == nullptr ? nullptr : &report->plan;
  std::vector<Row> rows;
  const auto add = [&rows](const QString& what, double estimated, double found) {
    rows.push_back({what, timeOrDash(estimated), timeOrDash(found)});
  };
  const double took = measured == nullptr ? kNoTime : measured->epoch.msPerStep * 1e-3;
  add(QObject::tr("Total"), plan == nullptr ? kNoTime : plan->stepSeconds, took);
  add(QObject::tr("Compute"), maxOfDevices(plan, &DevicePlan::computeSeconds),
      maxOfLanes(measured, &LaneShares::compute));
  add(QObject::tr("Exchange"), maxOfDevices(plan, &DevicePlan::exchangeSeconds),
      maxOfLanes(measured, &LaneShares::exchange));
  add(QObject::tr("Update"), maxOfDevices(plan, &DevicePlan::updateSeconds),
      maxOfLanes(measured, &LaneShares::update));
  add(QObject::tr("Waiting for devices"), maxOfDevices(plan, &DevicePlan::waitSeconds),
      maxOfLanes(measured, &LaneShares::waiting));
  add(QObject::tr("Waiting for input"), kNoTime, maxOfLanes(measured, &LaneShares::input));
  std::int64_t bytes = -1;
  if (plan != nullptr)
    for (const DevicePlan& device : plan->devices) bytes = std::max(bytes, device.bytes());
  const auto memory = [&rows](const QString& what, std::int64_t count) {
    // No run measures it: a dash would promise a number.
    rows.push_back({what, count < 0 ? QString("–") : bytesText(count), QString()});
  };
  memory(QObject::tr("Training, fullest device"), bytes);
  const bool isPlanned = report != nullptr;
  memory(QObject::tr("Evaluation buffers"), isPlanned ? report->besides.evaluationBuffers : -1);
  memory(QObject::tr("Vectors of items and queries"),
         isPlanned ? report->besides.catalogueVectors.value_or(-1) : -1);
  memory(QObject::tr("Histories"), isPlanned ? report->besides.histories.value_or(-1) : -1);
  if (isPlanned && report->cachedTableBytes > 0)
    memory(QObject::tr("Tables in the host's memory"), report->cachedTableBytes);
  memory(QObject::tr("Peak memory of the run"), isPlanned ? report->peakBytes() : -1);
  return rows;
}

}  // namespace parapet::ui
