// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/sequence_layers.h"

#include "engine/nn/nodes/nodes.h"

namespace parapet::nn {
namespace {

using experiment::NormOrder;
using experiment::PoolKind;

Value addDense(const LayerBuilder& builder, const std::string& name, Value x,
               tensor::ActivationOp activation) {
  const DenseParameters parameters{builder.weight(name + "_kernel"),
                                   builder.weight(name + "_bias")};
  return dense(builder.graph, builder.layer.parameterPrefix + "/" + name, x, parameters,
               activation);
}

Value addNorm(const LayerBuilder& builder, const std::string& name, Value x) {
  const NormParameters parameters{builder.weight(name + "_gamma"), builder.weight(name + "_beta")};
  return layerNorm(builder.graph, builder.layer.parameterPrefix + "/" + name, x, parameters,
                   builder.layer.layer->epsilon);
}

/// x + f(x) with the norm where the block has it; f(x) weighted by a gate of x if it has one.
template <class F>
Value addResidual(const LayerBuilder& builder, const std::string& name, Value x, const F& f) {
  const experiment::Layer& spec = *builder.layer.layer;
  const std::string node = builder.layer.parameterPrefix + "/" + name;
  const bool isPre = spec.norm == NormOrder::kPre;
  Value out = f(isPre ? addNorm(builder, name + "_norm", x) : x);
  if (spec.rate > 0.0) out = dropout(builder.graph, node + "_dropout", out, spec.rate);
  if (spec.gatedResidual) {
    const Value gate = addDense(builder, name + "_gate", x, tensor::ActivationOp::kSigmoid);
    out = multiply(builder.graph, node + "_gated", gate, out);
  }
  out = add(builder.graph, node + "_add", {x, out});
  return isPre ? out : addNorm(builder, name + "_norm", out);
}

tensor::PoolOp poolOp(PoolKind kind) {
  switch (kind) {
    case PoolKind::kMean:
      return tensor::PoolOp::kMean;
    case PoolKind::kSum:
      return tensor::PoolOp::kSum;
    case PoolKind::kLast:
      return tensor::PoolOp::kLast;
    case PoolKind::kAttention:
      return tensor::PoolOp::kWeighted;
  }
  return tensor::PoolOp::kMean;
}

}  // namespace

tensor::ActivationOp activationOp(experiment::Activation activation) {
  switch (activation) {
    case experiment::Activation::kLinear:
      return tensor::ActivationOp::kLinear;
    case experiment::Activation::kRelu:
      return tensor::ActivationOp::kRelu;
    case experiment::Activation::kTanh:
      return tensor::ActivationOp::kTanh;
    case experiment::Activation::kSigmoid:
      return tensor::ActivationOp::kSigmoid;
    case experiment::Activation::kGelu:
      return tensor::ActivationOp::kGelu;
    case experiment::Activation::kGeluTanh:
      return tensor::ActivationOp::kGeluTanh;
    case experiment::Activation::kSilu:
      return tensor::ActivationOp::kSilu;
  }
  return tensor::ActivationOp::kLinear;
}

Value addAttention(const LayerBuilder& builder, Value x) {
  const experiment::Layer& spec = *builder.layer.layer;
  const Value qkv = addDense(builder, "qkv", x, tensor::ActivationOp::kLinear);
  const Value out = attention(builder.graph, builder.layer.parameterPrefix + "/attention", qkv,
                              {.heads = spec.heads, .causal = spec.causal, .rate = spec.rate});
  return addDense(builder, "out", out, tensor::ActivationOp::kLinear);
}

Value addTransformerBlock(const LayerBuilder& builder, Value x) {
  const Value attended =
      addResidual(builder, "attention", x, [&](Value in) { return addAttention(builder, in); });
  return addResidual(builder, "dense", attended, [&](Value in) {
    Value up = addDense(builder, "up", in, activationOp(builder.layer.layer->activation));
    if (builder.layer.layer->glu)
      up = multiply(builder.graph, builder.layer.parameterPrefix + "/glu_product", up,
                    addDense(builder, "glu", in, tensor::ActivationOp::kLinear));
    return addDense(builder, "down", up, tensor::ActivationOp::kLinear);
  });
}

Value addPool(const LayerBuilder& builder, Value x, Value query) {
  Graph& graph = builder.graph;
  const std::string& prefix = builder.layer.parameterPrefix;
  const PoolKind by = builder.layer.layer->by;
  if (by != PoolKind::kAttention) return pool(graph, prefix + "/pool", x, poolOp(by));
  const Value scores =
      query < 0 ? matmul(graph, prefix + "/scores", x, builder.weight("query"))
                : dot(graph, prefix + "/scores", x, spread(graph, prefix + "/spread", query, x));
  return weightedPool(graph, prefix, x, scores);
}

}  // namespace parapet::nn
