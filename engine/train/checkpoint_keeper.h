// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "engine/base/clock.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/experiment/run_event.h"
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
  [[nodiscard]] std::int64_t lastStep() const { return lastStep_; }
  [[nodiscard]] std::int64_t bestStep() const { return bestStep_; }
  void restore(std::int64_t lastStep, std::int64_t bestStep, std::string last);

 private:
  void prune();
  std::filesystem::path folder_;
  std::int64_t keep_;
  Emit emit_;
  std::string last_;
  std::int64_t lastStep_ = -1, bestStep_ = -1;
  double retryDelay_ = 0.0;
  Stopwatch sinceFailure_;
};

}  // namespace parapet::train
