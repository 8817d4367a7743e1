// SPDX-License-Identifier: Apache-2.0
#include "engine/retrieval/row_baselines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "engine/base/random.h"
#include "engine/data/dataset/event_columns.h"

namespace parapet::retrieval {
namespace {

/// Weighted sums of labels.
struct LabelSums {
  double label = 0.0, weight = 0.0;
  void add(double ofLabel, double ofWeight) {
    label += ofWeight * ofLabel;
    weight += ofWeight;
  }
  /// Smoothed by one row of `mean`.
  [[nodiscard]] double meanWith(double mean) const { return (label + mean) / (weight + 1.0); }
};

/// The column whose ids have a mean each; empty if all rows share one.
struct MeanBy {
  std::span<const std::int32_t> ids;
  std::int64_t count = 0;
};

MeanBy columnOf(RowBaseline baseline, const data::EventColumns& events) {
  if (baseline == RowBaseline::kItemMean) return {events.itemEntries, events.itemEntryCount};
  if (baseline == RowBaseline::kUserMean) return {events.users, events.userCount};
  return {};
}

double weightOf(const data::Dataset& dataset, std::int64_t row) {
  const auto weights = dataset.weights();
  return weights.empty() ? 1.0 : static_cast<double>(weights[static_cast<std::size_t>(row)]);
}

/// Labels that are all equal give a probability of 0 or 1, whose logit is infinite.
double logit(double probability) {
  constexpr double kMin = 1e-7;
  const double inside = std::clamp(probability, kMin, 1.0 - kMin);
  return std::log(inside / (1.0 - inside));
}

}  // namespace

const char* rowBaselineName(RowBaseline baseline) {
  constexpr std::array kNames{"constant", "item_mean", "user_mean", "random"};
  return kNames[static_cast<std::size_t>(baseline)];
}

const data::RowSet& rowsOf(const data::Split& split, experiment::SplitPart part) {
  using experiment::SplitPart;
  return part == SplitPart::kTrain  ? split.train
         : part == SplitPart::kTest ? split.test
                                    : split.validation;
}

RowPredictor::RowPredictor(RowBaseline baseline, const data::Dataset& dataset,
                           const data::RowSet& training, std::span<const float> labels,
                           experiment::LossKind loss, std::stop_token stop)
    : baseline_(baseline) {
  if (baseline == RowBaseline::kRandom) return;
  const data::EventColumns events(dataset, std::move(stop));
  const MeanBy by = columnOf(baseline, events);
  LabelSums all;
  std::vector<LabelSums> own(static_cast<std::size_t>(by.count));
  events.forEachRow(training, [&](std::int64_t row) {
    const double label = static_cast<double>(labels[static_cast<std::size_t>(row)]);
    const double weight = weightOf(dataset, row);
    all.add(label, weight);
    if (!own.empty())
      own[static_cast<std::size_t>(by.ids[static_cast<std::size_t>(row)])].add(label, weight);
  });
  const double mean = all.weight > 0.0 ? all.label / all.weight : 0.0;
  const auto add = [&](double predicted) {
    const bool ofLogits = experiment::traitsOf(loss).takesLogits;
    predictions_.push_back(static_cast<float>(ofLogits ? logit(predicted) : predicted));
  };
  if (own.empty()) add(mean);
  for (const LabelSums& sums : own) add(sums.meanWith(mean));
}

float RowPredictor::predict(std::int32_t userRow, std::int32_t itemRow) const {
  switch (baseline_) {
    case RowBaseline::kConstant:
      return predictions_[0];
    case RowBaseline::kItemMean:
      return predictions_[static_cast<std::size_t>(itemRow)];
    case RowBaseline::kUserMean:
      return predictions_[static_cast<std::size_t>(userRow)];
    case RowBaseline::kRandom:
      break;
  }
  const auto pair =
      (static_cast<std::uint64_t>(userRow) << 32U) | static_cast<std::uint64_t>(itemRow);
  return Random(0, RandomPurpose::kSampling).uniform(pair);
}

RowBaselineMetrics measureRowBaseline(RowBaseline baseline, const data::Dataset& dataset,
                                      const data::Split& split, experiment::SplitPart part,
                                      const RowTarget& target, std::stop_token stop) try {
  constexpr std::size_t kBlock = 1 << 16;
  const data::EventColumns events(dataset, stop);
  const RowPredictor predictor(baseline, dataset, split.train, target.labels, target.loss.kind,
                               stop);
  RowMetrics metrics(target.loss, target.lists);
  Predictions block;
  const auto measure = [&] {
    metrics.add(block.all());
    block = {};
  };
  events.forEachRow(rowsOf(split, part), [&](std::int64_t row) {
    const auto at = static_cast<std::size_t>(row);
    block.prediction.push_back(predictor.predict(events.users[at], events.itemEntries[at]));
    block.label.push_back(target.labels[at]);
    block.group.push_back(events.users[at]);
    if (!dataset.weights().empty()) block.weight.push_back(dataset.weights()[at]);
    if (block.prediction.size() == kBlock) measure();
  });
  measure();
  return {metrics.values(), metrics.loss()};
} catch (const data::PassStopped&) {
  return {};
}

}  // namespace parapet::retrieval
