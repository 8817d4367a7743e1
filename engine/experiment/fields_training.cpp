// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/fields.h"

namespace parapet::experiment {
namespace {

// Optimizers compute in single precision; a larger step overflows at once.
constexpr double kLargestRate = 1e6;

/// Learning rates of Keras, by optimizer.
void setLearningRate(Optimizer& optimizer) {
  optimizer.learningRate = optimizer.kind == OptimizerKind::kSgd ? 0.01 : 0.001;
}

Codec<double> decay() {
  return number({.min = 0.0, .max = 1.0, .maxExcluded = true});
}

}  // namespace

template <>
const Record<Loss>& recordOf<Loss>() {
  static const auto record =
      Record<Loss>()
          .selector("kind", &Loss::kind, word({"mse"}), "mse: squared error of score and label.")
          .field("reduction", &Loss::reduction,
                 choice<Reduction>({{"mean", Reduction::kMean},
                                    {"weighted_mean", Reduction::kWeightedMean},
                                    {"sum", Reduction::kSum}}),
                 "mean: the weighted sum over the number of rows. weighted_mean: over the sum of "
                 "weights. sum: the weighted sum.");
  return record;
}

template <>
const Record<Optimizer>& recordOf<Optimizer>() {
  using Kind = OptimizerKind;
  static const auto record =
      Record<Optimizer>()
          .selector("kind", &Optimizer::kind,
                    choice<Kind>(
                        {{"sgd", Kind::kSgd}, {"adagrad", Kind::kAdagrad}, {"adam", Kind::kAdam}}),
                    "Rule that updates the weights.")
          .defaults(setLearningRate)
          .field("learning_rate", &Optimizer::learningRate,
                 number({.min = 0.0, .max = kLargestRate, .minExcluded = true}),
                 "Step size; by default 0.01 for sgd, 0.001 for adagrad and adam.")
          .field("momentum", &Optimizer::momentum, decay(), "Share of the last step that is kept.")
          .of({"sgd"})
          .field("initial_accumulator", &Optimizer::initialAccumulator, number({.min = 0.0}),
                 "Where the sum of squared gradients starts.")
          .of({"adagrad"})
          .field("beta1", &Optimizer::beta1, decay(), "Decay of the mean of gradients.")
          .of({"adam"})
          .field("beta2", &Optimizer::beta2, decay(), "Decay of the mean of squared gradients.")
          .of({"adam"})
          .field("epsilon", &Optimizer::epsilon, number({.min = 0.0}),
                 "Keeps the division away from zero.")
          .of({"adagrad", "adam"})
          .field("epsilon_inside_root", &Optimizer::epsilonInsideRoot, boolean(),
                 "true: sqrt(accumulator + epsilon), as Keras. false: sqrt(accumulator) + epsilon, "
                 "as PyTorch.")
          .of({"adagrad"})
          .field(
              "epsilon_mode", &Optimizer::epsilonMode,
              choice<AdamEpsilon>({{"uncorrected", AdamEpsilon::kUncorrected},
                                   {"corrected", AdamEpsilon::kCorrected}}),
              "Where epsilon is added: to the root of the uncorrected second moment, as Keras, or "
              "of the corrected one, as the paper and PyTorch.")
          .of({"adam"})
          .field(
              "sparse_update", &Optimizer::sparseUpdate,
              choice<SparseUpdate>(
                  {{"dense", SparseUpdate::kDense}, {"lazy", SparseUpdate::kLazy}}),
              "Rows that a batch did not touch: dense moves them by their momentum, as Keras; lazy "
              "leaves them.")
          .of({"sgd", "adam"});
  return record;
}

template <>
const Record<Schedule>& recordOf<Schedule>() {
  static const auto record = Record<Schedule>().selector(
      "kind", &Schedule::kind, word({"constant"}), "Learning rate over time.");
  return record;
}

template <>
const Record<EarlyStopping>& recordOf<EarlyStopping>() {
  static const auto record =
      Record<EarlyStopping>()
          .field("metric", &EarlyStopping::metric, text(),
                 "Metric that must improve, such as val_loss or val_recall@10.")
          .field("patience", &EarlyStopping::patience, integer({.min = 1}),
                 "Validations without improvement after which the run ends.")
          .field("min_delta", &EarlyStopping::minDelta, number({.min = 0.0}),
                 "Smallest change that counts as an improvement.");
  return record;
}

template <>
const Record<Checkpoints>& recordOf<Checkpoints>() {
  static const auto record =
      Record<Checkpoints>()
          .field("every", &Checkpoints::every, optional(integer({.min = 1})),
                 "Epochs between checkpoints. null: only at the end and at the best.")
          .field("keep", &Checkpoints::keep, integer({.min = 1, .max = 1000000}),
                 "How many of the last checkpoints are kept; the best one is kept besides.")
          .field("best", &Checkpoints::best, optional(text()),
                 "Metric whose best checkpoint is kept. null: none.");
  return record;
}

template <>
const Record<Training>& recordOf<Training>() {
  static const auto record =
      Record<Training>()
          .field("epochs", &Training::epochs, integer({.min = 1, .max = 1000000}),
                 "Passes over the training rows.")
          .field("validate_every", &Training::validateEvery, integer({.min = 0, .max = 1000000}),
                 "Epochs between validations; 0: never.")
          .field("seed", &Training::seed, seedNumber(), "Seed of everything random in a run.")
          .field("precision", &Training::precision, word({"fp32"}), "Arithmetic of training.")
          .field("early_stopping", &Training::earlyStopping, optional(object<EarlyStopping>()),
                 "Ends the run when a metric stops improving. null: never.")
          .field("checkpoints", &Training::checkpoints, object<Checkpoints>(),
                 "Which states of the model are kept.");
  return record;
}

}  // namespace parapet::experiment
