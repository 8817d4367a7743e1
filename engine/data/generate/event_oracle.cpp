// SPDX-License-Identifier: Apache-2.0
#include "engine/data/generate/event_oracle.h"

#include <algorithm>
#include <array>

namespace parapet::data {
namespace {

using GenreShares = std::array<double, EventGenerator::kGenres>;

// Probability of the k likeliest items, where popularity falls with the rank in every genre: the
// likeliest is always the next one of some genre.
double likeliest(const EventGenerator& events, const GenreShares& shares, std::int64_t k) {
  std::array<std::int64_t, EventGenerator::kGenres> taken{};
  double sum = 0.0;
  for (; k > 0; --k) {
    int best = -1;
    double bestProbability = -1.0;
    for (int genre = 0; genre < EventGenerator::kGenres; ++genre) {
      const auto g = static_cast<std::size_t>(genre);
      if (taken[g] == events.itemsOf(genre)) continue;
      const double probability = shares[g] * events.itemShare(genre, taken[g]);
      if (probability > bestProbability) {
        best = genre;
        bestProbability = probability;
      }
    }
    if (best < 0) break;
    ++taken[static_cast<std::size_t>(best)];
    sum += bestProbability;
  }
  return sum;
}

}  // namespace

double EventOracle::hitRateIn(int context, std::int64_t uid, std::int64_t k) const {
  GenreShares shares{};
  for (int genre = 0; genre < EventGenerator::kGenres; ++genre)
    shares[static_cast<std::size_t>(genre)] = events_.genreShare(uid, context, genre);
  return likeliest(events_, shares, k);
}

double EventOracle::hitRateInContext(std::int64_t uid, std::int64_t k) const {
  double rate = 0.0;
  for (int context = 0; context < EventGenerator::kContexts; ++context)
    rate += events_.contextShare(uid, context) * hitRateIn(context, uid, k);
  return rate;
}

double EventOracle::hitRateWithoutContext(std::int64_t uid, std::int64_t k) const {
  GenreShares shares{};
  for (int context = 0; context < EventGenerator::kContexts; ++context)
    for (int genre = 0; genre < EventGenerator::kGenres; ++genre)
      shares[static_cast<std::size_t>(genre)] +=
          events_.contextShare(uid, context) * events_.genreShare(uid, context, genre);
  return likeliest(events_, shares, k);
}

}  // namespace parapet::data
