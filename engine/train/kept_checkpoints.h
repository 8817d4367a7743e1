// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/experiment/run_event.h"
#include "engine/train/evaluator.h"
#include "engine/train/session.h"

namespace parapet::train {

/// An epoch whose checkpoint was kept, and how its validation has changed, for the user.
struct KeptEpoch {
  experiment::EpochMeasuredAgain event;
  std::string note;
};

/// Measures the epochs whose checkpoints a run has kept by the rules of this program. The session
/// goes through their weights, ascending by step up to `last`, and has those of `last` on return.
///
/// Checkpoints within an epoch, or at the end of one that is not validated, have no part in a best
/// value and are passed over, and so are damaged ones. A pass that is stopped returns what it has.
///
/// Errors   those of Evaluator::measure; those of Session::load for `last`.
Result<std::vector<KeptEpoch>> measureKept(Session& session, Evaluator& validation,
                                           const checkpoint::Checkpoint& last,
                                           const WorkContext& context);

}  // namespace parapet::train
