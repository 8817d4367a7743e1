// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/tensor/plugin_abi.h"

/// The op table: a function launches its kernels on the stream of the call and returns. Contracts
/// are those of the ABI headers.
namespace parapet::cuda {

#define PP_OP(op, Args) std::int32_t op(const PpCall* call, const Args* args);
#include "engine/tensor/ops.def"

/// All of them.
const PpOps& ops();

}  // namespace parapet::cuda
