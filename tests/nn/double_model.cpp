// SPDX-License-Identifier: Apache-2.0
#include "tests/nn/double_model.h"

#include <algorithm>
#include <cmath>
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

}  // namespace

double doubleLoss(const experiment::Experiment& experiment, const nn::Graph& graph,
                  const DoubleWeights& weights, const Batch& batch) {
  double loss = 0.0;
  for (std::size_t row = 0; row < static_cast<std::size_t>(batch.rows); ++row) {
    const Values query =
        towerOutput(experiment, graph, weights, batch, row, experiment::Tower::kQuery);
    const Values candidate =
        towerOutput(experiment, graph, weights, batch, row, experiment::Tower::kCandidate);
    double score = 0.0;
    for (std::size_t d = 0; d < query.size(); ++d) score += query[d] * candidate[d];
    const double error = score - static_cast<double>(batch.labels[row]);
    loss += (batch.weights.empty() ? 1.0 : static_cast<double>(batch.weights[row])) * error * error;
  }
  return loss / static_cast<double>(batch.rows);
}

DoubleWeights doubleGradient(const experiment::Experiment& experiment, const nn::Graph& graph,
                             DoubleWeights weights, const Batch& batch) {
  // Truncation falls and cancellation grows with a smaller step; here both are near 1e-10.
  constexpr double kStep = 1e-5;
  DoubleWeights gradient = weights;
  for (std::size_t p = 0; p < weights.size(); ++p)
    for (std::size_t i = 0; i < weights[p].size(); ++i) {
      const double at = weights[p][i];
      weights[p][i] = at + kStep;
      const double above = doubleLoss(experiment, graph, weights, batch);
      weights[p][i] = at - kStep;
      const double below = doubleLoss(experiment, graph, weights, batch);
      weights[p][i] = at;
      gradient[p][i] = (above - below) / (2.0 * kStep);
    }
  return gradient;
}

}  // namespace parapet::sample
