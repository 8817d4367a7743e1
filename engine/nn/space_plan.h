// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/nn/parameter_updates.h"
#include "engine/nn/sharded_stack.h"
#include "engine/nn/staged_input.h"
#include "engine/nn/step_slice.h"
#include "engine/nn/table_update.h"
#include "engine/tensor/recording.h"

namespace parapet::nn {

/// What all memory spaces of a step have in common.
struct StepView {
  const StepInput& batch;
  /// Where the rows of the spaces begin, by row space; see BatchCut.
  std::span<const std::vector<std::int64_t>> rowBegins;
  std::span<const double> lossScales;         ///< by loss of the graph
  std::span<const std::int32_t> rankOffsets;  ///< of the examples
  std::span<const StackMember> members;       ///< by lookup
  std::span<ShardedStack> stacks;
  bool trains;
  std::uint64_t randomKey;
};

/// One memory space of a plan: its device, the ranks in it, buffers for the rows of the batch that
/// they work on, and what these rows say about parameters. StepPlan drives the spaces from one
/// meeting to the next; nothing here reads the memory of another.
struct SpacePlan {
  const Graph& graph;
  std::span<Parameter> parameters;
  const mesh::DeviceMesh& mesh;
  const int index;
  const mesh::SpaceRanks space;
  const PlanPurpose purpose;
  const PlanLayout layout;
  const tensor::Device& device;
  PlanBuffers buffers;
  /// Rows and prepared ids by lookup: of this step, and for overlapped exchanges of the next.
  struct Stage {
    StagedInput rows;
    std::vector<LookupRows> lookups;
    std::vector<RowOffsets> rowOffsets;  ///< by row space
  };
  std::vector<Stage> stages{};
  std::vector<TableUpdate> tables{};  ///< of tables whose gradients stay here
  ParameterUpdates updates;
  tensor::Buffer<float> denseGradients;  ///< see PlanLayout::gradientElements
  tensor::Buffer<float> denseSums;       ///< sums over earlier parts of a step, without slices
  std::vector<const float*> denseParts{};
  /// What a step leaves behind, read back once: kSumsOfLoss by [slice][loss], then of the space as
  /// a whole, and whether an update made a weight NaN or infinite.
  tensor::Buffer<double> scalars;
  std::vector<double> scalarsRead{};
  std::vector<NegativesSums> negatives{};  ///< by loss
  std::vector<double> secondsOfSlice{};
  std::vector<const float*> gradientsOfStack{};  ///< see findGradients
  tensor::StagedArray<std::uint64_t> drawKeys;   ///< by node of the layout, where one draws
  /// Recordings of full batches, by stage and in the order of the pieces of a step.
  std::vector<std::vector<tensor::Recording>> recordings{};
  std::int64_t pieces = 0, replayed = 0;  ///< of this step: see StepTimes

  SpacePlan(const Graph& g, std::span<Parameter> p, const mesh::DeviceMesh& m, int spaceIndex,
            const std::vector<Value>& targets, PlanCapacity capacity, PlanPurpose planPurpose);

  void addStage();
  /// Begins a step: what slices leave behind is empty.
  void begin();
  /// Whether the pieces of this step are recorded; `stage` is its own.
  void record(std::size_t stage, bool isFull);
  /// Runs a piece of a step: piece(recording) launches ops with what it is given, from one thread,
  /// and reads nothing of them. DeviceFailure as these ops. A recording that is not ended is
  /// forgotten.
  template <class Piece>
  void run(const Piece& piece) {
    tensor::Recording* const recording = nextRecording();
    if (!recording) return piece(nullptr);
    try {
      piece(recording);
    } catch (...) {
      recording->drop();
      throw;
    }
    const tensor::Recording::Ran ran = recording->end();
    pieces += ran != tensor::Recording::Ran::kNothing;
    replayed += ran == tensor::Recording::Ran::kAsOne;
  }
  /// Ends it with the only copy to the host of a step: scalarsRead is what they have left, with
  /// layout.readValues. `rowBegins`: see StepView.
  void readBack(std::span<const std::vector<std::int64_t>> rowBegins);
  /// The rows of a target after readBack(), into memory of the host.
  void copyValue(Value value, std::int64_t elements, float* out) const;
  /// A sum of a loss of the graph, after readBack(): see kSumsOfLoss.
  [[nodiscard]] double sumOf(std::size_t loss, std::size_t sum) const;
  [[nodiscard]] bool keptWeightsFinite() const;
  /// For optimizers to set.
  [[nodiscard]] std::int32_t* nonFinite() {
    return reinterpret_cast<std::int32_t*>(scalars.data() + scalars.size() - 1);
  }
  /// Takes the rows of this space out of a batch, and their ids.
  void prepare(std::size_t stage, const StepInput& batch);
  /// Rows of a row space among those of a stage.
  [[nodiscard]] std::int64_t rowsOf(std::size_t stage, RowSpace rows) const;
  [[nodiscard]] PlanView view(std::size_t stage, const StepView& step);
  [[nodiscard]] std::span<const LookupRows> lookups(std::size_t stage) const {
    return stages[stage].lookups;
  }

  /// Rows of a slice among those of this space.
  [[nodiscard]] SliceRows sliceRows(int slice, std::int64_t batchRows) const;
  /// The precision of products: evaluation and lists use fp32, whatever the model trains in.
  [[nodiscard]] tensor::Precision precisionOf(const PlanView& plan) const;
  [[nodiscard]] StepSlice sliceOf(const PlanView& plan, int slice, Workers* inside,
                                  tensor::Recording* recording);
  /// Context of a node that works on the whole batch: all that lies here.
  [[nodiscard]] StepSlice sliceOfAll(const PlanView& plan, Workers* inside,
                                     tensor::Recording* recording = nullptr);

  /// Groups the ids of a table for its update; needs no gradient.
  void groupTable(std::size_t table, std::size_t stage);
  /// Finds the gradients of the lookups of a stack; false if none is trained.
  bool findGradients(const ShardedStack& stack);
  /// Merges the gradients of a stack by row, after findGradients().
  void mergeGradients(ShardedStack& stack, std::size_t stage) const;
  /// Adds up the gradients of dense parameters [begin, end) over the slices: all are at
  /// denseGradient() then.
  void addSlices(std::int64_t begin, std::int64_t end, const tensor::Launch& launch);
  [[nodiscard]] float* denseGradient(std::int64_t element) {
    return denseGradients.data() + layout.wholeElements + element;
  }
  /// Adds the gradients of lookups of a table whose gradient is added up as a whole to that of the
  /// table: those are at denseGradients then.
  void addLookups(const tensor::Launch& launch);
  /// What is to be updated here, in the order of tables, stacks and dense parameters.
  void addUpdates(std::size_t stage, std::span<ShardedStack> stacks);

  /// Adds the gradients that addUpdates() has found to those of earlier parts of the step.
  void addToSums(const tensor::Launch& launch);
  /// Adds what is there to them, and makes the sums, times `scale`, what is updated.
  void takeSums(const tensor::Launch& launch, float scale);

  [[nodiscard]] Parameter& parameter(ParameterIndex of) { return parameters[at(of)]; }
  [[nodiscard]] bool hasShard(const Parameter& of, std::size_t shard) const;
  [[nodiscard]] std::uint64_t bytes() const;
  /// bytes() before the space exists, for parameters of these shardings. `stages`: batches whose
  /// ids are there at a time.
  [[nodiscard]] static std::int64_t bytesFor(const Graph& graph, const PlanLayout& layout,
                                             std::span<const mesh::Sharding> shardings,
                                             const mesh::DeviceMesh& mesh, int space,
                                             PlanPurpose purpose, int stages);

 private:
  std::size_t recorded_ = 0, nextOfStage_ = 0;  // stage of this step, and its next recording
  bool records_ = false;

  /// The recording of the next piece of this step; null: ops run as they come.
  tensor::Recording* nextRecording();
  void setDrawKeys(std::uint64_t randomKey);
  /// Rows of tables of the host's memory come into their caches.
  void bringRows(Stage& stage) const;
  /// `slice`: layout.slices() for the space as a whole.
  [[nodiscard]] double* lossSums(int slice) {
    return scalars.data() + at(slice) * graph.losses().size() * kSumsOfLoss;
  }
  void findRowOffsets(Stage& stage) const;
  void addLookups(const TableUpdate& table, const tensor::Launch& launch);
  [[nodiscard]] ParameterGradients gradientsOf(int slice);
  void addTable(const TableUpdate& table, std::size_t stage);
  void addStack(ShardedStack& stack);
  void addDense();
  void addDense(ParameterIndex of, float* gradient);
};

}  // namespace parapet::nn
