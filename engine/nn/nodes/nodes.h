// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/nn/node.h"

namespace parapet::nn {

// One maker per node kind, each in a file of its own name beside this one. Widths are in columns.
std::unique_ptr<Node> makeLookup(std::string name, ParameterIndex table, std::int32_t feature,
                                 std::int64_t width, Value output);
std::unique_ptr<Node> makeNumeric(std::string name, std::int32_t feature,
                                  experiment::NumericTransform transform, Value output);
/// `fitted`: what the transform was fitted to, [1, cols]: kMomentColumns of standardization, or the
/// knots of quantiles.
std::unique_ptr<Node> makeFittedNumeric(std::string name, std::int32_t feature,
                                        experiment::NumericTransform transform,
                                        ParameterIndex fitted, std::int64_t cols, Value output);
/// `widths` are those of the parts.
std::unique_ptr<Node> makeConcat(std::string name, std::vector<Value> parts,
                                 std::vector<std::int64_t> widths, Value output);
std::unique_ptr<Node> makeAdd(std::string name, std::vector<Value> parts, std::int64_t width,
                              Value output);
/// act(x·kernel + bias), `activation` none whose gradient reads what it is of (both gelu do). A
/// product alone is linear and has no bias.
std::unique_ptr<Node> makeDense(std::string name, Value x, const DenseParameters& parameters,
                                tensor::ActivationOp activation, std::int64_t width,
                                std::int64_t units, Value output);
std::unique_ptr<Node> makeBiasActivation(std::string name, Value x, ParameterIndex bias,
                                         tensor::ActivationOp activation, std::int64_t width,
                                         Value output);
std::unique_ptr<Node> makeDot(std::string name, Value x, Value y, std::int64_t width, Value output);
/// out = x0 ⊙ (u + diagScale·x) + x
std::unique_ptr<Node> makeCross(std::string name, Value x0, Value x, Value u, double diagScale,
                                std::int64_t width, Value output);
/// Dot products of all pairs of the parts: rows of the lower triangle, with self-interaction its
/// diagonal.
std::unique_ptr<Node> makeDotInteraction(std::string name, std::vector<Value> parts,
                                         std::int64_t width, tensor::SelfInteraction self,
                                         Value output);
std::unique_ptr<Node> makeDropout(std::string name, Value x, double rate, std::int64_t width,
                                  Value output);
std::unique_ptr<Node> makeBatchNorm(std::string name, Value x, NormParameters parameters,
                                    double momentum, double epsilon, std::int64_t width,
                                    Value output);
std::unique_ptr<Node> makeLayerNorm(std::string name, Value x, NormParameters parameters,
                                    double epsilon, std::int64_t width, Value output);
/// kMse and kBce. `label`: see StepSlice::labels.
std::unique_ptr<Node> makeRowLoss(std::string name, experiment::LossKind kind, Value prediction,
                                  std::int32_t label, Value output);
/// Listwise losses.
std::unique_ptr<Node> makeListLoss(std::string name, experiment::LossKind kind, double temperature,
                                   Value prediction, std::int32_t label, Value output);
/// What a loss with negatives reads.
struct NegativesInputs {
  Value query, candidate;
  std::int32_t item;           ///< feature with the ids of the candidates
  ParameterIndex temperature;  ///< its logarithm, [1, 1]; −1: the temperature of the loss
};
std::unique_ptr<Node> makeNegativesLoss(std::string name, const experiment::Loss& loss,
                                        const NegativesInputs& inputs, std::int64_t width,
                                        Value output);
// Over the positions of sequences:
std::unique_ptr<Node> makePosition(std::string name, Value x, ParameterIndex table,
                                   std::int64_t tableRows, std::int64_t width, Value output);
/// `logSumExp`: a value [P, heads] for what it saves.
std::unique_ptr<Node> makeAttention(std::string name, Value qkv, const AttentionShape& shape,
                                    Value logSumExp, Value output);
/// `inputs`: positions, and of kWeighted their weights [P, 1].
std::unique_ptr<Node> makePool(std::string name, tensor::PoolOp kind, std::vector<Value> inputs,
                               std::int64_t width, Value output);
std::unique_ptr<Node> makeSpread(std::string name, Value x, std::int64_t width, Value output);
std::unique_ptr<Node> makeSequenceSoftmax(std::string name, Value x, Value output);
/// Rows of x that a feature names; see Graph::selectPositions.
std::unique_ptr<Node> makeSelectPositions(std::string name, Value x, std::int32_t feature,
                                          std::int64_t width, Value output);
struct TableLossShape {
  std::int64_t tableRows, width;
  std::int64_t maxPerExample;  ///< rows of an example
};
std::unique_ptr<Node> makeTableLoss(std::string name, Value hidden, const TableLossInputs& inputs,
                                    const TableLossShape& shape, Value output);
std::unique_ptr<Node> makeL2Normalize(std::string name, Value x, double epsilon, std::int64_t width,
                                      Value output);

}  // namespace parapet::nn
