// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

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

}  // namespace parapet::retrieval
