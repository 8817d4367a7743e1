// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "engine/data/generate/event_generator.h"

namespace parapet::data {

/// Hit rates of the best model of generated events; the difference between those with and without the
/// context is what knowing it is worth.
class EventOracle {
 public:
  /// `events` must outlive it.
  explicit EventOracle(const EventGenerator& events) : events_(events) {}

  /// Share of a user's listens in a context that are of one of the k items that are likeliest there.
  [[nodiscard]] double hitRateIn(int context, std::int64_t uid, std::int64_t k) const;
  /// Share of a user's listens that are of one of the k items that are likeliest in their context.
  [[nodiscard]] double hitRateInContext(std::int64_t uid, std::int64_t k) const;
  /// Share of a user's listens that are of one of the k items that are likeliest over all contexts.
  [[nodiscard]] double hitRateWithoutContext(std::int64_t uid, std::int64_t k) const;

 private:
  using GenreShares = std::array<double, EventGenerator::kGenres>;
  [[nodiscard]] double likeliest(const GenreShares& shares, std::int64_t k) const;

  const EventGenerator& events_;
};

// Probability of the k likeliest items, where popularity falls with the rank in every genre: the
// likeliest is always the next one of some genre.
inline double EventOracle::likeliest(const GenreShares& shares, std::int64_t k) const {
  std::array<std::int64_t, EventGenerator::kGenres> taken{};
  double sum = 0.0;
  for (; k > 0; --k) {
    int best = -1;
    double bestProbability = -1.0;
    for (int genre = 0; genre < EventGenerator::kGenres; ++genre) {
      const auto g = static_cast<std::size_t>(genre);
      if (taken[g] == events_.itemsOf(genre)) continue;
      const double probability = shares[g] * events_.itemShare(genre, taken[g]);
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

inline double EventOracle::hitRateIn(int context, std::int64_t uid, std::int64_t k) const {
  GenreShares shares{};
  for (int genre = 0; genre < EventGenerator::kGenres; ++genre)
    shares[static_cast<std::size_t>(genre)] = events_.genreShare(uid, context, genre);
  return likeliest(shares, k);
}

inline double EventOracle::hitRateInContext(std::int64_t uid, std::int64_t k) const {
  double rate = 0.0;
  for (int context = 0; context < EventGenerator::kContexts; ++context)
    rate += events_.contextShare(uid, context) * hitRateIn(context, uid, k);
  return rate;
}

inline double EventOracle::hitRateWithoutContext(std::int64_t uid, std::int64_t k) const {
  GenreShares shares{};
  for (int context = 0; context < EventGenerator::kContexts; ++context)
    for (int genre = 0; genre < EventGenerator::kGenres; ++genre)
      shares[static_cast<std::size_t>(genre)] +=
          events_.contextShare(uid, context) * events_.genreShare(uid, context, genre);
  return likeliest(shares, k);
}

}  // namespace parapet::data
