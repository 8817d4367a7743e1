// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/query_sums.h"

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

void QuerySums::add(std::int32_t user, std::span<const double> values, std::int64_t count) {
  const auto at = static_cast<std::size_t>(user);
  counts_[at] += count;
  for (std::size_t metric = 0; metric < metrics_; ++metric)
    sums_[at * metrics_ + metric] += values[metric];
}

experiment::PairedDifference QuerySums::mean(std::size_t metric) const {
  PairedSums pairs;
  for (std::size_t user = 0; user < counts_.size(); ++user)
    if (counts_[user] > 0)
      pairs.add(sums_[user * metrics_ + metric], static_cast<double>(counts_[user]));
  return pairs.result();
}

experiment::PairedDifference QuerySums::difference(const QuerySums& other,
                                                   std::size_t metric) const {
  PairedSums pairs;
  for (std::size_t user = 0; user < counts_.size(); ++user)
    if (counts_[user] > 0)
      pairs.add(sums_[user * metrics_ + metric] - other.sums_[user * metrics_ + metric],
                static_cast<double>(counts_[user]));
  return pairs.result();
}

}  // namespace parapet::retrieval
