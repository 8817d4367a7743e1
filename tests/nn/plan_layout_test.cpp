// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/plan_layout.h"

#include <QtTest>

#include "tests/nn/sample_model.h"

using namespace parapet;
using experiment::Activation;
using experiment::Experiment;
using nn::PlanLayout;
using nn::PlanPurpose;

namespace {

/// The layout of a model, and which of its values are the two sides of the product.
struct Laid {
  nn::Model model;
  PlanLayout layout;
  explicit Laid(const Experiment& experiment, PlanPurpose purpose = PlanPurpose::kTrain)
      : model(sample::build(experiment)),
        layout(model.graph, {model.heads[0].lossValue}, purpose, {.rows = 16}) {}
  [[nodiscard]] bool inPlace(nn::Value value) const {
    for (std::size_t i = 0; i < model.graph.lookups().size(); ++i)
      if (model.graph.lookups()[i].output == value) return layout.inPlace[i];
    return false;
  }
  [[nodiscard]] bool hasValue(nn::Value value) const { return layout.hasValue[at(value)]; }
};

}  // namespace

class PlanLayoutTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aPlainProductReadsItsTablesInPlace() {
    const Laid plain(sample::plainDot());
    QCOMPARE(plain.layout.nodes.size(), std::size_t{2});  // the product and the loss
    for (const nn::Value side : {plain.model.query, plain.model.candidate}) {
      QVERIFY(plain.inPlace(side));
      QVERIFY(!plain.layout.hasGradient[at(side)]);
    }
    // One copy is kept: the first table has changed when the second is updated.
    QVERIFY(plain.hasValue(plain.model.query));
    QVERIFY(!plain.hasValue(plain.model.candidate));
    QCOMPARE(plain.layout.tables.size(), std::size_t{2});
    QCOMPARE(plain.layout.tables[0].factored->rows, plain.model.candidate);
    QCOMPARE(plain.layout.tables[1].factored->rows, plain.model.query);
    QCOMPARE(plain.layout.tables[0].factored->scale, plain.model.score);
  }

  // 2·D a pair forward; 6·D in training, with the gradients of either side.
  void inBatchNegativesCountByPairs() {
    constexpr std::int64_t kDim = 4, kBatch = 512;
    Experiment experiment = sample::plainDot(kDim);
    const nn::Graph alone = sample::build(experiment).graph;
    experiment.loss.kind = experiment::LossKind::kInBatchSoftmax;
    const nn::Graph pairs = sample::build(experiment).graph;
    QCOMPARE(alone.flopsPerExample(kBatch), alone.flopsPerExample(1));
    QCOMPARE(pairs.flopsPerExample(kBatch) - pairs.flopsPerExample(0), 2.0 * kDim * kBatch);
    QCOMPARE(pairs.trainingFlopsPerExample(kBatch) - pairs.trainingFlopsPerExample(0),
             6.0 * kDim * kBatch);
    QCOMPARE(pairs.pairLosses(), 1);
    QCOMPARE(alone.pairLosses(), 0);
    QVERIFY(nn::runsInParallel(pairs, PlanPurpose::kTrain, kBatch));
    QVERIFY(!nn::runsInParallel(alone, PlanPurpose::kTrain, kBatch));
  }

  // Each slice sums gradients of its own, so the cut must not follow what is counted for pairs.
  void pairsOfTheBatchCutNoSlices() {
    Experiment experiment = sample::denseTowers(Activation::kTanh);
    const auto slices = [&] {
      const nn::Model model = sample::build(experiment);
      return PlanLayout(model.graph, {model.heads[0].lossValue}, PlanPurpose::kTrain, {.rows = 512})
          .slices();
    };
    const int before = slices();
    experiment.loss.kind = experiment::LossKind::kInBatchSoftmax;
    QCOMPARE(slices(), before);
  }

  // In the document the item's table may come first; the copy is of the query's rows all the same.
  void theSideWithTheCopyIsUpdatedFirst() {
    Experiment experiment = sample::plainDot();
    std::swap(experiment.tables[0], experiment.tables[1]);
    const Laid swapped(experiment);
    QCOMPARE(swapped.layout.tables[0].factored->rows, swapped.model.candidate);
    QVERIFY(swapped.hasValue(swapped.model.query));
  }

  void withAFrozenTableNoCopyIsKept() {
    for (const std::size_t frozen : {0u, 1u}) {
      Experiment experiment = sample::plainDot();
      experiment.tables[frozen].trainable = false;
      const Laid laid(experiment);
      QVERIFY(!laid.hasValue(laid.model.query));
      QCOMPARE(laid.layout.tables.size(), std::size_t{1});
    }
  }

  void withoutTrainingNothingIsKept() {
    const Laid forward(sample::plainDot(), PlanPurpose::kForward);
    QVERIFY(forward.inPlace(forward.model.query) && !forward.hasValue(forward.model.query));
    QVERIFY(forward.layout.tables.empty());
  }

  // Layers read the rows too, shared tables have gradients from several places, and what is asked
  // for must be there.
  void rowsThatOthersNeedAreWritten() {
    for (const Experiment& experiment :
         {sample::denseTowers(Activation::kRelu), sample::sharedTable()}) {
      const Laid laid(experiment);
      for (const nn::Lookup& lookup : laid.model.graph.lookups()) {
        QVERIFY(!laid.inPlace(lookup.output));
        QVERIFY(laid.hasValue(lookup.output));
      }
      for (const nn::TableLayout& table : laid.layout.tables) QVERIFY(!table.factored);
    }
    const nn::Model model = sample::build(sample::plainDot());
    const PlanLayout asked(model.graph, {model.heads[0].lossValue, model.query},
                           PlanPurpose::kForward, {.rows = 16});
    QVERIFY(!asked.inPlace[0] && asked.hasValue[at(model.query)]);
  }
};

QTEST_GUILESS_MAIN(PlanLayoutTest)
#include "plan_layout_test.moc"
