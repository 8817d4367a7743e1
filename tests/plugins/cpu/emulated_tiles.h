// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tensor/plugin_abi.h"

namespace parapet::test {

/// The product of plugins/cpu/bf16_tiles.h on tiles in memory, which add as the instruction does.
/// Needs x86-64-v3.
void multiplyOnTiles(const PpCall& call, const PpMatmul& args);

}  // namespace parapet::test
