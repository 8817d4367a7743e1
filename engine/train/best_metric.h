// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "engine/experiment/metric_key.h"

namespace parapet::train {

/// The best value of a metric so far, and the count of values since.
class BestMetric {
 public:
  BestMetric(std::string metric, double minDelta)
      : metric_(std::move(metric)), minDelta_(minDelta) {}

  /// True if `value` improves on the best by more than minDelta.
  bool offer(double value) {
    const double gain = experiment::smallerIsBetter(metric_) ? best_ - value : value - best_;
    const bool better = !std::isnan(value) && (std::isnan(best_) || gain > minDelta_);
    if (better) best_ = value;
    sinceBest_ = better ? 0 : sinceBest_ + 1;
    return better;
  }
  [[nodiscard]] const std::string& metric() const { return metric_; }
  [[nodiscard]] double best() const { return best_; }
  [[nodiscard]] std::int64_t sinceBest() const { return sinceBest_; }
  void restore(double best, std::int64_t sinceBest) {
    best_ = best;
    sinceBest_ = sinceBest;
  }

 private:
  std::string metric_;
  double minDelta_;
  double best_ = std::numeric_limits<double>::quiet_NaN();
  std::int64_t sinceBest_ = 0;
};

}  // namespace parapet::train
