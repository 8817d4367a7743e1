// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "engine/retrieval/recommender.h"

namespace parapet::ui {

/// Rank change of an item against another list of the same user.
enum class MoveKind {
  kSame,  ///< the same rank in both
  kUp,    ///< nearer to the top than in the other list
  kDown,  ///< further down
  kIn,    ///< not in the other list, which came before
  kOut,   ///< not in the other list, which comes after
};
struct Move {
  MoveKind kind = MoveKind::kSame;
  std::int64_t by = 0;  ///< ranks moved, ≥ 0; 0 unless kUp or kDown
  bool operator==(const Move&) const = default;
};

using Items = std::vector<retrieval::RecommendedItem>;

/// One move per item of `after`, seen from `before`.
std::vector<Move> movesSince(const Items& before, const Items& after);
/// One move per item of `before`: kOut where `after` lacks it, else kSame.
std::vector<Move> leavingFor(const Items& before, const Items& after);

/// What two lists have in common.
struct Overlap {
  std::int64_t shared = 0;  ///< items in both
  std::int64_t length = 0;  ///< k, the longer list
  double share = 0.0;       ///< overlap@k = shared / length; 1 if both are empty
};
Overlap overlap(const Items& left, const Items& right);

}  // namespace parapet::ui
