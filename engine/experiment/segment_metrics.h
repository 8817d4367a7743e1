// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace parapet::experiment {

/// A metric value under its key ("val_recall@10").
using Metric = std::pair<std::string, double>;

/// Metrics of the queries that share a value of a column, or an activity.
struct SegmentMetrics {
  std::string segment, value;
  std::int64_t queries = 0;
  std::vector<Metric> metrics;
  std::vector<Metric> standardErrors;  ///< in the order of `metrics`
  bool operator==(const SegmentMetrics&) const = default;
};

/// [{"segment", "value", "queries", "metrics": {…}, "standard_errors": {…}}]; a value that the data do
/// not have is null, and so is a figure that is not known.
nlohmann::ordered_json toJson(std::span<const SegmentMetrics> segments);
/// Empty where `value` is not what toJson writes: older runs have none.
std::vector<SegmentMetrics> segmentsFromJson(const nlohmann::ordered_json& value);

}  // namespace parapet::experiment
