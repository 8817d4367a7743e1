// SPDX-License-Identifier: Apache-2.0
#include "tests/nn/double_model.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace parapet::sample {
namespace {

using experiment::Activation;
using Values = std::vector<double>;

double activate(Activation activation, double z) {
  switch (activation) {
    case Activation::kLinear:
      return z;
    case Activation::kRelu:
      return std::max(z, 0.0);
    case Activation::kTanh:
      return std::tanh(z);
    case Activation::kSigmoid:
      return 1.0 / (1.0 + std::exp(-z));
    case Activation::kGelu:
      return 0.5 * z * std::erfc(-z / std::numbers::sqrt2);
    case Activation::kGeluTanh:
      return 0.5 * z *
             (1.0 + std::tanh(std::sqrt(2.0 / std::numbers::pi) * (z + 0.044715 * z * z * z)));
    case Activation::kSilu:
      return z / (1.0 + std::exp(-z));
  }
  return z;
}

const Values& weightsNamed(const nn::Graph& graph, const DoubleWeights& weights,
                           const std::string& name) {
  const auto& specs = graph.parameters();
  const auto found = std::ranges::find(specs, name, &nn::ParameterSpec::name);
  return weights.at(static_cast<std::size_t>(found - specs.begin()));
}

Values denseLayer(const experiment::Layer& layer, const Values& kernel, const Values* bias,
                  const Values& x) {
  const auto units = static_cast<std::size_t>(layer.units);
  Values y(units);
  for (std::size_t unit = 0; unit < units; ++unit) {
    double z = bias ? (*bias)[unit] : 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) z += x[i] * kernel[i * units + unit];
    y[unit] = activate(layer.activation, z);
  }
  return y;
}

Values towerOutput(const experiment::Experiment& experiment, const nn::Graph& graph,
                   const DoubleWeights& weights, const Batch& batch, std::size_t row,
                   experiment::Tower tower) {
  Values x;
  for (std::size_t f = 0; f < experiment.features.size(); ++f) {
    if (experiment.features[f].tower != tower) continue;
    const std::string& name = experiment.features[f].table;
    const auto dim = static_cast<std::size_t>(
        std::ranges::find(experiment.tables, name, &experiment::Table::name)->embeddingDim);
    const Values& table = weightsNamed(graph, weights, "tables/" + name);
    const std::size_t at = static_cast<std::size_t>(batch.ids[f][row]) * dim;
    for (std::size_t d = 0; d < dim; ++d) x.push_back(table[at + d]);
  }
  const bool query = tower == experiment::Tower::kQuery;
  const auto& layers = query ? experiment.model.query : experiment.model.candidate;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::string name =
        std::string("dense/") + (query ? "query_" : "candidate_") + std::to_string(i);
    const Values* bias =
        layers[i].useBias ? &weightsNamed(graph, weights, name + "_bias") : nullptr;
    x = denseLayer(layers[i], weightsNamed(graph, weights, name + "_kernel"), bias, x);
  }
  return x;
}

void normalize(Values& x) {
  double squares = 0.0;
  for (const double value : x) squares += value * value;
  for (double& value : x) value /= std::sqrt(squares);
}

double dot(const Values& x, const Values& y) {
  double sum = 0.0;
  for (std::size_t d = 0; d < x.size(); ++d) sum += x[d] * y[d];
  return sum;
}

double softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

/// How often the own candidate of sampled BCE counts, under uniform negatives.
double ownWeight(const experiment::Loss& loss, const Values& logQ) {
  const double items = std::exp(-logQ.front());
  const double alpha =
      std::min(1.0, static_cast<double>(loss.extraNegatives->count) / (items - 1.0));
  return alpha * (loss.calibration * (1.0 - 1.0 / alpha) + 1.0 / alpha);
}

/// The loss of one example with negatives: scores over the temperature, frequencies of the items.
double lossWithNegatives(const experiment::Loss& loss, std::size_t own, const Values& scores,
                         const Values& logQ, std::vector<std::size_t> negatives) {
  const auto n = static_cast<double>(negatives.size());
  const bool standard = loss.logQ == experiment::LogQ::kStandard;
  const bool softmax = experiment::traitsOf(loss.kind).isSoftmax;
  const auto shifted = [&](std::size_t j) {
    if (!softmax || loss.logQ == experiment::LogQ::kOff) return scores[j];
    if (standard) return scores[j] - logQ[j];
    return scores[j] - logQ[j] + std::log1p(-std::exp(logQ[own])) - std::log(n);
  };
  if (loss.hardNegatives) {
    std::ranges::stable_sort(negatives, std::greater<>(), shifted);
    negatives.resize(std::min(negatives.size(), static_cast<std::size_t>(*loss.hardNegatives)));
  }
  double sum = 0.0;
  const auto met = static_cast<double>(negatives.size());
  if (loss.kind == experiment::LossKind::kSampledBce) {
    for (const std::size_t j : negatives) sum += softplus(scores[j]);
    return (sum + ownWeight(loss, logQ) * softplus(-scores[own])) / (met + 1.0);
  }
  if (loss.kind == experiment::LossKind::kCcl) {
    for (const std::size_t j : negatives) sum += std::max(0.0, scores[j] - loss.margin);
    return 1.0 - scores[own] + loss.negativeWeight * sum / std::max(1.0, met);
  }
  if (!softmax) {
    for (const std::size_t j : negatives) sum += std::log1p(std::exp(scores[j] - scores[own]));
    return negatives.empty() ? 0.0 : sum / static_cast<double>(negatives.size());
  }
  const double mine = standard ? shifted(own) : scores[own];
  for (const std::size_t j : negatives) sum += std::exp(shifted(j));
  return std::log(std::exp(mine) + sum) - mine;
}

double negativesLoss(const experiment::Experiment& experiment, const nn::Graph& graph,
                     const DoubleWeights& weights, const Batch& batch, int ranks) {
  const experiment::Loss& loss = experiment.loss;
  std::vector<Values> queries, candidates;
  Values logQ;
  const auto rows = static_cast<std::size_t>(batch.rows);
  const std::size_t examples = batch.examples < 0 ? rows : static_cast<std::size_t>(batch.examples);
  for (std::size_t row = 0; row < rows; ++row) {
    for (const auto tower : {experiment::Tower::kQuery, experiment::Tower::kCandidate}) {
      auto& outputs = tower == experiment::Tower::kQuery ? queries : candidates;
      outputs.push_back(towerOutput(experiment, graph, weights, batch, row, tower));
      if (experiment.model.score == experiment::Score::kCosine) normalize(outputs.back());
    }
    logQ.push_back(
        static_cast<double>(batch.itemLogQ[static_cast<std::size_t>(batch.ids[1][row])]));
  }
  const double temperature =
      loss.temperature.trainable
          ? std::exp(weightsNamed(graph, weights, "dense/loss_log_temperature")[0])
          : loss.temperature.initial;
  const auto rankOf = [&](std::size_t row) {
    int rank = 0;
    while (static_cast<std::size_t>(rank + 1) * examples / static_cast<std::size_t>(ranks) <= row)
      ++rank;
    return rank;
  };
  const bool ofPositions = experiment.training.objective == experiment::Objective::kAllPositions;
  double total = 0.0;
  for (std::size_t b = 0; b < examples; ++b) {
    Values scores;
    std::vector<std::size_t> negatives;
    for (std::size_t j = 0; j < rows; ++j) {
      scores.push_back(dot(queries[b], candidates[j]) / temperature);
      const bool hit = batch.ids[1][j] == batch.ids[1][b];
      if (j == b || (hit && loss.accidentalHits == experiment::AccidentalHits::kMask)) continue;
      bool isMet = experiment::traitsOf(loss.kind).meetsBatch;
      if (loss.negatives == experiment::NegativeScope::kNone) isMet = false;
      if (loss.negatives == experiment::NegativeScope::kDevice) isMet &= rankOf(j) == rankOf(b);
      if (ofPositions && batch.ids[0][j] == batch.ids[0][b]) isMet = false;
      if (j >= examples || isMet) negatives.push_back(j);
    }
    const double weight = batch.weights.empty() ? 1.0 : static_cast<double>(batch.weights[b]);
    total += weight * lossWithNegatives(loss, b, scores, logQ, negatives);
  }
  return total / static_cast<double>(examples);
}

}  // namespace

double doubleLoss(const experiment::Experiment& experiment, const nn::Graph& graph,
                  const DoubleWeights& weights, const Batch& batch, int ranks) {
  if (experiment::usesNegatives(experiment.loss.kind))
    return negativesLoss(experiment, graph, weights, batch, ranks);
  double loss = 0.0;
  for (std::size_t row = 0; row < static_cast<std::size_t>(batch.rows); ++row) {
    const Values query =
        towerOutput(experiment, graph, weights, batch, row, experiment::Tower::kQuery);
    const Values candidate =
        towerOutput(experiment, graph, weights, batch, row, experiment::Tower::kCandidate);
    const double error = dot(query, candidate) - static_cast<double>(batch.labels[row]);
    loss += (batch.weights.empty() ? 1.0 : static_cast<double>(batch.weights[row])) * error * error;
  }
  return loss / static_cast<double>(batch.rows);
}

DoubleWeights doubleGradient(const experiment::Experiment& experiment, const nn::Graph& graph,
                             DoubleWeights weights, const Batch& batch, int ranks) {
  // Truncation falls and cancellation grows with a smaller step; here both are near 1e-10.
  constexpr double kStep = 1e-5;
  DoubleWeights gradient = weights;
  for (std::size_t p = 0; p < weights.size(); ++p)
    for (std::size_t i = 0; i < weights[p].size(); ++i) {
      const double at = weights[p][i];
      weights[p][i] = at + kStep;
      const double above = doubleLoss(experiment, graph, weights, batch, ranks);
      weights[p][i] = at - kStep;
      const double below = doubleLoss(experiment, graph, weights, batch, ranks);
      weights[p][i] = at;
      gradient[p][i] = (above - below) / (2.0 * kStep);
    }
  return gradient;
}

}  // namespace parapet::sample
