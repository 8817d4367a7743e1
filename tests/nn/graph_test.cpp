// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/graph.h"

#include <QtTest>
#include <functional>

#include "engine/nn/nodes/nodes.h"
#include "tests/nn/sample_model.h"

using namespace parapet;
using nn::Graph;
using nn::ParameterIndex;
using nn::Value;
using tensor::ActivationOp;

namespace {

/// Two looked-up values of width 4, a table and dense parameters to build on.
struct Start {
  Graph graph;
  ParameterIndex table, kernel, bias;
  Value x, y;
  Start()
      : table(add("tables/user", 9, 4, true)),
        kernel(add("dense/kernel", 4, 3, false)),
        bias(add("dense/bias", 1, 3, false)),
        x(lookup(graph, "x", {table, 0, -1})),
        y(lookup(graph, "y", {table, 1, -1})) {}

  /// A sequence of at most 5 ids.
  Value positions() {
    return lookup(graph, "z",
                  {.table = table, .feature = 2, .output = -1, .maxLength = 5, .sequence = true});
  }
  ParameterIndex add(const std::string& name, std::int64_t rows, std::int64_t cols, bool sparse) {
    return graph.addParameter({.name = name,
                               .rows = rows,
                               .cols = cols,
                               .initializer = {},
                               .optimizer = {},
                               .sparse = sparse});
  }
};

struct Misuse {
  const char* name;
  std::function<void(Start&)> build;
  const char* message;
};

const std::vector<Misuse>& misuses() {
  static const std::vector<Misuse> all{
      {"kernel of another width",
       [](Start& s) { matmul(s.graph, "layer", s.x, s.add("k", 5, 3, false)); },
       "[nn.graph] layer: width 4 where 5 is accepted"},
      {"bias of another width",
       [](Start& s) { biasActivation(s.graph, "act", s.x, s.bias, ActivationOp::kRelu); },
       "[nn.graph] act: width 3 where 4 is accepted"},
      {"bias of a dense layer of another width",
       [](Start& s) {
         dense(s.graph, "layer", s.x, {s.add("k", 4, 4, false), s.bias}, ActivationOp::kRelu);
       },
       "[nn.graph] layer: width 3 where 4 is accepted"},
      {"dot of two widths",
       [](Start& s) {
         dot(s.graph, "score", concat(s.graph, "both", {s.x, s.y}), s.x);
       },
       "[nn.graph] score: width 4 where 8 is accepted"},
      {"loss of a vector", [](Start& s) { rowLoss(s.graph, "loss", {}, s.x); },
       "[nn.graph] loss: width 4 where 1 is accepted"},
      {"concat of nothing", [](Start& s) { concat(s.graph, "none", {}); },
       "[nn.graph] none: 0 parts; at least 1 is accepted"},
      {"unknown value", [](Start& s) { dot(s.graph, "score", s.x, 7); },
       "[nn.graph] score: value 7; this graph has 2"},
      {"negative value", [](Start& s) { rowLoss(s.graph, "loss", {}, -1); },
       "[nn.graph] loss: value -1; this graph has 2"},
      {"unknown parameter",
       [](Start& s) {
         lookup(s.graph, "z", {8, 0, -1});
       },
       "[nn.graph] z: parameter 8; this graph has 3"},
      {"lookup in a dense parameter",
       [](Start& s) {
         lookup(s.graph, "z", {s.kernel, 0, -1});
       },
       "[nn.graph] z: dense/kernel is dense; a table is accepted"},
      {"table as a kernel", [](Start& s) { matmul(s.graph, "layer", s.x, s.table); },
       "[nn.graph] layer: tables/user is a table; a dense parameter is accepted"},
      {"value with itself", [](Start& s) { dot(s.graph, "score", s.x, s.x); },
       "[nn.graph] score: reads value 0 twice"},
      {"part twice",
       [](Start& s) {
         concat(s.graph, "both", {s.x, s.y, s.x});
       },
       "[nn.graph] both: reads value 0 twice"},
      {"a parameter of a slice and of the whole batch",
       [](Start& s) {
         const ParameterIndex one = s.add("one", 1, 4, false), two = s.add("two", 1, 4, false);
         biasActivation(s.graph, "act", s.x, one, ActivationOp::kRelu);
         batchNorm(s.graph, "norm", s.y, {one, two, two, two}, 0.9, 1e-3);
       },
       "[nn.graph] norm: one is read by a node of slices and by one of the whole batch; one of "
       "both "
       "is accepted"},
      {"a sequence without a longest length",
       [](Start& s) {
         lookup(s.graph, "z", {.table = s.table, .feature = 2, .output = -1, .sequence = true});
       },
       "[nn.graph] at most 0 rows of feature 2 in an example; at least 1 is accepted"},
      {"positions beside examples",
       [](Start& s) {
         concat(s.graph, "both", {s.x, s.positions()});
       },
       "[nn.graph] both: value 0 lies over row space 0 and value 2 over 1; equal ones are "
       "accepted"},
      {"positions of two sequences",
       [](Start& s) {
         const Value one = s.positions();
         add(s.graph, "both", {one, s.positions()});
       },
       "[nn.graph] both: value 2 lies over row space 1 and value 3 over 2; equal ones are "
       "accepted"},
      {"a pool of examples", [](Start& s) { pool(s.graph, "pool", s.x, tensor::PoolOp::kMean); },
       "[nn.graph] pool: value 0 lies over examples; positions of a sequence are accepted"},
      {"a loss of positions", [](Start& s) { rowLoss(s.graph, "loss", {}, s.positions()); },
       "[nn.graph] loss: value 2 lies over row space 1; examples are accepted"},
      {"a batch norm of positions",
       [](Start& s) {
         batchNorm(s.graph, "norm", s.positions(), {s.bias, s.bias}, 0.9, 1e-3);
       },
       "[nn.graph] norm: value 2 lies over row space 1; examples are accepted"},
      {"fewer positions than a sequence has",
       [](Start& s) { position(s.graph, "position", s.positions(), s.add("rows", 4, 4, false)); },
       "[nn.graph] position: rows has 4 rows; at least 5 are accepted"},
      {"heads that do not divide the width",
       [](Start& s) { attention(s.graph, "attention", s.positions(), {.heads = 3}); },
       "[nn.graph] attention: 3 heads in a width of 4; a multiple of 3 times the heads is "
       "accepted"},
  };
  return all;
}

}  // namespace

class GraphTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void refusesMisuse_data() {
    QTest::addColumn<int>("index");
    for (int index = 0; index < static_cast<int>(misuses().size()); ++index)
      QTest::newRow(misuses()[static_cast<std::size_t>(index)].name) << index;
  }
  void refusesMisuse() {
    QFETCH(int, index);
    const Misuse& misuse = misuses()[static_cast<std::size_t>(index)];
    Start start;
    std::string message = "nothing was thrown";
    try {
      misuse.build(start);
    } catch (const InvalidArgument& exception) {
      message = exception.what();
    }
    QCOMPARE(message, std::string(misuse.message));
  }

  // The gradient test trains such models.
  void severalNodesMayReadOneValue() {
    Start start;
    const Value both = concat(start.graph, "both", {start.x, start.y});
    dot(start.graph, "score", start.x, start.y);
    biasActivation(start.graph, "act", start.x, -1, ActivationOp::kRelu);
    QCOMPARE(start.graph.cols(both), std::int64_t{8});
    QCOMPARE(start.graph.values(), 5);
  }

  // A gelu is a node of its own: its gradient reads the sum.
  void aDenseLayerIsANodeUnlessItsGradientReadsTheSum() {
    using enum ActivationOp;
    for (const ActivationOp activation : {kLinear, kRelu, kTanh, kSigmoid, kGelu, kGeluTanh}) {
      Start start;
      const std::size_t before = start.graph.nodes().size();
      const Value product = matmul(start.graph, "product", start.x, start.add("k", 4, 3, false));
      const double ofProduct = start.graph.flopsPerExample(1);
      const Value y = dense(start.graph, "layer", start.x,
                            {start.add("l", 4, 3, false), start.bias}, activation);
      const auto& nodes = start.graph.nodes();
      const bool isGelu = activation == kGelu || activation == kGeluTanh;
      QCOMPARE(nodes.size() - before, std::size_t{isGelu ? 3u : 2u});
      QCOMPARE(nodes.back()->name(), std::string(isGelu ? "layer/activation" : "layer"));
      QCOMPARE(nodes.back()->backwardReads(y), activation != kLinear && !isGelu);
      QCOMPARE(start.graph.cols(y), start.graph.cols(product));
      // The product's, an addition and a function of each of 3 elements.
      QCOMPARE(start.graph.flopsPerExample(1) - ofProduct, 2.0 * 4 * 3 + 2.0 * 3);
    }
  }

  void aSequenceIsARowSpaceOfItsOwn() {
    Start start;
    const Value positions = start.positions();
    const nn::RowSpace rows = start.graph.rowSpace(positions);
    QVERIFY(rows != nn::kExamples);
    QCOMPARE(start.graph.rowSpaces()[static_cast<std::size_t>(rows)].maxPerExample,
             std::int64_t{5});
    QCOMPARE(start.graph.rowSpace(dropout(start.graph, "drop", positions, 0.5)), rows);
    QCOMPARE(start.graph.rowSpace(spread(start.graph, "spread", start.x, positions)), rows);
    QCOMPARE(start.graph.rowSpace(pool(start.graph, "pool", positions, tensor::PoolOp::kLast)),
             nn::kExamples);
  }

  void aVocabularyWithoutSizeIsTold() {
    const auto model = nn::buildModel(sample::plainDot(), {{"user", 3}});
    QVERIFY(!model.ok());
    QCOMPARE(model.error().pointer, std::string("/tables/1/vocabulary"));
  }
};

QTEST_GUILESS_MAIN(GraphTest)
#include "graph_test.moc"
