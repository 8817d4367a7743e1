// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/tensor/plugin_abi.h"

/// The op table: a function launches its kernels on the stream of the call and returns. Contracts are
/// those of the ABI headers.
namespace parapet::cuda {

std::int32_t fill(const PpCall* call, const PpFill* args);
std::int32_t gatherRows(const PpCall* call, const PpGatherRows* args);
std::int32_t groupRows(const PpCall* call, const PpGroupRows* args);
std::int32_t sgd(const PpCall* call, const PpSgd* args);
std::int32_t adagrad(const PpCall* call, const PpAdagrad* args);
std::int32_t rowwiseAdagrad(const PpCall* call, const PpRowwiseAdagrad* args);
std::int32_t adam(const PpCall* call, const PpAdam* args);
std::int32_t matmul(const PpCall* call, const PpMatmul* args);
std::int32_t biasActivation(const PpCall* call, const PpBiasActivation* args);
std::int32_t biasActivationGradient(const PpCall* call, const PpBiasActivationGradient* args);
std::int32_t dotRows(const PpCall* call, const PpDotRows* args);
std::int32_t dotRowsGradient(const PpCall* call, const PpDotRowsGradient* args);
std::int32_t squaredError(const PpCall* call, const PpSquaredError* args);
std::int32_t copyColumns(const PpCall* call, const PpCopyColumns* args);
std::int32_t sumParts(const PpCall* call, const PpSumParts* args);
std::int32_t scanScores(const PpCall* call, const PpScanScores* args);
std::int32_t ftrl(const PpCall* call, const PpFtrl* args);
std::int32_t decayRows(const PpCall* call, const PpDecayRows* args);
std::int32_t mergeRows(const PpCall* call, const PpMergeRows* args);
std::int32_t sumSquares(const PpCall* call, const PpSumSquares* args);
std::int32_t scaleClamp(const PpCall* call, const PpScaleClamp* args);
std::int32_t innerProduct(const PpCall* call, const PpInnerProduct* args);
std::int32_t logisticLoss(const PpCall* call, const PpLogisticLoss* args);
std::int32_t pairLoss(const PpCall* call, const PpPairLoss* args);
std::int32_t listMle(const PpCall* call, const PpListMle* args);
std::int32_t negativesLoss(const PpCall* call, const PpNegativesLoss* args);
std::int32_t bagRows(const PpCall* call, const PpBagRows* args);
std::int32_t bagScales(const PpCall* call, const PpBagScales* args);
std::int32_t cross(const PpCall* call, const PpCross* args);
std::int32_t crossGradient(const PpCall* call, const PpCrossGradient* args);
std::int32_t dotInteraction(const PpCall* call, const PpDotInteraction* args);
std::int32_t dotInteractionGradient(const PpCall* call, const PpDotInteractionGradient* args);
std::int32_t dropout(const PpCall* call, const PpDropout* args);
std::int32_t layerNorm(const PpCall* call, const PpLayerNorm* args);
std::int32_t layerNormGradient(const PpCall* call, const PpLayerNormGradient* args);
std::int32_t batchNorm(const PpCall* call, const PpBatchNorm* args);
std::int32_t batchNormGradient(const PpCall* call, const PpBatchNormGradient* args);
std::int32_t signedLog(const PpCall* call, const PpSignedLog* args);
std::int32_t quantile(const PpCall* call, const PpQuantile* args);
std::int32_t meanSquares(const PpCall* call, const PpMeanSquares* args);
std::int32_t l2Normalize(const PpCall* call, const PpL2Normalize* args);
std::int32_t l2NormalizeGradient(const PpCall* call, const PpL2NormalizeGradient* args);
std::int32_t batchMoments(const PpCall* call, const PpBatchMoments* args);
std::int32_t batchNormOfMoments(const PpCall* call, const PpBatchNormOfMoments* args);
std::int32_t batchNormGradientSums(const PpCall* call, const PpBatchNormGradientSums* args);
std::int32_t batchNormGradientOfSums(const PpCall* call, const PpBatchNormGradientOfSums* args);
std::int32_t attention(const PpCall* call, const PpAttention* args);
std::int32_t attentionGradient(const PpCall* call, const PpAttentionGradient* args);
std::int32_t addPositions(const PpCall* call, const PpAddPositions* args);
std::int32_t addPositionsGradient(const PpCall* call, const PpAddPositionsGradient* args);
std::int32_t pool(const PpCall* call, const PpPool* args);
std::int32_t poolGradient(const PpCall* call, const PpPoolGradient* args);
std::int32_t softmaxBySequence(const PpCall* call, const PpSoftmaxBySequence* args);
std::int32_t softmaxBySequenceGradient(const PpCall* call, const PpSoftmaxBySequenceGradient* args);
std::int32_t scatterRows(const PpCall* call, const PpScatterRows* args);
std::int32_t replaceRows(const PpCall* call, const PpReplaceRows* args);
std::int32_t tableSoftmax(const PpCall* call, const PpTableSoftmax* args);
std::int32_t topK(const PpCall* call, const PpTopK* args);

/// All of them.
const PpOps& ops();

}  // namespace parapet::cuda
