// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/query_sums.h"

#include "engine/retrieval/paired_sums.h"

namespace parapet::retrieval {

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
