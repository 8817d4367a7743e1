// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "app/cli/invocation.h"
#include "engine/workspace/workspace.h"

namespace parapet::cli {

/// Trains to its end what `start` starts, with progress; the answer is that of `train`.
Answer followRun(
    Invocation& invocation, const experiment::Experiment& experiment, workspace::RunOptions options,
    const std::function<Result<std::unique_ptr<workspace::RunHandle>>(workspace::RunOptions)>&
        start);

/// Facts of a summary besides the outcome, most of them for the commands that it proposes.
struct NextCommands {
  std::string program;          ///< "parapet-cli", with a workspace other than the default one
  std::string userId;           ///< a user of the data, "" where none can be typed
  bool asksTexts = false;       ///< the data are lines of text
  std::int64_t forkedStep = 0;  ///< of the checkpoint that a fork began with
};
/// The commands for a run on `dataset`, which may be null, in a workspace.
NextCommands nextCommands(const std::string& workspaceFolder, const data::Dataset* dataset);

/// The summary that a person reads after training: where the run stands, the last measured values
/// beside those of the baselines, one honest sentence on them, and what to do next.
std::string trainSummary(const workspace::RunOutcome& outcome, const std::string& bestMetric,
                         const experiment::Experiment& experiment, const NextCommands& next);

}  // namespace parapet::cli
