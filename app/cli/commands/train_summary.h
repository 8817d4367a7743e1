// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/workspace/workspace.h"

namespace parapet::cli {

/// What a person wants to read after training: where the run stands, the last measured values
/// beside those of the baselines, one honest sentence on them, and what to do next.
std::string trainSummary(const workspace::RunOutcome& outcome, const std::string& bestMetric);

}  // namespace parapet::cli
