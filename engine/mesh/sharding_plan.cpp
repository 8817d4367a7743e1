// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/sharding_plan.h"

namespace parapet::mesh {

using experiment::Placement;

bool isPinned(const experiment::Table& table) {
  return table.placement != Placement::kAuto || !table.axes.empty() || table.device;
}

const char* placementName(Placement placement) {
  switch (placement) {
    case Placement::kAuto:
      return "auto";
    case Placement::kReplicated:
      return "replicated";
    case Placement::kRow:
      return "row";
    case Placement::kRowBlock:
      return "row_block";
    case Placement::kColumn:
      return "column";
    case Placement::kTable:
      return "table";
  }
  return "";
}

}  // namespace parapet::mesh
