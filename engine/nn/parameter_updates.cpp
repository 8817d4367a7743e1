// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/parameter_updates.h"

#include <algorithm>
#include <cmath>

#include "engine/nn/schedules.h"
#include "engine/tensor/ops/gradients.h"

namespace parapet::nn {
namespace {

using experiment::Optimizer;
using experiment::OptimizerKind;

bool clips(const Optimizer& optimizer) {
  return optimizer.clipValue || optimizer.clipNorm || optimizer.globalClipNorm;
}

bool sharesMeanSquares(const Parameter& parameter) {
  return parameter.spec.optimizer.kind == OptimizerKind::kRowwiseAdagrad &&
         parameter.sharding.placement() == experiment::Placement::kColumn;
}

}  // namespace

ParameterUpdates::ParameterUpdates(const Graph& graph, const PlanLayout& layout,
                                   std::span<const Parameter> parameters,
                                   const tensor::Device& device)
    : firstMemory_(parameters.size(), 0),
      squaresOfParameter_(parameters.size(), 0.0),
      squaresOfGroup_(parameters.size() + 1, 0.0),
      first_(parameters.data()) {
  std::size_t updates = 0;
  for (const TableLayout& table : layout.tables) {
    const auto index = static_cast<std::size_t>(table.table);
    const Parameter& parameter = parameters[index];
    std::int64_t ids = 0;
    for (const std::size_t lookup : table.lookups) ids += layout.maxIds(graph.lookups()[lookup]);
    updates += parameter.shards.size();
    firstMemory_[index] = memory_.size();
    for (std::size_t s = 0; s < parameter.shards.size(); ++s) {
      const ParameterShard& shard = parameter.shards[s];
      const std::int64_t rows = std::min(ids, shard.rows);
      const bool merges = clips(parameter.spec.optimizer), shares = sharesMeanSquares(parameter);
      if (!merges && !(shares && s == 0)) continue;
      memory_.push_back({tensor::Buffer<float>(device, merges ? rows * shard.cols : 0),
                         tensor::Buffer<float>(device, shares && s == 0 ? rows : 0)});
    }
  }
  for (const std::int64_t offset : layout.denseOffsets) updates += offset >= 0;
  updates_.reserve(updates);
}

std::uint64_t ParameterUpdates::bytes() const {
  std::uint64_t total = 0;
  for (const Memory& memory : memory_) total += memory.merged.bytes() + memory.meanSquares.bytes();
  return total;
}

void ParameterUpdates::add(Parameter& parameter, int shard, const tensor::UpdateTarget& target,
                           float* denseGradient) {
  updates_.push_back({&parameter, shard, target, denseGradient});
}

// All shards of a parameter have memory, or its first one alone has.
ParameterUpdates::Memory& ParameterUpdates::memoryOf(const Update& update) {
  const auto index = static_cast<std::size_t>(update.parameter - first_);
  return memory_[firstMemory_[index] + static_cast<std::size_t>(update.shard)];
}

double& ParameterUpdates::squaresOf(const Update& update) {
  const ParameterSpec& spec = update.parameter->spec;
  return spec.optimizer.clipNorm
             ? squaresOfParameter_[static_cast<std::size_t>(update.parameter - first_)]
             : squaresOfGroup_[static_cast<std::size_t>(spec.optimizerGroup)];
}

// Norms are of whole parameters, or of all parameters of an optimizer, whatever their shards.
void ParameterUpdates::clip(const tensor::Launch& launch) {
  std::ranges::fill(squaresOfParameter_, 0.0);
  std::ranges::fill(squaresOfGroup_, 0.0);
  for (Update& update : updates_) {
    const Optimizer& optimizer = update.parameter->spec.optimizer;
    if (!clips(optimizer)) continue;
    if (!update.gradient) {
      update.gradient = memoryOf(update).merged.data();
      tensor::mergeRows(launch, update.target, update.gradient);
      update.target.grad = update.gradient;
      update.target.first = update.target.next = update.target.gradRows = nullptr;
      update.target.scale = nullptr;
      update.target.terms = update.target.count;
    }
    const std::int64_t count = update.target.count * update.target.width;
    if (optimizer.clipValue)
      tensor::scaleClamp(launch, update.gradient, count, 1.0f,
                         static_cast<float>(*optimizer.clipValue));
    else
      squaresOf(update) += tensor::sumSquares(launch, update.gradient, count);
  }
  for (Update& update : updates_) {
    const Optimizer& optimizer = update.parameter->spec.optimizer;
    const auto& largest = optimizer.clipNorm ? optimizer.clipNorm : optimizer.globalClipNorm;
    if (!largest) continue;
    const double norm = std::sqrt(squaresOf(update));
    if (norm > *largest)
      tensor::scaleClamp(launch, update.gradient, update.target.count * update.target.width,
                         static_cast<float>(*largest / norm));
  }
}

// Every shard of columns has the same rows in the same order, and one accumulator for all columns.
void ParameterUpdates::shareMeanSquares(const tensor::Launch& launch) {
  for (Update& update : updates_) {
    Parameter& parameter = *update.parameter;
    if (!sharesMeanSquares(parameter)) continue;
    Update first = update;
    first.shard = 0;
    float* const shared = memoryOf(first).meanSquares.data();
    tensor::meanSquares(launch, update.target, parameter.spec.cols, shared,
                        update.shard == 0 ? tensor::Accumulate::kNo : tensor::Accumulate::kYes);
    update.meanSquares = shared;
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

void ParameterUpdates::apply(const tensor::Device& device, Workers* workers, std::int64_t step) {
  const tensor::Launch launch{&device, workers};
  nonFinite_ = 0;
  for (Update& update : updates_) update.target.nonFinite = &nonFinite_;
  clip(launch);
  shareMeanSquares(launch);
  const auto run = [&](Update& update, Workers* inside) {
    const Optimizer& optimizer = update.parameter->spec.optimizer;
    const double rate = optimizer.schedule
                            ? learningRateAt(*optimizer.schedule, optimizer.learningRate, step - 1)
                            : optimizer.learningRate;
    updateShard({&device, inside}, optimizer,
                update.parameter->shards[static_cast<std::size_t>(update.shard)], update.target,
                rate, step, update.meanSquares);
  };
  // Shards of a table are of equal size and side by side; tables in one piece may read each other.
  for (std::size_t begin = 0; begin < updates_.size();) {
    std::size_t end = begin + 1;
    while (end < updates_.size() && updates_[end].parameter == updates_[begin].parameter) ++end;
    if (workers && end - begin > 1 && worthWaking(begin, end))
      workers->parallelFor(static_cast<std::int64_t>(end - begin), [&](std::int64_t index) {
        run(updates_[begin + static_cast<std::size_t>(index)], nullptr);
      });
    else
      for (std::size_t index = begin; index < end; ++index)
        run(updates_[index], end - begin > 1 ? nullptr : workers);
    begin = end;
  }
}

}  // namespace parapet::nn
