// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "engine/retrieval/baseline_lists.h"
#include "engine/retrieval/symmetric_inverse.h"

namespace parapet::retrieval {
namespace {

/// X by its rows or by its columns: the ascending indices of its ones.
using Incidence = std::vector<std::vector<std::int32_t>>;

class Ease final : public BaselineLists {
 public:
  Ease(const Interactions& interactions, std::span<const std::uint8_t> eligible, EaseGram gram)
      : interactions_(interactions),
        eligible_(eligible),
        indexOf_(eligible.size(), -1),
        userIndexOf_(static_cast<std::size_t>(interactions.users()), -1) {
    const auto popularity = interactions.popularity();
    for (std::size_t row = 1; row < eligible.size(); ++row) {
      if (popularity[row] == 0) continue;
      indexOf_[row] = static_cast<std::int32_t>(rowOf_.size());
      rowOf_.push_back(static_cast<std::int32_t>(row));
    }
    usersOf_.resize(rowOf_.size());
    for (std::int32_t user = 1; user < interactions.users(); ++user) {
      std::vector<std::int32_t> items;
      for (const std::int32_t item : trainingItems(interactions, user))
        if (const std::int32_t index = indexOf_[static_cast<std::size_t>(item)]; index >= 0)
          items.push_back(index);
      if (items.empty()) continue;
      const auto index = static_cast<std::int32_t>(itemsOf_.size());
      userIndexOf_[static_cast<std::size_t>(user)] = index;
      for (const std::int32_t item : items)
        usersOf_[static_cast<std::size_t>(item)].push_back(index);
      itemsOf_.push_back(std::move(items));
    }
    byUsers_ = gram == EaseGram::kUsers ||
               (gram == EaseGram::kSmaller && itemsOf_.size() < usersOf_.size());
  }

  /// False if it was cancelled.
  bool fit(double lambda, Workers* workers, const WorkContext& context) {
    if (!invertGram(byUsers_ ? itemsOf_ : usersOf_, byUsers_ ? usersOf_ : itemsOf_, lambda, workers,
                    context))
      return false;
    divisors_.resize(rowOf_.size());
    if (byUsers_) return findDiagonal(lambda, workers, context);
    // B_ij = −P_ij / P_jj; the divisor is applied to scores.
    for (std::size_t index = 0; index < rowOf_.size(); ++index)
      divisors_[index] = std::exchange(inverse_[index * (rowOf_.size() + 1)], 0.0f);
    usersOf_ = itemsOf_ = {};
    return true;
  }

  [[nodiscard]] std::vector<Scored> list(std::int32_t user, std::int64_t, std::int64_t k,
                                         std::span<const std::int32_t> excluded) const override {
    std::vector<float> scores(eligible_.size());
    if (const std::int32_t index = userIndexOf_[static_cast<std::size_t>(user)]; index >= 0) {
      std::vector<double> sums(rowOf_.size());
      if (byUsers_)
        addRowOfUsers(static_cast<std::size_t>(index), sums);
      else
        addRowsOfItems(user, sums);
      for (std::size_t item = 0; item < sums.size(); ++item)
        scores[static_cast<std::size_t>(rowOf_[item])] =
            static_cast<float>(-sums[item] / static_cast<double>(divisors_[item]));
      // Without diag(B) = 0 taken out: x − (x·P) / diag(P).
      if (byUsers_)
        for (const std::int32_t item : itemsOf_[static_cast<std::size_t>(index)])
          scores[static_cast<std::size_t>(rowOf_[static_cast<std::size_t>(item)])] += 1.0f;
    }
    return bestScores(scores, eligible_, k, excluded);
  }

 private:
  /// (A·Aᵀ + λI)⁻¹ of a matrix by its rows and by its columns.
  bool invertGram(const Incidence& rows, const Incidence& columns, double lambda, Workers* workers,
                  const WorkContext& context) {
    const auto n = std::ssize(rows);
    inverse_.assign(static_cast<std::size_t>(n * n), 0.0f);
    runBlocks(workers, n, [&](std::int64_t index) {
      if (context.cancelled()) return;
      float* to = inverse_.data() + index * n;
      for (const std::int32_t column : rows[static_cast<std::size_t>(index)])
        for (const std::int32_t other : columns[static_cast<std::size_t>(column)]) {
          if (other > index) break;  // ascending
          to[other] += 1.0f;
        }
      to[index] += static_cast<float>(lambda);
    });
    return !context.cancelled() && invertSymmetric(inverse_, n, workers, context);
  }

  /// P_jj = (1 − x_jᵀ·K·x_j) / λ of the column x_j of an item; at least 1/(λ + |x_j|²), below which
  /// only rounding gets.
  bool findDiagonal(double lambda, Workers* workers, const WorkContext& context) {
    const std::size_t n = itemsOf_.size();
    runBlocks(workers, std::ssize(usersOf_), [&](std::int64_t index) {
      if (context.cancelled()) return;
      const std::vector<std::int32_t>& users = usersOf_[static_cast<std::size_t>(index)];
      double sum = 0.0;
      for (const std::int32_t user : users) {
        const float* row = inverse_.data() + static_cast<std::size_t>(user) * n;
        for (const std::int32_t other : users) sum += static_cast<double>(row[other]);
      }
      divisors_[static_cast<std::size_t>(index)] = static_cast<float>(
          std::max((1.0 - sum) / lambda, 1.0 / (lambda + static_cast<double>(users.size()))));
    });
    usersOf_ = {};
    return !context.cancelled();
  }

  // x·P by the rows of P that the user's items have; its diagonal is 0 here.
  void addRowsOfItems(std::int32_t user, std::vector<double>& sums) const {
    for (const std::int32_t item : trainingItems(interactions_, user)) {
      const std::int32_t index = indexOf_[static_cast<std::size_t>(item)];
      if (index < 0) continue;
      const float* row = inverse_.data() + static_cast<std::size_t>(index) * sums.size();
      for (std::size_t other = 0; other < sums.size(); ++other)
        sums[other] += static_cast<double>(row[other]);
    }
  }

  // x·P of a row x of X, which is K·X at that row.
  void addRowOfUsers(std::size_t index, std::vector<double>& sums) const {
    const float* row = inverse_.data() + index * itemsOf_.size();
    for (std::size_t other = 0; other < itemsOf_.size(); ++other)
      for (const std::int32_t item : itemsOf_[other])
        sums[static_cast<std::size_t>(item)] += static_cast<double>(row[other]);
  }

  const Interactions& interactions_;
  std::span<const std::uint8_t> eligible_;
  std::vector<std::int32_t> indexOf_, rowOf_;  ///< by item row; by index
  std::vector<std::int32_t> userIndexOf_;      ///< by user row
  Incidence itemsOf_, usersOf_;                ///< by index, as long as they are needed
  bool byUsers_ = false;
  std::vector<float> inverse_;   ///< P without its diagonal, or K
  std::vector<float> divisors_;  ///< diag(P)
};

}  // namespace

std::int64_t easeSide(const Interactions& interactions) {
  std::int64_t users = 0;
  for (std::int32_t user = 1; user < interactions.users(); ++user)
    users += trainingItems(interactions, user).empty() ? 0 : 1;
  const std::int64_t items =
      std::ranges::count_if(interactions.popularity(), [](auto rows) { return rows > 0; });
  return std::min(users, items);
}

std::unique_ptr<BaselineLists> ease(const Interactions& interactions,
                                    std::span<const std::uint8_t> eligible, double lambda,
                                    Workers* workers, const WorkContext& context, EaseGram gram) {
  auto made = std::make_unique<Ease>(interactions, eligible, gram);
  if (!made->fit(lambda, workers, context)) return nullptr;
  return made;
}

}  // namespace parapet::retrieval
