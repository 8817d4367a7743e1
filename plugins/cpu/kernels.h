// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/tensor/plugin_abi.h"

/// The kernels that this plugin writes for its instruction set, one file a family; the rest of the
/// table are the portable ones, compiled for it.
namespace parapet::plugin {

std::int32_t gatherRows(const PpCall*, const PpGatherRows*);
std::int32_t groupRows(const PpCall*, const PpGroupRows*);
std::int32_t sgd(const PpCall*, const PpSgd*);
std::int32_t adagrad(const PpCall*, const PpAdagrad*);
std::int32_t rowwiseAdagrad(const PpCall*, const PpRowwiseAdagrad*);
std::int32_t adam(const PpCall*, const PpAdam*);
std::int32_t matmul(const PpCall*, const PpMatmul*);
std::int32_t dotRows(const PpCall*, const PpDotRows*);
std::int32_t squaredError(const PpCall*, const PpSquaredError*);
std::int32_t scanScores(const PpCall*, const PpScanScores*);

/// Tables beyond this do not stay in a core's cache: their rows are asked for ahead of use.
inline constexpr std::int64_t kCachedNumbers = 256 * 1024;
/// How many rows ahead.
inline constexpr std::int64_t kRowsAhead = 16;

/// Runs body(begin, end) over [0, count) in blocks of `grain`, cut by count and grain alone.
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

/// Rows per block so that a block is worth handing to a worker (about 64 Ki numbers).
inline std::int64_t rowGrain(std::int64_t width) {
  constexpr std::int64_t kNumbers = 64 * 1024;
  return width >= kNumbers ? 1 : kNumbers / width;
}

/// The same for rows of a parameter, by the terms that are merged into them.
inline std::int64_t updateGrain(const PpUpdateTarget& target) {
  const std::int64_t grain = rowGrain(target.width);
  return target.places <= target.count ? grain : 1 + grain * target.count / target.places;
}

}  // namespace parapet::plugin
