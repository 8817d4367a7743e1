// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "engine/experiment/model_shape.h"
#include "engine/nn/graph.h"

namespace parapet::nn {

/// Adds the nodes of a layer to a graph.
struct LayerBuilder {
  Graph& graph;
  const experiment::ShapeLayer& layer;
  /// Adds one of the layer's weights, by name.
  std::function<ParameterIndex(const std::string&)> weight;
};

tensor::ActivationOp activationOp(experiment::Activation activation);

/// x [P, D] → softmax(q·kᵀ/√width)·v of each head, projected to D.
Value addAttention(const LayerBuilder& builder, Value x);
/// Attention, then dense(activation) and dense, each with a dropout, a norm and its input added:
///
///   y = x + g₁ ⊙ attention(norm(x)),  out = y + g₂ ⊙ ((act(n·U) ⊙ n·G)·D),  n = norm(y)
///
/// with biases. Without `glu` there is no factor n·G; g is 1, with `gatedResidual` σ(x·W₁), σ(y·W₂).
/// Source   GLU Shazeer 2020; gated residuals LiGR (Borisyuk et al. 2025), eSASRec 2025.
Value addTransformerBlock(const LayerBuilder& builder, Value x);
/// `query`: what the positions are weighted by, [B, D]; −1: a trained vector. Of kAttention alone.
Value addPool(const LayerBuilder& builder, Value x, Value query);

}  // namespace parapet::nn
