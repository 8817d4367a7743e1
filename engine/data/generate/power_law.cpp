// SPDX-License-Identifier: Apache-2.0
#include "engine/data/generate/power_law.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace parapet::data {
namespace {

__extension__ using Wide = unsigned __int128;

// x with a·x ≡ 1 modulo `count`, by Euclid's algorithm; a and count have no divisor in common.
std::int64_t inverseOf(std::int64_t a, std::int64_t count) {
  std::int64_t previous = count, current = a, before = 0, now = 1;
  while (current > 1) {
    const std::int64_t quotient = previous / current;
    previous = std::exchange(current, previous - quotient * current);
    before = std::exchange(now, before - quotient * now);
  }
  return (now % count + count) % count;
}

}  // namespace

std::int64_t coprimeStride(std::int64_t count) {
  std::int64_t stride = std::max<std::int64_t>(count / 1000 * 618 + count % 1000 * 618 / 1000, 1);
  while (std::gcd(stride, count) != 1) ++stride;
  return stride;
}

Scatter::Scatter(std::int64_t count, std::uint64_t offset)
    : count_(static_cast<std::uint64_t>(count)),
      reciprocal_(~std::uint64_t{0} / count_),
      stride_(static_cast<std::uint64_t>(coprimeStride(count))),
      inverse_(static_cast<std::uint64_t>(inverseOf(static_cast<std::int64_t>(stride_), count))),
      offset_(offset % count_) {}

RankDraw::RankDraw(std::int64_t count) : buckets_(static_cast<std::size_t>(count)) {
  for (std::int64_t rank = 0; rank < count; ++rank) total_ += rankWeight(rank);
  // Weights fall with the rank: those above the mean are the first ones, so the light ranks are
  // taken from the end and the heavy ones from the front, without a list of either.
  const auto ranks = static_cast<std::uint64_t>(count);
  const auto filled = [&](std::int64_t rank) { return rankWeight(rank) * ranks; };
  std::int64_t heavy = 0;
  std::uint64_t left = filled(0);  // what the heavy rank has to give; a bucket holds total_
  const auto fill = [&](std::int64_t rank, std::uint64_t own) {
    Bucket& bucket = buckets_[static_cast<std::size_t>(rank)];
    bucket.own =
        static_cast<std::uint32_t>(std::min<Wide>((Wide{own} << 32) / total_, 0xFFFFFFFFu));
    bucket.other = static_cast<std::uint32_t>(heavy);
    left -= total_ - own;
  };
  for (std::int64_t light = count - 1; light > heavy; --light) {
    if (filled(light) >= total_) break;
    fill(light, filled(light));
    // A heavy rank that has given so much that it is light itself takes from the next one.
    while (left < total_ && heavy + 1 < light) {
      const std::int64_t spent = heavy++;
      const std::uint64_t own = left;
      left = filled(heavy);
      fill(spent, own);
    }
  }
}

}  // namespace parapet::data
