// SPDX-License-Identifier: Apache-2.0
#include "engine/train/loss_tracker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/json_number.h"
#include "engine/base/result.h"

namespace parapet::train {
namespace {

std::vector<double> weightsOf(const nn::Model& model) {
  std::vector<double> weights;
  for (const nn::Model::Head& head : model.heads) weights.push_back(head.loss.weight);
  return weights;
}

std::optional<double> total(std::span<const double> weights, std::span<const nn::LossSums> losses) {
  std::optional<double> sum;
  for (std::size_t head = 0; head < weights.size(); ++head)
    if (losses[head].denominator > 0.0)
      sum = sum.value_or(0.0) + weights[head] * losses[head].mean();
  return sum;
}

void requireHeads(std::size_t found, std::size_t accepted) {
  if (found != accepted)
    throw InvalidArgument(
        fmt::format("[train.LossTracker] {} losses; accepted are {}", found, accepted));
}

}  // namespace

LossTracker::LossTracker(const nn::Model& model) : LossTracker(weightsOf(model)) {}

std::optional<double> LossTracker::add(std::span<const nn::LossSums> losses, std::int64_t rows) {
  requireHeads(losses.size(), sums_.size());
  for (std::size_t head = 0; head < losses.size(); ++head) {
    sums_[head].numerator += losses[head].numerator;
    sums_[head].denominator += losses[head].denominator;
    maskedHits_ += losses[head].negatives.masked;
  }
  equalScores_ += losses.front().negatives.equalScores;
  ++batches_;
  rows_ += rows;
  runningMeans_ += total(weights_, sums_).value_or(0.0);
  return total(weights_, losses);
}

double LossTracker::loss() const {
  return total(weights_, sums_).value_or(std::numeric_limits<double>::quiet_NaN());
}

bool LossTracker::hasCounted() const {
  return total(weights_, sums_).has_value();
}

double LossTracker::lossOf(std::size_t head) const {
  return sums_.at(head).mean();
}

double LossTracker::lossOfEqualScores() const {
  const double denominator = sums_.front().denominator;
  return denominator > 0.0 && std::isfinite(equalScores_) && equalScores_ > 0.0
             ? equalScores_ / denominator
             : std::numeric_limits<double>::quiet_NaN();
}

double LossTracker::lossAsDisplayed() const {
  return batches_ > 0 ? (runningMeans_ + loss()) / static_cast<double>(batches_ + 1) : 0.0;
}

nlohmann::json LossTracker::toJson() const {
  auto heads = nlohmann::json::array();
  for (const nn::LossSums& sums : sums_)
    heads.push_back({{"numerator", sums.numerator}, {"denominator", sums.denominator}});
  return {{"heads", std::move(heads)},  {"running_means", runningMeans_},
          {"batches", batches_},        {"rows", rows_},
          {"masked_hits", maskedHits_}, {"equal_scores", numberOrNull(equalScores_)}};
}

void LossTracker::fromJson(const nlohmann::json& state) {
  const nlohmann::json& heads = state.at("heads");
  requireHeads(heads.size(), sums_.size());
  for (std::size_t head = 0; head < sums_.size(); ++head)
    sums_[head] = {heads[head].at("numerator"), heads[head].at("denominator"), {}};
  runningMeans_ = state.at("running_means");
  batches_ = state.at("batches");
  rows_ = state.at("rows");
  maskedHits_ = state.value("masked_hits", std::int64_t{0});  // not in those of earlier versions
  equalScores_ = numberOrNan(state.value("equal_scores", nlohmann::json()));
}

}  // namespace parapet::train
