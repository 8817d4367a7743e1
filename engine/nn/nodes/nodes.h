// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/nn/graph.h"

namespace parapet::nn {

// Adds a node to a graph, a few for some, and gives its output: a function per node, each in a file
// of its name beside this one. InvalidArgument: see Node and Graph.

/// out[b, :] = the bag of ids of `spec.feature` in row b, combined. Of a sequence the rows are its
/// positions, a row space of their own.
Value lookup(Graph& graph, const std::string& name, const Lookup& spec);
/// A numeric feature, [B, 1].
Value numeric(Graph& graph, const std::string& name, std::int32_t feature,
              experiment::NumericTransform transform);
/// A numeric feature by a transform that is fitted to the data; `fitted`, [1, cols], holds the
/// result of fitting: kMomentColumns of standardization, or the knots of quantiles.
Value fittedNumeric(Graph& graph, const std::string& name, std::int32_t feature,
                    experiment::NumericTransform transform, ParameterIndex fitted);
/// Columns side by side, in order.
Value concat(Graph& graph, const std::string& name, const std::vector<Value>& parts);
/// Sum of values of equal width.
Value add(Graph& graph, const std::string& name, const std::vector<Value>& parts);
/// Product by element of two values of equal width.
Value multiply(Graph& graph, const std::string& name, Value x, Value y);
/// Σ_i softmax(logits)[:, i] · parts[i]: values of equal width, and logits as wide as they are many.
Value mixture(Graph& graph, const std::string& name, const std::vector<Value>& parts, Value logits);
/// x·kernel, kernel [cols of x, units].
Value matmul(Graph& graph, const std::string& name, Value x, ParameterIndex kernel);

struct DenseParameters {
  ParameterIndex kernel;     ///< [cols of the input, units]
  ParameterIndex bias = -1;  ///< [1, units]; −1: none
};
/// act(x·kernel + bias). One node, where the gradient of the activation is taken from the output;
/// gelu and silu need the sum that they read, so they are a node of their own: name/matmul,
/// name/activation.
Value dense(Graph& graph, const std::string& name, Value x, const DenseParameters& parameters,
            tensor::ActivationOp activation);
/// act(x + bias); bias may be −1 for none.
Value biasActivation(Graph& graph, const std::string& name, Value x, ParameterIndex bias,
                     tensor::ActivationOp activation);
/// Row-wise dot product of two values of equal width: [B, 1].
Value dot(Graph& graph, const std::string& name, Value x, Value y);
/// x0 ⊙ (u + diagScale·x) + x, three values of equal width; x may be x0.
Value cross(Graph& graph, const std::string& name, Value x0, Value x, Value u, double diagScale);
/// Dot products of all pairs of F values of equal width, rows of the lower triangle, with
/// self-interaction its diagonal: [B, tensor::interactionWidth(F, self)].
Value dotInteraction(Graph& graph, const std::string& name, const std::vector<Value>& parts,
                     tensor::SelfInteraction self);
Value dropout(Graph& graph, const std::string& name, Value x, double rate);

/// Parameters of a norm, [1, width] each.
struct NormParameters {
  ParameterIndex gamma, beta;
  ParameterIndex mean = -1, variance = -1;  ///< moving statistics; a batch norm's only
};
Value batchNorm(Graph& graph, const std::string& name, Value x, const NormParameters& parameters,
                double momentum, double epsilon);
Value layerNorm(Graph& graph, const std::string& name, Value x, const NormParameters& parameters,
                double epsilon);
/// Each row divided by its norm.
Value l2Normalize(Graph& graph, const std::string& name, Value x);

// Over the positions of a sequence:

/// x plus row i of `table` [N, cols of x] at position i of each sequence; N is at least the
/// longest. From kEnd the last position has row N − 1.
Value position(Graph& graph, const std::string& name, Value x, ParameterIndex table,
               experiment::CountFrom from = experiment::CountFrom::kStart);
/// Self-attention by qkv [P, 3·D], heads that divide D: [P, D]. Width and maxLength of the shape
/// are set by it.
Value attention(Graph& graph, const std::string& name, Value qkv, const AttentionShape& shape);
/// A row per example: the sum, the mean or the last of its positions.
Value pool(Graph& graph, const std::string& name, Value x, tensor::PoolOp kind);
/// Σ over the positions of softmax(scores)·x; scores [P, 1].
Value weightedPool(Graph& graph, const std::string& name, Value x, Value scores);
/// The rows of x that a feature names, at most so many of an example: a row space of their own.
/// The ids of the feature are positions among all ids that the batch has of the feature of x,
/// which are not truncated.
Value selectPositions(Graph& graph, const std::string& name, Value x, std::int32_t feature,
                      std::int64_t maxPerExample);
/// x [B, cols], of its example, at every position that `like` has.
Value spread(Graph& graph, const std::string& name, Value x, Value like);

// Losses:

/// kMse and kBce of `prediction` [B, 1]; `label`: see StepSlice::labels.
Value rowLoss(Graph& graph, const std::string& name, const experiment::Loss& loss, Value prediction,
              std::int32_t label = -1);
/// Listwise losses of `prediction`, likewise.
Value listLoss(Graph& graph, const std::string& name, const experiment::Loss& loss,
               Value prediction, std::int32_t label = -1);
/// Inputs of a loss with negatives besides the queries and the candidates.
struct NegativesLossInputs {
  std::int32_t item;                ///< feature with the ids of the candidates
  std::int32_t user = -1;           ///< that of users who are no negatives of their own; −1: none
  ParameterIndex temperature = -1;  ///< logarithm of it, [1, 1]; −1: that of the loss
  /// Whether both values have length 1, which bounds the loss of equal scores.
  experiment::Score score = experiment::Score::kDot;
};
/// Each query with its own candidate against negatives.
Value negativesLoss(Graph& graph, const std::string& name, const experiment::Loss& loss,
                    Value query, Value candidate, const NegativesLossInputs& inputs);

/// Inputs of a softmax over the rows of a table besides the rows that are classified.
struct TableLossInputs {
  ParameterIndex table;
  ParameterIndex bias;  ///< [rows of the table, 1]; −1: none
  std::int32_t labels;  ///< feature with an id for every row
};
/// Cross entropy of the label of each row of `hidden` among the rows of a table, by the products
/// of `hidden` with them; the table may be looked up besides (tied weights).
Value tableLoss(Graph& graph, const std::string& name, const experiment::Loss& loss, Value hidden,
                const TableLossInputs& inputs);

}  // namespace parapet::nn
