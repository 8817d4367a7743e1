// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/schedules.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace parapet::nn {
namespace {

using experiment::Schedule;
using experiment::ScheduleKind;

double polynomial(const Schedule& schedule, double rate, double step) {
  auto length = static_cast<double>(schedule.decaySteps);
  if (schedule.cycle)
    length *= std::max(1.0, std::ceil(step / length));
  else
    step = std::min(step, length);
  return (rate - schedule.end) * std::pow(1.0 - step / length, schedule.power) + schedule.end;
}

/// Periods of the decay that have passed.
double periods(const Schedule& schedule, double step) {
  const double passed = step / static_cast<double>(schedule.decaySteps);
  return schedule.staircase ? std::floor(passed) : passed;
}

/// From 1 at share 0 to 0 at share 1.
double cosine(double share) {
  return 0.5 * (1.0 + std::cos(std::numbers::pi * share));
}

/// Period by period, so that a restart falls on its step exactly. As in Keras, alpha is a share of
/// the first rate of all and does not decay.
double cosineRestarts(const Schedule& schedule, double step) {
  double length = 1.0, passed = step / static_cast<double>(schedule.decaySteps), start = 1.0;
  if (schedule.factor == 1.0) {
    start = std::pow(schedule.restartDecay, std::floor(passed));
    passed -= std::floor(passed);
  } else {
    for (; passed >= length; length *= schedule.factor) {
      passed -= length;
      start *= schedule.restartDecay;
    }
  }
  return (1.0 - schedule.alpha) * start * cosine(passed / length) + schedule.alpha;
}

double piecewise(const Schedule& schedule, std::int64_t step) {
  const auto passed = std::ranges::lower_bound(schedule.boundaries, step);
  return schedule.values[static_cast<std::size_t>(passed - schedule.boundaries.begin())];
}

}  // namespace

double learningRateAt(const Schedule& schedule, double learningRate, std::int64_t step) {
  if (step < schedule.warmupSteps) {
    const double share = static_cast<double>(step) / static_cast<double>(schedule.warmupSteps);
    return learningRate * (schedule.warmupFrom + (1.0 - schedule.warmupFrom) * share);
  }
  step -= schedule.warmupSteps;
  if (schedule.decaySteps == experiment::kStepsOfRun) return learningRate;
  const auto s = static_cast<double>(step);
  switch (schedule.kind) {
    case ScheduleKind::kConstant:
      return learningRate;
    case ScheduleKind::kPolynomial:
      return polynomial(schedule, learningRate, s);
    case ScheduleKind::kExponential:
      return learningRate * std::pow(schedule.rate, periods(schedule, s));
    case ScheduleKind::kCosine: {
      const double share = std::min(1.0, s / static_cast<double>(schedule.decaySteps));
      return learningRate * ((1.0 - schedule.alpha) * cosine(share) + schedule.alpha);
    }
    case ScheduleKind::kCosineRestarts:
      return learningRate * cosineRestarts(schedule, s);
    case ScheduleKind::kInverseTime:
      return learningRate / (1.0 + schedule.rate * periods(schedule, s));
    case ScheduleKind::kPiecewise:
      return piecewise(schedule, step);
  }
  return learningRate;
}

}  // namespace parapet::nn
