// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/tensor/kernels/kernel.h"

namespace parapet::tensor::cpu {

/// The portable CPU backend, linked in: plain loops and Eigen, for any instruction set.
const PpDevice& backend();

// The kernels, one file a family.
#define PP_OP(op, Args) std::int32_t op(const PpCall*, const Args*);
#include "engine/tensor/ops.def"

/// matmul calls it where the call asks for bf16.
std::int32_t roundedMatmul(const PpCall*, const PpMatmul*);
/// The epilogue of rows [begin, end) of c, whose sums are complete.
void finishRows(const PpMatmul& args, std::int64_t begin, std::int64_t end);

}  // namespace parapet::tensor::cpu
