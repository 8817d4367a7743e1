// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/tensor/kernels/kernel.h"

/// The kernels that this plugin writes for its instruction set, one file a family; the rest of the
/// table are the portable ones, compiled for it.
namespace parapet::plugin {

#define PP_OP(op, Args)
#define PP_TUNED_OP(op, Args) std::int32_t op(const PpCall*, const Args*);
#include "engine/tensor/ops.def"

/// The epilogue of a block of c whose sums are complete, by the worker that has made them: with the
/// same functions as biasActivation, so with its bits. A block begins at a whole register of its
/// row.
void finishProduct(const PpMatmul& block);
/// matmul() on the calling thread, for products that are a part of a kernel.
std::int32_t tileProduct(const PpCall*, const PpMatmul*);
/// matmul calls it where the call asks for bf16.
std::int32_t bf16Matmul(const PpCall*, const PpMatmul*);

/// Tables beyond this do not stay in a core's cache: their rows are asked for ahead of use.
inline constexpr std::int64_t kCachedElements = 256 * 1024;
/// How many rows ahead.
inline constexpr std::int64_t kRowsAhead = 16;

using tensor::current;
using tensor::forBlocks;
using tensor::parameterGrain;
using tensor::rowGrain;
using tensor::updateGrain;

}  // namespace parapet::plugin
