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

/// The device of each copy of each shard: one where its owners share their memory, else one for
/// each of them.
std::vector<tensor::Device> devicesOf(const Sharding& sharding, const DeviceMesh& mesh);

}  // namespace parapet::mesh
