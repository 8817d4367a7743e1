// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/cuda/device_code.h"

namespace parapet::cuda {

/// The sequence that a position is in, and where that begins and ends.
struct SequenceOf {
  std::int64_t sequence, begin, end;
};

inline PP_DEVICE SequenceOf sequenceOf(const std::int32_t* offsets, std::int64_t sequences,
                                       std::int64_t position) {
  const std::int64_t at = position + offsets[0];
  std::int64_t low = 0, high = sequences;  // offsets[low] <= at < offsets[high]
  while (high - low > 1) {
    const std::int64_t middle = (low + high) / 2;
    if (offsets[middle] <= at)
      low = middle;
    else
      high = middle;
  }
  return {low, offsets[low] - offsets[0], offsets[low + 1] - offsets[0]};
}

}  // namespace parapet::cuda
