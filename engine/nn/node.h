// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/index.h"
#include "engine/mesh/communicator.h"
#include "engine/nn/parameters.h"
#include "engine/tensor/ops/ops.h"

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

/// Whether a node works on the slice of a rank, or once on the whole batch after all ranks have
/// reached it (norms over the batch, listwise losses, in-batch negatives).
enum class NodeScope { kSlice, kBatch };

enum class Pass { kForward, kBackward };

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

class StepSlice;

/// One operation of a graph with its derivative. Nodes hold no buffers and no counts: the plan owns
/// the memory, the step brings the counts.
class Node {
 public:
  Node(std::string name, std::vector<Value> inputs, Value output)
      : name_(std::move(name)), inputs_(std::move(inputs)), output_(output) {}
  virtual ~Node() = default;

  virtual void forward(StepSlice& slice) const = 0;
  /// Reads gradient(output) and writes gradients of inputs and parameters. A loss has no such
  /// gradient: it adds itself and writes the gradients of what it reads.
  virtual void backward(StepSlice& slice) const = 0;
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
  [[nodiscard]] virtual int rounds(const StepSlice&, Pass) const { return 0; }
  /// The exchange of the spaces before the next round; all ask for the same kind, width, type and
  /// memory.
  virtual Meeting round(StepSlice&, Pass, int) const { return {}; }
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
