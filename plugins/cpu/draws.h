// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace parapet::plugin {

/// Which elements are dropped, as in PpDropout.
struct Draws {
  std::uint64_t key, first;
  std::uint32_t dropBelow;
  float scale;  ///< factor of kept elements; not 0
};

/// factors[i] = 0 where draw(key, first + i) < dropBelow, else scale.
void keepFactors(float* factors, std::int64_t count, const Draws& draws);

}  // namespace parapet::plugin
