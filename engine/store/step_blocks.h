// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/experiment/step_ring.h"
#include "engine/store/sqlite.h"

// Levels of detail of the recorded steps, so that a picture of ten million steps reads a few
// thousand of them.
//
// A block of level L is the steps [b·2^L, (b+1)·2^L), counted from step 0; a bucket belongs to the
// block of its last step, since it cannot be divided. Every third level is stored: 1/8 + 1/64 + … =
// 0.14 rows a step. The window's pyramid counts its blocks alike, so a curve read as blocks looks
// as one read step by step.
namespace parapet::store {

/// Adds buckets that follow the recorded ones to their blocks.
Status addToBlocks(Database& database, const std::string& runId,
                   std::span<const experiment::StepBucket> buckets);

/// Makes the blocks anew that hold `step` or a later one, from what `steps` holds now; all of them
/// for a run that was recorded by a program without blocks.
Status rebuildBlocks(Database& database, const std::string& runId, std::int64_t step);

/// The buckets that end within [first, last] as at most `maxBuckets` buckets: as they were recorded
/// if they are that few, else blocks of the finest level that fits; the outermost blocks may reach
/// outside.
/// Errors   InvalidArgument if maxBuckets is less than 8.
Result<std::vector<experiment::StepBucket>> readBlocks(Database& database, const std::string& runId,
                                                       std::int64_t first, std::int64_t last,
                                                       std::int64_t maxBuckets);

}  // namespace parapet::store
