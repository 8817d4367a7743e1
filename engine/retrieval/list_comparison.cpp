// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/list_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "engine/base/result.h"

namespace parapet::retrieval {
namespace {

std::unordered_map<std::int32_t, std::int64_t> ranksOf(std::span<const std::int32_t> items) {
  std::unordered_map<std::int32_t, std::int64_t> ranks;
  for (std::size_t i = 0; i < items.size(); ++i)
    ranks.emplace(items[i], static_cast<std::int64_t>(i) + 1);
  return ranks;
}

/// X_d for d = 0 … the longer length.
std::vector<double> sharedByDepth(std::span<const std::int32_t> a,
                                  std::span<const std::int32_t> b) {
  std::unordered_set<std::int32_t> ofA, ofB;
  std::vector<double> shared{0.0};
  double count = 0.0;
  for (std::size_t d = 0; d < std::max(a.size(), b.size()); ++d) {
    // An item counts at the depth where its second occurrence is met.
    if (d < a.size() && ofA.insert(a[d]).second && ofB.contains(a[d])) ++count;
    if (d < b.size() && ofB.insert(b[d]).second && ofA.contains(b[d])) ++count;
    shared.push_back(count);
  }
  return shared;
}

}  // namespace

std::vector<Move> movesSince(std::span<const std::int32_t> before,
                             std::span<const std::int32_t> after) {
  const auto ranks = ranksOf(before);
  std::vector<Move> moves;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const auto rank = static_cast<std::int64_t>(i) + 1;
    const auto found = ranks.find(after[i]);
    if (found == ranks.end())
      moves.push_back({MoveKind::kIn, 0});
    else if (found->second == rank)
      moves.push_back({MoveKind::kSame, 0});
    else if (found->second > rank)
      moves.push_back({MoveKind::kUp, found->second - rank});
    else
      moves.push_back({MoveKind::kDown, rank - found->second});
  }
  return moves;
}

std::vector<Move> leavingFor(std::span<const std::int32_t> before,
                             std::span<const std::int32_t> after) {
  const auto ranks = ranksOf(after);
  std::vector<Move> moves;
  for (const std::int32_t item : before)
    moves.push_back({ranks.contains(item) ? MoveKind::kSame : MoveKind::kOut, 0});
  return moves;
}

Overlap overlap(std::span<const std::int32_t> left, std::span<const std::int32_t> right) {
  const auto ranks = ranksOf(right);
  Overlap found;
  found.length = static_cast<std::int64_t>(std::max(left.size(), right.size()));
  found.shared =
      std::ranges::count_if(left, [&](std::int32_t item) { return ranks.contains(item); });
  found.share = found.length == 0
                    ? 1.0
                    : static_cast<double>(found.shared) / static_cast<double>(found.length);
  return found;
}

double rankBiasedOverlap(std::span<const std::int32_t> left, std::span<const std::int32_t> right,
                         double p) {
  if (!(p > 0.0 && p < 1.0))
    throw InvalidArgument(
        fmt::format("[retrieval.rankBiasedOverlap] p is {}; between 0 and 1 is accepted", p));
  const std::size_t shorter = std::min(left.size(), right.size());
  const std::size_t longer = std::max(left.size(), right.size());
  if (longer == 0) return 1.0;
  if (shorter == 0) return 0.0;
  const std::vector<double> shared = sharedByDepth(left, right);
  const auto s = static_cast<double>(shorter), l = static_cast<double>(longer);
  const double atS = shared[shorter], atL = shared[longer];
  double sum = 0.0, weight = 1.0;
  for (std::size_t i = 1; i <= longer; ++i) {
    const auto d = static_cast<double>(i);
    weight *= p;
    sum += weight * shared[i] / d;
    if (i > shorter) sum += weight * atS * (d - s) / (s * d);
  }
  return (1.0 - p) / p * sum + weight * ((atL - atS) / l + atS / s);
}

}  // namespace parapet::retrieval
