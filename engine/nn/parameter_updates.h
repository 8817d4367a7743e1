// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/workers.h"
#include "engine/mesh/device_mesh.h"
#include "engine/nn/program.h"
#include "engine/nn/row_sums.h"
#include "engine/tensor/staged_array.h"

namespace parapet::nn {

/// Whether the shards of columns of a table have one accumulator for each row, of all columns.
bool sharesMeanSquares(const ParameterSpec& spec, const mesh::Sharding& sharding);
/// f64 for the squares that gradients are clipped by: by parameter, then by optimizer; 0: none is.
std::int64_t normSquares(const Graph& graph);
/// Whether a memory space has a part of a parameter: an index into Parameter::shards.
bool isIn(const Parameter& parameter, std::size_t shard, int space);

/// The updates of one step in one memory space: gradients are clipped as their optimizers demand,
/// then applied in the order in which they were added. All memory is taken at construction.
///
///   measureSquares()      over what this space has; squares() are then added up over all spaces
///   clip()                by those sums
///   measureMeanSquares()  the same; forMeanSquares() gives what is to be added up
///   apply()
class ParameterUpdates {
 public:
  ParameterUpdates(const Graph& graph, const Program& program,
                   std::span<const Parameter> parameters, const tensor::Device& device, int space);

  void clear() { updates_.clear(); }
  /// One for each shard of a parameter that the space has, in the order of the shards. The gradient
  /// of a dense parameter is clipped in place.
  void add(Parameter& parameter, mesh::ShardCopy of, const tensor::UpdateTarget& target,
           float* denseGradient = nullptr);

  /// Sums over a step of several batches, whose table rows are added up before they are applied:
  /// addToSums adds the gradients of the updates to those of earlier batches, takeSums makes the
  /// sums, times `scale`, the updates. Dense gradients are added up elsewhere.
  void addToSums(const tensor::Launch& launch);
  void takeSums(const tensor::Launch& launch, float scale);

  void measureSquares(const tensor::Launch& launch);
  /// Σ of squares of the gradients that are clipped by their norm. Of the copies of a shard one
  /// counts.
  [[nodiscard]] tensor::Buffer<double>& squares() { return squares_; }
  void clip(const tensor::Launch& launch);

  void measureMeanSquares(const tensor::Launch& launch);
  /// The mean squares of the rows of each table by columns, which share its accumulator: in every
  /// space equally many, in the same order.
  [[nodiscard]] std::size_t meanSquaresCount() const { return meanSquares_.size(); }
  [[nodiscard]] std::span<float> meanSquares(std::size_t table) const {
    return meanSquares_[table];
  }

  /// `step` counts from 1. `nonFinite`, in the device's memory, is set to 1 if a weight becomes NaN
  /// or infinite: a gradient was, or the step overflowed.
  void apply(const tensor::Launch& launch, std::int64_t step, std::int32_t* nonFinite);

 private:
  struct Update {
    Parameter* parameter;
    std::size_t shard;  ///< index into its shards
    bool counts;        ///< true for one copy of each shard
    tensor::UpdateTarget target;
    float* gradient;  ///< may be changed; null: not written out
    float* meanSquares = nullptr;
    UpdateRates rates{};  ///< of this step
  };
  struct Memory {
    tensor::Buffer<float> merged, meanSquares;
    std::optional<RowSums> sums{};
  };
  static constexpr std::size_t kNoMemory = static_cast<std::size_t>(-1);
  static constexpr std::int64_t kRates = 3;  // decay, rate, rootScale: see UpdateRates

  /// Whether the updates [begin, end) run on several workers.
  [[nodiscard]] bool worthWaking(std::size_t begin, std::size_t end) const;
  [[nodiscard]] std::size_t indexOf(const Update& update) const {
    return static_cast<std::size_t>(update.parameter - first_);
  }
  [[nodiscard]] Memory& memoryOf(const Update& update) {
    return memory_[memoryOfShard_[indexOf(update)][update.shard]];
  }
  /// Mean squares of all shards of the parameter that are here, kept with the first of them.
  [[nodiscard]] Memory& meanSquaresOf(const Update& update);
  /// Where the device has the rates of an update; null where ops read those of the host.
  [[nodiscard]] const float* ratesOf(std::size_t update) const;
  void setRates(std::int64_t step);
  /// Σ of squares that the norm of an update is of: its parameter's, or its optimizer's.
  [[nodiscard]] double* squaresOf(const Update& update);

  std::vector<Memory> memory_;
  std::vector<std::vector<std::size_t>> memoryOfShard_;  // by parameter and shard
  tensor::Buffer<double> squares_;                       // by parameter, then by optimizer
  std::vector<std::span<float>> meanSquares_;            // of this step
  std::vector<Update> updates_;
  tensor::StagedArray<float> rates_;  // by update; nothing where the device reads the host's memory
  bool ratesSet_ = false;
  const Parameter* first_ = nullptr;
};

}  // namespace parapet::nn
