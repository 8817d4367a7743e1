// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/parameter_updates.h"

#include <algorithm>
#include <array>

#include "engine/tensor/ops/clear.h"
#include "engine/tensor/ops/ops.h"

namespace parapet::nn {
namespace {

using experiment::clipsGradients;
using experiment::Optimizer;
using experiment::OptimizerKind;

bool sharesMeanSquares(const Parameter& parameter) {
  return nn::sharesMeanSquares(parameter.spec, parameter.sharding);
}

/// Rows of a table that a step of all spaces may touch, of which this one may have fewest examples.
std::int64_t maxTouched(const Graph& graph, const Program& program, const TableGradient& table) {
  const SpaceCapacity& capacity = program.capacity;
  std::int64_t ids = 0;
  for (const std::size_t lookup : table.lookups)
    ids += std::max(capacity.rows, capacity.batchRows) * capacity.idsOf(graph.lookups()[lookup]);
  return ids;
}

}  // namespace

bool sharesMeanSquares(const ParameterSpec& spec, const mesh::Sharding& sharding) {
  return spec.optimizer.kind == OptimizerKind::kRowwiseAdagrad &&
         sharding.placement() == experiment::Placement::kColumn;
}

std::int64_t normSquares(const Graph& graph) {
  const bool any = std::ranges::any_of(graph.parameters(), [](const ParameterSpec& spec) {
    return spec.optimizer.clipNorm || spec.optimizer.globalClipNorm;
  });
  return any ? static_cast<std::int64_t>(2 * graph.parameters().size() + 1) : 0;
}

bool isIn(const Parameter& parameter, std::size_t shard, int space) {
  const auto copies = static_cast<std::size_t>(parameter.copies());
  return parameter.sharding.owners(static_cast<int>(shard / copies))[shard % copies] == space;
}

ParameterUpdates::ParameterUpdates(const Graph& graph, const Program& program,
                                   std::span<const Parameter> parameters,
                                   const tensor::Device& device, int space)
    : memoryOfShard_(parameters.size()),
      squares_(device, normSquares(graph)),
      first_(parameters.data()) {
  std::size_t updates = 0;
  for (const TableGradient& table : program.tables) {
    const auto index = static_cast<std::size_t>(table.table);
    const Parameter& parameter = parameters[index];
    const std::int64_t ids = maxTouched(graph, program, table);
    const int batches = program.capacity.batchesPerStep;
    const bool isSummed = batches > 1 && table.wholeOffset < 0,
               merges =
                   !isSummed && clipsGradients(parameter.spec.optimizer) && table.wholeOffset < 0,
               shares = sharesMeanSquares(parameter);
    memoryOfShard_[index].assign(parameter.shards.size(), kNoMemory);
    bool isFirst = true;
    for (std::size_t s = 0; s < parameter.shards.size(); ++s) {
      if (!isIn(parameter, s, space)) continue;
      const ParameterShard& shard = parameter.shards[s];
      const std::int64_t rowsOfBatch = std::min(ids, shard.rows),
                         rows = std::min(ids * batches, shard.rows);
      ++updates;
      const bool sharesHere = shares && isFirst;
      isFirst = false;
      if (!merges && !sharesHere && !isSummed) continue;
      memoryOfShard_[index][s] = memory_.size();
      memory_.push_back({tensor::Buffer<float>(device, merges ? rows * shard.cols : 0),
                         tensor::Buffer<float>(device, sharesHere ? rows : 0)});
      if (isSummed) memory_.back().sums.emplace(device, shard.rows, shard.cols, rowsOfBatch, rows);
    }
  }
  for (const std::int64_t offset : program.denseOffsets) updates += offset >= 0;
  updates_.reserve(updates);
  if (!device.isHost())
    rates_ = tensor::StagedArray<float>(device, kRates * static_cast<std::int64_t>(updates));
  meanSquares_.reserve(program.tables.size());
}

void ParameterUpdates::add(Parameter& parameter, mesh::ShardCopy of,
                           const tensor::UpdateTarget& target, float* denseGradient) {
  const auto shard = static_cast<std::size_t>(of.shard * parameter.copies() + of.copy);
  updates_.push_back({&parameter, shard, of.copy == 0, target, denseGradient});
}

void ParameterUpdates::addToSums(const tensor::Launch& launch) {
  for (const Update& update : updates_)
    if (!update.gradient) memoryOf(update).sums->add(launch, update.target);
}

void ParameterUpdates::takeSums(const tensor::Launch& launch, float scale) {
  addToSums(launch);
  for (Update& update : updates_) {
    if (update.gradient) continue;
    RowSums& sums = *memoryOf(update).sums;
    update.target = sums.take(launch, update.target, scale);
    update.gradient = sums.gradients();
  }
}

ParameterUpdates::Memory& ParameterUpdates::meanSquaresOf(const Update& update) {
  for (const std::size_t memory : memoryOfShard_[indexOf(update)])
    if (memory != kNoMemory && memory_[memory].meanSquares.size() > 0) return memory_[memory];
  throw InternalError("[nn.ParameterUpdates] no room for mean squares");
}

double* ParameterUpdates::squaresOf(const Update& update) {
  const ParameterSpec& spec = update.parameter->spec;
  return squares_.data() + (spec.optimizer.clipNorm ? static_cast<std::int64_t>(indexOf(update))
                                                    : squares_.size() / 2 + spec.optimizerGroup);
}

// Norms are of whole parameters, or of all parameters of an optimizer, whatever their shards.
void ParameterUpdates::measureSquares(const tensor::Launch& launch) {
  tensor::clear(launch, squares_);
  for (Update& update : updates_) {
    const Optimizer& optimizer = update.parameter->spec.optimizer;
    if (!clipsGradients(optimizer)) continue;
    if (!update.gradient) {
      update.gradient = memoryOf(update).merged.data();
      tensor::run(launch, PpMergeRows{update.target, update.gradient});
      update.target.grad = update.gradient;
      update.target.first = update.target.next = update.target.gradRows = nullptr;
      update.target.scale = nullptr;
      update.target.terms = update.target.count;
    }
    const std::int64_t count = update.target.count * update.target.width;
    if (optimizer.clipValue)
      tensor::run(launch, PpScaleClamp{.values = update.gradient,
                                       .count = count,
                                       .limit = static_cast<float>(*optimizer.clipValue)});
    else if (update.counts)
      tensor::run(launch, PpSumSquares{update.gradient, count, squaresOf(update)});
  }
}

// Every shard of columns has the same rows in the same order, and one accumulator for all columns.
void ParameterUpdates::measureMeanSquares(const tensor::Launch& launch) {
  const Parameter* begun = nullptr;
  meanSquares_.clear();
  for (Update& update : updates_) {
    Parameter& parameter = *update.parameter;
    if (!sharesMeanSquares(parameter)) continue;
    float* const shared = update.meanSquares = meanSquaresOf(update).meanSquares.data();
    const bool isFirst = begun != &parameter;
    begun = &parameter;
    if (isFirst) meanSquares_.emplace_back(shared, static_cast<std::size_t>(update.target.count));
    if (update.counts)
      tensor::run(launch, PpMeanSquares{.target = update.target,
                                        .columns = parameter.spec.cols,
                                        .out = shared,
                                        .accumulate = isFirst ? 0 : 1});
    else if (isFirst)
      tensor::run(launch, PpFill{shared, update.target.count, 0.0f});
  }
}

void ParameterUpdates::clip(const tensor::Launch& launch) {
  for (Update& update : updates_) {
    const Optimizer& optimizer = update.parameter->spec.optimizer;
    const auto& largest = optimizer.clipNorm ? optimizer.clipNorm : optimizer.globalClipNorm;
    if (!largest) continue;
    tensor::run(launch, PpScaleClamp{.values = update.gradient,
                                     .count = update.target.count * update.target.width,
                                     .limit = tensor::kNoLimit,
                                     .squares = squaresOf(update),
                                     .maxNorm = *largest});
  }
}

bool ParameterUpdates::worthWaking(std::size_t begin, std::size_t end) const {
  std::int64_t elements = 0;
  for (std::size_t index = begin; index < end; ++index) {
    const Update& update = updates_[index];
    const bool dense =
        update.parameter->spec.optimizer.sparseUpdate == experiment::SparseUpdate::kDense;
    elements += (dense ? update.target.tableRows : update.target.terms) * update.target.width;
  }
  return elements >= kMinParallelElements;
}

const float* ParameterUpdates::ratesOf(std::size_t update) const {
  return rates_.size() > 0 ? rates_.here() + kRates * static_cast<std::int64_t>(update) : nullptr;
}

void ParameterUpdates::setRates(std::int64_t step) {
  for (Update& update : updates_)
    update.rates = ratesAt(update.parameter->spec.optimizer, step, update.parameter->slotsSince);
  bool changed = false;
  for (std::size_t i = 0; rates_.size() > 0 && i < updates_.size(); ++i) {
    const UpdateRates& next = updates_[i].rates;
    const std::array<float, kRates> numbers{next.decay, next.rate, next.rootScale};
    float* const last = rates_.data() + kRates * static_cast<std::int64_t>(i);
    changed = changed || !ratesSet_ || !std::ranges::equal(numbers, std::span(last, kRates));
    std::ranges::copy(numbers, last);
  }
  if (changed) rates_.upload(rates_.size());
  ratesSet_ = true;
}

void ParameterUpdates::apply(const tensor::Launch& launch, std::int64_t step,
                             std::int32_t* nonFinite) {
  for (Update& update : updates_) update.target.nonFinite = nonFinite;
  setRates(step);
  const auto run = [&](std::size_t index, Workers* inside) {
    Update& update = updates_[index];
    tensor::Launch on = launch;
    on.workers = inside;
    updateShard(on, update.parameter->spec.optimizer, update.parameter->shards[update.shard],
                update.target, update.rates, {update.meanSquares, ratesOf(index)});
  };
  Workers* const workers = launch.workers;
  // Shards of a table are of equal size and side by side; tables in one piece may read each other.
  for (std::size_t begin = 0; begin < updates_.size();) {
    std::size_t end = begin + 1;
    while (end < updates_.size() && updates_[end].parameter == updates_[begin].parameter) ++end;
    if (workers && end - begin > 1 && worthWaking(begin, end))
      workers->parallelFor(static_cast<std::int64_t>(end - begin), [&](std::int64_t index) {
        run(begin + static_cast<std::size_t>(index), nullptr);
      });
    else
      for (std::size_t index = begin; index < end; ++index)
        run(index, end - begin > 1 ? nullptr : workers);
    begin = end;
  }
}

}  // namespace parapet::nn
