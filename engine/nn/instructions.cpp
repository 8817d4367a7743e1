// SPDX-License-Identifier: Apache-2.0
// The last pass of compile(): the lists of instructions, and their text.
#include <fmt/format.h>

#include <algorithm>

#include "engine/nn/parameter_updates.h"
#include "engine/nn/program.h"

namespace parapet::nn {
namespace {

using Exchange = BeginExchange::Kind;

// Gradients that are added up between spaces while others are computed: as many that a collective
// takes long beside its latency.
constexpr std::int64_t kBucketElements = 1 << 20;

class Writer {
 public:
  Writer(Program& program, const Graph& graph, std::span<const mesh::Sharding> shardings)
      : program_(program), graph_(graph), shardings_(shardings) {}

  void write(bool overlap) {
    program_.prepare.push_back({PrepareIds{}});
    for (std::size_t stack = 0; stack < program_.stacks.size(); ++stack)
      program_.prepare.push_back({RouteIds{stack}, true});
    fetchRows();
    const bool trains = program_.trains();
    if (trains && overlap && !program_.stacks.empty()) add(PrepareNext{});
    if (trains) groupIds();
    runSegments();
    if (trains) {
      reduce();
      update();
    }
    program_.end.push_back({ReadBack{}});
    if (meets()) exchange({.kind = Exchange::kLosses}, program_.end);
  }

 private:
  /// Nodes that run without a meeting of the ranks.
  struct Segment {
    bool isOfBatch;
    NodeRange nodes;
  };

  [[nodiscard]] bool meets() const { return program_.capacity.spaces > 1; }
  void add(Instruction what, bool isBeside = false) {
    program_.step.push_back({std::move(what), isBeside});
  }
  void exchange(BeginExchange begin, Lines& lines) {
    begin.tag = ++tags_;
    lines.push_back({begin});
    lines.push_back({EndExchange{begin.tag}});
  }

  void fetchRows() {
    for (std::size_t stack = 0; stack < program_.stacks.size(); ++stack) {
      exchange({.kind = Exchange::kIds, .of = stack}, program_.step);
      const ParameterIndex first = program_.stacks[stack].tables[0];
      if (shardings_[at(first)].isReplicated()) continue;  // each has its own copy of the rows
      add(MoveRows{stack, Pass::kForward});
      exchange({.kind = Exchange::kRows, .of = stack}, program_.step);
    }
  }

  void groupIds() {
    std::size_t table = 0;
    for (const TableGradient& of : program_.tables)
      if (program_.groupsIds(of)) add(GroupIds{table++}, true);
  }

  [[nodiscard]] std::vector<Segment> segments() const {
    std::vector<Segment> segments;
    for (std::size_t node = 0; node < program_.nodes.size(); ++node) {
      const bool isOfBatch = program_.nodes[node]->asBatchNode() != nullptr;
      if (segments.empty() || segments.back().isOfBatch != isOfBatch)
        segments.push_back({isOfBatch, {node, node}});
      segments.back().nodes.end = node + 1;
    }
    return segments;
  }

  // The backward pass begins where the forward pass ends, without an exchange between them.
  void runSegments() {
    findBuckets();
    const std::vector<Segment> all = segments();
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto& [isOfBatch, nodes] = all[i];
      const bool turns = program_.trains() && i + 1 == all.size();
      if (isOfBatch) {
        runBatch(nodes, Pass::kForward);
        if (turns) runBatch(nodes, Pass::kBackward);
      } else if (turns) {
        runBack(nodes, nodes);
      } else {
        add(RunNodes{nodes, {}});
      }
    }
    for (std::size_t i = all.size(); program_.trains() && i-- > 0;) {
      if (i + 1 == all.size()) continue;
      if (all[i].isOfBatch)
        runBatch(all[i].nodes, Pass::kBackward);
      else
        runBack(all[i].nodes, {});
    }
  }

  void runBatch(NodeRange nodes, Pass pass) {
    for (std::size_t i = 0; i < nodes.end - nodes.begin; ++i) {
      const bool isBack = pass == Pass::kBackward;
      const std::size_t node = isBack ? nodes.end - 1 - i : nodes.begin + i;
      if (isBack && !program_.runsBackward(node)) continue;
      if (!meets()) {
        add(RunBatchNode{node, pass});
        continue;
      }
      const int rounds = program_.nodes[node]->asBatchNode()->rounds(pass, program_.trains());
      for (int round = 0; round < rounds; ++round) {
        add(RunBatchNode{node, pass, round, rounds});
        exchange({.kind = Exchange::kMeeting, .of = node}, program_.step);
      }
    }
  }

  /// Gradients of dense parameters that are complete as soon as the backward pass of all slices is
  /// past a node. A bucket holds the elements from `begin` to where the bucket before it begins.
  struct Bucket {
    std::size_t node;
    std::int64_t begin;
  };

  // The gradient of a parameter is complete behind the first node that reads it, and parameters lie
  // in the order of those: buckets are cut from the end.
  void findBuckets() {
    if (!program_.trains() || !meets()) return;
    const std::vector<const Node*>& nodes = program_.nodes;
    std::vector<std::int64_t> begins(nodes.size(), program_.denseElements);
    for (std::size_t of = 0; of < program_.denseOffsets.size(); ++of) {
      if (program_.denseOffsets[of] < 0) continue;
      const auto reads = [of](const Node* node) {
        return std::ranges::count(node->parameters(), static_cast<ParameterIndex>(of)) > 0;
      };
      std::int64_t& begin =
          begins[static_cast<std::size_t>(std::ranges::find_if(nodes, reads) - nodes.begin())];
      begin = std::min(begin, program_.denseOffsets[of]);
    }
    std::int64_t end = program_.denseElements;
    for (std::size_t node = nodes.size(); node-- > 0;) {
      const bool isFull = begins[node] <= end - kBucketElements;
      if (!isFull || nodes[node]->asBatchNode()) continue;
      buckets_.push_back({node, begins[node]});
      end = begins[node];
    }
    addedFrom_ = program_.denseElements;
  }

  // In pieces that end where a bucket is complete; it is added up beside the next piece.
  void runBack(NodeRange nodes, std::optional<NodeRange> forward) {
    for (std::size_t end = nodes.end; end > nodes.begin;) {
      std::size_t begin = nodes.begin;
      for (const Bucket& bucket : buckets_)
        if (bucket.node < end) begin = std::max(begin, bucket.node);
      const int tag = addComplete(end);
      add(RunNodes{forward, NodeRange{begin, end}});
      if (tag > 0) add(EndExchange{tag});
      forward.reset();
      end = begin;
    }
  }

  /// The tag of its exchange; 0: there is nothing to add up.
  int addComplete(std::size_t passed) {
    std::int64_t begin = addedFrom_;
    for (const Bucket& bucket : buckets_)
      if (bucket.node >= passed) begin = bucket.begin;
    if (begin == addedFrom_) return 0;
    add(AddSlices{begin, addedFrom_, false}, true);
    add(BeginExchange{Exchange::kGradients, 0, program_.wholeElements + begin, addedFrom_ - begin,
                      ++tags_},
        true);
    addedFrom_ = begin;
    return tags_;
  }

  void reduce() {
    exchange({.kind = Exchange::kBarrier}, program_.step);
    for (std::size_t stack = 0; stack < program_.stacks.size(); ++stack) {
      const auto isTrained = [&](std::size_t lookup) {
        const Lookup& of = graph_.lookups()[lookup];
        return graph_.parameters()[at(of.table)].trainable && program_.hasGradient[at(of.output)];
      };
      if (std::ranges::none_of(program_.stacks[stack].lookups, isTrained)) continue;
      add(MoveRows{stack, Pass::kBackward});
      exchange({.kind = Exchange::kRowGradients, .of = stack}, program_.step);
    }
    const std::int64_t dense = meets() ? addedFrom_ : program_.denseElements;
    if (const std::int64_t elements = program_.wholeElements + dense; elements > 0) {
      add(AddSlices{0, dense, true});
      if (meets()) exchange({.kind = Exchange::kGradients, .count = elements}, program_.step);
    }
    add(Update{Update::Part::kCollect});
    if (program_.capacity.batchesPerStep > 1) add(Update{Update::Part::kAddBatch});
  }

  // Norms and mean squares are not of one space alone.
  void update() {
    Lines& lines = program_.update;
    const auto clips = [](const ParameterSpec& spec) {
      return experiment::clipsGradients(spec.optimizer);
    };
    if (std::ranges::any_of(graph_.parameters(), clips))
      lines.push_back({Update{Update::Part::kMeasureSquares}});
    if (normSquares(graph_) > 0) {
      if (meets()) exchange({.kind = Exchange::kSquares}, lines);
      lines.push_back({Update{Update::Part::kClip}});
    }
    std::size_t shared = 0;
    for (const TableGradient& table : program_.tables)
      shared +=
          at(table.table) < shardings_.size() &&
          sharesMeanSquares(graph_.parameters()[at(table.table)], shardings_[at(table.table)]);
    if (shared > 0) lines.push_back({Update{Update::Part::kMeasureMeanSquares}});
    for (std::size_t table = 0; table < shared && meets(); ++table)
      exchange({.kind = Exchange::kMeanSquares, .of = table}, lines);
    lines.push_back({Update{Update::Part::kApply}});
  }

  Program& program_;
  const Graph& graph_;
  const std::span<const mesh::Sharding> shardings_;
  std::vector<Bucket> buckets_;
  std::int64_t addedFrom_ = 0;
  int tags_ = 0;
};

/// What an instruction does, in words.
struct Words {
  const Program& program;
  const Graph& graph;

  [[nodiscard]] std::string names(const NodeRange& range, bool isBack) const {
    std::string all;
    for (std::size_t i = 0; i < range.end - range.begin; ++i) {
      const std::size_t node = isBack ? range.end - 1 - i : range.begin + i;
      if (isBack && !program.runsBackward(node)) continue;
      all += (all.empty() ? "" : ", ") + program.nodes[node]->name();
    }
    return all;
  }
  [[nodiscard]] std::string stack(std::size_t index) const {
    std::string all;
    for (const ParameterIndex table : program.stacks[index].tables)
      all += (all.empty() ? "" : ", ") + graph.parameters()[at(table)].name;
    return all;
  }

  std::string operator()(const PrepareIds&) const { return "prepare ids"; }
  std::string operator()(const RouteIds& of) const { return "route ids of " + stack(of.stack); }
  std::string operator()(const PrepareNext&) const { return "prepare the next batch"; }
  std::string operator()(const GroupIds& of) const {
    std::size_t index = 0;
    for (const TableGradient& table : program.tables)
      if (program.groupsIds(table) && index++ == of.table)
        return "group ids of " + graph.parameters()[at(table.table)].name;
    return "group ids";
  }
  std::string operator()(const MoveRows& of) const {
    return (of.pass == Pass::kForward ? "fetch rows of " : "merge gradients of ") + stack(of.stack);
  }
  std::string operator()(const RunNodes& of) const {
    std::string all = "run";
    if (of.forward) all += " forward " + names(*of.forward, false);
    if (of.backward)
      all += std::string(of.forward ? ";" : "") + " back " + names(*of.backward, true);
    return all;
  }
  std::string operator()(const RunBatchNode& of) const {
    return fmt::format(
        "run on the batch {} {}{}", of.pass == Pass::kForward ? "forward" : "back",
        program.nodes[of.node]->name(),
        of.rounds > 0 ? fmt::format(", round {} of {}", of.round + 1, of.rounds) : "");
  }
  std::string operator()(const AddSlices& of) const {
    const bool addsWhole = of.isLast && program.wholeElements > 0;
    return fmt::format("add up slices, gradients {} to {}{}", of.begin, of.end,
                       addsWhole ? ", and whole tables" : "");
  }
  std::string operator()(const BeginExchange& of) const {
    const auto what = [&]() -> std::string {
      switch (of.kind) {
        case Exchange::kBarrier:
          return "barrier";
        case Exchange::kIds:
          return "ids of " + stack(of.of);
        case Exchange::kRows:
          return "rows of " + stack(of.of);
        case Exchange::kRowGradients:
          return "row gradients of " + stack(of.of);
        case Exchange::kMeeting:
          return "what " + program.nodes[of.of]->name() + " asks for";
        case Exchange::kGradients:
          return fmt::format("gradients {} to {}", of.begin, of.begin + of.count);
        case Exchange::kSquares:
          return "squares of norms";
        case Exchange::kMeanSquares:
          return fmt::format("mean squares {}", of.of);
        case Exchange::kLosses:
          return "sums of losses";
      }
      return "";
    };
    return fmt::format("begin {}: {}", of.tag, what());
  }
  std::string operator()(const EndExchange& of) const { return fmt::format("end {}", of.tag); }
  std::string operator()(const Update& of) const {
    constexpr const char* kParts[] = {"collect", "add batch",    "measure squares",
                                      "clip",    "mean squares", "apply"};
    return fmt::format("update: {}", kParts[static_cast<std::size_t>(of.part)]);
  }
  std::string operator()(const ReadBack&) const { return "read back"; }
};

}  // namespace

void writeInstructions(Program& program, const Graph& graph,
                       std::span<const mesh::Sharding> shardings, bool overlap) {
  Writer(program, graph, shardings).write(overlap);
}

std::string text(const Program& program, const Graph& graph) {
  std::string all;
  for (const Lines* lines : {&program.prepare, &program.step, &program.update, &program.end})
    for (const Line& line : *lines)
      all += std::visit(Words{program, graph}, line.what) + (line.isBeside ? ", beside\n" : "\n");
  return all;
}

}  // namespace parapet::nn
