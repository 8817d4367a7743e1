// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/recommendation_moves.h"

#include <algorithm>
#include <unordered_map>

namespace parapet::ui {
namespace {

std::unordered_map<std::int32_t, std::int64_t> ranksOf(const Items& items) {
  std::unordered_map<std::int32_t, std::int64_t> ranks;
  for (const retrieval::RecommendedItem& item : items) ranks.emplace(item.row, item.rank);
  return ranks;
}

}  // namespace

std::vector<Move> movesSince(const Items& before, const Items& after) {
  const auto ranks = ranksOf(before);
  std::vector<Move> moves;
  for (const retrieval::RecommendedItem& item : after) {
    const auto found = ranks.find(item.row);
    if (found == ranks.end())
      moves.push_back({MoveKind::kIn, 0});
    else if (found->second == item.rank)
      moves.push_back({MoveKind::kSame, 0});
    else if (found->second > item.rank)
      moves.push_back({MoveKind::kUp, found->second - item.rank});
    else
      moves.push_back({MoveKind::kDown, item.rank - found->second});
  }
  return moves;
}

std::vector<Move> leavingFor(const Items& before, const Items& after) {
  const auto ranks = ranksOf(after);
  std::vector<Move> moves;
  for (const retrieval::RecommendedItem& item : before)
    moves.push_back({ranks.contains(item.row) ? MoveKind::kSame : MoveKind::kOut, 0});
  return moves;
}

Overlap overlap(const Items& left, const Items& right) {
  const auto ranks = ranksOf(right);
  Overlap found;
  found.length = static_cast<std::int64_t>(std::max(left.size(), right.size()));
  found.shared = std::count_if(left.begin(), left.end(),
                               [&](const auto& item) { return ranks.contains(item.row); });
  found.share = found.length == 0
                    ? 1.0
                    : static_cast<double>(found.shared) / static_cast<double>(found.length);
  return found;
}

}  // namespace parapet::ui
