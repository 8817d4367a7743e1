// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/time_use.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text.h"

namespace parapet::experiment {
namespace {

double numberAt(const nlohmann::ordered_json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0.0;
}

}  // namespace

void FeatureUse::add(const FeatureUse& more) {
  rows += more.rows;
  ids += more.ids;
  truncated += more.truncated;
  oov += more.oov;
  empty += more.empty;
}

void CacheUse::add(const CacheUse& more) {
  rows += more.rows;
  hits += more.hits;
}

void RecordedUse::add(const RecordedUse& more) {
  pieces += more.pieces;
  replayed += more.replayed;
}

CacheUse& TimeUse::cacheOf(const std::string& table) {
  auto own = std::ranges::find(caches, table, &CacheUse::table);
  if (own == caches.end()) own = caches.insert(own, {table});
  return *own;
}

void TimeUse::add(const TimeUse& more) {
  compute.resize(std::max(compute.size(), more.compute.size()));
  for (std::size_t rank = 0; rank < more.compute.size(); ++rank)
    compute[rank] += more.compute[rank];
  exchange += more.exchange;
  update += more.update;
  input += more.input;
  seconds += more.seconds;
  for (const FeatureUse& other : more.features) {
    auto own = std::ranges::find(features, other.name, &FeatureUse::name);
    if (own == features.end()) own = features.insert(own, {other.name});
    own->add(other);
  }
  for (const CacheUse& other : more.caches) cacheOf(other.table).add(other);
  recorded.add(more.recorded);
}

std::vector<LaneShares> laneShares(const TimeUse& use) {
  std::vector<LaneShares> lanes;
  if (use.empty()) return lanes;
  for (const double compute : use.compute) {
    const double known = compute + use.exchange + use.update + use.input;
    const double whole = std::max(use.seconds, known);
    lanes.push_back({compute / whole, use.exchange / whole, use.update / whole, use.input / whole,
                     (whole - known) / whole});
  }
  return lanes;
}

std::string cacheSentence(const TimeUse& use) {
  constexpr double kPercent = 100.0;
  std::string text;
  for (const CacheUse& cache : use.caches)
    text += fmt::format("{}{} {:.1f} % of {} row{}",
                        text.empty() ? "Found in the caches of the devices: " : ", ", cache.table,
                        kPercent * cache.hitRate(), formatCount(cache.rows),
                        cache.rows == 1 ? "" : "s");
  return text;
}

std::string replaySentence(const TimeUse& use) {
  constexpr double kPercent = 100.0;
  const RecordedUse& recorded = use.recorded;
  if (recorded.pieces == 0) return {};
  return fmt::format("Replayed by the devices: {:.1f} % of {} piece{} of steps",
                     kPercent * recorded.share(), formatCount(recorded.pieces),
                     recorded.pieces == 1 ? "" : "s");
}

nlohmann::ordered_json toJson(const TimeUse& use) {
  auto features = nlohmann::ordered_json::array();
  for (const FeatureUse& feature : use.features)
    features.push_back({{"name", feature.name},
                        {"rows", feature.rows},
                        {"ids", feature.ids},
                        {"truncated", feature.truncated},
                        {"oov", feature.oov},
                        {"empty", feature.empty}});
  auto caches = nlohmann::ordered_json::array();
  for (const CacheUse& cache : use.caches)
    caches.push_back({{"table", cache.table}, {"rows", cache.rows}, {"hits", cache.hits}});
  return {{"seconds", use.seconds},
          {"compute", use.compute},
          {"exchange", use.exchange},
          {"update", use.update},
          {"input", use.input},
          {"features", std::move(features)},
          {"caches", std::move(caches)},
          {"recorded", {{"pieces", use.recorded.pieces}, {"replayed", use.recorded.replayed}}}};
}

TimeUse timeUseFromJson(const nlohmann::ordered_json& value) {
  TimeUse use;
  if (!value.is_object()) return use;
  const auto compute = value.find("compute");
  if (compute == value.end() || !compute->is_array()) return use;
  for (const auto& seconds : *compute)
    use.compute.push_back(seconds.is_number() ? seconds.get<double>() : 0.0);
  use.exchange = numberAt(value, "exchange");
  use.update = numberAt(value, "update");
  use.input = numberAt(value, "input");
  use.seconds = numberAt(value, "seconds");
  const auto listAt = [&](const char* key) {
    const auto found = value.find(key);
    return found != value.end() && found->is_array() ? *found : nlohmann::ordered_json::array();
  };
  for (const auto& cache : listAt("caches"))
    if (cache.is_object())
      use.caches.push_back({cache.value("table", std::string()),
                            static_cast<std::int64_t>(numberAt(cache, "rows")),
                            static_cast<std::int64_t>(numberAt(cache, "hits"))});
  if (const auto recorded = value.find("recorded");
      recorded != value.end() && recorded->is_object())
    use.recorded = {static_cast<std::int64_t>(numberAt(*recorded, "pieces")),
                    static_cast<std::int64_t>(numberAt(*recorded, "replayed"))};
  for (const auto& feature : listAt("features")) {
    if (!feature.is_object()) continue;
    const auto count = [&](const char* key) {
      return static_cast<std::int64_t>(numberAt(feature, key));
    };
    // Earlier versions stored it under its former name.
    const std::int64_t truncated = count(feature.contains("truncated") ? "truncated" : "cut");
    use.features.push_back({feature.value("name", std::string()), count("rows"), count("ids"),
                            truncated, count("oov"), count("empty")});
  }
  return use;
}

}  // namespace parapet::experiment
