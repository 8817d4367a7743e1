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

/// A loss of a graph. The loss of a step is the sum over them of weight·numerator/denominator.
struct LossSpec {
  Value value;
  experiment::Reduction reduction = experiment::Reduction::kMean;
  double weight = 1.0;
  bool readsLabels = true;   ///< of the examples, those of the data set or of a feature
  bool countsLists = false;  ///< the denominator of a mean is the number of lists, not of rows
};

struct AttentionShape;
class BatchNode;
class Graph;
struct Lookup;
struct RowSpaceSpec;
class StepSlice;

/// One operation of a graph with its derivative, on the slice of a rank. Its constructor checks what
/// it reads; Graph::add gives it its output. Nodes hold no buffers and no counts: the plan owns the
/// memory, the step brings the counts.
///
/// Errors   InvalidArgument for widths that do not fit, naming both; for a value or parameter that
///          is not of this graph; for values whose rows are not the same; for what no gradient
///          could be right for: a value that is read twice, a table read as a dense parameter.
class Node {
 public:
  virtual ~Node() = default;

  virtual void forward(StepSlice& slice) const = 0;
  /// Reads gradient(output) and writes gradients of inputs and parameters. A loss has no such
  /// gradient: it adds itself and writes the gradients of what it reads.
  virtual void backward(StepSlice& slice) const = 0;

  /// Columns of its output.
  [[nodiscard]] virtual std::int64_t cols() const { return width_; }
  /// Multiplications and additions forward for a row of its output; for each example of the batch
  /// besides that an example meets.
  [[nodiscard]] virtual std::int64_t flops() const = 0;
  [[nodiscard]] virtual std::int64_t flopsPerPair() const { return 0; }
  /// Columns of an input that every memory space gets of the whole batch, and whose gradients it
  /// sends back.
  [[nodiscard]] virtual std::int64_t gatheredCols() const { return 0; }
  /// Ops that it calls on a device, forward and back. A device is asked for them before a plan is
  /// made (missingOps).
  [[nodiscard]] virtual std::vector<tensor::OpRequest> ops() const = 0;

  /// Whether backward() honours accumulate(). Other nodes write, and the plan adds.
  [[nodiscard]] virtual bool accumulatesGradients() const { return false; }
  /// Whether backward() reads value(v), v one of the inputs or the output; the memory of others is
  /// used for what comes after their last reader forward.
  [[nodiscard]] virtual bool backwardReads(Value) const { return true; }
  /// Values besides its output that it writes for backward().
  [[nodiscard]] virtual std::vector<Value> saved() const { return {}; }
  /// The stream of its own that a node draws random numbers from; nullopt: it draws none.
  [[nodiscard]] virtual std::optional<std::uint64_t> drawStream() const { return std::nullopt; }
  /// Whether this is a row-wise product of its two inputs that reads them through gathered(): then
  /// the gradient of either is d(loss)/d(output)[b] times row b of the other (see Program).
  [[nodiscard]] virtual bool readsGatheredRows() const { return false; }
  /// Null unless it is of that kind.
  [[nodiscard]] virtual const BatchNode* asBatchNode() const { return nullptr; }
  [[nodiscard]] virtual const Lookup* lookup() const { return nullptr; }
  [[nodiscard]] virtual const AttentionShape* attention() const { return nullptr; }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::vector<Value>& inputs() const { return inputs_; }
  [[nodiscard]] const std::vector<ParameterIndex>& parameters() const { return parameters_; }
  [[nodiscard]] Value output() const { return output_; }
  [[nodiscard]] RowSpace rowSpace() const { return rowSpace_; }
  [[nodiscard]] const std::optional<LossSpec>& loss() const { return loss_; }

 protected:
  /// A node of values over the same rows, those of its output.
  Node(const Graph& graph, std::string name, std::vector<Value> inputs);
  /// A node of what is in the batch; its output lies over the examples.
  explicit Node(std::string name) : name_(std::move(name)) {}

  // For constructors:

  void liesOver(RowSpace rows) { rowSpace_ = rows; }
  LossSpec& addsLoss(const experiment::Loss& loss);
  const ParameterSpec& readsDense(const Graph& graph, ParameterIndex index);
  const ParameterSpec& readsTable(const Graph& graph, ParameterIndex index);
  /// A table as one matrix [V, D], by a node of the whole batch.
  const ParameterSpec& readsWhole(const Graph& graph, ParameterIndex index);
  [[noreturn]] void refuse(const std::string& text) const;
  void requireWidth(std::int64_t found, std::int64_t accepted) const;
  /// Inputs as wide as the first.
  void requireEqualWidths(const Graph& graph) const;
  /// A value of the examples.
  void requireExamples(const Graph& graph, Value value) const;
  /// A value of positions.
  const RowSpaceSpec& requirePositions(const Graph& graph, Value value) const;

  /// Columns of the first input.
  [[nodiscard]] std::int64_t width() const { return width_; }

 private:
  friend class Graph;
  void requireKnown(const Graph& graph, Value value) const;
  const ParameterSpec& reads(const Graph& graph, ParameterIndex index);

  std::string name_;
  std::vector<Value> inputs_;
  std::vector<ParameterIndex> parameters_;
  std::int64_t width_ = 0;
  RowSpace rowSpace_ = kExamples;
  std::optional<LossSpec> loss_;
  Value output_ = -1;
};

/// A node that works once on the whole batch, after all ranks have reached it (norms over the batch,
/// listwise losses, in-batch negatives). Where the batch lies in several memory spaces forward() and
/// backward() are not called: each space does a round on its own rows, then all exchange what it
/// asks for.
class BatchNode : public Node {
 public:
  [[nodiscard]] const BatchNode* asBatchNode() const final { return this; }
  /// f32 elements that it needs for its work on a batch of up to so many rows.
  [[nodiscard]] virtual std::int64_t scratchElements(std::int64_t) const { return 0; }
  /// Elements of staged() that it needs for at most so many rows on so many ranks.
  [[nodiscard]] virtual std::int64_t stagedElements(std::int64_t, std::int64_t) const { return 0; }
  /// Most rounds of a pass: of a training step, or of a step forward alone.
  [[nodiscard]] virtual int rounds(Pass pass, bool trains) const = 0;
  /// The exchange of the spaces before the next round; all ask for the same kind, width, type and
  /// memory.
  virtual Meeting round(StepSlice&, Pass, int) const = 0;
  /// f32 elements that a space needs for up to so many rows of its own and of the batch.
  [[nodiscard]] virtual std::int64_t meetingElements(std::int64_t, std::int64_t) const = 0;

 protected:
  using Node::Node;
};

}  // namespace parapet::nn
