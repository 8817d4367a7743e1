// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/best_scores.h"

#include <algorithm>

namespace parapet::retrieval {

std::vector<Scored> bestScores(std::span<const float> scores,
                               std::span<const std::uint8_t> eligible, std::int64_t k,
                               std::span<const std::int32_t> excluded) {
  std::vector<Scored> items;
  auto skip = excluded.begin();
  for (std::size_t row = 1; row < eligible.size(); ++row) {
    const auto item = static_cast<std::int32_t>(row);
    while (skip != excluded.end() && *skip < item) ++skip;
    if (eligible[row] && (skip == excluded.end() || *skip != item))
      items.push_back({item, scores[row]});
  }
  const auto length = std::min(items.size(), static_cast<std::size_t>(k));
  std::partial_sort(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(length), items.end(),
                    isBetter);
  items.resize(length);
  return items;
}

std::span<const std::int32_t> trainingItems(const Interactions& interactions, std::int32_t user) {
  return user == 0 ? std::span<const std::int32_t>{} : interactions.items(SplitPart::kTrain, user);
}

}  // namespace parapet::retrieval
