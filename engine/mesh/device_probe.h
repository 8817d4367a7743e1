// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "engine/base/result.h"
#include "engine/mesh/device_profile.h"

namespace parapet::mesh {

/// Measures the CPU of this process with `threads` workers (0: one per core), through the ops that
/// a run uses: copies, lookups and updates of rows in a cached table and in a large one, grouping,
/// matrix products of the shapes of small towers, the shortest op there is. Takes less than a
/// second and 160 MiB.
///
/// Errors   kDevice if there is no room; kCancelled.
/// Thread   any; a second caller waits for the first.
Result<DeviceProfile> probeCpu(int threads, const std::stop_token& stop);

}  // namespace parapet::mesh
