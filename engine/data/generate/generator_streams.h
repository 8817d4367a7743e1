// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/base/random.h"

namespace parapet::data {

/// What a generated number is for; no two share one.
enum class GeneratorStream : std::uint64_t {
  kUserRanks = 1,  ///< which user is how active
  kItemRanks,      ///< which item is how popular
  kUserStart,      ///< where a user's steps along the genres begin, by user rank
  kTaste,          ///< taste of a user for a genre, by user and genre
  kGenres,         ///< genres of an item, by item
  kNoise,          ///< noise of a rating, by event
  kTime,           ///< time of a rating, by event
  kYear,           ///< year of an item, by item
  kPerson,         ///< age, gender and occupation, by user
  kScatter,        ///< where ranks begin among ids: users (0), items (1)
  kListener,       ///< taste and habits of a listener, by user
  kEvent,          ///< everything of a listening event, two blocks an event
  kClicker,        ///< interests and bias, by user
  kClickItem,      ///< categories and bias, by item
  kImpression,     ///< everything of an impression, two blocks an impression
  kClickCounts,    ///< views and price, by item
  kGenreStart,     ///< where a user's picks of a genre begin, by user rank and genre
};

inline Random generatorRandom(std::uint64_t seed, GeneratorStream stream) {
  return Random(seed, RandomPurpose::kGenerator, static_cast<std::uint64_t>(stream));
}

}  // namespace parapet::data
