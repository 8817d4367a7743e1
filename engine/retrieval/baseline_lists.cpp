// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/baseline_lists.h"

#include <algorithm>
#include <cmath>

#include "engine/retrieval/symmetric_inverse.h"

namespace parapet::retrieval {
namespace {

using experiment::SplitPart;

std::vector<Scored> byPopularity(std::span<const std::int64_t> popularity,
                                 std::span<const std::uint8_t> eligible) {
  std::vector<Scored> items;
  for (std::size_t item = 1; item < eligible.size(); ++item)
    if (eligible[item])
      items.push_back({static_cast<std::int32_t>(item), static_cast<float>(popularity[item])});
  std::ranges::stable_sort(items, isBetter);
  return items;
}

class Popular final : public BaselineLists {
 public:
  explicit Popular(std::vector<Scored> items) : items_(std::move(items)) {}
  [[nodiscard]] std::vector<Scored> list(std::int32_t, std::int64_t, std::int64_t k,
                                         std::span<const std::int32_t> excluded) const override {
    std::vector<Scored> list;
    for (const Scored& item : items_) {
      if (static_cast<std::int64_t>(list.size()) == k) break;
      if (!std::ranges::binary_search(excluded, item.item)) list.push_back(item);
    }
    return list;
  }

 private:
  std::vector<Scored> items_;
};

class PopularInContext final : public BaselineLists {
 public:
  PopularInContext(const data::Dataset& dataset, const std::vector<std::string>& contexts,
                   const Interactions& interactions, std::span<const std::uint8_t> eligible,
                   const WorkContext& context)
      : overall_(byPopularity(interactions.popularity(), eligible)) {
    for (const std::string& column : contexts)
      if (dataset.idColumn(column))
        ids_.push_back(dataset.ids(column));
      else
        numbers_.push_back(dataset.denseValues(column));
    std::vector<std::pair<std::size_t, std::int32_t>> rows;  // context, item
    for (std::int64_t row = 0; row < dataset.rows() && !context.cancelled(); ++row)
      if (interactions.partOf(row) == SplitPart::kTrain)
        if (const std::int32_t item = interactions.item(row);
            eligible[static_cast<std::size_t>(item)])
          rows.emplace_back(contexts_.try_emplace(keyOf(row), contexts_.size()).first->second,
                            item);
    std::ranges::sort(rows);
    lists_.resize(contexts_.size());
    for (auto first = rows.begin(); first != rows.end();) {
      const auto last =
          std::find_if(first, rows.end(), [&](const auto& row) { return row != *first; });
      lists_[first->first].push_back({first->second, static_cast<float>(last - first)});
      first = last;
    }
    std::vector<std::int32_t> overallRank(eligible.size());
    for (std::size_t at = 0; at < overall_.size(); ++at)
      overallRank[static_cast<std::size_t>(overall_[at].item)] = static_cast<std::int32_t>(at);
    for (std::vector<Scored>& list : lists_)
      std::ranges::sort(list, [&](const Scored& a, const Scored& b) {
        return a.score > b.score ||
               (a.score == b.score && overallRank[static_cast<std::size_t>(a.item)] <
                                          overallRank[static_cast<std::size_t>(b.item)]);
      });
  }
  [[nodiscard]] bool readsRow() const override { return true; }
  [[nodiscard]] std::vector<Scored> list(std::int32_t, std::int64_t row, std::int64_t k,
                                         std::span<const std::int32_t> excluded) const override {
    std::vector<Scored> list;
    const auto add = [&](const std::vector<Scored>& from) {
      for (const Scored& item : from) {
        if (static_cast<std::int64_t>(list.size()) == k) return;
        if (!std::ranges::binary_search(excluded, item.item)) list.push_back(item);
      }
    };
    const auto context = contexts_.find(keyOf(row));
    if (context == contexts_.end()) {
      add(overall_);
      return list;
    }
    add(lists_[context->second]);
    // The others follow, of which this context knows nothing.
    std::vector<std::int32_t> listed;
    for (const Scored& item : list) listed.push_back(item.item);
    std::ranges::sort(listed);
    for (const Scored& item : overall_) {
      if (static_cast<std::int64_t>(list.size()) == k) break;
      if (!std::ranges::binary_search(excluded, item.item) &&
          !std::ranges::binary_search(listed, item.item))
        list.push_back({item.item, 0.0f});
    }
    return list;
  }

 private:
  [[nodiscard]] std::vector<double> keyOf(std::int64_t row) const {
    std::vector<double> key;
    for (const auto& ids : ids_) key.push_back(ids[static_cast<std::size_t>(row)]);
    for (const auto& of : numbers_)
      key.push_back(static_cast<double>(of[static_cast<std::size_t>(row)]));
    return key;
  }

  std::vector<std::span<const std::int32_t>> ids_;
  std::vector<std::span<const float>> numbers_;
  std::map<std::vector<double>, std::size_t> contexts_;
  std::vector<std::vector<Scored>> lists_;
  std::vector<Scored> overall_;
};

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

std::unique_ptr<BaselineLists> mostPopular(std::span<const std::int64_t> popularity,
                                           std::span<const std::uint8_t> eligible) {
  return std::make_unique<Popular>(byPopularity(popularity, eligible));
}

std::unique_ptr<BaselineLists> mostPopularInContext(const data::Dataset& dataset,
                                                    const std::vector<std::string>& contexts,
                                                    const Interactions& interactions,
                                                    std::span<const std::uint8_t> eligible,
                                                    const WorkContext& context) {
  return std::make_unique<PopularInContext>(dataset, contexts, interactions, eligible, context);
}

std::unique_ptr<BaselineLists> itemKnn(const Interactions& interactions,
                                       std::span<const std::uint8_t> eligible,
                                       const ItemKnnOptions& options, Workers* workers,
                                       const WorkContext& context) {
  auto made = std::make_unique<ItemKnn>(interactions, eligible);
  if (!made->fit(options, workers, context)) return nullptr;
  return made;
}

std::unique_ptr<BaselineLists> ease(const Interactions& interactions,
                                    std::span<const std::uint8_t> eligible, double lambda,
                                    Workers* workers, const WorkContext& context) {
  auto made = std::make_unique<Ease>(interactions, eligible);
  if (!made->fit(lambda, workers, context)) return nullptr;
  return made;
}

}  // namespace parapet::retrieval
