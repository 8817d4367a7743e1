// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace parapet::experiment {

/// Statistics of the ids of a feature over some training steps.
struct FeatureUse {
  std::string name;
  std::int64_t rows = 0;       ///< examples
  std::int64_t ids = 0;        ///< of these examples, before truncation
  std::int64_t truncated = 0;  ///< ids beyond the feature's maximum
  std::int64_t oov = 0;        ///< unknown to the vocabulary: row 0, or an OOV bucket
  std::int64_t empty = 0;      ///< examples without an id
  /// Adds those of other steps.
  void add(const FeatureUse& more);
};

/// Distinct rows of a table in the host's memory that some training steps used, and how many of them
/// the devices had in their caches.
struct CacheUse {
  std::string table;
  std::int64_t rows = 0, hits = 0;
  void add(const CacheUse& more);
  [[nodiscard]] double hitRate() const {
    return rows > 0 ? static_cast<double>(hits) / static_cast<double>(rows) : 0.0;
  }
};

/// Pieces of steps that devices recorded, and how many of them they ran as one, because they came again.
struct RecordedUse {
  std::int64_t pieces = 0, replayed = 0;
  void add(const RecordedUse& more);
  [[nodiscard]] double share() const {
    return pieces > 0 ? static_cast<double>(replayed) / static_cast<double>(pieces) : 0.0;
  }
};

/// Wall time of some training steps by activity, in seconds, and statistics of their ids.
struct TimeUse {
  std::vector<double> compute;         ///< of each rank: forward and backward of its examples
  double exchange = 0.0;               ///< collectives between the ranks
  double update = 0.0;                 ///< merging gradients and applying them
  double input = 0.0;                  ///< waiting for the next batch
  double seconds = 0.0;                ///< these steps in all
  std::vector<FeatureUse> features{};  ///< with a table, in the document's order
  std::vector<CacheUse> caches{};      ///< of the tables that have one
  RecordedUse recorded{};

  [[nodiscard]] bool empty() const { return compute.empty() || !(seconds > 0.0); }
  /// Adds other steps of the same ranks; the first addition sets their count.
  void add(const TimeUse& more);
  /// The entry of a table; new if there is none yet.
  CacheUse& cacheOf(const std::string& table);
};

/// Shares of the wall time of one rank. Exchange, update and input are common to all ranks of a
/// process; the remaining time a rank waits for the others.
struct LaneShares {
  double compute = 0.0, exchange = 0.0, update = 0.0, input = 0.0, waiting = 0.0;
};

/// One per rank; each adds up to 1. Empty if nothing was measured. Parts that sum to more than the
/// wall time, because clocks round, are scaled to it.
std::vector<LaneShares> laneShares(const TimeUse& use);

/// "Found in the caches of the devices: user 93.1 % of 148,800 rows"; "" without caches.
std::string cacheSentence(const TimeUse& use);
/// "Replayed by the devices: 98.4 % of 1,200 pieces of steps"; "" where none was recorded.
std::string replaySentence(const TimeUse& use);

nlohmann::ordered_json toJson(const TimeUse& use);
/// Empty where `value` is not what toJson writes: older runs have none.
TimeUse timeUseFromJson(const nlohmann::ordered_json& value);

}  // namespace parapet::experiment
