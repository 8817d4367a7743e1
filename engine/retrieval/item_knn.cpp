// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "engine/retrieval/baseline_lists.h"
#include "engine/retrieval/best_scores.h"

namespace parapet::retrieval {
namespace {

class ItemKnn final : public BaselineLists {
 public:
  ItemKnn(const Interactions& interactions, std::span<const std::uint8_t> eligible)
      : interactions_(interactions), eligible_(eligible), neighbours_(eligible.size()) {}

  /// False if it was cancelled.
  bool fit(const ItemKnnOptions& options, Workers* workers, const WorkContext& context) {
    std::vector<std::vector<std::int32_t>> users(eligible_.size());
    for (std::int32_t user = 1; user < interactions_.users(); ++user)
      for (const std::int32_t item : trainingItems(interactions_, user))
        users[static_cast<std::size_t>(item)].push_back(user);
    // Each block has counts of its own.
    constexpr std::size_t kBlock = 64;
    const auto blocks = static_cast<std::int64_t>((eligible_.size() + kBlock - 1) / kBlock);
    runBlocks(workers, blocks, [&](std::int64_t block) {
      std::vector<std::int32_t> common(eligible_.size()), touched;
      const std::size_t first = static_cast<std::size_t>(block) * kBlock;
      for (std::size_t i = std::max<std::size_t>(1, first);
           i < std::min(eligible_.size(), first + kBlock) && !context.cancelled(); ++i)
        findNeighbours(i, users, options, common, touched);
    });
    return !context.cancelled();
  }

  [[nodiscard]] std::vector<Scored> list(std::int32_t user, std::int64_t, std::int64_t k,
                                         std::span<const std::int32_t> excluded) const override {
    std::vector<float> scores(eligible_.size());
    for (const std::int32_t item : trainingItems(interactions_, user))
      for (const Scored& near : neighbours_[static_cast<std::size_t>(item)])
        scores[static_cast<std::size_t>(near.item)] += near.score;
    return bestScores(scores, eligible_, k, excluded);
  }

 private:
  // `common` is all 0 before and after. Only what shares a user is looked at: a pass over all items
  // for each would take the square of a large catalogue.
  void findNeighbours(std::size_t i, const std::vector<std::vector<std::int32_t>>& users,
                      const ItemKnnOptions& options, std::vector<std::int32_t>& common,
                      std::vector<std::int32_t>& touched) {
    touched.clear();
    for (const std::int32_t user : users[i])
      for (const std::int32_t j : trainingItems(interactions_, user))
        if (common[static_cast<std::size_t>(j)]++ == 0) touched.push_back(j);
    std::vector<Scored>& near = neighbours_[i];
    for (const std::int32_t row : touched) {
      const auto j = static_cast<std::size_t>(row);
      if (j != i)
        near.push_back(
            {row, static_cast<float>(common[j] / (std::sqrt(static_cast<double>(users[i].size()) *
                                                            static_cast<double>(users[j].size())) +
                                                  options.shrinkage))});
      common[j] = 0;
    }
    const auto kept = std::min(near.size(), static_cast<std::size_t>(options.neighbours));
    std::partial_sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(kept), near.end(),
                      isBetter);
    near.resize(kept);
    near.shrink_to_fit();
  }

  const Interactions& interactions_;
  std::span<const std::uint8_t> eligible_;
  std::vector<std::vector<Scored>> neighbours_;  ///< by item row, best first
};

}  // namespace

std::unique_ptr<BaselineLists> itemKnn(const Interactions& interactions,
                                       std::span<const std::uint8_t> eligible,
                                       const ItemKnnOptions& options, Workers* workers,
                                       const WorkContext& context) {
  auto made = std::make_unique<ItemKnn>(interactions, eligible);
  if (!made->fit(options, workers, context)) return nullptr;
  return made;
}

}  // namespace parapet::retrieval
