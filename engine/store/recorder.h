// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "engine/base/result.h"
#include "engine/experiment/run_event.h"
#include "engine/experiment/step_ring.h"
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

/// An event as the sink received it.
struct ReceivedEvent {
  std::string runId;
  std::int64_t wallMs = 0;
  experiment::RunEvent event;
};

/// Writes events as rows. All functions are called inside a transaction of the caller. A run that the
/// database does not know (erased meanwhile) is logged and skipped.
Status recordEvent(Database& database, const ReceivedEvent& received);
Status recordSteps(Database& database, const std::string& runId,
                   std::span<const experiment::StepBucket> buckets);
Status addEvent(Database& database, const std::string& runId, std::int64_t wallMs,
                std::string_view kind, std::string_view message, std::int64_t step);

/// Only the row of the run, for a disk with little space: no line in its log.
Status recordEnd(Database& database, const std::string& runId, std::int64_t wallMs,
                 const experiment::RunEnded& ended);

/// Changes columns of a run that its hash is of, in the transaction of the caller. A row that had changed
/// before keeps its old hash, and so stays one that has changed.
Status changeSealedRun(Database& database, const std::string& runId,
                       const std::function<Status()>& change);

/// A path of the workspace, which is the folder of the database, as the database holds it: relative
/// to the workspace, so that it can be moved. Paths of other folders stay as they are.
std::string pathInWorkspace(const Database& database, const std::string& path);

}  // namespace parapet::store
