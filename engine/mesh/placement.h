// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/experiment/document.h"
#include "engine/mesh/device_mesh.h"
#include "engine/mesh/sharding.h"

namespace parapet::mesh {

/// The sharding of a table on a mesh. Shards run along the table's axes, in the order in
/// which it names them and row-major; over the other axes they are replicated. A table on
/// one device is there once: on `device`, or the first one. experiment::withLayout
/// has put the document's layout into the table before.
///
/// Letters  V rows of the table. `pointer` is the JSON pointer of the table ("/tables/3").
/// Errors   kInvalidDocument at pointer/axes (an axis that the mesh lacks, or one named twice),
///          pointer/device (a device that the mesh lacks), pointer/placement (more shards than
///          columns, or kAuto, which the planner has to resolve before).
Result<Sharding> placeTable(const experiment::Table& table, const DeviceMesh& mesh,
                            std::int64_t rows, const std::string& pointer);

/// What the memories of a mesh hold of a table that is placed so: its owners are memory spaces, not
/// ranks. Shards of the same memories are one, so a table that one memory has all shards of is
/// whole there, whatever its placement: lookups read its rows where they lie, and nothing is
/// exchanged. Where the spaces of shards overlap otherwise, the table is split over all spaces,
/// once.
Sharding heldSharding(const Sharding& placed, const DeviceMesh& mesh);

/// The device of each copy of each shard of a held sharding.
std::vector<tensor::Device> devicesOf(const Sharding& held, const DeviceMesh& mesh);

}  // namespace parapet::mesh
