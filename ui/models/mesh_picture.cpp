// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/mesh_picture.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "engine/base/text.h"
#include "ui/models/mesh_placement.h"
#include "ui/models/mesh_report.h"
#include "ui/models/runs_format.h"

namespace parapet::ui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("MeshPicture", text);
}

/// `isShared`: one copy in the memory of all devices, which is shared out among them.
void addTable(PlanPicture& picture, const mesh::TablePlan& table, int index,
              const experiment::Mesh& mesh, bool isShared) {
  const QString placement =
      isShared ? tr("shared by all devices") : placementText(plannedPlacement(table, mesh));
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

}  // namespace

QString PlanBlock::sentence() const {
  QStringList parts{title};
  if (!detail.isEmpty()) parts << detail;
  parts << bytesText(bytes);
  if (table >= 0)
    parts << tr("%1 sent per step").arg(bytesText(traffic))
          << tr("%1 rows read here per step").arg(countText(std::llround(rowsRead)));
  return parts.join(QStringLiteral(" · "));
}

PlanPicture pictureOf(const mesh::ShardingPlan& plan, const experiment::Mesh& mesh) {
  PlanPicture picture;
  for (const mesh::DevicePlan& device : plan.devices) {
    PlanColumn column{
        QString::fromStdString(device.name), device.bytes(), device.capacityBytes, {}};
    if (device.bufferBytes > 0)
      column.blocks.push_back({-1, tr("step buffers"), {}, device.bufferBytes});
    if (device.denseBytes > 0) column.blocks.push_back({-1, tr("layers"), {}, device.denseBytes});
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

}  // namespace parapet::ui
