// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
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
};

/// A loss of a graph. The loss of a step is the sum over them of weight·numerator/denominator.
struct LossSpec {
  Value value;
  experiment::Reduction reduction = experiment::Reduction::kMean;
  double weight = 1.0;
  bool countsLists = false;  ///< the denominator of a mean is the number of lists, not of rows
};

/// A static model: parameters and nodes in execution order. Built once, compiled to step plans.
///
/// Errors   InvalidArgument for widths that do not fit, naming both; for a value or parameter that
///          is not of this graph; for what no gradient could be right for: a node that reads a
///          value twice, a dense parameter with two readers, a table read as a dense parameter.
class Graph {
 public:
  ParameterIndex addParameter(ParameterSpec spec);

  /// out[b, :] = the bag of ids of `spec.feature` in row b, combined; `spec.output` is set here.
  Value lookup(const std::string& name, Lookup spec);
  /// A numeric feature, [B, 1].
  Value numeric(const std::string& name, std::int32_t feature,
                experiment::NumericTransform transform);
  /// The same by a transform that is fitted to the data; `fitted` holds what it was fitted to.
  Value fittedNumeric(const std::string& name, std::int32_t feature,
                      experiment::NumericTransform transform, ParameterIndex fitted);
  /// Columns side by side, in order.
  Value concat(const std::string& name, const std::vector<Value>& parts);
  /// Sum of values of equal width.
  Value add(const std::string& name, const std::vector<Value>& parts);
  /// x·kernel, kernel [cols of x, units].
  Value matmul(const std::string& name, Value x, ParameterIndex kernel);
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
  /// Losses of `prediction` [B, 1]; `label`: see NodeContext::labels.
  Value rowLoss(const std::string& name, const experiment::Loss& loss, Value prediction,
                std::int32_t label = -1);
  Value listLoss(const std::string& name, const experiment::Loss& loss, Value prediction,
                 std::int32_t label = -1);
  /// Each row divided by its norm.
  Value l2Normalize(const std::string& name, Value x);
  /// Each query with its own candidate against negatives. `item`: feature with the ids of the
  /// candidates; `temperature`: its logarithm, [1, 1], or −1 for that of the loss.
  Value negativesLoss(const std::string& name, const experiment::Loss& loss, Value query,
                      Value candidate, std::int32_t item, ParameterIndex temperature = -1);

  [[nodiscard]] const std::vector<ParameterSpec>& parameters() const { return parameters_; }
  [[nodiscard]] const std::vector<std::unique_ptr<Node>>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<Lookup>& lookups() const { return lookups_; }
  [[nodiscard]] const std::vector<LossSpec>& losses() const { return losses_; }
  [[nodiscard]] std::int64_t cols(Value value) const {
    return cols_.at(static_cast<std::size_t>(value));
  }
  [[nodiscard]] std::int32_t values() const { return static_cast<std::int32_t>(cols_.size()); }
  /// Of all products.
  void setPrecision(tensor::Precision precision) { precision_ = precision; }
  [[nodiscard]] tensor::Precision precision() const { return precision_; }
  /// Multiplications and additions for one example of a batch of so many: of the forward pass
  /// alone, and of a training step. They grow with the batch where an example meets all others.
  [[nodiscard]] double flopsPerExample(std::int64_t batchRows) const;
  [[nodiscard]] double trainingFlopsPerExample(std::int64_t batchRows) const;
  /// Losses in which an example meets all others of its batch.
  [[nodiscard]] int pairLosses() const { return pairLosses_; }

 private:
  Value addValue(std::int64_t cols);
  Value add(std::unique_ptr<Node> node, double flops);
  void read(const std::string& node, Value value);
  void readAll(const std::string& node, const std::vector<Value>& values);
  const ParameterSpec& readDense(const std::string& node, ParameterIndex index);
  const ParameterSpec& known(const std::string& node, ParameterIndex index) const;
  void readNorm(const std::string& node, const NormParameters& parameters, std::int64_t width);
  Value addLoss(std::unique_ptr<Node> node, const experiment::Loss& loss, double flops);

  std::vector<ParameterSpec> parameters_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Lookup> lookups_;
  std::vector<LossSpec> losses_;
  std::vector<std::int64_t> cols_;
  std::vector<std::string> denseReaders_;  // of each parameter, "" if none
  double flops_ = 0.0;                     // of an example by itself
  double flopsPerPair_ = 0.0;              // of an example and one of the batch that it meets
  int pairLosses_ = 0;
  tensor::Precision precision_ = tensor::Precision::kFp32;
};

}  // namespace parapet::nn
