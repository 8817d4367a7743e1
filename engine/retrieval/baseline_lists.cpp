// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/baseline_lists.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "engine/data/dataset/user_groups.h"
#include "engine/data/dataset/user_history.h"

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

/// Lists that were counted, each followed by the items that it has not, by popularity; that order alone
/// where there is no list.
class CountedLists : public BaselineLists {
 public:
  CountedLists(const Interactions& interactions, std::span<const std::uint8_t> eligible)
      : interactions_(interactions),
        eligible_(eligible),
        overall_(byPopularity(interactions.popularity(), eligible)) {}

  [[nodiscard]] std::vector<Scored> list(std::int32_t user, std::int64_t row, std::int64_t k,
                                         std::span<const std::int32_t> excluded) const override {
    std::vector<Scored> list;
    const auto isFull = [&] { return static_cast<std::int64_t>(list.size()) == k; };
    const std::optional<std::size_t> at = listOf(user, row);
    if (at)
      for (const Scored& item : lists_[*at]) {
        if (isFull()) return list;
        if (!std::ranges::binary_search(excluded, item.item)) list.push_back(item);
      }
    // The others follow, of which the list knows nothing.
    std::vector<std::int32_t> listed;
    for (const Scored& item : list) listed.push_back(item.item);
    std::ranges::sort(listed);
    for (const Scored& item : overall_) {
      if (isFull()) break;
      if (!std::ranges::binary_search(excluded, item.item) &&
          !std::ranges::binary_search(listed, item.item))
        list.push_back({item.item, at ? 0.0f : item.score});
    }
    return list;
  }

 protected:
  /// Index of the list that a query has.
  [[nodiscard]] virtual std::optional<std::size_t> listOf(std::int32_t user,
                                                          std::int64_t row) const = 0;
  [[nodiscard]] bool isEligible(std::int32_t item) const {
    return eligible_[static_cast<std::size_t>(item)] != 0;
  }
  /// Each pair of a list and an item counts; ties by popularity.
  void countPairs(std::vector<std::pair<std::int32_t, std::int32_t>> pairs, std::size_t lists) {
    std::ranges::sort(pairs);
    lists_.resize(lists);
    for (auto first = pairs.begin(); first != pairs.end();) {
      const auto last =
          std::find_if(first, pairs.end(), [&](const auto& pair) { return pair != *first; });
      lists_[static_cast<std::size_t>(first->first)].push_back(
          {first->second, static_cast<float>(last - first)});
      first = last;
    }
    std::vector<std::int32_t> overallRank(eligible_.size());
    for (std::size_t at = 0; at < overall_.size(); ++at)
      overallRank[static_cast<std::size_t>(overall_[at].item)] = static_cast<std::int32_t>(at);
    for (std::vector<Scored>& list : lists_)
      std::ranges::sort(list, [&](const Scored& a, const Scored& b) {
        return a.score > b.score ||
               (a.score == b.score && overallRank[static_cast<std::size_t>(a.item)] <
                                          overallRank[static_cast<std::size_t>(b.item)]);
      });
  }

  const Interactions& interactions_;
  std::span<const std::uint8_t> eligible_;
  std::vector<std::vector<Scored>> lists_;
  std::vector<Scored> overall_;
};

class PopularInContext final : public CountedLists {
 public:
  PopularInContext(const data::Dataset& dataset, const std::vector<std::string>& contexts,
                   const Interactions& interactions, std::span<const std::uint8_t> eligible,
                   const WorkContext& context)
      : CountedLists(interactions, eligible) {
    for (const std::string& column : contexts)
      if (dataset.idColumn(column))
        ids_.push_back(dataset.ids(column));
      else
        numbers_.push_back(dataset.denseValues(column));
    std::vector<std::pair<std::int32_t, std::int32_t>> rows;  // context, item
    for (std::int64_t row = 0; row < dataset.rows() && !context.cancelled(); ++row)
      if (interactions.partOf(row) == SplitPart::kTrain)
        if (const std::int32_t item = interactions.item(row); isEligible(item))
          rows.emplace_back(static_cast<std::int32_t>(
                                contexts_.try_emplace(keyOf(row), contexts_.size()).first->second),
                            item);
    countPairs(std::move(rows), contexts_.size());
  }
  [[nodiscard]] bool readsRow() const override { return true; }

 private:
  [[nodiscard]] std::optional<std::size_t> listOf(std::int32_t, std::int64_t row) const override {
    const auto context = contexts_.find(keyOf(row));
    return context == contexts_.end() ? std::nullopt : std::optional(context->second);
  }
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
};

class OwnItems final : public CountedLists {
 public:
  OwnItems(const data::Dataset& dataset, const Interactions& interactions,
           std::span<const std::uint8_t> eligible, const WorkContext& context)
      : CountedLists(interactions, eligible) {
    struct Row {
      std::int32_t item;
      std::int64_t when, row;
    };
    struct Own {
      Scored item;
      Row last;
    };
    const data::EventColumns events(dataset, context.stop);
    lists_.resize(static_cast<std::size_t>(interactions.users()));
    const data::UserGroups users(
        events.users, events.userCount, events.onConsumed,
        [&](std::int64_t row) { return interactions.partOf(row) == SplitPart::kTrain; });
    users.forEach<Row>(
        [&](std::int64_t row) {
          return Row{interactions.item(row), events.times.empty() ? row : events.tickOf(row), row};
        },
        [&](std::int32_t user, std::span<Row> rows) {
          std::ranges::sort(rows, [](const Row& a, const Row& b) {
            return std::tie(a.item, a.when, a.row) < std::tie(b.item, b.when, b.row);
          });
          std::vector<Own> own;
          for (const Row& row : rows) {
            if (user == 0 || !isEligible(row.item)) continue;
            if (own.empty() || own.back().item.item != row.item) own.push_back({{row.item}, row});
            own.back().item.score += 1.0f;
            own.back().last = row;
          }
          std::ranges::sort(own, [](const Own& a, const Own& b) {
            return std::tie(a.item.score, a.last.when, a.last.row) >
                   std::tie(b.item.score, b.last.when, b.last.row);
          });
          for (const Own& each : own) lists_[static_cast<std::size_t>(user)].push_back(each.item);
        });
  }

 private:
  [[nodiscard]] std::optional<std::size_t> listOf(std::int32_t user, std::int64_t) const override {
    const auto at = static_cast<std::size_t>(user);
    return lists_[at].empty() ? std::nullopt : std::optional(at);
  }
};

class MarkovChain final : public CountedLists {
 public:
  MarkovChain(const data::Dataset& dataset, experiment::EventOrder order,
              const Interactions& interactions, std::span<const std::uint8_t> eligible,
              const WorkContext& context)
      : CountedLists(interactions, eligible),
        history_(eventsOf(dataset, context.stop), interactions.partRows(SplitPart::kTrain), order,
                 {.folder = dataset.folder().parent_path()}) {
    const data::EventColumns events = eventsOf(dataset, context.stop);
    std::vector<std::pair<std::int32_t, std::int32_t>> pairs;  // the item before, item
    events.forEachRow([&](std::int64_t row) {
      if (interactions.partOf(row) != SplitPart::kTrain) return;
      const std::int32_t item = interactions.item(row);
      if (const auto before = lastBefore(0, row); before && isEligible(item))
        pairs.emplace_back(static_cast<std::int32_t>(*before), item);
    });
    countPairs(std::move(pairs), eligible.size());
  }
  [[nodiscard]] bool readsRow() const override { return true; }

 private:
  // Histories are of what the column of the items holds: here its entries.
  static data::EventColumns eventsOf(const data::Dataset& dataset, std::stop_token stop) {
    data::EventColumns events(dataset, std::move(stop));
    events.items = events.itemEntries;
    return events;
  }
  [[nodiscard]] std::optional<std::size_t> lastBefore(std::int32_t user, std::int64_t row) const {
    std::vector<std::int32_t> entry;
    if (row < 0)
      history_.appendLast(user, {.length = 1}, entry);
    else
      history_.appendBefore(row, {.length = 1}, entry);
    if (entry.empty()) return std::nullopt;
    return static_cast<std::size_t>(interactions_.index().ofEntry(entry.front()));
  }
  [[nodiscard]] std::optional<std::size_t> listOf(std::int32_t user,
                                                  std::int64_t row) const override {
    const auto before = lastBefore(user, row);
    return before && !lists_[*before].empty() ? before : std::nullopt;
  }

  data::UserHistory history_;
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
    // Each block has counts of its own, and a report comes after some blocks.
    constexpr std::size_t kBlock = 64;
    constexpr std::int64_t kReported = 64;
    const auto blocks = static_cast<std::int64_t>((eligible_.size() + kBlock - 1) / kBlock);
    for (std::int64_t begin = 0; begin < blocks && !context.cancelled(); begin += kReported) {
      context.report("fitting item-kNN", begin, blocks);
      runBlocks(workers, std::min(kReported, blocks - begin), [&](std::int64_t block) {
        std::vector<std::int32_t> common(eligible_.size()), touched;
        const std::size_t first = static_cast<std::size_t>(begin + block) * kBlock;
        for (std::size_t i = std::max<std::size_t>(1, first);
             i < std::min(eligible_.size(), first + kBlock) && !context.cancelled(); ++i)
          findNeighbours(i, users, options, common, touched);
      });
    }
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

std::unique_ptr<BaselineLists> ownItems(const data::Dataset& dataset,
                                        const Interactions& interactions,
                                        std::span<const std::uint8_t> eligible,
                                        const WorkContext& context) {
  return std::make_unique<OwnItems>(dataset, interactions, eligible, context);
}

std::unique_ptr<BaselineLists> markovChain(const data::Dataset& dataset,
                                           experiment::EventOrder order,
                                           const Interactions& interactions,
                                           std::span<const std::uint8_t> eligible,
                                           const WorkContext& context) {
  return std::make_unique<MarkovChain>(dataset, order, interactions, eligible, context);
}

std::unique_ptr<BaselineLists> itemKnn(const Interactions& interactions,
                                       std::span<const std::uint8_t> eligible,
                                       const ItemKnnOptions& options, Workers* workers,
                                       const WorkContext& context) {
  auto made = std::make_unique<ItemKnn>(interactions, eligible);
  if (!made->fit(options, workers, context)) return nullptr;
  return made;
}

}  // namespace parapet::retrieval
