// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

namespace parapet::retrieval {

/// The one definition of dcg@k and ndcg@k, of a list of items or rows ranked from 1:
///
///   dcg@k  = Σ_{rank ≤ k} w·gain(y) · rankDiscount(rank)
///   ndcg@k = dcg@k over that of the best order of the same list
///
/// A list of the catalogue has labels y of 0 or 1 and weights of 1, so its gains are 0 or 1.
///
/// Source   Burges et al., "Learning to Rank using Gradient Descent" (2005), for the gain 2^y − 1;
///          Järvelin, Kekäläinen (2002) for the discount.

/// 1 / log2(rank + 1), for ranks from 1.
inline double rankDiscount(std::int64_t rank) {
  return 1.0 / std::log2(static_cast<double>(rank) + 1.0);
}

/// 2^label − 1.
inline double gain(double label) {
  return std::exp2(label) - 1.0;
}

}  // namespace parapet::retrieval
