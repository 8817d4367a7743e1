// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <vector>

#include "engine/experiment/document.h"
#include "engine/mesh/sharding_plan.h"

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

}  // namespace parapet::ui
