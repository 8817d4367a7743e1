// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "engine/experiment/experiment.h"

namespace parapet::workspace {

// What is asked of a stored run needs none of its devices: where one that it was trained on is not
// here, or is lost, as many logical CPU devices answer, with the same shares of every batch.

/// Why the devices of a run cannot be asked; nullopt if all are here.
std::optional<std::string> absentDevice(const experiment::Experiment& experiment);

/// The document of a run with a CPU device for each of its devices.
experiment::Experiment onCpuDevices(experiment::Experiment experiment);

/// A warning that names both.
std::string onCpuWarning(const experiment::Experiment& trainedOn, const std::string& reason);

}  // namespace parapet::workspace
