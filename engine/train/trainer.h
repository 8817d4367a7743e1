// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/data/split/split.h"
#include "engine/experiment/run_event.h"
#include "engine/train/run_control.h"
#include "engine/train/session.h"
#include "engine/train/training_progress.h"

namespace parapet::train {

/// Products of two floats from which it pays to measure lists beside training: below, a thread that
/// training lends costs it more than the evaluation gains.
inline constexpr std::int64_t kMinLaterProducts = std::int64_t{1} << 30;

/// The parameters of a run besides its session.
struct TrainerOptions {
  std::string runId{};
  std::string fingerprint{};
  std::filesystem::path checkpointFolder{};  ///< of this run
  std::optional<checkpoint::Checkpoint> resumeFrom{};
  /// Checkpoint of another run, whose weights the session has taken over. The run begins after that
  /// checkpoint's step, with a checkpoint of its own.
  std::optional<checkpoint::Checkpoint> forkFrom{};
  TrainingProgress::EpochPosition forkPosition = TrainingProgress::EpochPosition::kKeep;
  /// Called before a checkpoint is committed: stores durably what the sink received so far.
  /// Otherwise a run that is killed and resumed from the checkpoint would miss the last epochs of
  /// its curve.
  std::function<void()> flush = [] {};
  ProgressFunction progress{};  ///< for the work besides steps
  bool fitsBaselines = true;    ///< those that cost more than a pass over the rows, too
  /// Lists of the catalogue that take so many products of two floats are measured beside training.
  std::int64_t minLaterProducts = kMinLaterProducts;
};

/// The outcome of a run in this process.
struct TrainerResult {
  experiment::RunState state = experiment::RunState::kFinished;
  std::optional<Error> error;
  std::vector<experiment::EpochSummary> epochs;  ///< finished in this process
  std::int64_t steps = 0;                        ///< of the whole run
  std::int64_t examplesHere = 0;                 ///< trained in this process
  double trainSecondsHere = 0.0;
  double seconds = 0.0, trainSeconds = 0.0;  ///< of the whole run
  std::string checkpoint;                    ///< folder of the last one
  experiment::Baselines baselines;           ///< on the validation part
  std::vector<experiment::Metric> testMetrics;
};

/// Trains an experiment to its end, or until a stop is requested: epochs, validation, checkpoints,
/// early stopping, events. Blocks; runs in the run's own thread. A stop before the first step of this
/// process, while the baselines are measured above all, writes no checkpoint. One in the validation
/// after an epoch gives it up: the epoch is not told, and its checkpoint is that after the last step.
///
/// A resumed run continues after the checkpoint's step with the bits it would have had without the
/// interruption. Where the metrics of the checkpoint follow older rules, it goes on under those of
/// this program: the checkpoints that were kept are measured again, for the best one and for early
/// stopping.
///
/// A checkpoint that cannot be written warns and is tried again later with growing delays; training
/// goes on. A loss or a weight that becomes NaN or infinite ends the run as Diverged within the
/// step, with the last good checkpoint kept.
///
/// Lists of the catalogue are measured in threads of their own while the next epoch trains, where
/// that pays and nothing depends on them: a best checkpoint or an early stop by a metric of lists
/// waits for them, and so does the last epoch. An epoch ends, for the sink, when its lists are
/// there; the next one waits with its own. A checkpoint does not wait: a run that is resumed from
/// it measures them again. A stop within the next epoch waits for them; an abort leaves them out.
TrainerResult train(Session& session, const experiment::Experiment& experiment,
                    const data::Split& split, const TrainerOptions& options, RunControl& control,
                    experiment::RunSink& sink);

}  // namespace parapet::train
