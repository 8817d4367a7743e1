// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/index.h"
#include "engine/data/dataset/batches.h"
#include "engine/mesh/communicator.h"
#include "engine/nn/parameters.h"
#include "engine/tensor/ops/ops.h"
#include "engine/tensor/staged_array.h"

namespace parapet::nn {

/// Index of a value (an activation, [rows of its row space, cols]) in its graph.
using Value = std::int32_t;
/// Index of a row space in its graph: what the rows of a value are.
using RowSpace = std::int32_t;
/// The examples of the batch, the first row space of every graph.
inline constexpr RowSpace kExamples = 0;
/// Index of a parameter in its graph.
using ParameterIndex = std::int32_t;

/// What a dense layer reads.
struct DenseParameters {
  ParameterIndex kernel;     ///< [cols of the input, units]
  ParameterIndex bias = -1;  ///< [1, units]; −1: none
};

/// What a norm reads, [1, width] each.
struct NormParameters {
  ParameterIndex gamma, beta;
  ParameterIndex mean = -1, variance = -1;  ///< moving statistics; a batch norm's only
};

/// What an attention of packed queries, keys and values is.
struct AttentionShape {
  std::int64_t heads = 1;
  std::int64_t width = 0;  ///< of a head
  bool causal = false;
  double rate = 0.0;           ///< of dropped probabilities
  std::int64_t maxLength = 1;  ///< of a sequence
};

/// What a softmax over the rows of a table reads besides the rows that are classified.
struct TableLossInputs {
  ParameterIndex table;
  ParameterIndex bias;  ///< [rows of the table, 1]; −1: none
  std::int32_t labels;  ///< feature with an id for every row
};

/// What a lookup reads in a step: rows of a table, or the rows of a sharded table that a rank has
/// received. The ids of a sequence are not combined: value n is row n. Otherwise bag b has the
/// values [offsets[b], offsets[b+1]) of ids and scales, which begin at the first value of the first
/// bag; without offsets value b is the only id of example b.
struct LookupView {
  const float* table = nullptr;
  std::int64_t tableRows = 0;
  std::span<const std::int32_t> ids;
  const std::int32_t* offsets = nullptr;  ///< [rows + 1], absolute within the batch; null: one id
  const float* scales = nullptr;          ///< factor of each value; null: 1
};

/// The sequences of the examples that a node works on.
struct SequenceSlice {
  tensor::Sequences here;  ///< for ops
  std::int64_t first = 0;  ///< the first of them among the examples of the global batch
};

/// What a loss with negatives tells besides its value.
struct NegativesSums {
  double equalScores = 0.0;  ///< numerator of the loss if all scores were equal; NaN: unknown
  std::int64_t masked = 0;   ///< negatives that were the query's own item, and were left out
};

/// Whether a node works on the slice of a rank, or once on the whole batch after all ranks have
/// reached it (norms over the batch, listwise losses, in-batch negatives).
enum class NodeScope { kSlice, kBatch };

enum class Pass { kForward, kBackward };

/// How a batch lies in memory spaces: rows [begins[s], begins[s + 1]) in space s.
struct BatchCut {
  std::span<const std::int64_t> begins;
  int space = 0;  ///< of the context

  [[nodiscard]] int spaces() const { return static_cast<int>(begins.size()) - 1; }
  [[nodiscard]] std::int64_t rows() const { return begins.back(); }
  [[nodiscard]] std::int64_t begin() const { return begins[at(space)]; }
  [[nodiscard]] std::int64_t end() const { return begins[at(space) + 1]; }
};

/// What the memory spaces exchange after a round of a node that works on the whole batch.
struct Meeting {
  enum class Kind {
    kNone,
    kSum,      ///< out [width] becomes the sum over all spaces; `in` is not read
    kGather,   ///< in: the rows of this space, [·, width]; out: those of the batch
    kScatter,  ///< in: of the rows of the batch; out: the sums over all spaces of this space's rows
  };
  Kind kind = Kind::kNone;
  const void* in = nullptr;
  void* out = nullptr;
  std::int64_t width = 1;
  mesh::ElementType type = mesh::ElementType::kF32;
  mesh::Memory memory = mesh::Memory::kDevice;
};

/// Maximum number of sums that a loss op adds.
inline constexpr std::size_t kSumsOfLoss = 3;

/// The part of a step that one rank works on, as a node sees it; for a kBatch node, all that lies
/// in one memory space. Pointers are to the first row of that part. Rows are rows of the row space
/// of the node's output, unless stated otherwise.
class NodeContext {
 public:
  virtual ~NodeContext() = default;
  [[nodiscard]] virtual const tensor::Launch& launch() const = 0;
  [[nodiscard]] virtual std::int64_t rows() const = 0;
  /// Rows of a value, which may lie over another row space.
  [[nodiscard]] virtual std::int64_t rows(Value value) const = 0;
  /// The sequences over whose positions a value lies.
  [[nodiscard]] virtual SequenceSlice sequences(Value value) const = 0;
  /// Rows of the whole batch that are examples; those after them bring extra negatives alone.
  [[nodiscard]] virtual std::int64_t examples() const = 0;
  [[nodiscard]] virtual BatchCut cut() const = 0;
  /// The examples of rank r are [rankOffsets()[r], rankOffsets()[r + 1]).
  [[nodiscard]] virtual std::span<const std::int32_t> rankOffsets() const = 0;
  /// Position of the first row in the global batch.
  [[nodiscard]] virtual std::int64_t firstRow() const = 0;
  [[nodiscard]] virtual float* value(Value value) = 0;
  /// The rows of a value wherever they are: in its buffer, or in the table that a lookup reads. In
  /// the latter case value() is null, or a buffer to which they are to be copied.
  [[nodiscard]] virtual tensor::GatheredRows gathered(Value value) = 0;
  /// Where d(loss)/d(value) goes; null if it is not needed.
  [[nodiscard]] virtual float* gradient(Value value) = 0;
  /// Whether this node's contribution to the gradient of `value` is added to an earlier one; only
  /// nodes with accumulatesGradients() need to ask.
  [[nodiscard]] virtual tensor::Accumulate accumulate(Value value) const = 0;
  [[nodiscard]] virtual const float* weight(ParameterIndex index) const = 0;
  /// A parameter that the optimizer does not touch, for its node to move (moving statistics).
  [[nodiscard]] virtual float* state(ParameterIndex index) = 0;
  /// This rank's gradient of a dense parameter, which the node writes; null if it is not trained.
  /// For a table that the node reads as a whole (Graph::readsWhole), the gradient of the memory
  /// space.
  [[nodiscard]] virtual float* parameterGradient(ParameterIndex index) = 0;
  [[nodiscard]] virtual LookupView lookup(ParameterIndex table, std::int32_t feature) const = 0;
  /// Ids of a feature with one id per example, for the host to read.
  [[nodiscard]] virtual std::span<const std::int32_t> ids(std::int32_t feature) const = 0;
  /// Ids of a feature with one id for each row of the node, for ops: of a sequence as its lookup
  /// has truncated them.
  [[nodiscard]] virtual const std::int32_t* idsHere(std::int32_t feature) const = 0;
  /// StepInput::itemLogQ.
  [[nodiscard]] virtual std::span<const float> itemLogQ() const = 0;
  /// Index of the first row of a value within its buffer.
  [[nodiscard]] virtual std::int64_t firstInBuffer(Value value) const = 0;
  /// A numeric feature.
  [[nodiscard]] virtual const float* numeric(std::int32_t feature) const = 0;
  /// The labels, or with `feature` ≥ 0 that numeric feature.
  [[nodiscard]] virtual const float* labels(std::int32_t feature) const = 0;
  /// Weights of the examples, for ops; null: all 1.
  [[nodiscard]] virtual const float* weights() const = 0;
  /// weights() in memory that the host can read.
  [[nodiscard]] virtual const float* hostWeights() const = 0;
  /// Lists of the whole batch as rows of it (see data::Batch::lists), for kBatch nodes only: in
  /// memory that the host can read, and for ops.
  [[nodiscard]] virtual std::span<const std::int32_t> lists() const = 0;
  [[nodiscard]] virtual std::span<const std::int32_t> listsHere() const = 0;
  /// Weight of a loss over the denominator of the *global* batch.
  [[nodiscard]] virtual float lossScale(Value loss) const = 0;
  /// Sums of a loss in the device's memory, kSumsOfLoss of them: ops add to them, and the first is
  /// its numerator (before its weight).
  [[nodiscard]] virtual double* lossSums(Value loss) = 0;
  /// What else a loss with negatives has found; of kBatch nodes only.
  virtual void addNegatives(Value loss, const NegativesSums& sums) = 0;
  /// Room for scratchElements() of this node, or for meetingElements(), which stay as they are from
  /// its first round forward to its last one back; of kBatch nodes only.
  [[nodiscard]] virtual float* scratch() = 0;
  /// stagedElements() of this node: what it writes on the host for ops to read, until the node ends
  /// a pass or a round; of kBatch nodes only.
  [[nodiscard]] virtual tensor::StagedArray<std::int32_t>& staged() = 0;
  /// True in a training step: dropout drops, norms use the batch, losses leave all to backward().
  [[nodiscard]] virtual bool trains() const = 0;
  /// Key of the draws of this node in this step; see Node::drawStream().
  [[nodiscard]] virtual tensor::DrawKey drawKey() const = 0;
};

/// One operation of a graph with its derivative. Nodes hold no buffers and no counts: the plan owns
/// the memory, the step brings the counts.
class Node {
 public:
  Node(std::string name, std::vector<Value> inputs, Value output)
      : name_(std::move(name)), inputs_(std::move(inputs)), output_(output) {}
  virtual ~Node() = default;

  virtual void forward(NodeContext& context) const = 0;
  /// Reads gradient(output) and writes gradients of inputs and parameters. A loss has no such
  /// gradient: it adds itself and writes the gradients of what it reads.
  virtual void backward(NodeContext& context) const = 0;
  [[nodiscard]] virtual NodeScope scope() const { return NodeScope::kSlice; }
  /// Whether backward() honours accumulate(). Other nodes write, and the plan adds.
  [[nodiscard]] virtual bool accumulatesGradients() const { return false; }
  [[nodiscard]] virtual bool isLoss() const { return false; }
  /// The stream of its own that a node draws random numbers from; nullopt: it draws none.
  [[nodiscard]] virtual std::optional<std::uint64_t> drawStream() const { return std::nullopt; }
  /// Whether this is a row-wise product of its two inputs that reads them through gathered(): then
  /// the gradient of either is d(loss)/d(output)[b] times row b of the other (see PlanLayout).
  [[nodiscard]] virtual bool readsGatheredRows() const { return false; }
  /// f32 elements that a kBatch node needs for its work on a batch of up to so many rows.
  [[nodiscard]] virtual std::int64_t scratchElements(std::int64_t) const { return 0; }
  /// Elements of staged() that a kBatch node needs for at most so many rows on so many ranks.
  [[nodiscard]] virtual std::int64_t stagedElements(std::int64_t, std::int64_t) const { return 0; }

  // Rounds of kBatch nodes, where the batch lies in several memory spaces; forward() and backward()
  // are not called there. Each space does a round on its own rows, then all exchange what it asks
  // for.

  /// Rounds of a pass; the same in every space.
  [[nodiscard]] virtual int rounds(const NodeContext&, Pass) const { return 0; }
  /// The exchange of the spaces before the next round; all ask for the same kind, width, type and
  /// memory.
  virtual Meeting round(NodeContext&, Pass, int) const { return {}; }
  /// f32 elements that a space needs for up to so many rows of its own and of the batch.
  [[nodiscard]] virtual std::int64_t meetingElements(std::int64_t, std::int64_t) const { return 0; }

  /// Whether backward() reads value(v), v one of the inputs or the output; the memory of others is
  /// used for what comes after their last reader forward.
  [[nodiscard]] virtual bool backwardReads(Value) const { return true; }
  /// Values besides its output that it writes for backward().
  [[nodiscard]] virtual std::vector<Value> saved() const { return {}; }

  /// Ops that it calls on a device, forward and back. A device is asked for them before a plan is
  /// made (missingOps).
  [[nodiscard]] virtual std::vector<tensor::OpRequest> ops() const { return {}; }
  /// Parameters this node reads.
  [[nodiscard]] virtual std::vector<ParameterIndex> parameters() const { return {}; }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::vector<Value>& inputs() const { return inputs_; }
  [[nodiscard]] Value output() const { return output_; }

 private:
  std::string name_;
  std::vector<Value> inputs_;
  Value output_;
};

}  // namespace parapet::nn
