// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace parapet {

/// The purpose of a stream of random numbers. Two purposes never share a value, today's and former
/// ones.
enum class RandomPurpose : std::uint32_t {
  kSplit = 1,        ///< which rows are train, validation, test
  kShuffle = 2,      ///< order of the training rows in an epoch
  kInitializer = 3,  ///< initial weights
  kGenerator = 4,    ///< generated data sets
  kDropout = 5,
  kMasking = 6,
  kSampling = 7,  ///< sampled candidates, random baselines, random users
};

/// The part of the normal distribution that is drawn.
enum class NormalTails {
  kFull,
  kTruncated,  ///< nothing beyond ±2σ, by redrawing from the same counter block
};

/// Counter-based generator: a random number is a pure function of (seed, purpose, stream, index),
/// so it depends neither on the thread that asks nor on how many were drawn before. `stream` is an
/// epoch, or the hash of a tensor's name; `index` is the global example or element index.
///
/// Source   Philox4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as
///          1, 2, 3" (2011).
/// Thread   pure.
class Random {
 public:
  Random(std::uint64_t seed, RandomPurpose purpose, std::uint64_t stream = 0)
      : seed_(seed), purpose_(purpose), stream_(stream) {}

  /// Four independent 32-bit words for `index`.
  [[nodiscard]] std::array<std::uint32_t, 4> words(std::uint64_t index) const;
  [[nodiscard]] std::uint64_t bits64(std::uint64_t index) const;
  /// Uniform integer in [0, bound), without modulo bias beyond 2^-64; bound > 0.
  [[nodiscard]] std::uint64_t below(std::uint64_t index, std::uint64_t bound) const;
  /// Uniform in [0, 1) on the grid of 2^-24.
  [[nodiscard]] float uniform(std::uint64_t index) const;
  /// Standard normal.
  [[nodiscard]] double normal(std::uint64_t index, NormalTails tails = NormalTails::kFull) const;

 private:
  std::uint64_t seed_;
  RandomPurpose purpose_;
  std::uint64_t stream_;
};

/// Fisher–Yates shuffle in place; order is a pure function of the generator.
void shuffle(std::span<std::int64_t> values, const Random& random);
/// A part of that work: the exchanges of positions `from` − 1 down to `to`. From values.size() to 1
/// in any number of calls is the whole shuffle.
void shuffleSome(std::span<std::int64_t> values, const Random& random, std::int64_t from,
                 std::int64_t to);

}  // namespace parapet
