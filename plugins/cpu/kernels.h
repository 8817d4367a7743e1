// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/tensor/kernel_abi.h"

/// The kernels that this plugin writes for its instruction set, one file a family; the rest of the
/// table are the portable ones, compiled for it.
namespace parapet::plugin {

std::int32_t gatherRows(const PpCall*, const PpGatherRows*);
std::int32_t bagRows(const PpCall*, const PpBagRows*);
std::int32_t dotInteraction(const PpCall*, const PpDotInteraction*);
std::int32_t dotInteractionGradient(const PpCall*, const PpDotInteractionGradient*);
std::int32_t groupRows(const PpCall*, const PpGroupRows*);
std::int32_t sgd(const PpCall*, const PpSgd*);
std::int32_t adagrad(const PpCall*, const PpAdagrad*);
std::int32_t rowwiseAdagrad(const PpCall*, const PpRowwiseAdagrad*);
std::int32_t adam(const PpCall*, const PpAdam*);
std::int32_t ftrl(const PpCall*, const PpFtrl*);
std::int32_t mergeRows(const PpCall*, const PpMergeRows*);
std::int32_t matmul(const PpCall*, const PpMatmul*);
/// The epilogue of a block of c whose sums are complete, by the worker that has made them: with the
/// same functions as biasActivation, so with its bits. A block begins at a whole register of its row.
void finishProduct(const PpMatmul& block);
/// The same as matmul on the calling thread, for products that are a part of a kernel.
std::int32_t tileProduct(const PpCall*, const PpMatmul*);
/// matmul calls it where the call asks for bf16.
std::int32_t bf16Matmul(const PpCall*, const PpMatmul*);
std::int32_t biasActivation(const PpCall*, const PpBiasActivation*);
std::int32_t biasActivationGradient(const PpCall*, const PpBiasActivationGradient*);
std::int32_t dotRows(const PpCall*, const PpDotRows*);
std::int32_t squaredError(const PpCall*, const PpSquaredError*);
std::int32_t negativesLoss(const PpCall*, const PpNegativesLoss*);
std::int32_t scanScores(const PpCall*, const PpScanScores*);
std::int32_t dropout(const PpCall*, const PpDropout*);
std::int32_t layerNorm(const PpCall*, const PpLayerNorm*);
std::int32_t layerNormGradient(const PpCall*, const PpLayerNormGradient*);
std::int32_t attention(const PpCall*, const PpAttention*);
std::int32_t attentionGradient(const PpCall*, const PpAttentionGradient*);
std::int32_t tableSoftmax(const PpCall*, const PpTableSoftmax*);
std::int32_t topK(const PpCall*, const PpTopK*);

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
