// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/tensor/plugin_abi.h"

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

/// Runs body(begin, end) over [0, count) in blocks of `grain`. The cut depends on count and grain
/// alone, so the number of workers changes no result.
template <class Body>
void forBlocks(const PpCall* call, std::int64_t count, std::int64_t grain, const Body& body) {
  struct Range {
    const Body* body;
    std::int64_t count, grain;
  } range{&body, count, grain};
  const std::int64_t blocks = (count + grain - 1) / grain;
  if (blocks <= 1) {
    if (count > 0) body(std::int64_t{0}, count);
    return;
  }
  call->parallelFor(
      call->parallelContext, blocks,
      [](void* argument, std::int64_t block) {
        const auto& r = *static_cast<const Range*>(argument);
        const std::int64_t begin = block * r.grain;
        (*r.body)(begin, begin + r.grain < r.count ? begin + r.grain : r.count);
      },
      &range);
}

/// Rows per block so that a block is worth waking a worker for (about 64 Ki elements).
inline std::int64_t rowGrain(std::int64_t width) {
  constexpr std::int64_t kElements = 64 * 1024;
  return width >= kElements ? 1 : kElements / width;
}

/// The same for rows of a parameter, by the terms that are merged into them.
inline std::int64_t updateGrain(const PpUpdateTarget& target) {
  const std::int64_t grain = rowGrain(target.width);
  return target.places <= target.count ? grain : 1 + grain * target.count / target.places;
}

}  // namespace parapet::tensor::cpu
