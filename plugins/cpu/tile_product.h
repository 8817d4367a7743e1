// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/tensor/plugin_abi.h"

namespace parapet::plugin {

/// A matmul of operands that stay in the caches, on the calling thread: what a call of oneDNN costs
/// before it multiplies, this has multiplied. beta is 0 or 1. Goes to matmul() where the call asks for
/// bf16, and for operands that are larger.
std::int32_t tileProduct(const PpCall* call, const PpMatmul* args);

}  // namespace parapet::plugin
