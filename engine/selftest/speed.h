// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "engine/base/result.h"
#include "engine/tensor/device.h"

namespace parapet::selftest {

/// What a device moves and computes, by the shortest of agreeing repetitions. Bytes are those
/// that the op must move: read and written.
struct Speed {
  double fillBytesPerSecond = 0.0;    ///< one value into 128 MiB
  double copyBytesPerSecond = 0.0;    ///< 64 MiB, in order
  double gatherBytesPerSecond = 0.0;  ///< rows of 64 elements, at random out of 128 MiB
  double matmulFlopsPerSecond = 0.0;  ///< 512 × 512 × 512, a multiplication and an addition each
};

/// Takes about a second, with the workers of `launch`.
///
/// Errors   kDevice if the device has no room; kCancelled.
Result<Speed> measureSpeed(const tensor::Launch& launch, const std::stop_token& stop);

}  // namespace parapet::selftest
