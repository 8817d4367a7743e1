// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/experiment/run_event.h"
#include "engine/experiment/verdict.h"

namespace parapet::train {

/// The losses of a model on the rows of one part of the split, what its predictions come to, and
/// the same of trivial predictions.
class PartLosses {
 public:
  virtual ~PartLosses() = default;

  struct Measured {
    std::vector<experiment::Metric> metrics;
    /// Against the baselines that need no training, on the same rows.
    std::vector<experiment::BaselineVerdict> verdicts;
  };
  /// One pass over the rows. Keys are prefixed ("val_"). `epoch` (from 1) matters where the split
  /// reshuffles the part for every epoch. Nullopt if it was stopped: a part of the rows does not
  /// represent all of them.
  ///
  /// Errors   those of Session::evaluate.
  virtual Result<std::optional<Measured>> measure(const std::string& prefix, std::int64_t epoch,
                                                  const WorkContext& context) = 0;
  /// Metrics of trivial predictions, under the same keys without a prefix; some, or parts of them,
  /// if it was cancelled.
  virtual experiment::Baselines baselines(const WorkContext& context) = 0;
};

/// Adds metrics with a prefix before their keys.
inline void appendMetrics(std::vector<experiment::Metric>& all, const std::string& prefix,
                          const std::vector<experiment::Metric>& more) {
  for (const auto& [key, value] : more) all.emplace_back(prefix + key, value);
}

}  // namespace parapet::train
