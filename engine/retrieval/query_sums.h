// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/experiment/verdict.h"

namespace parapet::retrieval {

/// Values of queries summed by user. Queries of one user are alike, so the standard error of a mean
/// over queries is that of a ratio of sums over users (see PairedSums), and so is that of the
/// difference of two models over the same queries.
///
/// Memory   8 bytes per user and metric, and 8 per user.
/// Thread   not shared.
class QuerySums {
 public:
  QuerySums(std::size_t metrics, std::int64_t users)
      : metrics_(metrics),
        counts_(static_cast<std::size_t>(users)),
        sums_(static_cast<std::size_t>(users) * metrics) {}
  /// `values`: of one query, or the sums over `count` of them.
  void add(std::int32_t user, std::span<const double> values, std::int64_t count = 1);
  [[nodiscard]] std::size_t metrics() const { return metrics_; }
  /// Whether the same users have as many queries.
  [[nodiscard]] bool hasQueriesOf(const QuerySums& other) const {
    return counts_ == other.counts_ && metrics_ == other.metrics_;
  }
  /// The mean of a metric over queries and its standard error; `pairs` are users.
  [[nodiscard]] experiment::PairedDifference mean(std::size_t metric) const;
  /// The mean difference of a metric, this minus the other, which has queries of the same users.
  [[nodiscard]] experiment::PairedDifference difference(const QuerySums& other,
                                                        std::size_t metric) const;

 private:
  std::size_t metrics_;
  std::vector<std::int64_t> counts_;
  std::vector<double> sums_;  ///< [users, metrics]
};

}  // namespace parapet::retrieval
