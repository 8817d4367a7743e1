// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/mesh_report.h"

#include <fmt/format.h>

#include <QCoreApplication>
#include <algorithm>
#include <limits>

#include "engine/base/text.h"
#include "engine/experiment/renamed_keys.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/runs_format.h"

namespace parapet::ui {
namespace {

using Row = ReportTableModel::Row;
constexpr double kUnknown = -1.0;

QString tr(const char* text) {
  return QCoreApplication::translate("MeshReport", text);
}

QString known(double seconds) {
  return seconds < 0.0 ? QStringLiteral("–") : stepTimeText(seconds);
}

QString whyNot(const mesh::PlanCandidate& candidate, double best) {
  if (candidate.chosen) return tr("chosen");
  if (!candidate.fits) return tr("exceeds the memory");
  const double longer = candidate.stepSeconds - best;
  return longer > 0.0 ? tr("%1 slower").arg(stepTimeText(longer)) : tr("not faster");
}

template <class Figure>
double maxOfDevices(const mesh::ShardingPlan* plan, Figure figure) {
  if (plan == nullptr) return kUnknown;
  double most = kUnknown;
  for (const mesh::DevicePlan& device : plan->devices)
    most = std::max(most, static_cast<double>(device.*figure));
  return most;
}

/// Seconds of a part of the measured step, on the rank where it is longest.
double maxOfLanes(const MeasuredStep* measured, double experiment::LaneShares::*part) {
  if (measured == nullptr) return kUnknown;
  double most = kUnknown;
  for (const experiment::LaneShares& lane : experiment::laneShares(measured->epoch.timeUse))
    most = std::max(most, lane.*part * measured->epoch.msPerStep * 1e-3);
  return most;
}

/// What of a document decides how a run of it spreads over devices.
nlohmann::ordered_json spreadOf(const experiment::Experiment& experiment) {
  const nlohmann::ordered_json document = experiment::toJson(experiment);
  return {
      {"mesh", document["mesh"]}, {"layout", document["layout"]}, {"tables", document["tables"]}};
}

}  // namespace

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
  return {tr("Table"),         tr("Placement"), tr("Devices"), tr("Bytes"),
          tr("Sent per step"), tr("Chosen by"), tr("Reason")};
}

QList<int> planTableNumbers() {
  return {2, 3, 4};
}

std::vector<Row> planTableRows(const mesh::ShardingPlan& plan, const experiment::Mesh& mesh) {
  std::vector<Row> rows;
  for (const mesh::TablePlan& table : plan.tables)
    rows.push_back(
        {QString::fromStdString(table.name), placementText(plannedPlacement(table, mesh)),
         countText(static_cast<std::int64_t>(table.devices.size())), bytesText(table.bytes),
         bytesText(table.trafficBytes), table.pinned ? tr("the document") : tr("the planner"),
         shownText(table.reason)});
  return rows;
}

QStringList planDeviceTitles() {
  return {tr("Device"),   tr("Memory"), tr("Tables"),   tr("State"),         tr("Layers"),
          tr("Buffers"),  tr("Total"),  tr("Capacity"), tr("Sent per step"), tr("Compute"),
          tr("Exchange"), tr("Update"), tr("Wait")};
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
  return {tr("Placement"), tr("Peak bytes per device"), tr("Step"), tr("Reason")};
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
  return {tr("Per step"), tr("Estimated"), tr("Measured")};
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
    rows.push_back({what, known(estimated), known(found)});
  };
  const double took = measured == nullptr ? kUnknown : measured->epoch.msPerStep * 1e-3;
  add(tr("Total"), plan == nullptr ? kUnknown : plan->stepSeconds, took);
  add(tr("Compute"), maxOfDevices(plan, &DevicePlan::computeSeconds),
      maxOfLanes(measured, &LaneShares::compute));
  add(tr("Exchange"), maxOfDevices(plan, &DevicePlan::exchangeSeconds),
      maxOfLanes(measured, &LaneShares::exchange));
  add(tr("Update"), maxOfDevices(plan, &DevicePlan::updateSeconds),
      maxOfLanes(measured, &LaneShares::update));
  add(tr("Waiting for devices"), maxOfDevices(plan, &DevicePlan::waitSeconds),
      maxOfLanes(measured, &LaneShares::waiting));
  add(tr("Waiting for input"), kUnknown, maxOfLanes(measured, &LaneShares::input));
  std::int64_t bytes = -1;
  if (plan != nullptr)
    for (const DevicePlan& device : plan->devices) bytes = std::max(bytes, device.bytes());
  const auto memory = [&rows](const QString& what, std::int64_t count) {
    rows.push_back({what, count < 0 ? QString("–") : bytesText(count), "–"});
  };
  memory(tr("Training, fullest device"), bytes);
  const bool isPlanned = report != nullptr;
  memory(tr("Evaluation buffers"), isPlanned ? report->besides.evaluationBuffers : -1);
  memory(tr("Vectors of items and queries"),
         isPlanned ? report->besides.catalogueVectors.value_or(-1) : -1);
  memory(tr("Histories"), isPlanned ? report->besides.histories.value_or(-1) : -1);
  if (isPlanned && report->cachedTableBytes > 0)
    memory(tr("Tables in the host's memory"), report->cachedTableBytes);
  memory(tr("Peak memory of the run"), isPlanned ? report->peakBytes() : -1);
  return rows;
}

}  // namespace parapet::ui
