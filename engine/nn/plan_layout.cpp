// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/plan_layout.h"

#include <algorithm>

namespace parapet::nn {
namespace {

std::size_t at(std::int32_t index) {
  return static_cast<std::size_t>(index);
}

// Nodes that the targets depend on, in execution order.
std::vector<const Node*> neededNodes(const Graph& graph, const std::vector<Value>& targets) {
  std::vector<bool> needed(at(graph.values()), false);
  for (const Value target : targets) needed[at(target)] = true;
  std::vector<const Node*> nodes;
  for (auto node = graph.nodes().rbegin(); node != graph.nodes().rend(); ++node) {
    if (!needed[at((*node)->output())]) continue;
    for (const Value input : (*node)->inputs()) needed[at(input)] = true;
    nodes.push_back(node->get());
  }
  std::reverse(nodes.begin(), nodes.end());
  return nodes;
}

// By value: whether it depends on a trained parameter.
std::vector<bool> trainedValues(const Graph& graph, const std::vector<const Node*>& nodes) {
  std::vector<bool> trained(at(graph.values()), false);
  for (const Node* node : nodes) {
    bool any = false;
    for (const ParameterIndex parameter : node->parameters())
      any = any || graph.parameters()[at(parameter)].trainable;
    for (const Value input : node->inputs()) any = any || trained[at(input)];
    trained[at(node->output())] = any;
  }
  return trained;
}

std::vector<Lookup> lookupsOf(const Graph& graph, ParameterIndex table) {
  std::vector<Lookup> lookups;
  for (const Lookup& lookup : graph.lookups())
    if (lookup.table == table) lookups.push_back(lookup);
  return lookups;
}

}  // namespace

PlanLayout::PlanLayout(const Graph& graph, const std::vector<Value>& targets, PlanPurpose purpose)
    : nodes(neededNodes(graph, targets)),
      hasValue(at(graph.values()), false),
      hasGradient(at(graph.values()), false),
      inPlace(at(graph.values())) {
  const bool trains = purpose == PlanPurpose::kTrain;
  for (const Node* node : nodes) hasValue[at(node->output())] = true;
  if (trains) {
    hasGradient = trainedValues(graph, nodes);
    for (std::size_t index = 0; index < graph.parameters().size(); ++index) {
      const ParameterSpec& spec = graph.parameters()[index];
      const auto table = static_cast<ParameterIndex>(index);
      if (spec.sparse && spec.trainable && !lookupsOf(graph, table).empty())
        tables.push_back({table, lookupsOf(graph, table), {}});
    }
  }
  readInPlace(graph, targets, trains);
}

void PlanLayout::readInPlace(const Graph& graph, const std::vector<Value>& targets, bool trains) {
  const auto readers = [&](Value value) {
    return std::ranges::count_if(
        nodes, [&](const Node* node) { return std::ranges::count(node->inputs(), value) > 0; });
  };
  // The only lookup of a table, if nothing else wants its rows.
  const auto loneLookup = [&](Value value) -> std::optional<Lookup> {
    for (const Lookup& lookup : graph.lookups())
      if (lookup.output == value && lookupsOf(graph, lookup.table).size() == 1 &&
          readers(value) == 1 && std::ranges::count(targets, value) == 0)
        return lookup;
    return std::nullopt;
  };
  const auto updateOf = [&](ParameterIndex table) {
    return std::ranges::find(tables, table, &TableLayout::table);
  };
  for (const Node* node : nodes) {
    if (!node->readsPickedRows()) continue;
    const Value x = node->inputs()[0], y = node->inputs()[1];
    const auto xLookup = loneLookup(x), yLookup = loneLookup(y);
    if (!xLookup || !yLookup) continue;
    inPlace[at(x)] = xLookup;
    inPlace[at(y)] = yLookup;
    hasGradient[at(x)] = hasGradient[at(y)] = false;
    hasValue[at(y)] = false;
    const auto xUpdate = updateOf(xLookup->table), yUpdate = updateOf(yLookup->table);
    hasValue[at(x)] = trains && xUpdate != tables.end() && yUpdate != tables.end();
    if (xUpdate != tables.end()) xUpdate->factored = {node->output(), y};
    if (yUpdate != tables.end()) yUpdate->factored = {node->output(), x};
    if (hasValue[at(x)] && yUpdate < xUpdate) std::iter_swap(xUpdate, yUpdate);
  }
  std::erase_if(nodes, [&](const Node* node) { return inPlace[at(node->output())].has_value(); });
}

// Counts what StepPlan::State and TableUpdate allocate. Ids and weights have four bytes each.
std::uint64_t PlanLayout::bytes(const Graph& graph, std::int64_t capacityRows, int ranks) const {
  std::int64_t numbers = 0;
  for (Value value = 0; value < graph.values(); ++value)
    numbers += capacityRows * graph.cols(value) * (hasValue[at(value)] + hasGradient[at(value)]);
  for (const TableLayout& table : tables) {
    const auto lookups = static_cast<std::int64_t>(table.lookups.size());
    const std::int64_t places = capacityRows * lookups;
    numbers += 4 * places;
    if (lookups > 1) numbers += places * (1 + graph.parameters()[at(table.table)].cols);
  }
  if (tables.empty() && std::ranges::none_of(hasGradient, std::identity{}))
    return static_cast<std::uint64_t>(numbers) * sizeof(float);
  for (const ParameterSpec& spec : graph.parameters())
    if (spec.trainable && !spec.sparse) numbers += ranks * spec.rows * spec.cols;
  return static_cast<std::uint64_t>(numbers) * sizeof(float);
}

}  // namespace parapet::nn
