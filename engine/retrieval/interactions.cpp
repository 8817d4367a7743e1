// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/interactions.h"

#include <algorithm>

namespace parapet::retrieval {

const char* partName(Part part) {
  switch (part) {
    case Part::kTrain:
      return "train";
    case Part::kValidation:
      return "validation";
    case Part::kTest:
      return "test";
    case Part::kUnused:
      return "unused";
  }
  return "unused";
}

std::span<const std::int32_t> Interactions::Lists::of(std::int32_t user) const {
  const auto begin = offsets[static_cast<std::size_t>(user)];
  const auto end = offsets[static_cast<std::size_t>(user) + 1];
  return {values.data() + begin, static_cast<std::size_t>(end - begin)};
}

// Rows are grouped by user with one counting sort; the lists are cut out of that.
Interactions::Interactions(const data::Dataset& dataset, const std::string& userColumn,
                           const std::string& itemColumn, const data::Split& split)
    : dataset_(dataset),
      itemOfRow_(dataset.ids(itemColumn)),
      partOfRow_(static_cast<std::size_t>(dataset.rows()), Part::kUnused) {
  const std::span<const std::int32_t> userOfRow = dataset.ids(userColumn);
  const auto users = static_cast<std::size_t>(dataset.vocabulary(userColumn).size());
  for (const std::int64_t row : split.train)
    partOfRow_[static_cast<std::size_t>(row)] = Part::kTrain;
  for (const std::int64_t row : split.validation)
    partOfRow_[static_cast<std::size_t>(row)] = Part::kValidation;
  for (const std::int64_t row : split.test) partOfRow_[static_cast<std::size_t>(row)] = Part::kTest;

  rowOffsets_.assign(users + 1, 0);
  for (const std::int32_t user : userOfRow) ++rowOffsets_[static_cast<std::size_t>(user) + 1];
  for (std::size_t user = 0; user < users; ++user) rowOffsets_[user + 1] += rowOffsets_[user];
  rowsByUser_.resize(userOfRow.size());
  std::vector<std::int64_t> next(rowOffsets_.begin(), rowOffsets_.end() - 1);
  for (std::size_t row = 0; row < userOfRow.size(); ++row)
    rowsByUser_[static_cast<std::size_t>(next[static_cast<std::size_t>(userOfRow[row])]++)] =
        static_cast<std::int64_t>(row);

  popularity_.assign(static_cast<std::size_t>(dataset.vocabulary(itemColumn).size()), 0);
  activity_.assign(users, 0);
  for (const std::int64_t row : split.train) {
    ++popularity_[static_cast<std::size_t>(itemOfRow_[static_cast<std::size_t>(row)])];
    ++activity_[static_cast<std::size_t>(userOfRow[static_cast<std::size_t>(row)])];
  }
  all_ = collect([](Part) { return true; });
  for (const Part part : {Part::kTrain, Part::kValidation, Part::kTest, Part::kUnused})
    byPart_[static_cast<std::size_t>(part)] = collect([part](Part of) { return of == part; });
}

template <class Keep>
Interactions::Lists Interactions::collect(const Keep& keep) const {
  Lists lists;
  lists.offsets.push_back(0);
  for (std::int32_t user = 0; user < users(); ++user) {
    const auto begin = static_cast<std::ptrdiff_t>(lists.values.size());
    for (const std::int64_t row : rows(user))
      if (keep(partOf(row))) lists.values.push_back(itemOfRow_[static_cast<std::size_t>(row)]);
    std::sort(lists.values.begin() + begin, lists.values.end());
    lists.values.erase(std::unique(lists.values.begin() + begin, lists.values.end()),
                       lists.values.end());
    lists.offsets.push_back(static_cast<std::int64_t>(lists.values.size()));
  }
  return lists;
}

std::span<const std::int32_t> Interactions::items(Part part, std::int32_t user) const {
  return byPart_[static_cast<std::size_t>(part)].of(user);
}

std::span<const std::int32_t> Interactions::allItems(std::int32_t user) const {
  return all_.of(user);
}

std::span<const std::int64_t> Interactions::rows(std::int32_t user) const {
  const auto begin = rowOffsets_[static_cast<std::size_t>(user)];
  const auto end = rowOffsets_[static_cast<std::size_t>(user) + 1];
  return {rowsByUser_.data() + begin, static_cast<std::size_t>(end - begin)};
}

std::vector<std::int32_t> Interactions::relevant(Part part, std::int32_t user,
                                                 std::optional<double> from) const {
  std::vector<std::int32_t> out;
  for (const std::int64_t row : rows(user)) {
    const auto at = static_cast<std::size_t>(row);
    if (partOfRow_[at] != part) continue;
    if (from && dataset_.rawLabel(dataset_.labels()[at]) < *from - 1e-6) continue;
    out.push_back(itemOfRow_[at]);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace parapet::retrieval
