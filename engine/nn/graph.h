// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
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

/// An attention of packed queries, keys and values.
struct AttentionShape {
  std::int64_t heads = 1;
  std::int64_t width = 0;  ///< of a head
  bool causal = false;
  double rate = 0.0;           ///< of dropped probabilities
  std::int64_t maxLength = 1;  ///< of a sequence
};

/// A self-attention: of qkv [P, 3·D] the heads, each with its share of the columns.
struct AttentionUse {
  Value qkv, output;
  std::int64_t heads = 1;
  std::int64_t width = 1;  ///< of a head
  bool causal = false;
};

/// A static model: parameters and nodes in execution order. Built once, compiled to step plans.
///
/// Errors   InvalidArgument for a dense parameter that both a node of slices and one of the whole
///          batch read: no gradient could be right for it.
class Graph {
 public:
  ParameterIndex addParameter(ParameterSpec spec);
  RowSpace addRowSpace(const RowSpaceSpec& spec);
  /// A value that is not the output of a node: one that a node saves.
  Value addValue(std::int64_t cols, RowSpace rows);
  /// Adds a node, and the value that is its output.
  Value add(std::unique_ptr<Node> node);
  /// A node of a class, made of this graph and the arguments.
  template <class N, class... Arguments>
  Value add(Arguments&&... arguments) {
    return add(std::make_unique<N>(*this, std::forward<Arguments>(arguments)...));
  }

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
  /// The node of the whole batch that reads a table as one matrix, besides lookups of its rows;
  /// null: none does.
  [[nodiscard]] const Node* wholeReader(ParameterIndex table) const {
    return parameters_.at(at(table)).sparse ? readers_[at(table)] : nullptr;
  }
  [[nodiscard]] bool readsWhole(ParameterIndex table) const {
    return wholeReader(table) != nullptr;
  }
  /// Sets the precision of all products.
  void setPrecision(tensor::Precision precision) { precision_ = precision; }
  [[nodiscard]] tensor::Precision precision() const { return precision_; }
  /// Multiplications and additions for one example of a batch of so many: of the forward pass
  /// alone, and of a training step. They grow with the batch where an example meets all others.
  /// `sharing`: examples that share a sequence.
  [[nodiscard]] double flopsPerExample(std::int64_t batchRows, std::int64_t sharing = 1) const;
  [[nodiscard]] double trainingFlopsPerExample(std::int64_t batchRows,
                                               std::int64_t sharing = 1) const;
  /// Losses in which an example meets all others of its batch.
  [[nodiscard]] int pairLosses() const { return pairLosses_; }

 private:
  std::vector<ParameterSpec> parameters_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Lookup> lookups_;
  std::vector<AttentionUse> attentions_;
  std::vector<LossSpec> losses_;
  std::vector<std::int64_t> cols_;
  std::vector<RowSpaceSpec> rowSpaces_ = std::vector<RowSpaceSpec>(1);
  std::vector<RowSpace> rowSpaceOf_;  // of each value
  std::vector<const Node*> readers_;  // of each dense parameter the last, of a table as a whole
  double flops_ = 0.0;                // of an example by itself
  double flopsOfSequences_ = 0.0;     // of all of its positions
  double flopsPerPair_ = 0.0;         // of an example and one of the batch that it meets
  int pairLosses_ = 0;
  tensor::Precision precision_ = tensor::Precision::kFp32;
};

}  // namespace parapet::nn
