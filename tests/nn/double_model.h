// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tests/nn/sample_model.h"

namespace parapet::sample {

/// Weights of a two-tower model by parameter, in double precision.
using DoubleWeights = std::vector<std::vector<double>>;

/// The loss of a batch, straight from the document: look up, concatenate, multiply, add, apply, take
/// the dot product; then Σ w·(score − label)² / denominator, or a loss with negatives as its
/// definition says. `ranks`: devices, whose negatives may be their own.
double doubleLoss(const experiment::Experiment& experiment, const nn::Graph& graph,
                  const DoubleWeights& weights, const Batch& batch, int ranks = 1);

/// The gradient of doubleLoss() by central differences.
DoubleWeights doubleGradient(const experiment::Experiment& experiment, const nn::Graph& graph,
                             DoubleWeights weights, const Batch& batch, int ranks = 1);

}  // namespace parapet::sample
