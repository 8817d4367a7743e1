// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/base/result.h"
#include "engine/experiment/run_event.h"
#include "engine/store/sqlite.h"

namespace parapet::store {

/// Keeps `best_value`, `best_epoch` and `best_step` of a run: the epoch with the best value of
/// `best_metric`, so that a list of runs needs no query per run. Called inside a transaction of the
/// caller.
///
/// Takes the epoch that was just recorded if it is better than the best so far.
Status offerEpoch(Database& database, const std::string& runId,
                  const experiment::EpochSummary& epoch);
/// Looks at all recorded epochs again, after some were removed or replaced.
Status findBestEpoch(Database& database, const std::string& runId);

}  // namespace parapet::store
