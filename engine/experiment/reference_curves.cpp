// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/published_points.h"
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

}  // namespace parapet::experiment
