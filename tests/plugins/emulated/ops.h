// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "engine/tensor/kernels/recorded_ops.h"

namespace parapet::emulated {

/// The portable kernels behind a stream: an op takes a copy of its arguments, translates the
/// addresses in it and returns before it has run.
const PpOps& ops();

/// A recording of one device, with nothing to capture.
struct Recording {
  void* stream;
  tensor::RecordedOps ops{};
};

/// See PpDevice: all but PARAPET_EMULATED_WITHOUT, where the plugin is built without an op.
std::int32_t supports(std::int32_t index, std::uint64_t op, std::int32_t precision,
                      std::int32_t shape);

/// How long an op waits for those before it.
inline constexpr std::chrono::milliseconds kWaitLimit{30'000};

}  // namespace parapet::emulated
