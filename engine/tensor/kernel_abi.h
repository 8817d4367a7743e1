// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/tensor/plugin_abi.h"

/// How kernels in C++ cut their work for the host's workers, on either side of the border.
namespace parapet::tensor {

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

}  // namespace parapet::tensor
