// SPDX-License-Identifier: Apache-2.0
#include "engine/train/loss_tracker.h"

namespace parapet::train {

double LossTracker::add(const tensor::ErrorSums& errors, std::int64_t rows) {
  const double denominator = reduction_ == experiment::Reduction::kMean ? static_cast<double>(rows)
                             : reduction_ == experiment::Reduction::kWeightedMean ? errors.weight
                                                                                  : 1.0;
  numerator_ += errors.squared;
  denominator_ += denominator;
  ++batches_;
  rows_ += rows;
  runningMeans_ += loss();
  return denominator > 0.0 ? errors.squared / denominator : 0.0;
}

double LossTracker::lossAsDisplayed() const {
  return batches_ > 0 ? (runningMeans_ + loss()) / static_cast<double>(batches_ + 1) : 0.0;
}

nlohmann::json LossTracker::toJson() const {
  return {{"numerator", numerator_},
          {"denominator", denominator_},
          {"running_means", runningMeans_},
          {"batches", batches_},
          {"rows", rows_}};
}

void LossTracker::fromJson(const nlohmann::json& state) {
  numerator_ = state.at("numerator");
  denominator_ = state.at("denominator");
  runningMeans_ = state.at("running_means");
  batches_ = state.at("batches");
  rows_ = state.at("rows");
}

}  // namespace parapet::train
