// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tests/nn/sample_model.h"

namespace parapet::sample {

/// Weights of a two-tower model by parameter, in double precision.
using DoubleWeights = std::vector<std::vector<double>>;

/// The loss Σ w·(score − label)² / denominator of a batch, straight from the document: look up,
/// concatenate, multiply, add, apply, take the dot product.
double doubleLoss(const experiment::Experiment& experiment, const nn::Graph& graph,
                  const DoubleWeights& weights, const Batch& batch);

/// Its gradient by central differences.
DoubleWeights doubleGradient(const experiment::Experiment& experiment, const nn::Graph& graph,
                             DoubleWeights weights, const Batch& batch);

}  // namespace parapet::sample
