// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/fields.h"

namespace parapet::experiment {

using namespace record;
namespace {

// Optimizers compute in single precision; a larger step overflows at once.
constexpr double kMaxRate = 1e6;

/// Defaults of Keras by optimizer; that of row-wise Adagrad is TorchRec's.
void setDefaults(Optimizer& optimizer) {
  const bool larger =
      optimizer.kind == OptimizerKind::kSgd || optimizer.kind == OptimizerKind::kRowwiseAdagrad;
  optimizer.learningRate = larger ? 0.01 : 0.001;
  optimizer.weightDecay = optimizer.kind == OptimizerKind::kAdamW ? 0.004 : 0.0;
}

Codec<double> decay() {
  return number({.min = 0.0, .max = 1.0, .maxExcluded = true});
}

std::vector<std::string> lossesThat(bool (*fits)(const LossTraits& traits)) {
  std::vector<std::string> words;
  for (const LossTraits& traits : kLossTraits)
    if (fits(traits)) words.emplace_back(traits.word);
  return words;
}

}  // namespace

const Record<Temperature>& describe(Type<Temperature>) {
  static const auto record =
      Record<Temperature>()
          .field("initial", &Temperature::initial, number({.min = 0.0, .minExcluded = true}),
                 "Temperature at the first step.")
          .required()
          .field("trainable", &Temperature::trainable, boolean(),
                 "true: the optimizer trains its logarithm, without weight decay; each epoch "
                 "reports it.");
  return record;
}

const Record<ExtraNegatives>& describe(Type<ExtraNegatives>) {
  static const auto record =
      Record<ExtraNegatives>()
          .field("count", &ExtraNegatives::count, integer({.min = 1, .max = 1 << 20}),
                 "Items drawn for each step; all queries of the step meet them.")
          .field("from", &ExtraNegatives::from,
                 choice<NegativeSource>({{"uniform", NegativeSource::kUniform},
                                         {"popularity", NegativeSource::kPopularity},
                                         {"mixed", NegativeSource::kMixed}}),
                 "uniform: every item of the catalogue alike. popularity: as often as items are in "
                 "the training rows. mixed: half of them each way.");
  return record;
}

const Record<Loss>& describe(Type<Loss>) {
  using Traits = const LossTraits&;
  static const auto calibrated = lossesThat([](Traits of) { return of.isCalibrated; });
  static const auto ofCosines = lossesThat([](Traits of) { return of.ofCosines; });
  static const auto softmaxes = lossesThat([](Traits of) { return of.isSoftmax; });
  static const auto inBatch = lossesThat([](Traits of) { return of.meetsBatch; });
  static const auto withNegatives = lossesThat([](Traits of) { return usesNegatives(of.kind); });
  static const auto record =
      Record<Loss>()
          .selector(
              "kind", &Loss::kind, choiceOf(kLossTraits),
              "mse: squared error of score and label. bce: cross entropy of sigmoid(score) "
              "and a label in [0, 1]. pairwise_*, list_mle: listwise, over the groups of "
              "dataset.batch.group_size. in_batch_softmax: cross entropy of each query's own "
              "candidate among the candidates of the batch and the extra negatives. "
              "sampled_softmax: the same among the extra negatives alone. bpr: the mean of "
              "-log sigmoid(own score - score) over the same negatives as in_batch_softmax. "
              "sampled_bce: binary cross entropy, the mean of -log sigmoid(own score) and of "
              "-log(1 - sigmoid(score)) over the extra negatives alone, which all queries of a "
              "step share; with calibration gBCE. ccl: cosine contrastive, 1 - own cosine + "
              "negative_weight times the mean of max(0, cosine - margin) over the same negatives "
              "as in_batch_softmax (model.score cosine). "
              "vocabulary_softmax: cross entropy of each masked token among all tokens (model "
              "masked_lm).")
          .field("reduction", &Loss::reduction,
                 choice<Reduction>({{"mean", Reduction::kMean},
                                    {"weighted_mean", Reduction::kWeightedMean},
                                    {"sum", Reduction::kSum}}),
                 "mean: the weighted sum divided by the number of examples. weighted_mean: divided "
                 "by the "
                 "sum of weights. sum: the weighted sum.")
          .field("temperature", &Loss::temperature, temperature(),
                 "Scores are divided by it. {\"initial\": 0.1, \"trainable\": true}: the optimizer "
                 "trains it (losses with negatives).")
          .of(lossesThat([](Traits of) {
            return isListwise(of.kind) || (usesNegatives(of.kind) && !of.ofCosines);
          }))
          .field("weight", &Loss::weight, number({.min = 0.0}),
                 "Factor of this loss in the sum over all heads.")
          .field("negatives", &Loss::negatives,
                 choice<NegativeScope>({{"global", NegativeScope::kGlobal},
                                        {"device", NegativeScope::kDevice},
                                        {"none", NegativeScope::kNone}}),
                 "Negatives of a query among the candidates of the batch. global: those of all "
                 "devices, so the loss does not depend on their number. device: those of the "
                 "query's own device. none: extra negatives alone. With training.objective "
                 "all_positions candidates of the same user are no negatives.")
          .of(inBatch)
          .field("log_q", &Loss::logQ,
                 choice<LogQ>({{"off", LogQ::kOff},
                               {"standard", LogQ::kStandard},
                               {"corrected", LogQ::kCorrected}}),
                 "Correction for popular items, which are negatives more often; frequencies are "
                 "measured on the training rows. off: none. standard: the logarithm of its "
                 "frequency is subtracted from the score of every candidate. corrected: from those "
                 "of negatives alone, which estimates the softmax over the whole catalogue with "
                 "less bias.")
          .of(softmaxes)
          .field("accidental_hits", &Loss::accidentalHits,
                 choice<AccidentalHits>(
                     {{"keep", AccidentalHits::kKeep}, {"mask", AccidentalHits::kMask}}),
                 "Negatives that are the query's own item. keep: negatives like any other. mask: "
                 "left out and counted.")
          .of(withNegatives)
          .field("hard_negatives", &Loss::hardNegatives, optional(integer({.min = 1})),
                 "Only so many negatives with the highest scores of each query count. null: all.")
          .of(withNegatives)
          .field("extra_negatives", &Loss::extraNegatives, optional(object<ExtraNegatives>()),
                 "Negatives drawn from the catalogue for each step. null: none.")
          .of(withNegatives)
          .field("calibration", &Loss::calibration, number({.min = 0.0, .max = 1.0}),
                 "Corrects probabilities that few negatives leave too high (the t of gBCE): the "
                 "own score counts 1 - calibration·(1 - count/(items - 1)) times, items those of "
                 "the catalogue. 0: not at all. 1: probabilities are calibrated. Above 0 the extra "
                 "negatives are uniform.")
          .of(calibrated)
          .field("margin", &Loss::margin, number({.min = -1.0, .max = 1.0}),
                 "Negatives with a cosine above it count.")
          .of(ofCosines)
          .field("negative_weight", &Loss::negativeWeight,
                 number({.min = 0.0, .minExcluded = true}),
                 "Factor of the mean over the negatives.")
          .of(ofCosines);
  return record;
}

const Record<Optimizer>& describe(Type<Optimizer>) {
  using Kind = OptimizerKind;
  static const auto positive = optional(number({.min = 0.0, .minExcluded = true}));
  static const auto record =
      Record<Optimizer>()
          .selector("kind", &Optimizer::kind,
                    choice<Kind>({{"sgd", Kind::kSgd},
                                  {"adagrad", Kind::kAdagrad},
                                  {"rowwise_adagrad", Kind::kRowwiseAdagrad},
                                  {"adam", Kind::kAdam},
                                  {"adamw", Kind::kAdamW},
                                  {"ftrl", Kind::kFtrl}}),
                    "Rule that updates the weights.")
          .defaults(setDefaults)
          .field("learning_rate", &Optimizer::learningRate,
                 number({.min = 0.0, .max = kMaxRate, .minExcluded = true}),
                 "Step size; by default 0.01 for sgd and rowwise_adagrad, else 0.001.")
          .field("scale_with_devices", &Optimizer::scaleWithDevices, boolean(),
                 "Multiply the learning rate by the number of devices.")
          .field("accumulate_steps", &Optimizer::accumulateSteps, integer({.min = 1, .max = 4096}),
                 "Batches whose gradients make one update, as one batch of all their examples "
                 "would. Steps and schedules count updates; the last update of an epoch may have "
                 "fewer. That of /optimizer holds for all weights.")
          .field("momentum", &Optimizer::momentum, decay(),
                 "Share of the previous step that is added.")
          .of({"sgd"})
          .field("initial_accumulator", &Optimizer::initialAccumulator, number({.min = 0.0}),
                 "Initial sum of squared gradients.")
          .of({"adagrad", "rowwise_adagrad", "ftrl"})
          .field("beta1", &Optimizer::beta1, decay(), "Decay of the mean of gradients.")
          .of({"adam", "adamw"})
          .field("beta2", &Optimizer::beta2, decay(), "Decay of the mean of squared gradients.")
          .of({"adam", "adamw"})
          .field("epsilon", &Optimizer::epsilon, number({.min = 0.0}), "Prevents division by zero.")
          .of({"adagrad", "rowwise_adagrad", "adam", "adamw"})
          .field("epsilon_inside_root", &Optimizer::epsilonInsideRoot, boolean(),
                 "true: sqrt(accumulator + epsilon), as Keras does. false: sqrt(accumulator) + "
                 "epsilon, as "
                 "PyTorch does.")
          .of({"adagrad", "rowwise_adagrad"})
          .field("epsilon_mode", &Optimizer::epsilonMode,
                 choice<AdamEpsilon>({{"uncorrected", AdamEpsilon::kUncorrected},
                                      {"corrected", AdamEpsilon::kCorrected}}),
                 "Where epsilon is added: to the root of the uncorrected second moment, as Keras "
                 "does, or of "
                 "the corrected one, as the paper and PyTorch do.")
          .of({"adam", "adamw"})
          .field("sparse_update", &Optimizer::sparseUpdate,
                 choice<SparseUpdate>(
                     {{"dense", SparseUpdate::kDense}, {"lazy", SparseUpdate::kLazy}}),
                 "Rows that a batch did not touch. dense: updated by momentum and decay, as Keras "
                 "does. "
                 "lazy: unchanged.")
          .of({"sgd", "adagrad", "rowwise_adagrad", "adam", "adamw"})
          .field("learning_rate_power", &Optimizer::learningRatePower, number({.max = 0.0}),
                 "Power of the accumulator that divides the step.")
          .of({"ftrl"})
          .field("l1", &Optimizer::l1, number({.min = 0.0}), "L1 regularisation.")
          .of({"ftrl"})
          .field("l2", &Optimizer::l2, number({.min = 0.0}), "L2 regularisation.")
          .of({"ftrl"})
          .field("beta", &Optimizer::beta, number({.min = 0.0}), "Added to the divisor.")
          .of({"ftrl"})
          .field("weight_decay", &Optimizer::weightDecay, number({.min = 0.0}),
                 "Decoupled: before a step every weight is reduced by learning_rate · weight_decay "
                 "of itself.")
          .field(
              "weight_decay_exclude", &Optimizer::decayExclude, list(text()),
              "Patterns of parameter names without decay, such as \"dense/*_bias\"; * is any text, "
              "? one character.")
          .field("clip_value", &Optimizer::clipValue, positive,
                 "Gradients are clipped by element to this absolute value. null: not clipped.")
          .field("clip_norm", &Optimizer::clipNorm, positive,
                 "The gradient of each parameter is clipped to this norm. null: not clipped.")
          .field("global_clip_norm", &Optimizer::globalClipNorm, positive,
                 "All gradients of this optimizer together are clipped to this norm. null: not "
                 "clipped.")
          .field("schedule", &Optimizer::schedule, optional(object<Schedule>()),
                 "Its learning rate over time. null: /schedule.");
  return record;
}

const Record<Schedule>& describe(Type<Schedule>) {
  using Kind = ScheduleKind;
  static const auto record =
      Record<Schedule>()
          .selector("kind", &Schedule::kind,
                    choice<Kind>({{"constant", Kind::kConstant},
                                  {"polynomial", Kind::kPolynomial},
                                  {"exponential", Kind::kExponential},
                                  {"cosine", Kind::kCosine},
                                  {"cosine_restarts", Kind::kCosineRestarts},
                                  {"inverse_time", Kind::kInverseTime},
                                  {"piecewise", Kind::kPiecewise}}),
                    "Learning rate over the steps of a run.")
          .field("warmup_steps", &Schedule::warmupSteps, integer({.min = 0}),
                 "Steps of linear warm-up to the full rate; the schedule starts after them.")
          .field("warmup_from", &Schedule::warmupFrom, number({.min = 0.0, .max = 1.0}),
                 "Share of the full rate at step 0.")
          .field("decay_steps", &Schedule::decaySteps, decaySteps(),
                 "Steps of the decay, or of one period of it. run: all steps of the run after the "
                 "warm-up.")
          .of({"polynomial", "exponential", "cosine", "cosine_restarts", "inverse_time"})
          .field("end", &Schedule::end, number({.min = 0.0}),
                 "Final rate, scaled with the devices as the full rate is. Keras ends at 0.0001 "
                 "unless told otherwise.")
          .of({"polynomial"})
          .field("power", &Schedule::power, number({.min = 0.0}), "Exponent; 1 is linear decay.")
          .of({"polynomial"})
          .field("cycle", &Schedule::cycle, boolean(),
                 "Start again when the final rate is reached.")
          .of({"polynomial"})
          .field("rate", &Schedule::rate, number({.min = 0.0, .minExcluded = true}),
                 "exponential: factor per decay_steps. inverse_time: lr / (1 + rate · step / "
                 "decay_steps).")
          .of({"exponential", "inverse_time"})
          .field("staircase", &Schedule::staircase, boolean(),
                 "Decay in whole multiples of decay_steps only.")
          .of({"exponential", "inverse_time"})
          .field("alpha", &Schedule::alpha, number({.min = 0.0, .max = 1.0}),
                 "Final share of the rate.")
          .of({"cosine", "cosine_restarts"})
          .field("factor", &Schedule::factor, number({.min = 1.0}),
                 "Length of a period over that of the previous one.")
          .of({"cosine_restarts"})
          .field("restart_decay", &Schedule::restartDecay,
                 number({.min = 0.0, .max = 1.0, .minExcluded = true}),
                 "Initial rate of a period over that of the previous one.")
          .of({"cosine_restarts"})
          .field("boundaries", &Schedule::boundaries, list(integer({.min = 0}), 1),
                 "Ascending steps at which the rate changes.")
          .of({"piecewise"})
          .field("values", &Schedule::values, list(number({.min = 0.0, .max = kMaxRate}), 2),
                 "Rates, one more than boundaries.")
          .of({"piecewise"});
  return record;
}

const Record<EarlyStopping>& describe(Type<EarlyStopping>) {
  static const auto record =
      Record<EarlyStopping>()
          .field("metric", &EarlyStopping::metric, text(),
                 "Metric that must improve, such as val_loss or val_recall@10.")
          .field("patience", &EarlyStopping::patience, integer({.min = 1}),
                 "Number of validations without improvement after which the run ends.")
          .field("min_delta", &EarlyStopping::minDelta, number({.min = 0.0}),
                 "Smallest change that counts as an improvement.");
  return record;
}

const Record<Checkpoints>& describe(Type<Checkpoints>) {
  static const auto record =
      Record<Checkpoints>()
          .field("every", &Checkpoints::every, optional(integer({.min = 1})),
                 "Epochs between checkpoints. null: only at the end and at the best.")
          .field("keep", &Checkpoints::keep, integer({.min = 1, .max = 1000000}),
                 "Number of most recent checkpoints that are kept, in addition to the best one.")
          .field("best", &Checkpoints::best, optional(text()),
                 "Metric whose best checkpoint is kept. null: none.");
  return record;
}

const Record<Fork>& describe(Type<Fork>) {
  static const auto record =
      Record<Fork>()
          .field("run", &Fork::run, text(), "Run: an id, or a unique prefix of one.")
          .required()
          .field("step", &Fork::step, optional(integer({.min = 0})),
                 "Step of its checkpoint. null: the newest.");
  return record;
}

const Record<Training>& describe(Type<Training>) {
  static const auto record =
      Record<Training>()
          .field("objective", &Training::objective,
                 choice<Objective>({{"each_row", Objective::kEachRow},
                                    {"all_positions", Objective::kAllPositions}}),
                 "each_row: every training row is an example with a history of its own. "
                 "all_positions: next item at every position. The training rows of a user in order "
                 "are a sequence that is encoded once, each position of it predicts the rows that "
                 "follow, and dataset.batch.size counts sequences.")
          .field("stride", &Training::stride, optional(integer({.min = 1})),
                 "all_positions: rows that one window of a long sequence predicts; a stride below "
                 "the length of the history gives every row more of what came before it, and each "
                 "row is predicted once. null: the length of the history.")
          .field("epochs", &Training::epochs, integer({.min = 1, .max = 1000000}),
                 "Passes over the training rows.")
          .field("validate_every", &Training::validateEvery, integer({.min = 0, .max = 1000000}),
                 "Epochs between validations; 0: never.")
          .field("seed", &Training::seed, seed(), "Seed of everything random in a run.")
          .field(
              "precision", &Training::precision,
              choice<Precision>({{"fp32", Precision::kFp32},
                                 {"tf32", Precision::kTf32},
                                 {"bf16", Precision::kBf16}}),
              "Arithmetic of matrix products; weights, sums and everything else stay fp32. fp32: "
              "operands are not rounded. tf32: operands rounded to 10 bits of mantissa, on GPUs. "
              "bf16: operands rounded to 7 bits.")
          .field("early_stopping", &Training::earlyStopping, optional(object<EarlyStopping>()),
                 "Ends the run when a metric stops improving. null: never.")
          .field("checkpoints", &Training::checkpoints, object<Checkpoints>(),
                 "Which checkpoints are written and kept.")
          .field("fork", &Training::fork, optional(object<Fork>()),
                 "Checkpoint of another run to begin with: its weights, optimizer slots and "
                 "position in the data. null: initial weights.")
          .field("tensorboard", &Training::tensorboard, optional(text()),
                 "Folder in which a run writes event files for TensorBoard while it trains, in a "
                 "folder of its own: scalars, the document, histograms of the weights at "
                 "validations. null: none.");
  return record;
}

}  // namespace parapet::experiment
