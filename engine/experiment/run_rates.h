// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/experiment/document.h"

namespace parapet::experiment {

/// What learning rates depend on besides the document.
struct RunExtent {
  std::int64_t devices = 1;
  std::int64_t steps = 0;  ///< of the whole run; 0: not known
};

/// A schedule that changes the rate by a smaller share of it, over a whole run, is warned of.
inline constexpr double kMinScheduleChange = 0.01;

/// An optimizer as a run has it: its schedule filled in, its rate and those of the schedule multiplied
/// by the devices where that is asked for, and a decay over the run with the steps that it has. Where
/// they are not known it stays kStepsOfRun.
Optimizer optimizerOfRun(Optimizer optimizer, const Schedule& common, const RunExtent& run);

}  // namespace parapet::experiment
