// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/nn/space_plan.h"
#include "engine/nn/step_plan.h"

namespace parapet::nn {

/// The segment of a rank has thrown.
class RankFailure : public std::runtime_error {
 public:
  RankFailure(int rank, const std::string& what) : std::runtime_error(what), rank_(rank) {}
  [[nodiscard]] int rank() const { return rank_; }

 private:
  int rank_;
};

/// The memory spaces of a plan and the parts of a step. step_state.cpp makes it and prepares a
/// step's ids, step_segments.cpp runs the nodes, step_meetings.cpp those that look at the whole
/// batch, step_update.cpp applies what they found.
struct StepPlan::State {
  const Graph& graph;
  std::span<Parameter> parameters;
  const mesh::DeviceMesh& mesh;
  mesh::Communicator& communicator;  ///< among all ranks
  Workers& workers;
  const PlanPurpose purpose;
  /// Among the first ranks of the spaces; null in one space.
  std::unique_ptr<mesh::Communicator> betweenSpaces{};
  const int batchesPerStep;       ///< most parts of a step
  std::int64_t partsDone = 0;     ///< of this step, so far
  double denominators = 0.0;      ///< theirs; see train()
  std::optional<Error> broken{};  ///< nothing runs any more, for this reason
  std::vector<std::unique_ptr<SpacePlan>> spaces{};
  std::vector<std::int64_t> sliceBegins{0};  ///< of each space among the slices of all, and the end
  std::size_t now = 0;                       ///< stage of this step
  std::int64_t batchAhead = 0;               ///< of the other stage; 0: none
  std::vector<StackMember> members{};        ///< by lookup
  std::vector<ShardedStack> stacks{};
  std::vector<LossSums> losses{};
  std::vector<double> lossScales{};
  std::vector<std::int32_t> rankOffsets{};             ///< of the examples
  std::vector<std::vector<std::int64_t>> rowBegins{};  ///< by row space, see BatchCut
  std::vector<PlanView> views{};                       ///< by space, of this step
  std::vector<FeatureCounts> counts{};                 ///< by lookup
  std::vector<double> sums{};                 ///< of every space, one after the other: see addUp
  std::vector<void*> buffersOfSpace{};        ///< scratch of collectives
  std::vector<const void*> inOfSpace{};       ///< scratch of collectives
  std::vector<std::int64_t> countsOfSpace{};  ///< scratch of collectives
  std::size_t passed = 0;           ///< the node that the backward pass of all slices has reached
  std::int64_t addedFrom = 0;       ///< gradients of dense parameters from there on are added up
  std::vector<Meeting> meetings{};  ///< by space
  std::vector<StepSlice> sliceOfSpace{};      ///< by space, of a node that meets
  std::vector<std::vector<float>> outputs{};  ///< by value: gathered from several spaces
  double secondsOfBatch = 0.0;                ///< in nodes that work on the whole batch
  StepTimes times{};

  State(const Graph& g, std::span<Parameter> p, const mesh::DeviceMesh& m, mesh::Communicator& c,
        Workers& w, const std::vector<Value>& targets, std::int64_t capacityRows,
        PlanPurpose planPurpose, const std::vector<std::int64_t>& idsPerRow, int stepBatches);

  void connectSpaces();
  void addStage();
  void stackTables(const Exchange& exchange);
  void requireInput(const StepInput& step) const;
  void prepare(const StepInput& input);
  /// Sums of a loss in a space: numerator, masked negatives, loss of equal scores, hits.
  static constexpr std::size_t kSumsOfSpace = 4;
  void prepareIds(std::size_t stage, const StepInput& input);
  /// How the rows of each row space lie in memory spaces, after prepareIds().
  void cutRows();
  [[nodiscard]] double denominatorOverPositions(const LossSpec& loss, double rows) const;
  /// Whether the ids of this batch were sorted during the last step.
  bool takeAhead(const StepInput& input);
  [[nodiscard]] std::int64_t routeCount() const {
    return static_cast<std::int64_t>(stacks.size() * spaces.size());
  }
  void route(std::size_t stage, std::int64_t index);
  enum class Routes {
    kMake,
    kMade,  ///< during the last step
  };
  Status fetchRows(const StepInput& input, Routes routes);
  /// `step`: 0 of a forward pass.
  [[nodiscard]] StepView view(const StepInput& input, std::int64_t step, std::int64_t part = 0);

  Status runSegments(const StepView& step, const StepInput* next);
  Status runSlices(const StepView& step, const Piece& piece, const StepInput* next);
  /// Runs a slice of all spaces; a space that has a stream runs its own slices one after the other.
  void runSlice(std::int64_t slice, const Piece& piece, Workers* inside,
                tensor::Recording* recording);
  void runSpace(std::size_t space, const Piece& piece);
  Status runBack(const StepView& step, const Segment& segment, Passes passes,
                 const StepInput* next);
  /// Offset, among the gradients of dense parameters, from which on no node adds to them any more.
  [[nodiscard]] std::int64_t completeFrom() const;
  /// A node that works on the whole batch, in a lone space.
  void runWhole(const Piece& node, Workers* inside);
  Status runBatch(const StepView& step, const Segment& segment, Passes passes);
  /// The rounds of a node in several spaces.
  Status meet(std::size_t node, Pass pass, Workers* outside);
  Status exchange();
  Status addUp();
  /// `seconds`: until a space was read back, from when all spaces had been asked.
  void addDeviceTime(const SpacePlan& space, double seconds);
  Status gatherOutputs();

  Status forward(const StepInput& input);
  Status train(const StepInput& input, std::int64_t step, const StepInput* next, const Part& part);
  /// Runs a pass. What fails in it ends all others of these ranks, and those to come; the error
  /// names the rank.
  template <class Pass>
  Status guarded(const Pass& pass);

  /// Gradients of this batch are sums over its examples; they are divided when the parts are
  /// complete.
  void leaveDenominators();
  Status reduceAndUpdate(const StepInput& input, std::int64_t step, const Part& part);
  /// Adds the gradients of a part to those of earlier parts; after the last part the sums are
  /// applied.
  void accumulate(const StepInput& input, const Part& part);
  Status addStacks(const StepInput& input);
  /// Adds up the gradients of dense parameters over slices and spaces, from `begin` to where the
  /// previous call began.
  Status addDense(std::int64_t begin, Workers* outside);
  /// Adds up the remaining dense gradients, and those of whole tables.
  Status addRest();
  Status applyUpdates(const StepInput& input, std::int64_t step);

  [[nodiscard]] const PlanLayout& layout() const { return spaces[0]->layout; }
  [[nodiscard]] bool isAlone() const { return spaces.size() == 1; }
  /// Calls body(space, inside) for all spaces: side by side on the workers, each keeping to its
  /// own; a lone space may use all of them.
  template <class Body>
  void forSpaces(Workers* outside, const Body& body) {
    if (isAlone()) return body(*spaces[0], outside);
    const auto run = [&](std::int64_t space) {
      body(*spaces[static_cast<std::size_t>(space)], nullptr);
    };
    runBlocks(outside, static_cast<std::int64_t>(spaces.size()), run);
  }
  /// Adds up `count` elements over all spaces, in place: those that bufferOf(space) gives.
  template <class BufferOf>
  Status sumOverSpaces(std::int64_t count, mesh::ElementType type, mesh::Memory memory,
                       const BufferOf& bufferOf) {
    if (isAlone() || count == 0) return {};
    for (const auto& space : spaces) buffersOfSpace[at(space->index)] = bufferOf(*space);
    return betweenSpaces->allReduce(buffersOfSpace, count, type, memory);
  }
  /// Workers for a step, or null where the calling thread is faster alone.
  Workers* workersFor(std::int64_t rows) {
    return runsInParallel(graph, purpose, rows) ? &workers : nullptr;
  }
  /// Workers for moving rows and gradients of sharded tables, where elements are copied and added.
  Workers* workersForExchange(std::int64_t rows) {
    std::int64_t elements = 0;
    for (const ShardedStack& stack : stacks) elements += rows * stack.elementsPerRow();
    return elements >= kMinParallelElements ? &workers : nullptr;
  }
};

}  // namespace parapet::nn
