// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace parapet::retrieval {

// Two ranked lists of distinct items, best first, given as the rows of their items. The rank of an
// item is its position from 1.

/// Rank change of an item against another list.
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

/// One move per item of `after`, seen from `before`.
std::vector<Move> movesSince(std::span<const std::int32_t> before,
                             std::span<const std::int32_t> after);
/// One move per item of `before`: kOut where `after` lacks it, else kSame.
std::vector<Move> leavingFor(std::span<const std::int32_t> before,
                             std::span<const std::int32_t> after);

/// The items that two lists have in common.
struct Overlap {
  std::int64_t shared = 0;  ///< items in both
  std::int64_t length = 0;  ///< k, the longer list
  double share = 0.0;       ///< overlap@k = shared / length; 1 if both are empty
};
Overlap overlap(std::span<const std::int32_t> left, std::span<const std::int32_t> right);

/// Share of attention that goes to the next rank: the first ten ranks have 86 % of it.
inline constexpr double kRboPersistence = 0.9;

/// Rank-biased overlap: how much two lists agree, with the top counting most. Extrapolated, so that
/// lists cut at k are judged as if they agreed below as they do above.
///
///   X_d = items in both among the first d; s, l = lengths of the shorter and of the longer list
///   rbo = (1 − p)/p · [Σ_{d ≤ l} p^d · X_d/d + Σ_{s < d ≤ l} p^d · X_s·(d − s)/(s·d)]
///         + p^l · [(X_l − X_s)/l + X_s/s]
///
/// Returns  in [0, 1]: 1 for equal lists, 0 for lists without a common item; 1 if both are empty, 0
///          if one is.
/// Errors   InvalidArgument unless 0 < p < 1.
/// Source   Webber, Moffat and Zobel, "A similarity measure for indefinite rankings", ACM TOIS 28
///          (2010), equation 32.
double rankBiasedOverlap(std::span<const std::int32_t> left, std::span<const std::int32_t> right,
                         double p = kRboPersistence);

}  // namespace parapet::retrieval
