// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/graph.h"

#include <QtTest>
#include <functional>

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
        x(graph.lookup("x", {table, 0, -1})),
        y(graph.lookup("y", {table, 1, -1})) {}

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
       [](Start& s) { s.graph.matmul("layer", s.x, s.add("k", 5, 3, false)); },
       "[nn.graph] layer: width 4 where 5 is accepted"},
      {"bias of another width",
       [](Start& s) { s.graph.biasActivation("act", s.x, s.bias, ActivationOp::kRelu); },
       "[nn.graph] act: width 3 where 4 is accepted"},
      {"dot of two widths",
       [](Start& s) {
         s.graph.dot("score", s.graph.concat("both", {s.x, s.y}), s.x);
       },
       "[nn.graph] score: width 4 where 8 is accepted"},
      {"loss of a vector", [](Start& s) { s.graph.rowLoss("loss", {}, s.x); },
       "[nn.graph] loss: width 4 where 1 is accepted"},
      {"concat of nothing", [](Start& s) { s.graph.concat("none", {}); },
       "[nn.graph] none: 0 parts; at least 1 is accepted"},
      {"unknown value", [](Start& s) { s.graph.dot("score", s.x, 7); },
       "[nn.graph] score: value 7; this graph has 2"},
      {"negative value", [](Start& s) { s.graph.rowLoss("loss", {}, -1); },
       "[nn.graph] loss: value -1; this graph has 2"},
      {"unknown parameter",
       [](Start& s) {
         s.graph.lookup("z", {8, 0, -1});
       },
       "[nn.graph] z: parameter 8; this graph has 3"},
      {"lookup in a dense parameter",
       [](Start& s) {
         s.graph.lookup("z", {s.kernel, 0, -1});
       },
       "[nn.graph] z: dense/kernel is dense; a table is accepted"},
      {"table as a kernel", [](Start& s) { s.graph.matmul("layer", s.x, s.table); },
       "[nn.graph] layer: tables/user is a table; a dense parameter is accepted"},
      {"value with itself", [](Start& s) { s.graph.dot("score", s.x, s.x); },
       "[nn.graph] score: reads value 0 twice"},
      {"part twice",
       [](Start& s) {
         s.graph.concat("both", {s.x, s.y, s.x});
       },
       "[nn.graph] both: reads value 0 twice"},
      {"kernel of two layers",
       [](Start& s) {
         s.graph.matmul("one", s.x, s.kernel);
         s.graph.matmul("two", s.y, s.kernel);
       },
       "[nn.graph] two: dense/kernel is already read by one; one reader is accepted"},
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
    const Value both = start.graph.concat("both", {start.x, start.y});
    start.graph.dot("score", start.x, start.y);
    start.graph.biasActivation("act", start.x, -1, ActivationOp::kRelu);
    QCOMPARE(start.graph.cols(both), std::int64_t{8});
    QCOMPARE(start.graph.values(), 5);
  }

  void aVocabularyWithoutSizeIsTold() {
    const auto model = nn::buildModel(sample::plainDot(), {{"user", 3}});
    QVERIFY(!model.ok());
    QCOMPARE(model.error().pointer, std::string("/tables/1/vocabulary"));
  }
};

QTEST_GUILESS_MAIN(GraphTest)
#include "graph_test.moc"
