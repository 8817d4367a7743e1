// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/workers.h"
#include "engine/mesh/communicator.h"
#include "engine/nn/space.h"

namespace parapet::nn {

class StepSlice;

/// Where the time of the last step went, in seconds of a steady clock.
struct StepTimes {
  /// Forward and backward of each local rank, with the nodes that all ranks run together. Of a
  /// device with a stream all that it works on, its updates too, but for what an exchange waits
  /// for.
  std::vector<double> computeOfRank;
  double collective = 0.0;  ///< exchanging rows and gradients, adding up dense gradients
  double update = 0.0;      ///< merging and applying gradients
  /// Pieces that devices recorded, and those of them that they ran as one: see tensor::Recording.
  std::int64_t pieces = 0, replayed = 0;
};

/// What a rank was asked to run has thrown.
class RankFailure : public std::runtime_error {
 public:
  RankFailure(int rank, const std::string& what) : std::runtime_error(what), rank_(rank) {}
  [[nodiscard]] int rank() const { return rank_; }

 private:
  int rank_;
};

/// Runs a graph, compiled for a mesh and a capacity: the memory spaces of this process walk the
/// lists of their programs (see Program) side by side, each on its own memory; what crosses spaces
/// goes through the communicator. With several processes each has a runner, which is asked for the
/// same steps of the same batches, and all have the same results. All buffers are allocated up front, the counts of each step given
/// at call time. Running it allocates nothing.
///
/// Values live once per memory space and slices own rows of them, so the merged gradient of a
/// replicated table is the same bits for any number of local ranks.
///
/// Errors   InvalidArgument if the rows exceed the capacity, if ids, labels or weights are not as
///          many as the rows, or if a task is run as what it was not made for. kDevice or kPeer,
///          naming the rank, if one fails, throws or does not answer within waitLimit(): then
///          nothing runs on these ranks any more, and every later call says the same.
/// Thread   one caller at a time.
class StepRunner {
 public:
  /// A batch among those whose gradients make one update.
  struct Part {
    std::int64_t index = 0;  ///< from 0
    bool isLast = true;      ///< the update follows
  };
  /// `parameters` are those of the graph, in order, and outlive the runner; so do graph, mesh,
  /// workers and communicator.
  StepRunner(const Graph& graph, std::span<Parameter> parameters, const mesh::DeviceMesh& mesh,
             mesh::Communicator& communicator, Workers& workers, const StepTask& task);
  ~StepRunner();

  /// One forward pass over the batch.
  Status forward(const StepBatch& batch);
  /// One training step; `step` counts from 1 over the whole run. `next`, if it is known, will be
  /// the batch of the next call: while this step computes, its ids are sorted by shard.
  ///
  /// A step of several parts is called once for each; weights change with the last, by the gradient
  /// of all their examples as one batch:
  ///
  ///   g = Σ_parts Σ_examples w·∂ℓ / Σ_parts D    D: the denominator of the first loss; 1 of a sum
  ///
  /// So parts may be of different sizes. Losses must have the same reduction.
  Status train(const StepBatch& batch, std::int64_t step, const StepBatch* next = nullptr,
               const Part& part = {0, true});

  // Results of the last step or forward pass:

  /// Sums by loss of the graph; a loss that is no target has 0.
  [[nodiscard]] std::span<const LossSums> losses() const { return counts_.losses; }
  /// Rows of a target, [rows, cols].
  [[nodiscard]] const float* output(Value value) const;
  /// The rows that the last step had of a target.
  [[nodiscard]] std::span<const float> outputRows(Value value) const;
  [[nodiscard]] const StepTimes& times() const { return times_; }
  /// False if the last train() made a weight NaN or infinite, whatever its loss was.
  [[nodiscard]] bool keptWeightsFinite() const { return sums_[flagOfSums()] == 0.0; }
  /// Counts of a lookup of the graph.
  [[nodiscard]] const FeatureCounts& counts(std::size_t lookup) const {
    return features_.at(lookup);
  }
  /// How the ids of sharded tables went to their shards, a stack of tables each.
  [[nodiscard]] std::vector<const mesh::TableRoutes*> routes() const;
  /// The program of a memory space of this process.
  [[nodiscard]] const Program& program(int local = 0) const {
    return spaces_.all.at(at(local))->program;
  }

 private:
  /// Sums of a loss in a space: numerator, masked negatives, loss of equal scores, hits.
  static constexpr std::size_t kSumsOfSpace = 4;
  [[nodiscard]] const Program& lists() const { return spaces_.all[0]->program; }
  [[nodiscard]] bool isAlone() const { return spaces_.all.size() == 1; }
  /// Where the flag of the weights is among the sums of a space, behind those of the losses; the
  /// counts of lookups follow.
  [[nodiscard]] std::size_t flagOfSums() const { return kSumsOfSpace * graph_.losses().size(); }
  [[nodiscard]] std::size_t sumsOfSpace() const {
    return flagOfSums() + 1 + FeatureCounts::kNumbers * graph_.lookups().size();
  }

  /// Runs a pass. What fails in it ends all others of these ranks, and those to come; the error
  /// names the rank.
  template <class Pass>
  Status guarded(const Pass& pass);

  // Counts:

  Status connect();
  void begin(const StepBatch& batch, std::int64_t step, const Part& part);
  Status prepare(const StepBatch& batch);
  void setDenominator(std::size_t loss, double denominator);
  Status cutRows();
  /// Brings the blocks of all spaces, elements_ of each, into an array of the host that has those of
  /// this process.
  Status gatherBlocks(void* all, mesh::ElementType type);
  /// Gradients of this batch are sums over its examples; they are divided when the parts are
  /// complete.
  void leaveDenominators();
  void requireBatch(const StepBatch& batch) const;
  Status finish();
  void addTimes(const Space& space, double seconds);
  Status gatherOutputs();

  // Lists:

  Status run(const Lines& lines);
  /// Where the time of an instruction goes; null: nowhere, or it counts by itself.
  double* secondsOf(const Line& line);
  /// What runs along with nodes: each in blocks, a block for each space; exchanges are one block.
  [[nodiscard]] std::int64_t besideBlocks() const;
  void runBeside(std::int64_t block);
  Status flush();

  /// What each space does by itself for the batch of a stage.
  void runIn(Space& space, std::size_t stage, const PrepareIds&) {
    space.prepare(stage, stage == space.now ? *counts_.batch : *next_);
  }
  void runIn(Space& space, std::size_t stage, const RouteIds& of) {
    spaces_.stacks[of.stack].route(stage, space.index, space.stages[stage].lookups);
  }
  void runIn(Space& space, std::size_t, const GroupIds& of) { space.groupTable(of.table); }
  template <class OfEachSpace>
  Status run(const OfEachSpace& of) {
    for (const auto& space : spaces_.all) runIn(*space, space->now, of);
    return {};
  }
  Status run(const PrepareNext&);
  Status run(const MoveRows& of);
  Status run(const RunNodes& nodes);
  Status run(const RunBatchNode& of);
  Status run(const AddSlices& of);
  Status run(const BeginExchange& of);
  Status run(const EndExchange&) { return flush(); }
  Status run(const Update& of);
  Status run(const ReadBack&);

  void runSlice(std::int64_t index, const RunNodes& nodes, Workers* inside,
                tensor::Recording* recording);
  Status meet();

  /// Calls body(space, inside) for all spaces: side by side on the workers, each keeping to its
  /// own; a lone space may use all of them.
  template <class Body>
  void forSpaces(Workers* outside, const Body& body) {
    if (isAlone()) return body(*spaces_.all[0], outside);
    runBlocks(outside, static_cast<std::int64_t>(spaces_.all.size()), [&](std::int64_t space) {
      body(*spaces_.all[static_cast<std::size_t>(space)], nullptr);
    });
  }
  /// Adds up `count` elements over all spaces, in place: those that bufferOf(space) gives.
  template <class BufferOf>
  Status sumOverSpaces(std::int64_t count, mesh::ElementType type, mesh::Memory memory,
                       const BufferOf& bufferOf) {
    for (const auto& space : spaces_.all) out_[space->local] = bufferOf(*space);
    return betweenSpaces_->allReduce(out_, count, type, memory);
  }
  /// Workers for a step, or null where the calling thread is faster alone.
  Workers* workersOfStep() {
    return runsInParallel(graph_, task_.purpose, counts_.batch->rows) ? &workers_ : nullptr;
  }
  /// Workers for moving rows and gradients of sharded tables, where elements are copied and added.
  Workers* workersOfExchange() {
    std::int64_t elements = 0;
    for (const ShardedStack& stack : spaces_.stacks)
      elements += counts_.batch->rows * stack.elementsPerRow();
    return elements >= kMinParallelElements ? &workers_ : nullptr;
  }

  const Graph& graph_;
  const mesh::DeviceMesh& mesh_;
  mesh::Communicator& communicator_;  // among all ranks
  Workers& workers_;
  const StepTask task_;
  std::span<Parameter> parameters_;
  Spaces spaces_;
  std::unique_ptr<mesh::Communicator> betweenSpaces_;  // among their first ranks; null in one space
  std::optional<Error> broken_;                        // nothing runs any more, for this reason
  std::vector<std::int64_t> sliceBegins_{0};  // of each space among the slices of all, and the end

  // This step:
  StepCounts counts_;
  std::int64_t step_ = 0;
  Part part_{};
  const StepBatch* next_ = nullptr;
  std::vector<FeatureCounts> features_;  // by lookup
  std::vector<double> sums_;             // of every local space, one after the other
  double secondsOfBatch_ = 0.0;          // in nodes that work on the whole batch
  StepTimes times_;

  // Between steps:
  std::int64_t partsDone_ = 0;   // of this step, so far
  double denominators_ = 0.0;    // theirs; see train()
  std::int64_t batchAhead_ = 0;  // of the other stage; 0: none

  // Between instructions:
  struct Beside {
    const Instruction* what;
    std::size_t stage;
  };
  std::vector<Beside> beside_;
  Status besideDone_;
  std::vector<Meeting> meetings_;  // by local space
  bool isLastRound_ = false;
  std::vector<StepSlice> slices_;  // by local space, of a node of the whole batch
  std::vector<void*> out_;         // by local space
  std::vector<const void*> in_;
  std::vector<std::int64_t> elements_;      // by space
  std::vector<std::int64_t> rowsOfSpaces_;  // of the row spaces behind the examples, by space
};

/// Σ over the losses with a denominator of weight·numerator/denominator; NaN where none has one.
double totalLoss(const Graph& graph, std::span<const LossSums> losses);

}  // namespace parapet::nn
