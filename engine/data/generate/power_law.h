// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/random.h"

namespace parapet::data {

/// The purpose of a generated number; no two purposes share a stream.
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

/// 10⁹/(rank + 10): popularity falls like a power law, without floating point. 10⁹ keeps the weight
/// of rank 10⁸ a whole number.
inline std::uint64_t rankWeight(std::int64_t rank) {
  return 1'000'000'000u / static_cast<std::uint64_t>(rank + 10);
}

/// A step near the golden section of `count` that has no divisor in common with it, so that steps
/// of it visit every number below `count` once and neighbours lie far apart.
std::int64_t coprimeStride(std::int64_t count);

/// A permutation of [0, count) without a table, so that ids tell nothing about ranks.
class Scatter {
 public:
  /// count in [1, 2³¹).
  Scatter(std::int64_t count, std::uint64_t offset);
  [[nodiscard]] std::int64_t of(std::int64_t rank) const {
    return modulo(static_cast<std::uint64_t>(rank) * stride_ + offset_);
  }
  /// The rank that of() sends here.
  [[nodiscard]] std::int64_t rankOf(std::int64_t id) const {
    const std::int64_t turned = modulo(static_cast<std::uint64_t>(id) + count_ - offset_);
    return modulo(static_cast<std::uint64_t>(turned) * inverse_);
  }

 private:
  // Divides by a product, since a division costs as much as all else that an event takes. The
  // quotient is at most one too small for numbers below 2⁶³.
  [[nodiscard]] std::int64_t modulo(std::uint64_t number) const {
    __extension__ using Wide = unsigned __int128;
    const auto quotient = static_cast<std::uint64_t>(Wide{number} * reciprocal_ >> 64);
    const std::uint64_t rest = number - quotient * count_;
    return static_cast<std::int64_t>(rest < count_ ? rest : rest - count_);
  }

  std::uint64_t count_, reciprocal_, stride_, inverse_, offset_;
};

/// Draws ranks in proportion to rankWeight, one look-up a draw.
///
/// Every rank has one bucket of equal size. A light rank fills its own in part, and the rest of the
/// bucket belongs to one heavier rank, so a draw is a bucket and a coin.
///
/// Source   Walker, "An efficient method for generating discrete random variables with general
///          distributions" (1977); the construction in linear time is Vose's (1991).
class RankDraw {
 public:
  /// count in [1, 2³¹).
  explicit RankDraw(std::int64_t count);
  /// A rank for two independent words.
  [[nodiscard]] std::int64_t draw(std::uint32_t position, std::uint32_t coin) const {
    const auto bucket = static_cast<std::uint32_t>(std::uint64_t{position} * buckets_.size() >> 32);
    return coin < buckets_[bucket].own ? bucket : buckets_[bucket].other;
  }
  /// Probability of a rank; draws follow it to count / 2³².
  [[nodiscard]] double share(std::int64_t rank) const {
    return static_cast<double>(rankWeight(rank)) / static_cast<double>(total_);
  }
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(buckets_.size()); }

 private:
  struct Bucket {
    std::uint32_t own = 0xFFFFFFFFu;  // in 2³²ths of the bucket
    std::uint32_t other = 0;
  };
  std::vector<Bucket> buckets_;
  std::uint64_t total_ = 0;
};

}  // namespace parapet::data
