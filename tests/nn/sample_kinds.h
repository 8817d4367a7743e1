// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "engine/nn/nodes/nodes.h"
#include "tests/nn/sample_model.h"

/// One model of every kind that looks at the whole batch, steps to train it by, and what that came
/// to: for tests that train the same model in two ways.
namespace parapet::sample {

inline constexpr std::int64_t kExamples = 21, kSteps = 4, kGroup = 3;

struct Kind {
  const char* name;
  std::function<experiment::Experiment()> experiment;
  std::int64_t extra = 0;  ///< rows of extra negatives
  /// Whether another number of ranks is another model: compared with as many that share a memory.
  bool dependsOnRanks = false;
  /// A model that no document describes, in the place of that of the experiment.
  nn::Model (*model)() = nullptr;
};

inline nn::Model modelOf(const Kind& kind) {
  return kind.model ? kind.model() : build(kind.experiment());
}

inline experiment::Experiment withLoss(experiment::Loss loss,
                                       experiment::Score score = experiment::Score::kDot) {
  experiment::Experiment experiment = denseTowers(experiment::Activation::kTanh);
  experiment.loss = loss;
  experiment.model.score = score;
  return experiment;
}

/// Users are no negatives of their own.
inline experiment::Experiment positions(experiment::Loss loss) {
  experiment::Experiment experiment = withLoss(std::move(loss));
  experiment.training.objective = experiment::Objective::kAllPositions;
  return experiment;
}

inline experiment::Experiment ranking(experiment::LossKind loss) {
  experiment::Experiment experiment = plainDot(6);
  experiment.model.kind = experiment::ModelKind::kRanking;
  experiment.model.layers = {{.units = 7, .activation = experiment::Activation::kTanh},
                             {.kind = experiment::LayerKind::kBatchNorm, .momentum = 0.75},
                             {.kind = experiment::LayerKind::kDropout, .rate = 0.25},
                             {.kind = experiment::LayerKind::kLayerNorm},
                             {.units = 1}};
  experiment.loss.kind = loss;
  return experiment;
}

/// Dense features that are standardized, and that become quantiles.
inline experiment::Experiment fittedNumbers() {
  experiment::Experiment experiment = ranking(experiment::LossKind::kMse);
  for (const auto transform :
       {experiment::NumericTransform::kStandardize, experiment::NumericTransform::kQuantile}) {
    experiment::Feature feature;
    feature.name = feature.column =
        transform == experiment::NumericTransform::kQuantile ? "share" : "size";
    feature.transform = transform;
    experiment.features.push_back(feature);
  }
  return experiment;
}

/// The user table read as a sequence, by `layers` that end with a row per example.
inline experiment::Experiment overSequence(std::vector<experiment::Layer> layers) {
  experiment::Experiment experiment = plainDot();
  experiment.features[0].sequence = true;
  experiment.features[0].maxLength = 5;
  experiment.model.query = std::move(layers);
  return experiment;
}

inline experiment::Experiment transformer(experiment::NormOrder norm, bool causal,
                                          bool gated = false) {
  using enum experiment::LayerKind;
  using experiment::Activation;
  const experiment::Layer block{.kind = kTransformerBlock,
                                .units = 6,
                                .activation = gated ? Activation::kSilu : Activation::kGelu,
                                .rate = 0.2,
                                .epsilon = 1e-6,
                                .causal = causal,
                                .norm = norm,
                                .glu = gated,
                                .gatedResidual = gated};
  experiment::Experiment experiment = overSequence(
      {{.kind = kPosition}, block, block, {.kind = kPool, .by = experiment::PoolKind::kLast}});
  experiment.loss = {.kind = experiment::LossKind::kInBatchSoftmax};
  return experiment;
}

/// Attention pooling by a trained vector, and by the item: one network reads both.
inline experiment::Experiment attentionPools() {
  using enum experiment::LayerKind;
  experiment::Experiment experiment = overSequence({});
  experiment.model.kind = experiment::ModelKind::kRanking;
  experiment.model.layers = {
      {.kind = kAttention, .name = "seen", .inputs = {"user"}, .rate = 0.0},
      {.kind = kPool, .name = "own", .inputs = {"seen"}, .by = experiment::PoolKind::kAttention},
      {.kind = kPool,
       .name = "din",
       .inputs = {"seen", "item"},
       .by = experiment::PoolKind::kAttention},
      {.inputs = {"own", "din", "item"}, .units = 1}};
  return experiment;
}

/// Two experts over the features, one of which a product changes, mixed by gates over the features
/// and over the experts themselves.
inline experiment::Experiment gatedExperts() {
  using enum experiment::LayerKind;
  experiment::Experiment experiment = plainDot(6);
  experiment.model.kind = experiment::ModelKind::kRanking;
  experiment.model.layers = {
      {.name = "first", .inputs = {"user", "item"}, .units = 5},
      {.name = "second",
       .inputs = {"user", "item"},
       .units = 5,
       .activation = experiment::Activation::kTanh},
      {.kind = kMultiply, .name = "product", .inputs = {"first", "second"}},
      {.kind = kGate, .name = "mixed", .inputs = {"first", "product"}, .gateInput = "user"},
      {.kind = kGate, .name = "own", .inputs = {"second", "mixed"}},
      {.inputs = {"own", "mixed"}, .units = 1}};
  return experiment;
}

/// A table that is looked up as a sequence and as single ids, and classifies the positions.
inline nn::Model tiedTable(std::int64_t users = kUsers, std::int64_t dim = 4) {
  nn::Model model;
  nn::Graph& graph = model.graph;
  experiment::Optimizer optimizer;
  optimizer.kind = experiment::OptimizerKind::kAdam;
  optimizer.globalClipNorm = 0.05;
  const auto parameter = [&](const char* name, std::int64_t rows, std::int64_t cols, bool sparse) {
    return graph.addParameter({.name = name,
                               .rows = rows,
                               .cols = cols,
                               .initializer = {.min = -0.8, .max = 0.8},
                               .optimizer = optimizer,
                               .sparse = sparse});
  };
  const auto table = parameter("tables/user", users, dim, true);
  const nn::Value x = lookup(
      graph, "x", {.table = table, .feature = 0, .output = -1, .maxLength = 5, .sequence = true});
  const nn::Value one = lookup(graph, "one", {.table = table, .feature = 1, .output = -1});
  const nn::Value near = add(graph, "near", {x, spread(graph, "spread", one, x)});
  const nn::Value hidden =
      matmul(graph, "hidden", near, parameter("dense/kernel", dim, dim, false));
  nn::Model::Head& head = model.heads.emplace_back();
  head.prediction = pool(graph, "prediction", hidden, tensor::PoolOp::kMean);
  head.lossValue =
      tableLoss(graph, "loss", {}, hidden,
                {.table = table, .bias = parameter("dense/bias", users, 1, false), .labels = 0});
  return model;
}

/// An encoder whose rows at selected positions are classified by its own table.
inline nn::Model maskedPositions(std::int64_t users = kUsers, std::int64_t dim = 4) {
  nn::Model model;
  nn::Graph& graph = model.graph;
  const auto parameter = [&](const char* name, std::int64_t rows, std::int64_t cols, bool sparse) {
    return graph.addParameter({.name = name,
                               .rows = rows,
                               .cols = cols,
                               .initializer = {.min = -0.8, .max = 0.8},
                               .optimizer = sgd(0.1),
                               .sparse = sparse});
  };
  const auto table = parameter("tables/user", users, dim, true);
  const nn::Value x = lookup(
      graph, "x", {.table = table, .feature = 0, .output = -1, .maxLength = 5, .sequence = true});
  const nn::Value qkv = matmul(graph, "qkv", x, parameter("dense/qkv", dim, 3 * dim, false));
  const nn::Value mixed =
      add(graph, "mixed", {x, attention(graph, "attention", qkv, {.heads = 2})});
  const nn::Value selected = selectPositions(graph, "selected", mixed, 1, 3);
  const nn::Value hidden =
      matmul(graph, "hidden", selected, parameter("dense/kernel", dim, dim, false));
  nn::Model::Head& head = model.heads.emplace_back();
  head.prediction = pool(graph, "prediction", mixed, tensor::PoolOp::kMean);
  head.lossValue =
      tableLoss(graph, "loss", {}, hidden,
                {.table = table, .bias = parameter("dense/bias", users, 1, false), .labels = 2});
  return model;
}

inline const std::vector<Kind>& kinds() {
  using enum experiment::LossKind;
  using experiment::AccidentalHits;
  using experiment::LogQ;
  constexpr auto kDevice = experiment::NegativeScope::kDevice;
  static const std::vector<Kind> all{
      {"batch norm, dropout, layer norm", [] { return ranking(kMse); }},
      {"fitted numbers", fittedNumbers},
      {"pairwise loss", [] { return ranking(kPairwiseLogistic); }},
      {"ListMLE", [] { return ranking(kListMle); }},
      {"in-batch softmax",
       [] {
         return withLoss({.kind = kInBatchSoftmax,
                          .logQ = LogQ::kOff,
                          .accidentalHits = AccidentalHits::kKeep});
       }},
      {"in-batch softmax, log-Q, masked hits, cosine, trained temperature",
       [] {
         return withLoss({.kind = kInBatchSoftmax, .temperature = {0.5, true}},
                         experiment::Score::kCosine);
       }},
      {"in-batch softmax, corrected log-Q, hard negatives",
       [] {
         return withLoss({.kind = kInBatchSoftmax, .logQ = LogQ::kCorrected, .hardNegatives = 5});
       }},
      {"in-batch softmax, extra negatives",
       [] { return withLoss({.kind = kInBatchSoftmax, .extraNegatives = {{.count = 4}}}); }, 4},
      {"in-batch softmax of positions, corrected log-Q, extra negatives",
       [] {
         return positions(
             {.kind = kInBatchSoftmax, .logQ = LogQ::kCorrected, .extraNegatives = {{.count = 4}}});
       },
       4},
      {"BPR of positions, trained temperature, hard negatives",
       [] {
         return positions({.kind = kBpr, .temperature = {0.5, true}, .hardNegatives = 5});
       }},
      {"BPR, extra negatives alone",
       [] {
         return withLoss({.kind = kBpr,
                          .negatives = experiment::NegativeScope::kNone,
                          .extraNegatives = {{.count = 4}}});
       },
       4},
      {"sampled softmax",
       [] {
         return withLoss({.kind = kSampledSoftmax,
                          .temperature = {0.5, true},
                          .extraNegatives = {{.count = 4}}});
       },
       4},
      {"BPR", [] { return withLoss({.kind = kBpr}); }},
      {"sampled BCE, calibrated",
       [] {
         return withLoss(
             {.kind = kSampledBce, .extraNegatives = {{.count = 4}}, .calibration = 0.5});
       },
       4},
      {"CCL, hard negatives and extra ones",
       [] {
         return withLoss({.kind = kCcl,
                          .hardNegatives = 7,
                          .extraNegatives = {{.count = 4}},
                          .margin = 0.2,
                          .negativeWeight = 5.0},
                         experiment::Score::kCosine);
       },
       4},
      {"in-batch softmax, negatives of the device",
       [] { return withLoss({.kind = kInBatchSoftmax, .negatives = kDevice}); }, 0, true},
      {"BPR, negatives of the device and extra ones",
       [] {
         return withLoss({.kind = kBpr, .negatives = kDevice, .extraNegatives = {{.count = 4}}});
       },
       4, true},
      {"causal transformer, norms first",
       [] { return transformer(experiment::NormOrder::kPre, true); }},
      {"transformer, norms last", [] { return transformer(experiment::NormOrder::kPost, false); }},
      {"transformer with gates",
       [] { return transformer(experiment::NormOrder::kPre, true, true); }},
      {"gates of experts", gatedExperts},
      {"attention pooling", attentionPools},
      {"a table that classifies as well", {}, 0, false, [] { return tiedTable(); }},
      {"masked positions", {}, 0, false, [] { return maskedPositions(); }},
      {"binary cross-entropy", [] { return ranking(kBce); }},
  };
  return all;
}

/// Results of steps and a forward pass.
struct Outcome {
  std::vector<double> losses;
  std::vector<std::int64_t> masked;
  std::vector<double> equalScores;
  std::vector<std::vector<float>> arrays;
};

struct Steps {
  std::vector<Batch> batches;
  std::vector<std::int32_t> lists;

  Steps(const nn::Model& model, std::int64_t extra) {
    for (std::int64_t step = 1; step <= kSteps; ++step) {
      // The last batch has fewer examples than some meshes have ranks.
      const std::int64_t examples = step == kSteps ? kGroup : kExamples;
      Batch batch = batchOf(model, examples + extra, static_cast<std::uint64_t>(step));
      for (std::int64_t row = 0; row < batch.rows; ++row)
        batch.weights.push_back(row < examples ? 0.5f + static_cast<float>(row % 4) / 4.0f : 0.0f);
      batch.examples = examples;
      batches.push_back(std::move(batch));
    }
    for (std::int32_t first = 0; first <= kExamples; first += kGroup) lists.push_back(first);
  }
  nn::StepBatch input(std::size_t step) {
    nn::StepBatch input = batches[step].input();
    input.seed = 7;
    input.lists =
        std::span(lists).first(static_cast<std::size_t>(batches[step].examples / kGroup) + 1);
    return input;
  }
};

/// As a session fits them to training rows.
inline void fitTransforms(Trainer& trainer) {
  for (const nn::Model::Fitted& fitted : trainer.model.fitted) {
    nn::Parameter& into = trainer.parameters[static_cast<std::size_t>(fitted.parameter)];
    std::vector<float> values{1.0f, 0.0f, 0.5f, 30.0f};
    if (into.spec.cols == nn::kQuantileKnots) {
      values.clear();
      for (std::int64_t knot = 0; knot < nn::kQuantileKnots; ++knot)
        values.push_back(static_cast<float>(knot * knot) / 1000.0f - 5.0f);
    }
    nn::scatterRows(into, -1, values);
  }
}

/// Trains for kSteps, then predicts.
inline Outcome trained(Trainer& trainer, std::int64_t extra) {
  fitTransforms(trainer);
  Steps steps(trainer.model, extra);
  Outcome out;
  const auto note = [&](const nn::LossSums& sums) {
    out.losses.push_back(sums.numerator / sums.denominator);
    out.masked.push_back(sums.negatives.masked);
    out.equalScores.push_back(sums.negatives.equalScores);
  };
  for (std::size_t step = 0; step < steps.batches.size(); ++step) {
    if (!trainer.plan.train(steps.input(step), static_cast<std::int64_t>(step) + 1).ok()) return {};
    note(trainer.loss());
    for (const nn::Value target : Trainer::targetsOf(trainer.model)) {
      if (target == trainer.model.heads[0].lossValue) continue;
      const std::span<const float> rows = trainer.plan.outputRows(target);
      out.arrays.emplace_back(rows.begin(), rows.end());
    }
  }
  const nn::Value prediction = trainer.model.heads[0].prediction;
  nn::StepRunner forward(trainer.model.graph, trainer.parameters, trainer.mesh,
                         *trainer.communicator, trainer.workers,
                         {.targets = {trainer.model.heads[0].lossValue, prediction},
                          .capacityRows = kExamples + extra,
                          .idsPerRow = idsPerRow(trainer.model)});
  if (!forward.forward(steps.input(0)).ok()) return {};
  note(forward.losses()[0]);
  const float* const predictions = forward.output(prediction);
  out.arrays.emplace_back(predictions, predictions + kExamples);
  for (const nn::Parameter& parameter : trainer.parameters) {
    out.arrays.emplace_back(static_cast<std::size_t>(parameter.size()));
    nn::gatherRowsHere(parameter, -1, out.arrays.back());
  }
  return out;
}

/// Largest difference relative to the largest number of an array. A bias that losses of differences
/// do not see is nothing but rounding: it is held against a size that others have.
template <class Number>
double distance(const std::vector<Number>& a, const std::vector<Number>& b) {
  if (a.size() != b.size() || a.empty()) return HUGE_VAL;
  double largest = 1e-2, difference = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(a[i])));
    difference =
        std::max(difference, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
  return difference / largest;
}

}  // namespace parapet::sample
