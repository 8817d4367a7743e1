// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/workspace/run_origin.h"
#include "engine/workspace/verification.h"
#include "engine/workspace/workspace_state.h"

namespace parapet::workspace {

/// The experiment with the global batch and the learning rates that its own devices give it:
/// `batch.per_device` and `scale_with_devices` would make others of them on other devices, and two
/// trainings on different batches or at different rates do not compare.
Result<experiment::Experiment> withFixedBatchAndRates(experiment::Experiment experiment);

/// The experiment on other devices, or on its own if there are none. kInvalidDocument if it cannot
/// train there.
Result<experiment::Experiment> experimentOn(const std::vector<std::string>& devices,
                                            experiment::Experiment experiment);

/// Whether a step sees the batch that follows, as in a run: its ids are sorted by shard while the step
/// computes. No bit may depend on it, so one of two trainings does so.
enum class Lookahead { kNone, kNextBatch };

/// The weights that a training of a verification begins with.
enum class StartingWeights {
  kGiven,    ///< as a run does
  kLastBit,  ///< every weight moved by its last bit, up or down
};

struct TrainingManner {
  std::string name;  ///< for the progress
  Lookahead lookahead = Lookahead::kNone;
  StartingWeights weights = StartingWeights::kGiven;
};

/// What all trainings of a verification share.
struct VerifyInputs {
  const RunOrigin& origin;
  std::shared_ptr<const data::Dataset> dataset;
  const data::Split& split;
  const VerifyOptions& options;
};

struct ShortRun {
  std::unique_ptr<train::Session> session;
  std::vector<double> losses;
  /// All arrays of Session::tensors() before the first step, where they were asked for.
  std::vector<std::vector<float>> start;
};

/// Trains options.steps steps. `start` is kept with StartingWeights::kLastBit alone.
Result<ShortRun> trainSteps(Shared& shared, const experiment::Experiment& experiment,
                            const VerifyInputs& inputs, const TrainingManner& manner,
                            const WorkContext& context);

/// Gradients by plain descent of the first batch of an epoch, on the devices of `run` at the weights of
/// `at`, which `run` takes over. `experiment` is that of `run`.
Result<std::vector<std::vector<float>>> gradientsAt(ShortRun& run, train::Session& at,
                                                    const experiment::Experiment& experiment,
                                                    const VerifyInputs& inputs);

}  // namespace parapet::workspace
