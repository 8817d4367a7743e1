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
  constexpr std::array kNames{"constant", "item_mean", "user_mean", "random", "biases"};
  return kNames[static_cast<std::size_t>(baseline)];
}

const data::RowSet& rowsOf(const data::Split& split, experiment::SplitPart part) {
  using experiment::SplitPart;
  return part == SplitPart::kTrain  ? split.train
         : part == SplitPart::kTest ? split.test
                                    : split.validation;
}

/// The training rows, pass by pass.
struct RowPredictor::Rows {
  const data::Dataset& dataset;
  const data::EventColumns& events;
  const data::RowSet& training;
  std::span<const float> labels;

  /// Calls visit(entry of the user, entry of the item, label, weight) for each.
  template <class Visit>
  void forEach(const Visit& visit) const {
    events.forEachRow(training, [&](std::int64_t row) {
      const auto at = static_cast<std::size_t>(row);
      visit(static_cast<std::size_t>(events.users[at]),
            static_cast<std::size_t>(events.itemEntries[at]), static_cast<double>(labels[at]),
            weightOf(dataset, row));
    });
  }
};

void RowPredictor::fitBiases(const Rows& rows, double mean, bool ofLogits) {
  constexpr int kTurns = 10;
  constexpr double kItemRows = 10.0, kUserRows = 15.0, kMaxStep = 2.0;
  const double base = ofLogits ? logit(mean) : mean;
  const auto predicted = [ofLogits](double score) {
    return ofLogits ? 1.0 / (1.0 + std::exp(-score)) : score;
  };
  const auto curvature = [ofLogits](double value) {
    return ofLogits ? value * (1.0 - value) : 1.0;
  };
  const double atMean = curvature(predicted(base));
  std::vector<double> items(static_cast<std::size_t>(rows.events.itemEntryCount)),
      users(static_cast<std::size_t>(rows.events.userCount));
  std::vector<LabelSums> sums;  // of w·(y − p), and of w·p'
  const auto step = [&](std::vector<double>& biases, bool ofItems, double extraRows) {
    sums.assign(biases.size(), {});
    rows.forEach([&](std::size_t user, std::size_t item, double label, double weight) {
      const double value = predicted(base + users[user] + items[item]);
      LabelSums& to = sums[ofItems ? item : user];
      to.label += weight * (label - value);
      to.weight += weight * curvature(value);
    });
    for (std::size_t i = 0; i < biases.size(); ++i) {
      const double prior = extraRows * atMean;
      const double by = (sums[i].label - prior * biases[i]) / (sums[i].weight + prior);
      biases[i] += ofLogits ? std::clamp(by, -kMaxStep, kMaxStep) : by;
    }
  };
  for (int turn = 0; turn < kTurns; ++turn) {
    step(items, true, kItemRows);
    step(users, false, kUserRows);
  }
  for (const double bias : items) predictions_.push_back(static_cast<float>(base + bias));
  for (const double bias : users) userBiases_.push_back(static_cast<float>(bias));
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
  const bool ofLogits = experiment::traitsOf(loss).takesLogits;
  if (baseline == RowBaseline::kBiases) {
    fitBiases({dataset, events, training, labels}, mean, ofLogits);
    return;
  }
  const auto add = [&](double predicted) {
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
    case RowBaseline::kBiases:
      return predictions_[static_cast<std::size_t>(itemRow)] +
             userBiases_[static_cast<std::size_t>(userRow)];
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
