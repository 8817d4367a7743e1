// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/published_run.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "engine/experiment/experiment.h"

namespace parapet::experiment {
namespace {

/// What decides a curve, by what a message calls it.
using Parts = std::array<std::pair<const char*, nlohmann::ordered_json>, 3>;

Parts partsOf(const Experiment& experiment) {
  nlohmann::ordered_json document = toJson(experiment);
  nlohmann::ordered_json& data = document["dataset"];
  for (const char* key : {"path", "batch"}) data.erase(key);
  if (data["split"].is_object()) data["split"].erase("seed");
  // Where files of this machine lie, too; no curve is left out because the vocabulary was named.
  if (data.contains("text") && data["text"].is_object()) data["text"].erase("vocabulary");
  nlohmann::ordered_json tables = nlohmann::ordered_json::array();
  for (const Table& table : experiment.tables)
    tables.push_back({table.name, table.vocabulary, table.embeddingDim});
  document["model"].erase("weights");
  nlohmann::ordered_json model{
      {"model", document["model"]}, {"features", document["features"]}, {"tables", tables}};
  return {{{"the data", std::move(data)},
           {"the loss", std::move(document["loss"])},
           {"the model", std::move(model)}}};
}

/// The recipes of each curve.
const std::multimap<std::string, Parts>& publishedRuns() {
  static const std::multimap<std::string, Parts> runs = [] {
    std::multimap<std::string, Parts> read;
    for (const Recipe& recipe : recipes()) {
      const auto document = parseJson(recipe.text, recipe.name);
      if (!document) continue;
      const Parsed parsed = parse(*document);
      if (parsed.findings.problems.empty() && parsed.experiment.reference.curve)
        read.emplace(*parsed.experiment.reference.curve, partsOf(parsed.experiment));
    }
    return read;
  }();
  return runs;
}

}  // namespace

std::optional<std::string> differenceFromPublished(const Experiment& experiment) {
  if (!experiment.reference.curve) return std::nullopt;
  const auto [first, last] = publishedRuns().equal_range(*experiment.reference.curve);
  const Parts own = partsOf(experiment);
  std::optional<std::string> difference;
  for (auto published = first; published != last; ++published) {
    const auto other = std::mismatch(own.begin(), own.end(), published->second.begin());
    if (other.first == own.end()) return std::nullopt;
    difference = other.first->first;
  }
  return difference;
}

std::optional<std::string> leavePublishedRun(const Experiment& before, Experiment& changed) {
  if (!changed.reference.curve || changed.reference.curve != before.reference.curve)
    return std::nullopt;
  const auto difference = differenceFromPublished(changed);
  if (!difference || differenceFromPublished(before)) return std::nullopt;
  changed.reference.curve.reset();
  return difference;
}

}  // namespace parapet::experiment
