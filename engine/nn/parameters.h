// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/experiment/document.h"
#include "engine/mesh/sharding.h"
#include "engine/nn/initializers.h"
#include "engine/nn/row_cache.h"
#include "engine/tensor/buffer.h"
#include "engine/tensor/ops/optimizers.h"

namespace parapet::nn {

/// What a parameter is, before it has memory.
struct ParameterSpec {
  std::string name;  ///< "tables/user" or "dense/query_0_kernel": prefix of its tensors
  std::int64_t rows = 0, cols = 0;
  experiment::Initializer initializer;
  experiment::Optimizer optimizer{};  ///< with its schedule: the experiment's where it had none
  int optimizerGroup = 0;  ///< parameters of one optimizer: 0 the experiment's, else a table's own
  bool trainable = true;
  bool sparse = false;   ///< gradients come as rows (an embedding table)
  bool isState = false;  ///< moved by its node, not by the optimizer (moving statistics)
  /// Rows of each shard of a table that a device with memory of its own holds; the others lie in
  /// the host's memory. 0: all.
  std::int64_t cacheRows = 0;

  /// Rows of a shard that lie in the memory of a device.
  [[nodiscard]] std::int64_t rowsIn(const tensor::Device& device, std::int64_t shardRows) const {
    return cacheRows == 0 || device.isHost() ? shardRows : std::min(shardRows, cacheRows);
  }
};

/// Optimizer state beside the weight: as many elements per row as its slot has.
struct Slot {
  std::string name;  ///< "accumulator", "velocity", "moment", "variance", "linear"
  std::int64_t cols = 0;
  tensor::Buffer<float> values;
};

/// One shard of a parameter, weight [rowsHere, cols] and slots. It exists once in a
/// memory space, whatever the number of ranks in it. Of one that is elsewhere only the shape is
/// known: its buffers are empty.
struct ParameterShard {
  bool isElsewhere = false;
  std::int64_t rows = 0, cols = 0;
  /// Rows of the weight and of the optimizer slots: all, or with a cache its number of cache slots.
  std::int64_t rowsHere = 0;
  tensor::Buffer<float> weight;
  std::vector<Slot> slots;
  /// Where the whole shard is, if it lies in the host's memory; null: here.
  std::unique_ptr<RowCache> cache{};
  /// Scratch of grouping and dense updates, −1 everywhere.
  tensor::Buffer<std::int32_t> indexOfRow;
};

/// Every row of the weight of a shard (slot −1) or of one of its slots, as steps have left it:
/// where it is cached, in the host's memory.
const tensor::Buffer<float>& arrayOf(const ParameterShard& shard, int slot);

/// A parameter on its mesh. Dense parameters and replicated tables have one shard with everything.
/// Where the owners of a shard share no memory each has a copy of it, and every step leaves the
/// same bits in all of them.
struct Parameter {
  ParameterSpec spec;
  mesh::Sharding sharding;
  std::vector<ParameterShard> shards;  ///< each with its copies, in the order of their owners
  /// Step of the run after which its slots began: Adam counts from there.
  std::int64_t slotsSince = 0;

  [[nodiscard]] std::int64_t size() const { return spec.rows * spec.cols; }
  /// Elements of the weight (slot −1) or of a slot.
  [[nodiscard]] std::int64_t elementsOf(int slot) const;
  [[nodiscard]] int copies() const { return static_cast<int>(shards.size()) / sharding.shards(); }
  [[nodiscard]] ParameterShard& at(mesh::ShardCopy of) {
    return shards[static_cast<std::size_t>(of.shard * copies() + of.copy)];
  }
  [[nodiscard]] const ParameterShard& at(mesh::ShardCopy of) const {
    return shards[static_cast<std::size_t>(of.shard * copies() + of.copy)];
  }
  /// What the caches of its shards were asked for since the last call; nullopt if it has none.
  [[nodiscard]] std::optional<CacheCounts> takeCacheCounts();
  /// A copy of the only shard, by default the first that is here; InvalidArgument if the table is
  /// split, or all of it is elsewhere.
  [[nodiscard]] ParameterShard& whole(int copy = kHere);
  [[nodiscard]] const ParameterShard& whole(int copy = kHere) const;
  static constexpr int kHere = -1;
};

/// A slot an optimizer keeps: its name, its columns beside a weight of `cols`, what it starts with.
/// A slot of one element per row is kept by every shard of columns, with the same values.
struct SlotSpec {
  std::string name;
  std::int64_t cols;
  float start;
};
std::vector<SlotSpec> slotSpecs(const experiment::Optimizer& optimizer, std::int64_t cols);
/// Columns of the weight and of all slots together: what a row of a cache has.
std::int64_t cachedColumns(const ParameterSpec& spec);

/// Bytes of a parameter (all of its shards) before it exists. What is kept once per row is kept
/// once for each of the `columnShards` that its columns are split into.
struct ParameterBytes {
  std::uint64_t weight = 0, slots = 0, scratch = 0;
  void add(const ParameterBytes& more) {
    weight += more.weight;
    slots += more.slots;
    scratch += more.scratch;
  }
  [[nodiscard]] std::uint64_t total() const { return weight + slots + scratch; }
};
ParameterBytes parameterBytes(const ParameterSpec& spec, int columnShards = 1);

/// Allocates and initialises; the weights are a pure function of (seed, spec, vectors), whatever
/// the sharding. `devices`: of each copy of each shard, equally many of each; nothing is allocated
/// for one that is elsewhere. Throws data::PassStopped once `stop` fires.
///
/// Errors   kData for a file or vectors that do not fit (path, shape found, shape accepted).
Result<Parameter> makeParameter(const ParameterSpec& spec, const mesh::Sharding& sharding,
                                const std::vector<tensor::Device>& devices, std::uint64_t seed,
                                const InitialVectors& vectors = {},
                                const std::stop_token& stop = {});

/// The table's rows in order, [spec.rows, cols of the array], gathered from all shards. `slot` is
/// the index of a slot, or −1 for the weight. InvalidArgument if a shard is elsewhere.
void gatherRows(const Parameter& parameter, int slot, std::span<float> out);
/// The share of this process in gatherRows(): the part of the first copy of each shard that is here;
/// the rest of `out` stays as it is. All processes together give each element once.
void gatherRowsHere(const Parameter& parameter, int slot, std::span<float> out);
/// Writes `in`, ordered as gatherRows() gives it, into every copy that is here.
void scatterRows(Parameter& parameter, int slot, std::span<const float> in);

/// What changes from step to step in an update.
struct UpdateRates {
  float decay = 0.0f;      ///< part of a weight that goes before its update
  float rate = 0.0f;       ///< the learning rate; of Adam its step size
  float rootScale = 1.0f;  ///< of Adam
};
/// The rates of a step, which counts from 1; the slots began after step `slotsSince`.
UpdateRates ratesAt(const experiment::Optimizer& optimizer, std::int64_t step,
                    std::int64_t slotsSince);

/// What an update reads besides the gradients, in the device's memory.
struct UpdateReads {
  /// Mean squares of the target's rows over all columns of the table (tensor::meanSquares), for
  /// kRowwiseAdagrad on a shard of columns; otherwise null.
  const float* meanSquares = nullptr;
  /// UpdateRates, in the order of their members; null: by value.
  const float* rates = nullptr;
};

/// Applies one optimizer step to a shard; `target` is of its weight. Clipping has happened.
void updateShard(const tensor::Launch& launch, const experiment::Optimizer& optimizer,
                 ParameterShard& shard, const tensor::UpdateTarget& target,
                 const UpdateRates& rates, const UpdateReads& reads = {});

}  // namespace parapet::nn
