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
std::int32_t biasActivation(const PpCall*, const PpBiasActivation*);
std::int32_t biasActivationGradient(const PpCall*, const PpBiasActivationGradient*);
std::int32_t dotRows(const PpCall*, const PpDotRows*);
std::int32_t dotRowsGradient(const PpCall*, const PpDotRowsGradient*);
std::int32_t squaredError(const PpCall*, const PpSquaredError*);
std::int32_t copyColumns(const PpCall*, const PpCopyColumns*);
std::int32_t sumParts(const PpCall*, const PpSumParts*);
std::int32_t scanScores(const PpCall*, const PpScanScores*);

}  // namespace parapet::tensor::cpu
