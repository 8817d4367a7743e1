// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/nn/parameter_updates.h"
#include "engine/nn/program.h"
#include "engine/nn/sharded_stack.h"
#include "engine/nn/staged_batch.h"
#include "engine/nn/table_update.h"
#include "engine/tensor/recording.h"

namespace parapet::nn {

/// Rows that are worked on together, and the rank that they belong to.
struct SliceRows {
  int rank = 0;
  mesh::RowSlice rows;  ///< within the rows of the memory space
};

/// The copy of a parameter in one piece that a memory space has.
inline ParameterShard& wholeIn(Parameter& parameter, int space) {
  return parameter.whole(parameter.copies() > 1 ? space : 0);
}

/// Where the rows of each example of a memory space are in a row space, from the first of them on:
/// offsets [examples + 1]. Null for the examples themselves.
struct RowOffsets {
  const std::int32_t* host = nullptr;  ///< for the host
  const std::int32_t* here = nullptr;  ///< for ops

  /// Rows of the examples [begin, end).
  [[nodiscard]] mesh::RowSlice rowsOf(mesh::RowSlice examples) const {
    if (!host) return examples;
    return {host[examples.begin] - host[0], host[examples.end] - host[0]};
  }
};

/// Where a slice writes gradients of parameters, see Program; null: nowhere.
struct ParameterGradients {
  float* dense = nullptr;    ///< gradients of dense parameters, of this slice
  float* scratch = nullptr;  ///< for gradients that are added to `dense`
  float* whole = nullptr;    ///< gradients of tables read as a whole; a BatchNode only
};

/// The counts of a step, the same for all memory spaces.
struct StepCounts {
  const StepBatch* batch = nullptr;
  std::uint64_t randomKey = 0;
  /// Rows [rowBegins[r][s], rowBegins[r][s + 1]) of row space r lie in space s.
  std::vector<std::vector<std::int64_t>> rowBegins{};
  std::vector<std::int32_t> rankOffsets{};  ///< of the examples
  std::vector<LossSums> losses{};           ///< by loss of the graph
  std::vector<double> lossScales{};         ///< weight over the denominator, by loss
};

/// Rows of a batch up to those that a rank works on, all of `mesh.ranks()`: ranks have equal shares of
/// the rows, or of the lists of shared sequences, with extra negatives for the last one.
std::int64_t rowsBefore(const mesh::DeviceMesh& mesh, int rank, const StepBatch& batch);

/// The memory of a program: its device, the ranks in it, buffers for the rows of the batch that
/// they work on, and what these rows say about parameters. StepRunner calls it for each
/// instruction; nothing here reads the memory of another space.
struct Space {
  const Graph& graph;
  std::span<Parameter> parameters;
  const mesh::DeviceMesh& mesh;
  const int index;          ///< among the spaces of the mesh
  const std::size_t local;  ///< among those of this process
  const mesh::SpaceRanks ranks;
  const tensor::Device& device;
  const Program program;
  /// Rows and prepared ids by lookup: of this step, and for overlapped exchanges of the next.
  struct Stage {
    StagedBatch rows;
    std::vector<LookupRows> lookups;
    std::vector<RowOffsets> rowOffsets;  ///< by row space
    /// Where sequences are shared, by row space: the first example at each position or behind it, and
    /// the number of examples; [rows + 1].
    std::vector<tensor::StagedArray<std::int32_t>> examplesAt{};
  };
  std::vector<Stage> stages{};
  std::size_t now = 0;                ///< stage of this step
  std::vector<TableUpdate> tables{};  ///< of tables whose gradients stay here
  ParameterUpdates updates;
  /// Gradients of parameters: whole tables, then for each slice its dense parameters and its
  /// scratch.
  tensor::Buffer<float> gradients;
  tensor::Buffer<float> gradientSums;  ///< sums over earlier batches of a step, without slices
  std::vector<const float*> sliceGradients{};
  /// What a step leaves behind, read back once: kSumsOfLoss by [slice][loss], then of the space as
  /// a whole, then Program::readValues, and whether an update made a weight NaN or infinite.
  tensor::Buffer<double> scalars;
  std::vector<double> scalarsRead{};
  std::vector<NegativesSums> negatives{};  ///< by loss
  std::vector<double> secondsOfSlice{};
  std::vector<const float*> gradientsOfStack{};  ///< by lookup of a stack
  tensor::StagedArray<std::uint64_t> drawKeys;   ///< by node of the program, where one draws
  std::vector<ShardedStack>* stacks = nullptr;
  std::int64_t pieces = 0, replayed = 0;  ///< of this step: see StepTimes

  Space(const Graph& g, std::span<Parameter> p, const mesh::DeviceMesh& m, int spaceIndex,
        Program compiled);
  Space(const Space&) = delete;
  Space& operator=(const Space&) = delete;

  // Values and their gradients: slices own rows of them.

  /// Row `row` of a value; null if it has no buffer.
  [[nodiscard]] float* value(Value value, std::int64_t row) const {
    return rowOf(values_, value, row);
  }
  [[nodiscard]] float* gradient(Value value, std::int64_t row) const {
    return rowOf(valueGradients_, value, row);
  }
  /// Scratch for gradients of a row space that are added to others; null if no node needs it.
  [[nodiscard]] float* scratch(RowSpace rows, std::int64_t row) {
    tensor::Buffer<float>& scratch = scratch_[at(rows)];
    return scratch.size() == 0 ? nullptr : scratch.data() + row * program.scratchCols[at(rows)];
  }
  /// For the nodes that work on the whole batch, one after another.
  [[nodiscard]] float* batchScratch() { return batchScratch_.data(); }
  [[nodiscard]] tensor::StagedArray<std::int32_t>& staged() { return staged_; }
  /// Where a slice writes gradients of parameters.
  [[nodiscard]] ParameterGradients gradientsOf(int slice);
  /// kSumsOfLoss of each loss; of slice slices() the space as a whole.
  [[nodiscard]] double* lossSums(int slice) {
    return scalars.data() + at(slice) * graph.losses().size() * kSumsOfLoss;
  }

  // The batch.

  [[nodiscard]] Stage& stage() { return stages[now]; }
  [[nodiscard]] const Stage& stage() const { return stages[now]; }
  /// Begins a step: what slices leave behind is empty.
  void begin();
  /// Takes the rows of this space out of a batch, and their ids.
  void prepare(std::size_t stage, const StepBatch& batch);
  /// Rows of a row space among those of this step.
  [[nodiscard]] std::int64_t rowsOf(RowSpace rows) const;
  /// Rows of a slice among those of this space.
  [[nodiscard]] SliceRows sliceRows(int slice, const StepBatch& batch) const;
  void setDrawKeys(std::uint64_t randomKey);

  // Pieces of a step that a device may record.

  /// Whether the pieces of this step are recorded: of full batches.
  void record(bool isFull);
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

  // Gradients.

  [[nodiscard]] Parameter& parameter(ParameterIndex of) { return parameters[at(of)]; }
  /// Groups the ids of a table for its update; needs no gradient.
  void groupTable(std::size_t table);
  /// Merges the gradients of a stack by row.
  void mergeGradients(ShardedStack& stack);
  /// Adds up the gradients of dense parameters [begin, end) over the slices, into those of the first.
  void addSlices(std::int64_t begin, std::int64_t end, const tensor::Launch& launch);
  /// Adds the gradients of lookups of tables whose gradient is added up as a whole to those of the
  /// tables.
  void addLookups(const tensor::Launch& launch);
  /// Finds what is to be updated here, in the order of tables, stacks and dense parameters.
  void collectUpdates();
  /// Adds the gradients that collectUpdates() has found to those of earlier batches of the step.
  void addToSums(const tensor::Launch& launch);
  /// Adds what is there to them, and makes the sums, times `scale`, what is updated.
  void takeSums(const tensor::Launch& launch, float scale);
  /// For optimizers to set.
  [[nodiscard]] std::int32_t* nonFinite() {
    return reinterpret_cast<std::int32_t*>(scalars.data() + scalars.size() - 1);
  }

  // The end of a step.

  /// Reads `scalars` back. `rowBegins`: see StepCounts.
  void readBack(std::span<const std::vector<std::int64_t>> rowBegins);
  /// The rows of a target after readBack(), into memory of the host.
  void copyValue(Value value, std::int64_t elements, float* out) const;
  /// A sum of a loss of the graph, after readBack(): see kSumsOfLoss.
  [[nodiscard]] double sumOf(std::size_t loss, std::size_t sum) const;
  [[nodiscard]] bool keptWeightsFinite() const;

  void addStage();

 private:
  void makeValues();
  /// Rows of tables of the host's memory come into their caches.
  void bringRows(Stage& stage) const;
  void findRowOffsets(Stage& stage) const;
  /// `rows`: those of the batch that lie here.
  void findExamples(Stage& stage, const StepBatch& batch, mesh::RowSlice rows) const;
  /// The recording of the next piece of this step; null: ops run as they come.
  tensor::Recording* nextRecording();
  void addLookups(const TableUpdate& table, const tensor::Launch& launch);
  void addTable(const TableUpdate& table);
  void addStack(ShardedStack& stack);
  void addDense(ParameterIndex of, float* gradient);
  [[nodiscard]] float* rowOf(const std::vector<float*>& buffers, Value value,
                             std::int64_t row) const {
    float* const first = buffers[at(value)];
    return first ? first + row * graph.cols(value) : nullptr;
  }

  std::vector<tensor::Buffer<float>> memory_;
  std::vector<float*> values_, valueGradients_;  // by value
  std::vector<tensor::Buffer<float>> scratch_;   // by row space
  tensor::Buffer<float> batchScratch_;
  tensor::StagedArray<std::int32_t> staged_;
  // Recordings of full batches, by stage and in the order of the pieces of a step.
  std::vector<std::vector<tensor::Recording>> recordings_;
  std::size_t nextRecording_ = 0;
  bool records_ = false;
};

/// The memory spaces of this process for a task, with what they exchange. In a dry run (DeviceMesh::dry) it only
/// counts what it takes.
///
/// Errors   InvalidArgument for parameters that do not lie as the task asks for.
struct Spaces {
  std::vector<std::unique_ptr<Space>> all{};
  std::vector<ShardedStack> stacks{};
  /// Rows of targets of all spaces for the host, by value; nothing where one space has them all and
  /// the host can read it.
  std::vector<tensor::Buffer<float>> outputs{};

  Spaces(const Graph& graph, std::span<Parameter> parameters, const mesh::DeviceMesh& mesh,
         const StepTask& task);
};

/// Bytes of parameters before they exist, by memory space of the mesh: of tables, then of layers.
struct SpaceParameters {
  ParameterBytes tables, layers;
  /// Tables that lie in the host's memory, of which the space has a cache.
  ParameterBytes onHost{};
};
std::vector<SpaceParameters> spaceParameters(const Graph& graph,
                                             std::span<const mesh::Sharding> shardings,
                                             const mesh::DeviceMesh& mesh);
/// Bytes of all spaces in the host's memory.
ParameterBytes onHost(std::span<const SpaceParameters> spaces);

/// Bytes that a memory space takes for a task, without what tables exchange; and of those what it
/// takes once more where it prepares the next batch. `split`: see SpaceCapacity.
struct SpaceBytes {
  std::int64_t all = 0, prepared = 0;
};
SpaceBytes spaceBytes(const Graph& graph, const mesh::DeviceMesh& mesh, int space,
                      const StepTask& task, const std::vector<bool>& split);

/// Bytes of all buffers of a task by rank of the mesh, by a dry run of what allocates them: what a
/// memory space has once is shared out among its ranks. `shardings`: by parameter of the graph.
/// Staged batches are counted with labels and without weights.
std::vector<std::int64_t> stepBytes(const Graph& graph, std::span<const mesh::Sharding> shardings,
                                    const mesh::DeviceMesh& mesh, const StepTask& task);

}  // namespace parapet::nn
