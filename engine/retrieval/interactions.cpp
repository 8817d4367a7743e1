// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/interactions.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace parapet::retrieval {

using experiment::SplitPart;

namespace {

constexpr double kLabelTolerance = 1e-6;  // of labels that were scaled and scaled back

bool has(const std::vector<std::uint64_t>& bits, std::int64_t row) {
  return (bits[static_cast<std::size_t>(row >> 6)] >> (row & 63) & 1) != 0;
}

}  // namespace

std::span<const std::int32_t> Interactions::Lists::of(std::int32_t user) const {
  const auto begin = offsets[static_cast<std::size_t>(user)];
  const auto end = offsets[static_cast<std::size_t>(user) + 1];
  return {values.data() + begin, static_cast<std::size_t>(end - begin)};
}

Interactions::Interactions(const data::Dataset& dataset, const std::string& userColumn,
                           const std::string& itemColumn, const data::Split& split,
                           std::stop_token stop)
    : dataset_(dataset),
      index_(dataset.itemIndex(itemColumn)),
      events_(dataset, std::move(stop)),
      parts_{split.train, split.validation, split.test} {
  events_.users = dataset.ids(userColumn);
  events_.itemEntries = dataset.entries(itemColumn);
  events_.userCount = dataset.vocabularyOf(userColumn).size();
}

Interactions::Interactions(const Interactions& of, const data::Split& split, std::stop_token stop)
    : dataset_(of.dataset_),
      index_(of.index_),
      events_(of.dataset_, std::move(stop)),
      parts_{split.train, split.validation, split.test} {
  events_.users = of.events_.users;
  events_.itemEntries = of.events_.itemEntries;
  events_.userCount = of.events_.userCount;
}

const Interactions::Bits& Interactions::bits(SplitPart part) const {
  const auto at = static_cast<std::size_t>(part);
  return bits_[at].get([&] { return parts_[at].bits(events_.rows); });
}

SplitPart Interactions::partOf(std::int64_t row) const {
  for (const SplitPart part : {SplitPart::kTest, SplitPart::kValidation, SplitPart::kTrain})
    if (has(bits(part), row)) return part;
  return SplitPart::kUnused;
}

// Rows are grouped by user; the listed items of each are sorted and appended.
Interactions::Lists Interactions::collect(const Wanted& wanted) const {
  const auto [part, from] = wanted;
  const Bits* in = part && *part != SplitPart::kUnused ? &bits(*part) : nullptr;
  const auto isWanted = [this, in, unused = part == SplitPart::kUnused,
                         from = from](std::int64_t row) {
    if (in && !has(*in, row)) return false;
    if (unused && partOf(row) != SplitPart::kUnused) return false;
    return !from || dataset_.rawLabel(dataset_.labels()[static_cast<std::size_t>(row)]) >=
                        *from - kLabelTolerance;
  };
  Lists lists;
  lists.offsets.reserve(static_cast<std::size_t>(events_.userCount) + 1);
  const auto endUsersBefore = [&](std::int64_t user) {
    lists.offsets.resize(static_cast<std::size_t>(user) + 1,
                         static_cast<std::int64_t>(lists.values.size()));
  };
  const bool all = !part && !from;
  const data::UserGroups users(events_.users, events_.userCount, events_.onConsumed,
                               all ? data::UserGroups::Keep() : isWanted);
  // An upper bound, so that the values are never reallocated.
  lists.values.reserve(
      std::accumulate(users.counts().begin(), users.counts().end(), std::size_t{0}));
  users.forEach<std::int32_t>([&](std::int64_t row) { return item(row); },
                              [&](std::int32_t user, std::span<std::int32_t> items) {
                                endUsersBefore(user);
                                std::sort(items.begin(), items.end());
                                lists.values.insert(lists.values.end(), items.begin(),
                                                    std::unique(items.begin(), items.end()));
                              });
  endUsersBefore(events_.userCount);
  return lists;
}

const Interactions::Lists& Interactions::lists(const Wanted& wanted) const {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<const Lists>& kept = lists_[wanted];
  if (!kept) kept = std::make_unique<const Lists>(collect(wanted));
  return *kept;
}

std::span<const std::int32_t> Interactions::items(SplitPart part, std::int32_t user) const {
  return lists({part, std::nullopt}).of(user);
}

std::span<const std::int32_t> Interactions::allItems(std::int32_t user) const {
  return lists({std::nullopt, std::nullopt}).of(user);
}

std::span<const std::int32_t> Interactions::relevant(SplitPart part, std::int32_t user,
                                                     std::optional<double> from) const {
  return lists({part, from}).of(user);
}

std::span<const std::int32_t> Interactions::seen(SeenItems which, std::int32_t user) const {
  if (which == SeenItems::kExcludeTrain) return items(SplitPart::kTrain, user);
  if (which == SeenItems::kExcludeAll) return allItems(user);
  return {};
}

std::vector<std::int64_t> Interactions::rows(std::int32_t user) const {
  std::vector<std::int64_t> rows;
  events_.forEachRow([&](std::int64_t row) {
    if (events_.users[static_cast<std::size_t>(row)] == user) rows.push_back(row);
  });
  return rows;
}

const Interactions::Counts& Interactions::counts() const {
  return counts_.get([&] {
    Counts counts;
    counts.ofItem.resize(static_cast<std::size_t>(index_.size()));
    counts.ofUser.resize(static_cast<std::size_t>(events_.userCount));
    events_.forEachRow(parts_[0], [&](std::int64_t row) {
      const auto at = static_cast<std::size_t>(row);
      ++counts.ofItem[static_cast<std::size_t>(item(row))];
      ++counts.ofUser[static_cast<std::size_t>(events_.users[at])];
    });
    return counts;
  });
}

}  // namespace parapet::retrieval
