// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "engine/nn/program.h"

namespace parapet::nn {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kNoNode = -1;

/// When a value or a gradient is needed, first and last moment: moment i is node i forward, and
/// with N nodes 2N − 1 − i node i backward.
struct Span {
  std::int64_t first, last;
  Value value;
  bool isGradient;
};

/// The nodes that write and read each value: first and last of the readers.
struct Uses {
  std::vector<std::int64_t> writer, lastReader;
  std::vector<std::int64_t> firstBackwardReader;  ///< of the value, its own node among them
  std::vector<std::int64_t> lastDifferentiated;   ///< reader that writes the gradient

  Uses(const Graph& graph, const Program& program)
      : writer(at(graph.values()), kNoNode),
        lastReader(at(graph.values()), kNoNode),
        firstBackwardReader(at(graph.values()), kNoNode),
        lastDifferentiated(at(graph.values()), kNoNode) {
    for (std::size_t index = 0; index < program.nodes.size(); ++index) {
      const Node& node = *program.nodes[index];
      const auto number = static_cast<std::int64_t>(index);
      const bool runsBackward = program.trains() && program.runsBackward(index);
      const auto readBackward = [&](Value value) {
        std::int64_t& first = firstBackwardReader[at(value)];
        if (runsBackward && first == kNoNode) first = number;
      };
      writer[at(node.output())] = number;
      if (node.backwardReads(node.output())) readBackward(node.output());
      for (const Value saved : node.saved()) {
        writer[at(saved)] = number;
        readBackward(saved);
      }
      for (const Value input : node.inputs()) {
        lastReader[at(input)] = number;
        if (runsBackward) lastDifferentiated[at(input)] = number;
        if (node.backwardReads(input)) readBackward(input);
      }
    }
  }
};

std::vector<bool> keptValues(const Graph& graph, const Program& program) {
  std::vector<bool> kept(at(graph.values()), false);
  for (const Value target : program.targets) kept[at(target)] = true;
  for (const TableGradient& table : program.tables)
    if (table.factored) kept[at(table.factored->scale)] = kept[at(table.factored->rows)] = true;
  return kept;
}

/// Gradients of the lookups of a table, which its update finds side by side.
std::vector<bool> joinedGradients(const Graph& graph, const Program& program) {
  std::vector<bool> joined(at(graph.values()), false);
  for (const TableGradient& table : program.tables)
    if (!table.factored)
      for (const std::size_t lookup : table.lookups)
        joined[at(graph.lookups()[lookup].output)] = true;
  return joined;
}

std::vector<Span> spansOf(const Graph& graph, const Program& program) {
  const Uses uses(graph, program);
  const std::vector<bool> kept = keptValues(graph, program);
  const std::vector<bool> joined = joinedGradients(graph, program);
  const std::int64_t end = 2 * std::ssize(program.nodes) - 1;
  std::vector<Span> spans;
  for (Value value = 0; value < graph.values(); ++value) {
    const std::int64_t writer = uses.writer[at(value)], reader = uses.lastDifferentiated[at(value)];
    const bool known = writer != kNoNode && !kept[at(value)];
    if (program.hasValue[at(value)]) {
      const std::int64_t back = uses.firstBackwardReader[at(value)];
      const std::int64_t last =
          back == kNoNode ? std::max(writer, uses.lastReader[at(value)]) : end - back;
      spans.push_back({known ? writer : 0, known ? last : kNever, value, false});
    }
    if (program.hasGradient[at(value)] && !joined[at(value)]) {
      const bool shares = known && reader != kNoNode;
      spans.push_back({shares ? end - reader : 0, shares ? end - writer : kNever, value, true});
    }
  }
  std::ranges::stable_sort(spans, {}, &Span::first);
  return spans;
}

}  // namespace

// Each span takes the buffer of its rows and columns that was given up last, which the cache still
// has.
void shareBuffers(Program& program, const Graph& graph) {
  auto& [buffers, ofValue, ofGradient] = program.sharing;
  ofValue.assign(at(graph.values()), -1);
  ofGradient.assign(at(graph.values()), -1);
  std::vector<std::int64_t> lastUse;  // by buffer
  std::map<std::pair<RowSpace, std::int64_t>, std::vector<std::int32_t>> alike;
  for (const Span& span : spansOf(graph, program)) {
    const RowSpace rows = graph.rowSpace(span.value);
    const std::int64_t cols = graph.cols(span.value);
    std::int32_t found = -1;
    for (const std::int32_t buffer : alike[{rows, cols}])
      if (lastUse[at(buffer)] < span.first &&
          (found < 0 || lastUse[at(buffer)] > lastUse[at(found)]))
        found = buffer;
    if (found < 0) {
      found = static_cast<std::int32_t>(buffers.size());
      buffers.push_back({rows, cols});
      lastUse.push_back(0);
      alike[{rows, cols}].push_back(found);
    }
    lastUse[at(found)] = span.last;
    (span.isGradient ? ofGradient : ofValue)[at(span.value)] = found;
  }
}

}  // namespace parapet::nn
