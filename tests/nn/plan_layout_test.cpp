// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/plan_layout.h"

#include <QtTest>

#include "engine/nn/plan_parts.h"
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

  // Two kernels of more than a bucket: each is complete before the layers ahead of it have run back.
  void gradientsOfSpacesLieInBuckets() {
    Experiment experiment = sample::plainDot(6);
    experiment.model.kind = experiment::ModelKind::kRanking;
    const experiment::Layer wide{.units = 1100, .activation = Activation::kRelu};
    experiment.model.layers = {wide, wide, wide, {.units = 1}};
    const nn::Model model = sample::build(experiment);
    const auto layoutOf = [&](int spaces) {
      return PlanLayout(model.graph, {model.heads[0].lossValue}, PlanPurpose::kTrain,
                        {.rows = 16, .split = {true, true}, .spaces = spaces});
    };
    QCOMPARE(layoutOf(1).buckets.size(), std::size_t{0});
    const PlanLayout layout = layoutOf(2);
    QCOMPARE(layout.buckets.size(), std::size_t{2});
    std::size_t node = layout.nodes.size();
    std::int64_t end = layout.denseElements;
    for (const nn::GradientBucket& bucket : layout.buckets) {
      QVERIFY(bucket.node < node && end - bucket.begin >= 1 << 20);
      for (std::size_t of = 0; of < layout.denseOffsets.size(); ++of) {
        if (layout.denseOffsets[of] < bucket.begin) continue;
        // No node that still has to run back reads what is complete.
        for (std::size_t left = 0; left < bucket.node; ++left)
          QCOMPARE(std::ranges::count(layout.nodes[left]->parameters(),
                                      static_cast<nn::ParameterIndex>(of)),
                   0);
      }
      node = bucket.node;
      end = bucket.begin;
    }
    QCOMPARE(end, std::int64_t{12 * 1100 + 1100});
  }

  void wholeGradientsAreAddedWhereTheyAreLess_data() {
    QTest::addColumn<int>("optimizer");
    QTest::addColumn<bool>("lazy");
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("ids");
    QTest::addColumn<int>("spaces");
    QTest::addColumn<bool>("whole");
    using enum experiment::OptimizerKind;
    const auto row = [](const char* name, experiment::OptimizerKind kind, bool lazy, int rows,
                        int ids, int spaces, bool whole) {
      QTest::newRow(name) << static_cast<int>(kind) << lazy << rows << ids << spaces << whole;
    };
    row("few rows", kAdagrad, true, 7, 125, 2, true);
    row("many rows", kAdagrad, true, 944, 125, 8, false);
    row("many spaces", kAdagrad, true, 944, 250, 8, true);
    row("sgd", kSgd, true, 7, 125, 2, true);
    row("adam moves every row", kAdam, false, 7, 125, 2, true);
    row("lazy adam moves those of the batch", kAdam, true, 7, 125, 2, false);
    row("ftrl makes weights anew", kFtrl, false, 7, 125, 2, false);
  }
  void wholeGradientsAreAddedWhereTheyAreLess() {
    QFETCH(int, optimizer);
    QFETCH(bool, lazy);
    QFETCH(int, rows);
    QFETCH(int, ids);
    QFETCH(int, spaces);
    QFETCH(bool, whole);
    nn::ParameterSpec spec;
    spec.rows = rows;
    spec.cols = 32;
    spec.sparse = true;
    spec.optimizer.kind = static_cast<experiment::OptimizerKind>(optimizer);
    spec.optimizer.sparseUpdate =
        lazy ? experiment::SparseUpdate::kLazy : experiment::SparseUpdate::kDense;
    QCOMPARE(nn::addsWholeGradient(spec, ids, static_cast<std::size_t>(spaces)), whole);
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
