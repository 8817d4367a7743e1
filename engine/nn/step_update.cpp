// SPDX-License-Identifier: Apache-2.0
#include "engine/base/clock.h"
#include "engine/nn/step_state.h"
#include "engine/tensor/ops/sum_parts.h"

namespace parapet::nn {

void StepPlan::State::addTable(std::size_t index) {
  const TableUpdate& table = tables[index];
  const TableLayout& of = table.layout();
  Parameter& updated = parameter(of.table);
  if (!of.factored) {
    const Value first = graph.lookups()[of.lookups[0]].output;
    updates.add(updated, 0, table.target(updated, {buffers.gradient(first, 0)}, nullptr));
    return;
  }
  // The rows as the forward pass read them: their copy, or the table if there is none, which then
  // is not updated before it has been read.
  const FactoredGradient& factored = *of.factored;
  tensor::GatheredRows rows{buffers.value(factored.rows, 0)};
  for (std::size_t i = 0; !rows.data && i < lookups().size(); ++i)
    if (graph.lookups()[i].output == factored.rows) {
      const Parameter& read = parameter(graph.lookups()[i].table);
      rows = {read.whole().weight.data(), lookups()[i].ids().data(), read.spec.rows};
    }
  updates.add(updated, 0, table.target(updated, rows, buffers.gradient(factored.scale, 0)));
}

Status StepPlan::State::addStacks(const StepInput& input) {
  Workers* const outside = workersForExchange(input.rows);
  for (ShardedStack& stack : stacks) {
    stackGradients.clear();
    bool any = false;
    for (const std::size_t lookup : stack.lookups()) {
      const Lookup& of = graph.lookups()[lookup];
      const bool trained = parameter(of.table).spec.trainable;
      stackGradients.push_back(trained ? buffers.gradient(of.output, 0) : nullptr);
      any = any || stackGradients.back();
    }
    if (!any) continue;
    PARAPET_TRY(stack.sendGradients({&device, outside}, stackGradients, lookups(), input.rows, mesh,
                                    communicator, outside));
    for (std::size_t table = 0; table < stack.tables().size(); ++table) {
      Parameter& updated = parameter(stack.tables()[table]);
      if (!updated.spec.trainable) continue;
      for (int shard = 0; shard < stack.shards(); ++shard)
        updates.add(updated, shard,
                    stack.target({&device, nullptr}, updated, static_cast<int>(table), shard));
    }
  }
  return {};
}

void StepPlan::State::addDense() {
  if (layout.denseElements == 0) return;
  if (denseParts.size() > 1)
    tensor::sumParts({&device, &workers}, denseParts, layout.denseElements, denseGradients.data());
  for (std::size_t index = 0; index < layout.denseOffsets.size(); ++index) {
    const std::int64_t offset = layout.denseOffsets[index];
    if (offset < 0) continue;
    Parameter& updated = parameters[index];
    float* const gradient = denseGradients.data() + offset;
    updates.add(updated, 0,
                tensor::everyRow(updated.whole().weight.data(), updated.spec.rows,
                                 updated.spec.cols, gradient),
                gradient);
  }
}

Status StepPlan::State::reduceAndUpdate(const StepInput& input, std::int64_t step) {
  Stopwatch clock;
  PARAPET_TRY(communicator.barrier());
  updates.clear();
  for (std::size_t table = 0; table < tables.size(); ++table) addTable(table);
  PARAPET_TRY(addStacks(input));
  addDense();
  times.collective += clock.seconds();
  clock.restart();
  updates.apply(device, workersFor(input.rows), step);
  times.update = clock.seconds();
  return {};
}

}  // namespace parapet::nn
