// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/tensor/kernel_abi.h"

namespace parapet::tensor::cpu {

/// The portable CPU backend, linked in: plain loops and Eigen, for any instruction set.
const PpDevice& backend();

// The kernels, one file a family; each is a slot of PpOps.
std::int32_t fill(const PpCall*, const PpFill*);
std::int32_t gatherRows(const PpCall*, const PpGatherRows*);
std::int32_t groupRows(const PpCall*, const PpGroupRows*);
std::int32_t sgd(const PpCall*, const PpSgd*);
std::int32_t adagrad(const PpCall*, const PpAdagrad*);
std::int32_t rowwiseAdagrad(const PpCall*, const PpRowwiseAdagrad*);
std::int32_t adam(const PpCall*, const PpAdam*);
std::int32_t matmul(const PpCall*, const PpMatmul*);
/// matmul calls it where the call asks for bf16.
std::int32_t roundedMatmul(const PpCall*, const PpMatmul*);
/// The epilogue of rows [begin, end) of c, whose sums are complete.
void finishRows(const PpMatmul& args, std::int64_t begin, std::int64_t end);
std::int32_t biasActivation(const PpCall*, const PpBiasActivation*);
std::int32_t biasActivationGradient(const PpCall*, const PpBiasActivationGradient*);
std::int32_t dotRows(const PpCall*, const PpDotRows*);
std::int32_t dotRowsGradient(const PpCall*, const PpDotRowsGradient*);
std::int32_t squaredError(const PpCall*, const PpSquaredError*);
std::int32_t copyColumns(const PpCall*, const PpCopyColumns*);
std::int32_t sumParts(const PpCall*, const PpSumParts*);
std::int32_t scanScores(const PpCall*, const PpScanScores*);
std::int32_t logisticLoss(const PpCall*, const PpLogisticLoss*);
std::int32_t pairLoss(const PpCall*, const PpPairLoss*);
std::int32_t listMle(const PpCall*, const PpListMle*);
std::int32_t negativesLoss(const PpCall*, const PpNegativesLoss*);
std::int32_t ftrl(const PpCall*, const PpFtrl*);
std::int32_t decayRows(const PpCall*, const PpDecayRows*);
std::int32_t mergeRows(const PpCall*, const PpMergeRows*);
std::int32_t sumSquares(const PpCall*, const PpSumSquares*);
std::int32_t scaleClamp(const PpCall*, const PpScaleClamp*);
std::int32_t innerProduct(const PpCall*, const PpInnerProduct*);
std::int32_t meanSquares(const PpCall*, const PpMeanSquares*);
std::int32_t bagRows(const PpCall*, const PpBagRows*);
std::int32_t bagScales(const PpCall*, const PpBagScales*);
std::int32_t cross(const PpCall*, const PpCross*);
std::int32_t crossGradient(const PpCall*, const PpCrossGradient*);
std::int32_t dotInteraction(const PpCall*, const PpDotInteraction*);
std::int32_t dotInteractionGradient(const PpCall*, const PpDotInteractionGradient*);
std::int32_t dropout(const PpCall*, const PpDropout*);
std::int32_t layerNorm(const PpCall*, const PpLayerNorm*);
std::int32_t layerNormGradient(const PpCall*, const PpLayerNormGradient*);
std::int32_t batchNorm(const PpCall*, const PpBatchNorm*);
std::int32_t batchNormGradient(const PpCall*, const PpBatchNormGradient*);
std::int32_t l2Normalize(const PpCall*, const PpL2Normalize*);
std::int32_t l2NormalizeGradient(const PpCall*, const PpL2NormalizeGradient*);
std::int32_t batchMoments(const PpCall*, const PpBatchMoments*);
std::int32_t batchNormOfMoments(const PpCall*, const PpBatchNormOfMoments*);
std::int32_t batchNormGradientSums(const PpCall*, const PpBatchNormGradientSums*);
std::int32_t batchNormGradientOfSums(const PpCall*, const PpBatchNormGradientOfSums*);
std::int32_t signedLog(const PpCall*, const PpSignedLog*);
std::int32_t quantile(const PpCall*, const PpQuantile*);
std::int32_t attention(const PpCall*, const PpAttention*);
std::int32_t attentionGradient(const PpCall*, const PpAttentionGradient*);
std::int32_t addPositions(const PpCall*, const PpAddPositions*);
std::int32_t addPositionsGradient(const PpCall*, const PpAddPositionsGradient*);
std::int32_t pool(const PpCall*, const PpPool*);
std::int32_t poolGradient(const PpCall*, const PpPoolGradient*);
std::int32_t softmaxBySequence(const PpCall*, const PpSoftmaxBySequence*);
std::int32_t softmaxBySequenceGradient(const PpCall*, const PpSoftmaxBySequenceGradient*);
std::int32_t scatterRows(const PpCall*, const PpScatterRows*);
std::int32_t replaceRows(const PpCall*, const PpReplaceRows*);
std::int32_t tableSoftmax(const PpCall*, const PpTableSoftmax*);
std::int32_t topK(const PpCall*, const PpTopK*);

}  // namespace parapet::tensor::cpu
