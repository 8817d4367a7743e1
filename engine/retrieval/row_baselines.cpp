// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/row_baselines.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "engine/base/random.h"
#include "engine/base/result.h"

namespace parapet::retrieval {
namespace {

/// Weighted sums of labels: of all rows, and by a column of ids.
struct LabelSums {
  double label = 0.0, weight = 0.0;
  void add(double ofLabel, double ofWeight) {
    label += ofWeight * ofLabel;
    weight += ofWeight;
  }
  /// With one row of `mean` among them.
  [[nodiscard]] double meanWith(double mean) const { return (label + mean) / (weight + 1.0); }
};

/// The column whose ids have a mean each; none if all rows have the same, or chance.
struct MeanBy {
  std::span<const std::int32_t> ids;
  std::int64_t count = 0;
};

MeanBy columnOf(const std::string& baseline, const data::EventColumns& events) {
  if (baseline == "item_mean") return {events.items, events.itemCount};
  if (baseline == "user_mean") return {events.users, events.userCount};
  if (baseline == "constant" || baseline == "random") return {};
  throw InvalidArgument("[retrieval.rowBaseline] there is no baseline " + baseline);
}

double weightOf(const data::Dataset& dataset, std::int64_t row) {
  const auto weights = dataset.weights();
  return weights.empty() ? 1.0 : static_cast<double>(weights[static_cast<std::size_t>(row)]);
}

/// What a baseline predicts for a row of the data set.
using Answer = std::function<double(std::int64_t row)>;

Answer answerOf(const std::string& name, const data::Dataset& dataset,
                const data::EventColumns& events, const data::RowSet& training,
                std::span<const float> labels) {
  const MeanBy by = columnOf(name, events);
  if (name == "random")
    return [random = Random(0, RandomPurpose::kSampling)](std::int64_t row) {
      return static_cast<double>(random.uniform(static_cast<std::uint64_t>(row)));
    };
  const auto id = [by](std::int64_t row) {
    return static_cast<std::size_t>(by.ids[static_cast<std::size_t>(row)]);
  };
  LabelSums all;
  std::vector<LabelSums> own(static_cast<std::size_t>(by.count));
  events.forEachRow(training, [&](std::int64_t row) {
    const double label = static_cast<double>(labels[static_cast<std::size_t>(row)]);
    const double weight = weightOf(dataset, row);
    all.add(label, weight);
    if (!own.empty()) own[id(row)].add(label, weight);
  });
  const double mean = all.weight > 0.0 ? all.label / all.weight : 0.0;
  if (own.empty()) return [mean](std::int64_t) { return mean; };
  return [mean, id, own = std::move(own)](std::int64_t row) { return own[id(row)].meanWith(mean); };
}

/// Labels that are all the same have a probability of 0 or 1, whose logit no sum would survive.
double logit(double probability) {
  constexpr double kLeast = 1e-7;
  const double inside = std::clamp(probability, kLeast, 1.0 - kLeast);
  return std::log(inside / (1.0 - inside));
}

}  // namespace

RowBaseline rowBaseline(const std::string& name, const data::Dataset& dataset,
                        const data::Split& split, Part part, const RowTarget& target) {
  constexpr std::size_t kBlock = 1 << 16;
  const data::EventColumns events(dataset);
  const Answer answer = answerOf(name, dataset, events, split.train, target.labels);
  const bool ofLogits = target.loss.kind == experiment::LossKind::kBce;
  RowMetrics metrics(target.loss, target.lists);
  Predictions block;
  const auto measure = [&] {
    metrics.add(block.all());
    block = {};
  };
  events.forEachRow(rowsOf(split, part), [&](std::int64_t row) {
    const auto at = static_cast<std::size_t>(row);
    const double predicted = answer(row);
    block.prediction.push_back(static_cast<float>(ofLogits ? logit(predicted) : predicted));
    block.label.push_back(target.labels[at]);
    block.group.push_back(events.users[at]);
    if (!dataset.weights().empty()) block.weight.push_back(dataset.weights()[at]);
    if (block.prediction.size() == kBlock) measure();
  });
  measure();
  return {metrics.values(), metrics.loss()};
}

}  // namespace parapet::retrieval
