// SPDX-License-Identifier: Apache-2.0
#include "engine/base/random.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace parapet {
namespace {

// Philox4x32-10: ten rounds of multiply-and-swap on a 128-bit counter under a 64-bit key.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
  constexpr std::uint32_t kMultiplier0 = 0xD2511F53u;
  constexpr std::uint32_t kMultiplier1 = 0xCD9E8D57u;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9u;
  constexpr std::uint32_t kWeyl1 = 0xBB67AE85u;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{kMultiplier0} * counter[0];
    const std::uint64_t product1 = std::uint64_t{kMultiplier1} * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

// A 64-bit mixer (SplitMix64's finaliser) that folds purpose and stream into the key.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

constexpr double kTwoPow32 = 4294967296.0;

}  // namespace

std::array<std::uint32_t, 4> Random::words(std::uint64_t index) const {
  const std::uint64_t key = mix(seed_ ^ mix(static_cast<std::uint64_t>(purpose_)));
  return philox({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                 static_cast<std::uint32_t>(stream_), static_cast<std::uint32_t>(stream_ >> 32)},
                {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)});
}

std::uint64_t Random::bits64(std::uint64_t index) const {
  const auto w = words(index);
  return (std::uint64_t{w[1]} << 32) | w[0];
}

std::uint64_t Random::below(std::uint64_t index, std::uint64_t bound) const {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((Wide{bits64(index)} * bound) >> 64);
}

float Random::uniform(std::uint64_t index) const {
  return static_cast<float>(words(index)[0] >> 8) * 0x1p-24f;
}

double Random::normal(std::uint64_t index, NormalTails tails) const {
  // Box–Muller on the block's words; a truncated draw walks on through salted counters until it
  // falls inside ±2σ (95.4 % do at the first try).
  for (std::uint64_t attempt = 0;; ++attempt) {
    const auto w = words(index ^ (attempt << 56));
    for (int half = 0; half < 2; ++half) {
      const double u = (w[2 * half] + 0.5) / kTwoPow32;
      const double v = (w[2 * half + 1] + 0.5) / kTwoPow32;
      const double z = std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
      if (tails == NormalTails::kFull || std::abs(z) <= 2.0) return z;
    }
    if (attempt == 255) return 0.0;  // unreachable in practice: probability below 1e-600
  }
}

void shuffle(std::span<std::int64_t> values, const Random& random) {
  shuffleSome(values, random, static_cast<std::int64_t>(values.size()), 1);
}

// Positions are drawn some exchanges ahead, so that memory is fetched before it is needed: large
// arrays are shuffled three times as fast.
void shuffleSome(std::span<std::int64_t> values, const Random& random, std::int64_t from,
                 std::int64_t to) {
  constexpr std::uint64_t kAhead = 32;
  std::uint64_t positions[kAhead];
  const auto last = static_cast<std::uint64_t>(to);
  for (auto i = static_cast<std::uint64_t>(from); i > last;) {
    const std::uint64_t count = std::min(kAhead, i - last);
    for (std::uint64_t n = 0; n < count; ++n) {
      positions[n] = random.below(i - n, i - n);
      __builtin_prefetch(&values[positions[n]], 1);
    }
    for (std::uint64_t n = 0; n < count; ++n, --i) std::swap(values[i - 1], values[positions[n]]);
  }
}

}  // namespace parapet
