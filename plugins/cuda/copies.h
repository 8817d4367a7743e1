// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/cuda/stream.h"

namespace parapet::cuda {

/// Copies within an op, in the order of its kernels; each returns when it is done. A copy that
/// fails ends the op.
void toDevice(Stream& stream, void* out, const void* in, std::uint64_t bytes);
void toHost(Stream& stream, void* out, const void* in, std::uint64_t bytes);

}  // namespace parapet::cuda
