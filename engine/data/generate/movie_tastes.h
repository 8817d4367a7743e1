// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/data/generate/generator_streams.h"

namespace parapet::data {

inline constexpr std::size_t kMovieGenres = 8;
inline constexpr std::int64_t kLargestTaste = 3;

/// The main genre of an item weighs 3 in its ratings, the other 2; if both are drawn alike it is
/// the only one.
struct MovieGenres {
  std::size_t main = 0;
  std::size_t other = 0;
};

/// Genres of an item.
inline MovieGenres movieGenresOf(std::uint64_t seed, std::int64_t item) {
  const auto words =
      generatorRandom(seed, GeneratorStream::kGenres).words(static_cast<std::uint64_t>(item));
  return {words[0] % kMovieGenres, words[1] % kMovieGenres};
}

/// Taste of a user for a genre, −3 to 3, all equally likely.
inline std::int64_t movieTasteOf(std::uint64_t seed, std::int64_t user, std::size_t genre) {
  const std::uint64_t index = static_cast<std::uint64_t>(user) * kMovieGenres + genre;
  const std::uint64_t drawn =
      generatorRandom(seed, GeneratorStream::kTaste).below(index, 2 * kLargestTaste + 1);
  return static_cast<std::int64_t>(drawn) - kLargestTaste;
}

/// How much likelier than with the lowest taste a user picks an item of the genre: people rate what
/// they have chosen to watch.
inline std::uint64_t movieAffinityOf(std::uint64_t seed, std::int64_t user, std::size_t genre) {
  constexpr std::array<std::uint8_t, 2 * kLargestTaste + 1> kAffinity{1, 2, 3, 6, 10, 16, 24};
  return kAffinity[static_cast<std::size_t>(movieTasteOf(seed, user, genre) + kLargestTaste)];
}

}  // namespace parapet::data
