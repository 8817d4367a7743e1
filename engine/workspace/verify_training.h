// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/data/dataset/batches.h"
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

/// Inputs that all trainings of a verification share.
struct VerifyInputs {
  const RunOrigin& origin;
  std::shared_ptr<const data::Dataset> dataset;
  const data::Split& split;
  const VerifyOptions& options;
};

/// A training, and where it is.
struct ShortRun {
  std::unique_ptr<train::Session> session;
  std::vector<double> losses;
  /// All arrays of Session::tensors() before the first step, where they were asked for.
  std::vector<std::vector<float>> start{};
  std::unique_ptr<data::BatchLoader> loader{};
  Lookahead lookahead = Lookahead::kNone;
  std::int64_t step = 0, epoch = 0, batchesPerEpoch = 0;
};

/// A training before its first step. Throws data::PassStopped once it is cancelled.
Result<ShortRun> beginTraining(Shared& shared, const experiment::Experiment& experiment,
                               const VerifyInputs& inputs, Lookahead lookahead,
                               const WorkContext& context);
/// Trains the next step of a training and adds its losses.
///
/// Errors   also kCancelled.
Status trainStep(ShortRun& run, const WorkContext& context);

/// Gives a session all weights and slots of another one, whatever the devices of both.
void takeState(train::Session& into, train::Session& from);
/// Moves every weight to the next number above or below, by a fixed draw of bits, and returns all arrays
/// of Session::tensors() before. What trains nothing stays: it is an input of a step, not its result.
std::vector<std::vector<float>> moveLastBits(train::Session& session);

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
