// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "engine/base/result.h"
#include "engine/mesh/device_profile.h"
#include "engine/tensor/device.h"

namespace parapet::mesh {

/// Measures a device through the ops that a run uses: copies, lookups and updates of rows in a
/// cached table and in a large one, matrix products, the shortest op there is; and grouping, which
/// is the host's work. On the CPU with `threads` workers (0: one per core) and products of the
/// shapes of small towers, elsewhere one that fills the device. Takes about a second and 160 MiB.
///
/// Errors   kDevice if there is no room or the device fails; kCancelled.
/// Thread   any; a second caller waits for the first.
Result<DeviceProfile> probeDevice(const tensor::Device& device, int threads,
                                  const std::stop_token& stop);

}  // namespace parapet::mesh
