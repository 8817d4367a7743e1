// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "engine/workspace/workspace.h"

namespace parapet::cli {

/// What a summary tells besides the outcome, most of it for the commands that it proposes.
struct NextCommands {
  std::string program;          ///< "parapet-cli", with a workspace other than the default one
  std::string userId;           ///< a user of the data, "" where none can be typed
  bool asksTexts = false;       ///< the data are lines of text
  std::int64_t forkedStep = 0;  ///< of the checkpoint that a fork began with
};
/// Those for a run on `dataset`, which may be null, in a workspace.
NextCommands nextCommands(const std::string& workspaceFolder, const data::Dataset* dataset);

/// What a person wants to read after training: where the run stands, the last measured values
/// beside those of the baselines, one honest sentence on them, and what to do next.
std::string trainSummary(const workspace::RunOutcome& outcome, const std::string& bestMetric,
                         const experiment::Experiment& experiment, const NextCommands& next);

}  // namespace parapet::cli
