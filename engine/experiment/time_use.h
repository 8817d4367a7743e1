// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace parapet::experiment {

/// What the ids of a feature came to in some training steps.
struct FeatureUse {
  std::string name;
  std::int64_t rows = 0;   ///< examples
  std::int64_t ids = 0;    ///< that the data had for them
  std::int64_t cut = 0;    ///< left out because an example had more than the feature's maximum
  std::int64_t oov = 0;    ///< unknown to the vocabulary: row 0, or a bucket
  std::int64_t empty = 0;  ///< examples without an id
};

/// Where the wall time of some training steps went, in seconds, and what their ids came to.
struct TimeUse {
  std::vector<double> compute;         ///< of each rank: forward and backward on its rows
  double exchange = 0.0;               ///< collectives between the ranks
  double update = 0.0;                 ///< merging gradients and applying them
  double input = 0.0;                  ///< waiting for the next batch
  double seconds = 0.0;                ///< these steps in all
  std::vector<FeatureUse> features{};  ///< that look ids up, in the document's order

  [[nodiscard]] bool empty() const { return compute.empty() || !(seconds > 0.0); }
  /// Adds other steps of the same ranks; a first addition decides how many there are.
  void add(const TimeUse& more);
};

/// Shares of the wall time of one rank. Collectives, update and input are the same for all ranks of
/// a process, as they take turns; what is left over a rank waits for the others.
struct LaneShares {
  double compute = 0.0, exchange = 0.0, update = 0.0, input = 0.0, waiting = 0.0;
};

/// One per rank; each adds up to 1. Empty if nothing was measured. Parts that sum to more than the
/// wall time, by the rounding of clocks, are scaled down to it.
std::vector<LaneShares> laneShares(const TimeUse& use);

nlohmann::ordered_json toJson(const TimeUse& use);
/// Empty where `value` is not what toJson writes: older runs have none.
TimeUse timeUseFromJson(const nlohmann::ordered_json& value);

}  // namespace parapet::experiment
