// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/data/generate/power_law.h"
#include "engine/experiment/document.h"

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

/// Activity of users, popularity of items and choices of users, as integer tables.
///
/// Users and items are ranked; rank r weighs 10⁹/(r + 10), a power law without floating point. For
/// a user an item weighs that times the affinity of his taste for its main genre. A user of n
/// events lays n equal steps along the genres, each as long as its items weigh for him together,
/// from a start of his own; as many steps as end in a genre, so many of its items he gets, all of
/// them at most. Within the genre he gets them at equal steps along their cumulative popularity,
/// from a start of his own. Where a step is shorter than a popular item's share two picks would
/// fall on the same item; the later one moves on to the next, so that no pair occurs twice.
class GeneratorTables {
 public:
  explicit GeneratorTables(const experiment::Generator& settings);

  struct Pick {
    std::int64_t user = 0;  ///< from 1
    std::int64_t item = 0;  ///< from 1
  };
  /// The pair of event `index`, [0, events).
  [[nodiscard]] Pick pick(std::int64_t index) const;

 private:
  /// Items of one main genre by popularity, and their cumulative weights.
  struct Shelf {
    std::vector<std::int64_t> items;
    std::vector<std::uint64_t> weightEnd;
  };
  /// Events of a user up to the end of each genre.
  using GenreEnds = std::array<std::int32_t, kMovieGenres>;

  void stackShelves(std::int64_t items);
  void allotEvents(std::int64_t events, std::int64_t items);
  [[nodiscard]] GenreEnds allotGenres(std::size_t userRank) const;

  std::int64_t events_;
  std::uint64_t seed_;
  std::int64_t stride_ = 1;               // events are visited in steps of it, modulo events_
  std::vector<std::int64_t> firstEvent_;  // by user rank, and the end
  std::vector<std::int64_t> userOfRank_;
  std::array<Shelf, kMovieGenres> shelves_;
  std::vector<GenreEnds> genreEnds_;  // by user rank
};

}  // namespace parapet::data
