// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/sweep_watch.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/experiment/metric_key.h"

namespace parapet::workspace {
namespace {

constexpr double kNotYet = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMinRuns = 3;

}  // namespace

SweepPace::SweepPace(std::string metric)
    : metric_(std::move(metric)), isLower_(experiment::smallerIsBetter(metric_)) {}

double SweepPace::better(double left, double right) const {
  if (std::isnan(left)) return right;
  if (std::isnan(right)) return left;
  return isLower_ ? std::min(left, right) : std::max(left, right);
}

void SweepPace::add(const std::vector<double>& values) {
  std::lock_guard lock(mutex_);
  runs_.push_back(values);
}

bool SweepPace::isBehind(std::int64_t epoch, double value) const {
  if (std::isnan(value)) return false;
  std::lock_guard lock(mutex_);
  std::vector<double> reached;
  for (const std::vector<double>& run : runs_)
    if (static_cast<std::int64_t>(run.size()) >= epoch)
      if (const double there = run[static_cast<std::size_t>(epoch - 1)]; !std::isnan(there))
        reached.push_back(there);
  if (reached.size() < kMinRuns) return false;
  const auto middle = reached.begin() + static_cast<std::ptrdiff_t>(reached.size() / 2);
  std::ranges::nth_element(reached, middle);
  return isLower_ ? value > *middle : value < *middle;
}

void SweepWatch::onEvent(const std::string&, const experiment::RunEvent& event) {
  if (const auto* started = std::get_if<experiment::RunStarted>(&event)) {
    std::lock_guard lock(mutex_);
    stepsPerEpoch_ = started->stepsPerEpoch;
    firstStep_ = step_ = started->firstStep;
  }
  const auto* ended = std::get_if<experiment::EpochEnded>(&event);
  if (!ended) return;
  double value = pace_.metric() == "loss" ? ended->summary.loss : kNotYet;
  for (const auto& [key, measured] : ended->summary.metrics)
    if (key == pace_.metric()) value = measured;
  std::lock_guard lock(mutex_);
  // A fork begins at a later epoch than its first.
  values_.resize(static_cast<std::size_t>(std::max<std::int64_t>(0, ended->summary.epoch - 1)),
                 kNotYet);
  values_.push_back(pace_.better(values_.empty() ? kNotYet : values_.back(), value));
  const auto epoch = static_cast<std::int64_t>(values_.size());
  if (epoch < epochs_ && pace_.isBehind(epoch, values_.back())) isBad_ = true;
}

void SweepWatch::onStep(const std::string&, const experiment::StepPoint& point) {
  std::lock_guard lock(mutex_);
  step_ = point.step;
}

bool SweepWatch::isBad() const {
  std::lock_guard lock(mutex_);
  return isBad_;
}

std::vector<double> SweepWatch::values() const {
  std::lock_guard lock(mutex_);
  return values_;
}

double SweepWatch::share() const {
  std::lock_guard lock(mutex_);
  const std::int64_t all = stepsPerEpoch_ * epochs_ - firstStep_;
  if (all <= 0) return 0.0;
  return std::clamp(static_cast<double>(step_ - firstStep_) / static_cast<double>(all), 0.0, 1.0);
}

}  // namespace parapet::workspace
