// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/segment_metrics.h"

#include "engine/base/json_number.h"

namespace parapet::experiment {
namespace {

using nlohmann::ordered_json;

ordered_json figuresToJson(const std::vector<Metric>& figures) {
  ordered_json object = ordered_json::object();
  for (const auto& [key, value] : figures) object[key] = numberOrNull<ordered_json>(value);
  return object;
}

std::vector<Metric> figuresAt(const ordered_json& entry, const char* key) {
  std::vector<Metric> figures;
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_object()) return figures;
  for (const auto& [name, value] : found->items()) figures.emplace_back(name, numberOrNan(value));
  return figures;
}

std::string wordAt(const ordered_json& entry, const char* key) {
  const auto found = entry.find(key);
  return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

ordered_json toJson(std::span<const SegmentMetrics> segments) {
  ordered_json all = ordered_json::array();
  for (const SegmentMetrics& of : segments)
    all.push_back({{"segment", of.segment},
                   {"value", of.value.empty() ? ordered_json() : ordered_json(of.value)},
                   {"queries", of.queries},
                   {"metrics", figuresToJson(of.metrics)},
                   {"standard_errors", figuresToJson(of.standardErrors)}});
  return all;
}

std::vector<SegmentMetrics> segmentsFromJson(const ordered_json& value) {
  std::vector<SegmentMetrics> segments;
  if (!value.is_array()) return segments;
  for (const ordered_json& entry : value) {
    if (!entry.is_object() || !entry.contains("segment")) continue;
    const auto queries = entry.find("queries");
    segments.push_back(
        {wordAt(entry, "segment"), wordAt(entry, "value"),
         queries != entry.end() && queries->is_number_integer() ? queries->get<std::int64_t>() : 0,
         figuresAt(entry, "metrics"), figuresAt(entry, "standard_errors")});
  }
  return segments;
}

}  // namespace parapet::experiment
