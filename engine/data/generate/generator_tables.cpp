// SPDX-License-Identifier: Apache-2.0
#include "engine/data/generate/generator_tables.h"

#include <algorithm>
#include <numeric>

#include "engine/base/random.h"
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
      userOfRank_(shuffledIds(settings.users,
                              generatorRandom(settings.seed, GeneratorStream::kUserRanks))) {
  stackShelves(settings.items);
  allotEvents(settings.events, settings.items);
  genreEnds_.reserve(userOfRank_.size());
  for (std::size_t rank = 0; rank < userOfRank_.size(); ++rank)
    genreEnds_.push_back(allotGenres(rank));
}

void GeneratorTables::stackShelves(std::int64_t items) {
  const auto ranked = shuffledIds(items, generatorRandom(seed_, GeneratorStream::kItemRanks));
  for (std::size_t rank = 0; rank < ranked.size(); ++rank) {
    Shelf& shelf = shelves_[movieGenresOf(seed_, ranked[rank]).main];
    const std::uint64_t before = shelf.weightEnd.empty() ? 0 : shelf.weightEnd.back();
    shelf.items.push_back(ranked[rank]);
    shelf.weightEnd.push_back(before + rankWeight(static_cast<std::int64_t>(rank)));
  }
}

// Every user gets one event while there are any; the rest goes by weight, at most one per item.
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

GeneratorTables::GenreEnds GeneratorTables::allotGenres(std::size_t userRank) const {
  const std::int64_t user = userOfRank_[userRank];
  const std::int64_t count = firstEvent_[userRank + 1] - firstEvent_[userRank];
  std::array<std::uint64_t, kMovieGenres> weightEnd{};
  std::uint64_t total = 0;
  for (std::size_t genre = 0; genre < kMovieGenres; ++genre) {
    const Shelf& shelf = shelves_[genre];
    if (!shelf.items.empty()) total += movieAffinityOf(seed_, user, genre) * shelf.weightEnd.back();
    weightEnd[genre] = total;
  }
  const std::uint64_t start =
      generatorRandom(seed_, GeneratorStream::kUserStart).below(userRank, total);
  // Step j ends at (j · total + start) / count: so many of them lie before the weight `end`.
  const auto stepsBefore = [&](std::uint64_t end) {
    const Wide reach = Wide{end} * static_cast<std::uint64_t>(count);
    return reach <= start ? std::int64_t{0}
                          : static_cast<std::int64_t>((reach - start + total - 1) / total);
  };
  std::array<std::int64_t, kMovieGenres> counts{};
  std::int64_t before = 0, surplus = 0;
  for (std::size_t genre = 0; genre < kMovieGenres; ++genre) {
    const std::int64_t steps = std::min(stepsBefore(weightEnd[genre]), count);
    const auto all = static_cast<std::int64_t>(shelves_[genre].items.size());
    counts[genre] = std::min(steps - before, all);
    surplus += steps - before - counts[genre];
    before = steps;
  }
  // A user who has seen all of a genre goes on with the others.
  GenreEnds ends{};
  std::int64_t end = 0;
  for (std::size_t genre = 0; genre < kMovieGenres; ++genre) {
    const auto all = static_cast<std::int64_t>(shelves_[genre].items.size());
    const std::int64_t more = std::min(all - counts[genre], surplus);
    surplus -= more;
    ends[genre] = static_cast<std::int32_t>(end += counts[genre] + more);
  }
  return ends;
}

GeneratorTables::Pick GeneratorTables::pick(std::int64_t index) const {
  const auto event = static_cast<std::int64_t>(productModulo(static_cast<std::uint64_t>(index),
                                                             static_cast<std::uint64_t>(stride_),
                                                             static_cast<std::uint64_t>(events_)));
  const auto end = std::upper_bound(firstEvent_.begin(), firstEvent_.end(), event);
  const auto userRank = static_cast<std::size_t>(end - firstEvent_.begin() - 1);
  const std::int64_t ofUser = event - firstEvent_[userRank];
  const GenreEnds& ends = genreEnds_[userRank];
  const auto genre =
      static_cast<std::size_t>(std::ranges::upper_bound(ends, ofUser) - ends.begin());
  const std::int64_t first = genre == 0 ? 0 : ends[genre - 1];
  const Shelf& shelf = shelves_[genre];
  const auto count = static_cast<std::uint64_t>(ends[genre] - first);

  const std::uint64_t total = shelf.weightEnd.back();
  const std::uint64_t start = generatorRandom(seed_, GeneratorStream::kGenreStart)
                                  .below(userRank * kMovieGenres + genre, total);
  const auto rankOf = [&](std::int64_t j) -> std::int64_t {
    // Below 10⁸ · 2·10¹⁰: no overflow.
    const std::uint64_t position = (static_cast<std::uint64_t>(j) * total + start) / count;
    return std::ranges::upper_bound(shelf.weightEnd, position) - shelf.weightEnd.begin();
  };
  // Ranks grow by less than one per pick among the popular items and by more than one after them,
  // so rank(j) − j falls and then rises: the largest shift so far is that of the first pick or of
  // j.
  const std::int64_t j = ofUser - first;
  const std::int64_t rank = j + std::max(rankOf(0), rankOf(j) - j);
  return {userOfRank_[userRank], shelf.items[static_cast<std::size_t>(rank)]};
}

}  // namespace parapet::data
