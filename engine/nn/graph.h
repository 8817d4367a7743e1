// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/nn/node.h"

namespace parapet::nn {

/// An embedding lookup, and how it combines a bag. Its gradient is merged by row before
/// the table is updated.
struct Lookup {
  ParameterIndex table;
  std::int32_t feature;
  Value output;
  experiment::Combiner combiner = experiment::Combiner::kMean;
  std::int64_t maxLength = 0;  ///< ids of a bag that are used; 0: all
  experiment::TruncationSide truncationSide = experiment::TruncationSide::kEnd;
  bool weighted = true;          ///< by the weights of the ids, if there are any
  std::int64_t firstBucket = 0;  ///< rows from here on are OOV buckets; 0: row 0 alone
  bool rowZeroIsId = false;      ///< row 0 is that of an id, not of unknown ones
  bool sequence = false;  ///< not combined: a row of each id, at most maxLength of an example
};

/// What the rows of a value are: the examples, or the ids that they have of a feature.
struct RowSpaceSpec {
  std::int32_t feature = -1;       ///< −1: the examples themselves
  std::int64_t maxPerExample = 1;  ///< rows of an example
  /// Index into the lookups, which truncates the ids; −1: they are taken as they come.
  int lookup = -1;
  /// Feature among whose ids of the batch the own ids are positions, ascending; −1: they are none.
  std::int32_t positionsOf = -1;
};

/// A self-attention: of qkv [P, 3·D] the heads, each with its share of the columns.
struct AttentionUse {
  Value qkv, output;
  std::int64_t heads = 1;
  std::int64_t width = 1;  ///< of a head
  bool causal = false;
};

/// A loss of a graph. The loss of a step is the sum over them of weight·numerator/denominator.
struct LossSpec {
  Value value;
  experiment::Reduction reduction = experiment::Reduction::kMean;
  double weight = 1.0;
  bool readsLabels = true;   ///< of the examples, those of the data set or of a feature
  bool countsLists = false;  ///< the denominator of a mean is the number of lists, not of rows
};

/// A static model: parameters and nodes in execution order. Built once, compiled to step plans.
///
/// Errors   InvalidArgument for widths that do not fit, naming both; for a value or parameter that
///          is not of this graph; for values whose rows are not the same; for what no gradient
///          could be right for: a node that reads a value twice, a dense parameter that both a node
///          of slices and one of the whole batch read, a table read as a dense parameter.
class Graph {
 public:
  ParameterIndex addParameter(ParameterSpec spec);
  /// The ids of a feature as rows, at most so many of an example.
  RowSpace addRowSpace(std::int32_t feature, std::int64_t maxPerExample);

  /// out[b, :] = the bag of ids of `spec.feature` in row b, combined; `spec.output` is set here. Of
  /// a sequence the rows are its positions, a row space of their own.
  Value lookup(const std::string& name, Lookup spec);
  /// A numeric feature, [B, 1].
  Value numeric(const std::string& name, std::int32_t feature,
                experiment::NumericTransform transform);
  /// A numeric feature by a transform that is fitted to the data; `fitted` holds the result of
  /// fitting.
  Value fittedNumeric(const std::string& name, std::int32_t feature,
                      experiment::NumericTransform transform, ParameterIndex fitted);
  /// Columns side by side, in order.
  Value concat(const std::string& name, const std::vector<Value>& parts);
  /// Sum of values of equal width.
  Value add(const std::string& name, const std::vector<Value>& parts);
  /// x·kernel, kernel [cols of x, units].
  Value matmul(const std::string& name, Value x, ParameterIndex kernel);
  /// act(x·kernel + bias). One node, where the gradient of the activation is taken from the output;
  /// both gelu need the sum that they read, so they are a node of their own: name/matmul,
  /// name/activation.
  Value dense(const std::string& name, Value x, DenseParameters parameters,
              tensor::ActivationOp activation);
  /// act(x + bias); bias may be −1 for none.
  Value biasActivation(const std::string& name, Value x, ParameterIndex bias,
                       tensor::ActivationOp activation);
  /// Row-wise dot product of two values of equal width: [B, 1].
  Value dot(const std::string& name, Value x, Value y);
  /// x0 ⊙ (u + diagScale·x) + x, three values of equal width; x may be x0.
  Value cross(const std::string& name, Value x0, Value x, Value u, double diagScale);
  /// Dot products of all pairs of F values of equal width: [B, tensor::interactionWidth(F, self)].
  Value dotInteraction(const std::string& name, const std::vector<Value>& parts,
                       tensor::SelfInteraction self);
  Value dropout(const std::string& name, Value x, double rate);
  Value batchNorm(const std::string& name, Value x, NormParameters parameters, double momentum,
                  double epsilon);
  Value layerNorm(const std::string& name, Value x, NormParameters parameters, double epsilon);
  /// Losses of `prediction` [B, 1]; `label`: see StepSlice::labels.
  Value rowLoss(const std::string& name, const experiment::Loss& loss, Value prediction,
                std::int32_t label = -1);
  Value listLoss(const std::string& name, const experiment::Loss& loss, Value prediction,
                 std::int32_t label = -1);
  // Operations on values over the positions of a sequence:

  /// x plus row i of `table` [N, cols of x] at position i of each sequence; N is at least the
  /// longest.
  Value position(const std::string& name, Value x, ParameterIndex table);
  /// Self-attention by qkv [P, 3·D], heads that divide D: [P, D]. Width and maxLength of the shape
  /// are set here.
  Value attention(const std::string& name, Value qkv, AttentionShape shape);
  /// A row per example: the sum, the mean or the last of its positions.
  Value pool(const std::string& name, Value x, tensor::PoolOp kind);
  /// Σ over the positions of softmax(scores)·x; scores [P, 1].
  Value weightedPool(const std::string& name, Value x, Value scores);
  /// The rows of x that a feature names, at most so many of an example: a row space of their own.
  /// The ids of the feature are positions among all ids that the batch has of the feature of x,
  /// which are not truncated.
  Value selectPositions(const std::string& name, Value x, std::int32_t feature,
                        std::int64_t maxPerExample);
  /// Cross entropy of the label of each row of `hidden` among the rows of a table, by the products
  /// of `hidden` with them; the table may be looked up besides (tied weights).
  Value tableLoss(const std::string& name, const experiment::Loss& loss, Value hidden,
                  const TableLossInputs& inputs);
  /// x [B, cols], of its example, at every position that `like` has.
  Value spread(const std::string& name, Value x, Value like);

  /// Each row divided by its norm.
  Value l2Normalize(const std::string& name, Value x);
  /// Each query with its own candidate against negatives. `item`: feature with the ids of the
  /// candidates; `temperature`: its logarithm, [1, 1], or −1 for that of the loss.
  Value negativesLoss(const std::string& name, const experiment::Loss& loss, Value query,
                      Value candidate, std::int32_t item, ParameterIndex temperature = -1);

  [[nodiscard]] const std::vector<ParameterSpec>& parameters() const { return parameters_; }
  [[nodiscard]] const std::vector<std::unique_ptr<Node>>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<Lookup>& lookups() const { return lookups_; }
  /// In the order of execution.
  [[nodiscard]] const std::vector<AttentionUse>& attentions() const { return attentions_; }
  [[nodiscard]] const std::vector<LossSpec>& losses() const { return losses_; }
  [[nodiscard]] std::int64_t cols(Value value) const {
    return cols_.at(static_cast<std::size_t>(value));
  }
  [[nodiscard]] std::int32_t values() const { return static_cast<std::int32_t>(cols_.size()); }
  [[nodiscard]] RowSpace rowSpace(Value value) const {
    return rowSpaceOf_.at(static_cast<std::size_t>(value));
  }
  /// kExamples first.
  [[nodiscard]] const std::vector<RowSpaceSpec>& rowSpaces() const { return rowSpaces_; }
  /// Rows that an example has in the longest of its row spaces.
  [[nodiscard]] std::int64_t longestSequence() const;
  /// Whether a node of the whole batch reads a table as one matrix, besides lookups of its rows.
  [[nodiscard]] bool readsWhole(ParameterIndex table) const {
    return !wholeReaders_.at(static_cast<std::size_t>(table)).empty();
  }
  /// Sets the precision of all products.
  void setPrecision(tensor::Precision precision) { precision_ = precision; }
  [[nodiscard]] tensor::Precision precision() const { return precision_; }
  /// Multiplications and additions for one example of a batch of so many: of the forward pass
  /// alone, and of a training step. They grow with the batch where an example meets all others.
  [[nodiscard]] double flopsPerExample(std::int64_t batchRows) const;
  [[nodiscard]] double trainingFlopsPerExample(std::int64_t batchRows) const;
  /// Losses in which an example meets all others of its batch.
  [[nodiscard]] int pairLosses() const { return pairLosses_; }

 private:
  Value addValue(std::int64_t cols, RowSpace rows = kExamples);
  /// A value with the rows of another one.
  Value addLike(Value like, std::int64_t cols) { return addValue(cols, rowSpace(like)); }
  /// `flops`: of a row of its output.
  Value add(std::unique_ptr<Node> node, double flops);
  void read(const std::string& node, Value value);
  /// Several values with the same rows.
  void readAll(const std::string& node, const std::vector<Value>& values);
  /// A value of the examples.
  void readExamples(const std::string& node, Value value);
  /// A value of positions.
  const RowSpaceSpec& readPositions(const std::string& node, Value value);
  const ParameterSpec& readDense(const std::string& node, ParameterIndex index);
  /// A table as one matrix [V, D], by a node of the whole batch.
  const ParameterSpec& readWhole(const std::string& node, ParameterIndex index);
  const ParameterSpec& known(const std::string& node, ParameterIndex index) const;
  void readNorm(const std::string& node, const NormParameters& parameters, std::int64_t width);
  Value addDense(const std::string& name, Value x, DenseParameters parameters,
                 tensor::ActivationOp activation);
  Value addLoss(std::unique_ptr<Node> node, const experiment::Loss& loss, double flops);

  std::vector<ParameterSpec> parameters_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Lookup> lookups_;
  std::vector<AttentionUse> attentions_;
  std::vector<LossSpec> losses_;
  std::vector<std::int64_t> cols_;
  std::vector<RowSpaceSpec> rowSpaces_ = std::vector<RowSpaceSpec>(1);
  std::vector<RowSpace> rowSpaceOf_;                    // of each value
  std::vector<std::string> wholeReaders_;               // of each parameter, "" if none
  std::vector<std::optional<NodeScope>> readerScopes_;  // of each dense parameter
  double flops_ = 0.0;                                  // of an example by itself
  double flopsPerPair_ = 0.0;  // of an example and one of the batch that it meets
  int pairLosses_ = 0;
  tensor::Precision precision_ = tensor::Precision::kFp32;
};

}  // namespace parapet::nn
