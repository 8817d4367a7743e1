// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/retrieval/baseline_lists.h"
#include "engine/retrieval/best_scores.h"
#include "engine/retrieval/symmetric_inverse.h"

namespace parapet::retrieval {
namespace {

/// Items of training rows alone: the others have a score of 0.
class Ease final : public BaselineLists {
 public:
  Ease(const Interactions& interactions, std::span<const std::uint8_t> eligible)
      : interactions_(interactions), eligible_(eligible), indexOf_(eligible.size(), -1) {
    std::vector<std::vector<std::int32_t>> users(eligible.size());
    for (std::int32_t user = 1; user < interactions.users(); ++user)
      for (const std::int32_t item : trainingItems(interactions, user))
        users[static_cast<std::size_t>(item)].push_back(user);
    for (std::size_t row = 0; row < eligible.size(); ++row) {
      if (users[row].empty()) continue;
      indexOf_[row] = static_cast<std::int32_t>(rowOf_.size());
      rowOf_.push_back(static_cast<std::int32_t>(row));
      usersOf_.push_back(std::move(users[row]));
    }
  }

  /// False if it was cancelled.
  bool fit(double lambda, Workers* workers, const WorkContext& context) {
    const auto n = static_cast<std::int64_t>(rowOf_.size());
    inverse_.assign(static_cast<std::size_t>(n * n), 0.0f);
    runBlocks(workers, n, [&](std::int64_t index) {
      if (context.cancelled()) return;
      float* row = inverse_.data() + index * n;
      for (const std::int32_t user : usersOf_[static_cast<std::size_t>(index)])
        for (const std::int32_t item : trainingItems(interactions_, user)) {
          const std::int32_t other = indexOf_[static_cast<std::size_t>(item)];
          if (other > index) break;  // ascending
          row[other] += 1.0f;
        }
      row[index] += static_cast<float>(lambda);
    });
    usersOf_ = {};
    if (!invertSymmetric(inverse_, n, workers, context)) return false;
    // B_ij = −P_ij / P_jj; the divisor is applied to scores.
    for (std::int64_t index = 0; index < n; ++index) {
      float& diagonal = inverse_[static_cast<std::size_t>(index * (n + 1))];
      divisors_.push_back(-diagonal);
      diagonal = 0.0f;
    }
    return true;
  }

  [[nodiscard]] std::vector<Scored> list(std::int32_t user, std::int64_t, std::int64_t k,
                                         std::span<const std::int32_t> excluded) const override {
    const std::size_t n = rowOf_.size();
    std::vector<float> sums(n), scores(eligible_.size());
    for (const std::int32_t item : trainingItems(interactions_, user)) {
      const float* row =
          inverse_.data() + static_cast<std::size_t>(indexOf_[static_cast<std::size_t>(item)]) * n;
      for (std::size_t other = 0; other < n; ++other) sums[other] += row[other];
    }
    for (std::size_t index = 0; index < n; ++index)
      scores[static_cast<std::size_t>(rowOf_[index])] = sums[index] / divisors_[index];
    return bestScores(scores, eligible_, k, excluded);
  }

 private:
  const Interactions& interactions_;
  std::span<const std::uint8_t> eligible_;
  std::vector<std::int32_t> indexOf_, rowOf_;       ///< by item row; by index
  std::vector<std::vector<std::int32_t>> usersOf_;  ///< by index, until it is fitted
  std::vector<float> inverse_, divisors_;           ///< P without its diagonal; −diag(P)
};

}  // namespace

std::unique_ptr<BaselineLists> ease(const Interactions& interactions,
                                    std::span<const std::uint8_t> eligible, double lambda,
                                    Workers* workers, const WorkContext& context) {
  auto made = std::make_unique<Ease>(interactions, eligible);
  if (!made->fit(lambda, workers, context)) return nullptr;
  return made;
}

}  // namespace parapet::retrieval
