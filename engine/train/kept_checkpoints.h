// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/experiment/run_event.h"
#include "engine/train/evaluator.h"
#include "engine/train/session.h"

namespace parapet::train {

/// Why a checkpoint is written.
enum class CheckpointReason {
  kDue,   ///< by the schedule of the document; after a failure it is retried only after a delay
  kBest,  ///< the tracked metric improved; delayed likewise
  kLast,  ///< the run ends here; always tried
};

/// Commits the checkpoints of a run and prunes old ones: the last K stay, and the best.
class CheckpointKeeper {
 public:
  using Emit = std::function<void(const experiment::RunEvent&)>;
  CheckpointKeeper(std::filesystem::path folder, const experiment::Checkpoints& spec, Emit emit);

  /// Commits the session's state under `manifest`. On failure warns once per failure, and refuses
  /// to try again for a while (1 s, doubling to 60 s), except for kLast.
  Status commit(Session& session, const checkpoint::Manifest& manifest, CheckpointReason reason);
  [[nodiscard]] const std::string& last() const { return last_; }
  /// Whether the last checkpoint is of this step and of so many epochs: an epoch whose validation was
  /// stopped has not ended.
  [[nodiscard]] bool isLast(std::int64_t step, std::int64_t epochs) const {
    return step == lastStep_ && epochs == lastEpoch_;
  }
  [[nodiscard]] std::int64_t bestStep() const { return bestStep_; }
  void restore(std::int64_t lastStep, std::int64_t lastEpoch, std::int64_t bestStep,
               std::string last);

 private:
  void prune();
  std::filesystem::path folder_;
  std::int64_t keep_;
  Emit emit_;
  std::string last_;
  std::int64_t lastStep_ = -1, lastEpoch_ = -1, bestStep_ = -1;
  double retryDelay_ = 0.0;
  Stopwatch sinceFailure_;
};

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
