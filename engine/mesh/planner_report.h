// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/mesh/planner_search.h"

namespace parapet::mesh {

/// A packing as a plan that people read: bytes, times and traffic of devices and tables, the
/// candidates of each table with the step they would give, and a sentence on each choice.
ShardingPlan reportPlan(const PlanRequest& request, const CostModel& model,
                        const PackingSearch& search, const Packing& packing,
                        const std::vector<std::vector<int>>& allowed);

}  // namespace parapet::mesh
