// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/published_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "engine/base/text.h"
#include "engine/experiment/experiment.h"
#include "resources/embedded.h"

namespace parapet::experiment {
namespace {

/// [[epoch, value], …]
std::vector<ReferenceCurve::Point> readPoints(const nlohmann::json& json) {
  std::vector<ReferenceCurve::Point> points;
  for (const auto& point : json)
    points.push_back({point.at(0).get<std::int64_t>(), point.at(1).get<double>()});
  return points;
}

ReferenceCurve readCurve(std::string name, std::string_view text) {
  try {
    const auto json = nlohmann::json::parse(text);
    return {.name = std::move(name),
            .title = json.at("title"),
            .source = json.at("source"),
            .note = json.at("note"),
            .lossAsDisplayed = readPoints(json.at("loss_as_displayed")),
            .valLoss = readPoints(json.at("val_loss"))};
  } catch (const nlohmann::json::exception& error) {
    throw InternalError(fmt::format("[experiment.referenceCurve] {}: {}", name, error.what()));
  }
}

/// An empty object if there is no such curve.
nlohmann::json fileOf(std::string_view curve) {
  const auto text = resources::embedded(fmt::format("reference/{}.json", curve));
  return text ? nlohmann::json::parse(*text) : nlohmann::json::object();
}

/// The parts of a document that decide a curve, by their names in a message.
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

std::vector<ReferenceCurve::Point> publishedPoints(const ReferenceCurve& curve,
                                                   std::string_view key) {
  if (key == "loss_as_displayed") return curve.lossAsDisplayed;
  if (key == "val_loss") return curve.valLoss;
  const auto metrics = fileOf(curve.name).value("metrics", nlohmann::json::object());
  const auto found = metrics.find(std::string(key));
  return found == metrics.end() ? std::vector<ReferenceCurve::Point>() : readPoints(*found);
}

PublishedBand publishedBand(const ReferenceCurve& curve, std::string_view key) {
  const auto band = fileOf(curve.name).value("band", nlohmann::json::object());
  const auto found = band.find(std::string(key));
  if (found == band.end()) return {};
  PublishedBand read{.seeds = band.at("seeds").get<std::int64_t>(), .points = {}};
  for (const auto& point : *found)
    read.points.push_back(
        {point.at(0).get<std::int64_t>(), point.at(1).get<double>(), point.at(2).get<double>()});
  return read;
}

bool displayAddsDevices(std::string_view curve) {
  return fileOf(curve).value("display", "") == "devices added up";
}

Result<ReferenceCurve> findReferenceCurve(std::string_view name) {
  static const std::vector<std::string> kCurves{"keras-data-parallel-retrieval",
                                                "keras-distributed-embedding",
                                                "keras-context-retrieval", "keras-bert-mlm"};
  if (std::ranges::find(kCurves, name) == kCurves.end())
    return Error{.code = ErrorCode::kNotFound,
                 .message = fmt::format("no reference curve is named \"{}\"{}; there are: {}",
                                        printable(name), didYouMean(name, kCurves), join(kCurves))};
  const auto text = resources::embedded(fmt::format("reference/{}.json", name));
  if (!text) throw InternalError("[experiment.referenceCurve] a curve was not built in");
  return readCurve(std::string(name), *text);
}

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
