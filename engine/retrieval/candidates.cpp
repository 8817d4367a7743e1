// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/candidates.h"

#include <algorithm>

namespace parapet::retrieval {

std::vector<std::uint8_t> candidateMask(const data::Vocabulary& items) {
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(items.size()));
  for (std::int64_t row = 0; row < items.size(); ++row)
    mask[static_cast<std::size_t>(row)] = items.isCandidate(row) ? 1 : 0;
  return mask;
}

std::int64_t candidateCount(const data::Vocabulary& items) {
  return std::ranges::count(candidateMask(items), std::uint8_t{1});
}

}  // namespace parapet::retrieval
