// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/run_rates.h"

#include <algorithm>

namespace parapet::experiment {

Optimizer optimizerOfRun(Optimizer optimizer, const Schedule& common, const RunExtent& run) {
  if (!optimizer.schedule) optimizer.schedule = common;
  Schedule& schedule = *optimizer.schedule;
  if (optimizer.scaleWithDevices) {
    const auto devices = static_cast<double>(run.devices);
    optimizer.learningRate *= devices;
    schedule.end *= devices;
    for (double& rate : schedule.values) rate *= devices;
  }
  if (schedule.decaySteps == kStepsOfRun && run.steps > 0)
    schedule.decaySteps = std::max<std::int64_t>(1, run.steps - schedule.warmupSteps);
  return optimizer;
}

}  // namespace parapet::experiment
