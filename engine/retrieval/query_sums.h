// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/experiment/verdict.h"

namespace parapet::retrieval {

/// The mean difference of two models over the same examples, queries or batches, and its standard
/// error, from sums.
///
///   mean            D = Σ d / Σ v, with the difference d of a pair's numerators and the
///                   denominator v that both share
///   standard error  √(n/(n − 1)·Σ (d − D·v)²) / Σ v: that of a ratio of sums over n pairs
///
/// Source   Cochran, "Sampling Techniques" (1977), 6.4: the variance of a ratio estimate.
/// Thread   not shared.
class PairedSums {
 public:
  /// A pair with denominator 0 holds nothing, and is none.
  void add(double difference, double denominator = 1.0) {
    if (!(denominator > 0.0)) return;
    ++pairs_;
    difference_ += difference;
    denominator_ += denominator;
    squares_ += difference * difference;
    products_ += difference * denominator;
    denominatorSquares_ += denominator * denominator;
  }
  /// Without a standard error for fewer than two pairs.
  [[nodiscard]] experiment::PairedDifference result() const;

 private:
  std::int64_t pairs_ = 0;
  double difference_ = 0.0, denominator_ = 0.0;
  double squares_ = 0.0, products_ = 0.0, denominatorSquares_ = 0.0;
};

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
