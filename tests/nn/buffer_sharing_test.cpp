// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <iterator>
#include <map>
#include <set>

#include "engine/nn/program.h"
#include "tests/nn/sample_kinds.h"

using namespace parapet;
using nn::Program;
using nn::StepPurpose;
using nn::Value;

namespace {

/// A step as its nodes read and write buffers: who wrote each last.
class Simulation {
 public:
  Simulation(const Program& program, QString name) : program_(program), name_(std::move(name)) {}

  void run(bool trains) {
    for (const nn::Node* node : program_.nodes) {
      for (const Value input : node->inputs()) read(program_.sharing.ofValue, input, false);
      write(program_.sharing.ofValue, node->output(), false);
      for (const Value saved : node->saved()) write(program_.sharing.ofValue, saved, false);
    }
    for (std::size_t index = program_.nodes.size(); trains && index-- > 0;) {
      if (!program_.runsBackward(index)) continue;
      const nn::Node& node = *program_.nodes[index];
      for (const Value input : node.inputs())
        if (node.backwardReads(input)) read(program_.sharing.ofValue, input, false);
      if (node.backwardReads(node.output())) read(program_.sharing.ofValue, node.output(), false);
      for (const Value saved : node.saved()) read(program_.sharing.ofValue, saved, false);
      read(program_.sharing.ofGradient, node.output(), true);
      for (const Value input : node.inputs()) {
        if (std::ranges::count(program_.accumulated[index], input) > 0)
          read(program_.sharing.ofGradient, input, true);
        write(program_.sharing.ofGradient, input, true);
      }
    }
  }
  void requireHeld(Value value) { read(program_.sharing.ofValue, value, false); }

 private:
  using Content = std::pair<Value, bool>;
  void write(const std::vector<std::int32_t>& of, Value value, bool isGradient) {
    if (of[at(value)] >= 0) holds_[of[at(value)]] = {value, isGradient};
  }
  // A value that was never written shares its memory with nobody.
  void read(const std::vector<std::int32_t>& of, Value value, bool isGradient) {
    if (of[at(value)] < 0) return;
    const auto found = holds_.find(of[at(value)]);
    if (found == holds_.end()) return;
    QVERIFY2(found->second == (Content{value, isGradient}),
             qPrintable(QString("%1: value %2").arg(name_).arg(value)));
  }

  const Program& program_;
  QString name_;
  std::map<std::int32_t, Content> holds_;
};

/// A model over a sequence with so many blocks.
experiment::Experiment blocks(std::size_t count) {
  using enum experiment::LayerKind;
  std::vector<experiment::Layer> layers{{.kind = kPosition}};
  for (std::size_t block = 0; block < count; ++block)
    layers.push_back({.kind = kTransformerBlock, .units = 8, .rate = 0.1, .heads = 2});
  layers.push_back({.kind = kPool, .by = experiment::PoolKind::kLast});
  return sample::overSequence(std::move(layers));
}

struct Counts {
  std::size_t buffers = 0;
  std::size_t readBackward = 0;  ///< values that some node reads backward
};

Counts countsOf(std::size_t blockCount, StepPurpose purpose) {
  const nn::Model model = sample::build(blocks(blockCount));
  const Program program =
      nn::compile(model.graph, {.targets = {model.heads[0].lossValue}, .purpose = purpose},
                  {.rows = 16, .idsPerRow = {5, 1}});
  std::set<Value> read;
  for (const nn::Node* node : program.nodes) {
    std::vector<Value> values = node->inputs();
    values.push_back(node->output());
    std::ranges::copy_if(values, std::inserter(read, read.end()),
                         [&](Value value) { return node->backwardReads(value); });
    for (const Value saved : node->saved()) read.insert(saved);
  }
  return {program.sharing.buffers.size(), read.size()};
}

}  // namespace

class BufferSharingTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whatANodeReadsIsWhatWasWrittenForIt() {
    for (const sample::Kind& kind : sample::kinds()) {
      const nn::Model model = sample::modelOf(kind);
      std::vector<Value> losses;
      for (const nn::Model::Head& head : model.heads) {
        losses.push_back(head.lossValue);
        losses.push_back(head.prediction);
      }
      for (const StepPurpose purpose : {StepPurpose::kTrain, StepPurpose::kForward}) {
        const Program program = nn::compile(model.graph, {.targets = losses, .purpose = purpose},
                                            {.rows = 16, .idsPerRow = {5, 5, 5, 5}});
        Simulation step(program, kind.name);
        step.run(purpose == StepPurpose::kTrain);
        for (const Value target : losses) step.requireHeld(target);
      }
    }
  }

  /// Rows of slices that are at different nodes must not meet in a buffer.
  void onlyValuesOfTheSameShapeShare() {
    const nn::Model model = sample::build(blocks(3));
    const Program program = nn::compile(
        model.graph, {.targets = {model.heads[0].lossValue}, .purpose = StepPurpose::kTrain},
        {.rows = 16, .idsPerRow = {5, 1}});
    for (const auto* of : {&program.sharing.ofValue, &program.sharing.ofGradient})
      for (Value value = 0; value < model.graph.values(); ++value) {
        if ((*of)[at(value)] < 0) continue;
        const auto& buffer = program.sharing.buffers[at((*of)[at(value)])];
        QCOMPARE(buffer.rows, model.graph.rowSpace(value));
        QCOMPARE(buffer.cols, model.graph.cols(value));
      }
  }

  /// Forward alone, a deeper encoder needs no more memory; in training only the values that its way
  /// back reads, and no gradients.
  void depthTakesOnlyWhatTheWayBackReads() {
    QCOMPARE(countsOf(6, StepPurpose::kForward).buffers,
             countsOf(2, StepPurpose::kForward).buffers);
    const Counts three = countsOf(3, StepPurpose::kTrain), two = countsOf(2, StepPurpose::kTrain);
    QCOMPARE(three.buffers - two.buffers, three.readBackward - two.readBackward);
    const nn::Graph deep = sample::build(blocks(3)).graph, flat = sample::build(blocks(2)).graph;
    QVERIFY(three.readBackward - two.readBackward <
            static_cast<std::size_t>(deep.values() - flat.values()));
  }
};

QTEST_APPLESS_MAIN(BufferSharingTest)
#include "buffer_sharing_test.moc"
