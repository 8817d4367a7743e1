// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/base/random.h"

namespace parapet::data {

/// What a generated number is for; no two share one.
enum class GeneratorStream : std::uint64_t {
  kUserRanks = 1,  ///< which user is how active
  kItemRanks,      ///< which item is how popular
  kUserStart,      ///< where a user's picks begin, by user rank
  kTaste,          ///< taste of a user for a genre, by user and genre
  kGenres,         ///< genres of an item, by item
  kNoise,          ///< noise of a rating, by event
  kTime,           ///< time of a rating, by event
  kYear,           ///< year of an item, by item
  kPerson,         ///< age, gender and occupation, by user
};

inline Random generatorRandom(std::uint64_t seed, GeneratorStream stream) {
  return Random(seed, RandomPurpose::kGenerator, static_cast<std::uint64_t>(stream));
}

}  // namespace parapet::data
