// SPDX-License-Identifier: Apache-2.0
#include "engine/data/generate/generator_tables.h"

#include <algorithm>
#include <numeric>

#include "engine/base/random.h"
#include "engine/data/generate/generator_streams.h"
#include "engine/data/generate/power_law.h"

namespace parapet::data {
namespace {

__extension__ using Wide = unsigned __int128;

std::vector<std::int64_t> shuffledIds(std::int64_t count, const Random& random) {
  std::vector<std::int64_t> ids(static_cast<std::size_t>(count));
  std::iota(ids.begin(), ids.end(), std::int64_t{1});
  shuffle(ids, random);
  return ids;
}

// a · b modulo `count`, both below it; divisions of 128 bits take several times as long.
std::uint64_t productModulo(std::uint64_t a, std::uint64_t b, std::uint64_t count) {
  if (count >> 32 == 0) return a * b % count;
  return static_cast<std::uint64_t>(Wide{a} * b % count);
}

}  // namespace

GeneratorTables::GeneratorTables(const experiment::Generator& settings)
    : events_(settings.events),
      seed_(settings.seed),
      stride_(coprimeStride(settings.events)),
      userOfRank_(
          shuffledIds(settings.users, generatorRandom(settings.seed, GeneratorStream::kUserRanks))),
      itemOfRank_(shuffledIds(settings.items,
                              generatorRandom(settings.seed, GeneratorStream::kItemRanks))) {
  std::uint64_t end = 0;
  itemWeightEnd_.reserve(itemOfRank_.size());
  for (std::int64_t rank = 0; rank < settings.items; ++rank)
    itemWeightEnd_.push_back(end += rankWeight(rank));
  allotEvents(settings.events, settings.items);
}

// Everybody gets one event while there are any; the rest goes by weight, at most one per item.
void GeneratorTables::allotEvents(std::int64_t events, std::int64_t items) {
  const std::size_t users = userOfRank_.size();
  std::vector<std::int64_t> counts(users, 0);
  for (std::size_t r = 0; r < users && events > 0; ++r, --events) counts[r] = 1;
  while (events > 0) {
    std::uint64_t weights = 0;
    for (std::size_t r = 0; r < users; ++r)
      if (counts[r] < items) weights += rankWeight(static_cast<std::int64_t>(r));
    const auto round = static_cast<std::uint64_t>(events);
    for (std::size_t r = 0; r < users && events > 0; ++r) {
      // The share is rounded up so that every round ends nearer.
      const Wide share = Wide{round} * rankWeight(static_cast<std::int64_t>(r)) / weights + 1;
      const std::int64_t given =
          std::min({static_cast<std::int64_t>(share), items - counts[r], events});
      counts[r] += given;
      events -= given;
    }
  }
  firstEvent_.assign(1, 0);
  for (const std::int64_t count : counts) firstEvent_.push_back(firstEvent_.back() + count);
}

std::int64_t GeneratorTables::itemRank(std::uint64_t position) const {
  return std::upper_bound(itemWeightEnd_.begin(), itemWeightEnd_.end(), position) -
         itemWeightEnd_.begin();
}

GeneratorTables::Pick GeneratorTables::pick(std::int64_t index) const {
  const auto event = static_cast<std::int64_t>(productModulo(static_cast<std::uint64_t>(index),
                                                             static_cast<std::uint64_t>(stride_),
                                                             static_cast<std::uint64_t>(events_)));
  const auto end = std::upper_bound(firstEvent_.begin(), firstEvent_.end(), event);
  const auto userRank = static_cast<std::size_t>(end - firstEvent_.begin() - 1);
  const std::int64_t first = firstEvent_[userRank];
  const auto count = static_cast<std::uint64_t>(firstEvent_[userRank + 1] - first);
  const auto pickIndex = static_cast<std::uint64_t>(event - first);

  const std::uint64_t total = itemWeightEnd_.back();
  const std::uint64_t start =
      generatorRandom(seed_, GeneratorStream::kUserStart).below(userRank, total);
  const auto rankOf = [&](std::uint64_t j) {
    // Below 10⁸ · 2·10¹⁰: no overflow.
    return itemRank((j * total + start) / count);
  };
  // Ranks grow by less than one per pick among the popular items and by more than one after them,
  // so rank(j) − j falls and then rises: the largest shift so far is that of the first pick or of
  // j.
  const auto j = static_cast<std::int64_t>(pickIndex);
  const std::int64_t rank = j + std::max(rankOf(0), rankOf(pickIndex) - j);
  return {userOfRank_[userRank], itemOfRank_[static_cast<std::size_t>(rank)]};
}

}  // namespace parapet::data
