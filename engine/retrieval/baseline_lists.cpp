// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/baseline_lists.h"

#include <algorithm>

#include "engine/retrieval/best_scores.h"

namespace parapet::retrieval {

using experiment::SplitPart;

namespace {

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

}  // namespace

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

}  // namespace parapet::retrieval
