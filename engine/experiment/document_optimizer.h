// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Optimizers and learning rate schedules.
namespace parapet::experiment {

enum class ScheduleKind {
  kConstant,
  kPolynomial,  ///< (lr − end)·(1 − s/T)^power + end, s = min(step, T); cycle: T·ceil(step/T)
  kExponential,     ///< lr·rate^(step/T); staircase: step/T rounded down
  kCosine,          ///< lr·((1 − alpha)·(1 + cos(π·s/T))/2 + alpha)
  kCosineRestarts,  ///< the same over periods T, T·factor, …, each starting at lr·decay^period
  kInverseTime,     ///< lr/(1 + rate·step/T); staircase: step/T rounded down
  kPiecewise,       ///< values[i] while step ≤ boundaries[i], then the last value
};

/// Schedule::decaySteps of a decay over the whole run.
inline constexpr std::int64_t kStepsOfRun = 0;

/// Learning rate over the steps of a run (the first has step 0), after a linear warm-up.
struct Schedule {
  ScheduleKind kind = ScheduleKind::kConstant;
  std::int64_t warmupSteps = 0;    ///< from warmupFrom·lr to lr; the schedule starts after them
  double warmupFrom = 0.0;         ///< share of lr at step 0
  std::int64_t decaySteps = 1000;  ///< T; kStepsOfRun: those of the run after the warm-up
  double end = 0.0;                ///< kPolynomial: the final rate
  double power = 1.0;              ///< kPolynomial
  bool cycle = false;              ///< kPolynomial
  double rate = 0.96;              ///< kExponential, kInverseTime
  bool staircase = false;          ///< kExponential, kInverseTime
  double alpha = 0.0;              ///< kCosine, kCosineRestarts: final share of lr
  double factor = 2.0;             ///< kCosineRestarts: length of a period over the previous one
  double restartDecay = 1.0;       ///< kCosineRestarts: initial rate over that of the previous one
  std::vector<std::int64_t> boundaries{};  ///< kPiecewise: ascending steps
  std::vector<double> values{};            ///< kPiecewise: one more than boundaries
};

enum class OptimizerKind { kSgd, kAdagrad, kRowwiseAdagrad, kAdam, kAdamW, kFtrl };
/// The treatment of rows that a batch did not touch by optimizers with momentum.
enum class SparseUpdate {
  kDense,  ///< every row moves by its momentum at every step (Keras)
  kLazy,   ///< only the rows of the batch are updated
};
/// Where Adam adds epsilon.
enum class AdamEpsilon {
  kUncorrected,  ///< α·m/(√v + ε) with α = lr·√(1−β2^t)/(1−β1^t) (Keras)
  kCorrected,    ///< lr·m̂/(√v̂ + ε) (the paper, PyTorch)
};

struct Optimizer {
  OptimizerKind kind = OptimizerKind::kAdagrad;
  double learningRate = 0.001;
  bool scaleWithDevices = false;  ///< the rate of a run is learningRate · devices
  /// Batches whose gradients make one update; of the experiment's optimizer for all.
  std::int64_t accumulateSteps = 1;
  double momentum = 0.0;              ///< kSgd
  double initialAccumulator = 0.1;    ///< kAdagrad, kRowwiseAdagrad, kFtrl
  double epsilon = 1e-7;              ///< kAdagrad, kRowwiseAdagrad, kAdam, kAdamW
  bool epsilonInsideRoot = true;      ///< Adagrads: √(acc + ε) (Keras) or √acc + ε (PyTorch)
  double beta1 = 0.9, beta2 = 0.999;  ///< kAdam, kAdamW
  AdamEpsilon epsilonMode = AdamEpsilon::kUncorrected;  ///< kAdam, kAdamW
  /// All but kFtrl, which does not change rows without a gradient.
  SparseUpdate sparseUpdate = SparseUpdate::kDense;
  double learningRatePower = -0.5;      ///< kFtrl
  double l1 = 0.0, l2 = 0.0, beta = 0;  ///< kFtrl
  /// w −= lr·decay·w before the step: of every row, or with kLazy of the rows of the batch.
  double weightDecay = 0.0;
  std::vector<std::string> decayExclude{};  ///< patterns of parameters without decay, see matches()
  std::optional<double> clipValue{};        ///< max. |element| of a gradient
  std::optional<double> clipNorm{};         ///< max. norm of the gradient of a parameter
  std::optional<double> globalClipNorm{};   ///< max. norm of all gradients of this optimizer
  std::optional<Schedule> schedule{};       ///< null: that of the experiment
};

/// Whether it clips gradients before they are applied.
constexpr bool clipsGradients(const Optimizer& optimizer) {
  return optimizer.clipValue || optimizer.clipNorm || optimizer.globalClipNorm;
}

/// Whether the optimizer of a table moves rows that no id of a batch names.
constexpr bool movesEveryRow(const Optimizer& optimizer) {
  if (optimizer.sparseUpdate == SparseUpdate::kLazy) return false;
  switch (optimizer.kind) {
    case OptimizerKind::kAdam:
    case OptimizerKind::kAdamW:
      return true;
    case OptimizerKind::kSgd:
      return optimizer.momentum != 0.0 || optimizer.weightDecay != 0.0;
    default:
      return optimizer.weightDecay != 0.0;
  }
}

/// Lengths of a run that learning rates depend on besides the document.
struct RunExtent {
  std::int64_t devices = 1;
  std::int64_t steps = 0;  ///< of the whole run; 0: not known
};

/// A schedule that changes the rate by a smaller share of it, over a whole run, is warned of.
inline constexpr double kMinScheduleChange = 0.01;

/// An optimizer as a run has it: its schedule filled in, its rate and those of the schedule multiplied
/// by the devices where that is asked for, and a decay over the run with the steps that it has. Where
/// they are not known it stays kStepsOfRun.
Optimizer optimizerOfRun(Optimizer optimizer, const Schedule& common, const RunExtent& run);

}  // namespace parapet::experiment
