// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/mesh/sharding_plan.h"

namespace parapet::mesh {

/// Decides the placement of every table so that a step is short and every device has room.
///
/// Each table can be replicated, on one device, or split by rows (mod or block) or columns over any
/// of the axes of the mesh and replicated over the others. What a table adds to the time and the
/// memory of each device is worked out from ids, rows and links (planner_costs.h); the time of a
/// step is that of the busiest memory space. Two plans are built: one takes the tables by size and
/// gives each the placement with the lowest peak memory, one takes them by work and gives each
/// the placement that lengthens the step least while the rest still fits. Both are then improved, a
/// table at a time, until nothing helps, and the shorter one is taken. Nothing is random.
///
/// A placement in the document is kept. Problems: a pin that is impossible on this mesh (at the
/// table); too little room (at capacityPointer()), with the bytes that are missing, the device that
/// is over most, the tables that need most, and what would help.
///
/// Source   the scheme (candidates, estimates, greedy packing under capacity) is that of TorchRec's
///          EmbeddingShardingPlanner.
/// Thread   pure.
PlanOutcome planTables(const PlanRequest& request);

/// The pointer of the setting that limits a device to `bytes`: its number in /mesh/capacity_bytes,
/// that of all devices, or, where there is none or it has less, /mesh/devices.
std::string capacityPointer(const std::optional<experiment::DeviceCapacity>& capacity, int rank,
                            std::int64_t bytes);

}  // namespace parapet::mesh
