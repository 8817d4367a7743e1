// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "engine/tensor/recording_abi.h"

namespace parapet::emulated {

/// The portable kernels behind a stream: an op takes a copy of its arguments, translates the
/// addresses in it and returns before it has run.
const PpOps& ops();

/// Of one device. There is nothing to capture: what is replayed runs one by one, too.
struct Recording {
  void* stream;
  tensor::RecordedOps ops{};

  std::int32_t end(std::int32_t* ran) {
    const tensor::RecordedOps::Run how = ops.end();
    *ran = tensor::RecordedOps::ranOf(how);
    if (how == tensor::RecordedOps::Run::kCapture) ops.setCaptured();
    return ops.runEach(stream);
  }
};

/// See PpDevice: all but PARAPET_EMULATED_WITHOUT, where the plugin is built without an op.
std::int32_t supports(std::int32_t index, std::uint64_t op, std::int32_t precision,
                      std::int32_t shape);

/// How long an op waits for those before it.
inline constexpr std::chrono::milliseconds kWaitLimit{30'000};

}  // namespace parapet::emulated
