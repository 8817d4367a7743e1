// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/experiment/document.h"

namespace parapet::nn {

/// Learning rate of a step (from 0), by the formulas at experiment::ScheduleKind.
///
/// A decay over a run whose steps are not known yet (experiment::kStepsOfRun) has the full rate.
///
/// Units    `learningRate` is the optimizer's full rate; the end of kPolynomial and the values of
///          kPiecewise are rates, not shares of it.
/// Source   Keras 3 schedules; the warm-up is linear and the schedule counts from its end.
/// Thread   pure.
double learningRateAt(const experiment::Schedule& schedule, double learningRate, std::int64_t step);

}  // namespace parapet::nn
