// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/paired_sums.h"

#include <algorithm>
#include <cmath>

namespace parapet::retrieval {

experiment::PairedDifference PairedSums::result() const {
  experiment::PairedDifference found;
  found.pairs = pairs_;
  if (!(denominator_ > 0.0)) return found;
  found.mean = difference_ / denominator_;
  if (pairs_ < 2) return found;
  const double n = static_cast<double>(pairs_);
  // Rounding may leave a sum of equal differences just below 0.
  const double residuals = std::max(
      0.0, squares_ - 2.0 * found.mean * products_ + found.mean * found.mean * denominatorSquares_);
  found.standardError = std::sqrt(n / (n - 1.0) * residuals) / denominator_;
  return found;
}

}  // namespace parapet::retrieval
