// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "engine/base/result.h"
#include "engine/experiment/run_event.h"

namespace parapet::cli {

/// The exit status of the process. Conditions are checked in the order 2, 3, 1: a wrong argument is
/// reported even if the run it names does not exist either.
enum class ExitCode : int {
  kDone = 0,
  kFailed = 1,    ///< data, disk, device or peer failed, or `verify` did not pass
  kWrong = 2,     ///< arguments or document wrong, found before anything starts
  kNotFound = 3,  ///< run, user, recipe or document file does not exist
  kStopped = 4,   ///< stopped by the user
  kDiverged = 5,  ///< the loss, a weight or a slot is NaN or infinite
};

ExitCode exitCodeOf(ErrorCode code);
/// The exit status for a run that has ended.
ExitCode exitCodeOf(experiment::RunState state);
/// The one that is checked earlier; kDone gives way to everything.
ExitCode moreUrgent(ExitCode left, ExitCode right);

}  // namespace parapet::cli
