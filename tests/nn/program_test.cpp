// SPDX-License-Identifier: Apache-2.0
#include "engine/nn/program.h"

#include <QtTest>

#include "tests/nn/sample_model.h"

using namespace parapet;
using experiment::Activation;
using experiment::Experiment;
using nn::Program;
using nn::StepPurpose;

namespace {

/// The layout of a model, and which of its values are the two sides of the product.
struct Laid {
  nn::Model model;
  Program layout;
  explicit Laid(const Experiment& experiment, StepPurpose purpose = StepPurpose::kTrain)
      : model(sample::build(experiment)),
        layout(nn::compile(model.graph, {.targets = {model.heads[0].lossValue}, .purpose = purpose},
                           {.rows = 16})) {}
  [[nodiscard]] bool inPlace(nn::Value value) const {
    for (std::size_t i = 0; i < model.graph.lookups().size(); ++i)
      if (model.graph.lookups()[i].output == value) return layout.inPlace[i];
    return false;
  }
  [[nodiscard]] bool hasValue(nn::Value value) const { return layout.hasValue[at(value)]; }
};

}  // namespace

class ProgramTest : public QObject {
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

  void textTellsTheInstructions() {
    const auto textOf = [](const Experiment& experiment, StepPurpose purpose, int devices) {
      const nn::Model model = sample::build(experiment);
      const auto mesh = sample::Trainer::meshOf(devices, experiment::MemorySpaces::kSeparate);
      std::vector<mesh::Sharding> shardings;
      for (const nn::ParameterSpec& spec : model.graph.parameters()) {
        experiment::Table table;
        table.embeddingDim = spec.cols;
        table.placement = spec.name == "tables/user" ? experiment::Placement::kRow
                                                     : experiment::Placement::kReplicated;
        shardings.push_back(
            mesh::heldSharding(mesh::placeTable(table, mesh, spec.rows, "").value(), mesh));
      }
      return nn::text(
          nn::compile(
              model.graph,
              {.targets = {model.heads[0].lossValue}, .capacityRows = 16, .purpose = purpose}, mesh,
              0, shardings),
          model.graph);
    };
    QCOMPARE(textOf(sample::plainDot(), StepPurpose::kForward, 1),
             std::string("prepare ids\nrun forward score, loss\nread back\n"));
    QCOMPARE(textOf(sample::plainDot(), StepPurpose::kTrain, 1), std::string(R"(prepare ids
group ids of tables/user, beside
group ids of tables/item, beside
run forward score, loss; back loss, score
begin 1: barrier
end 1
update: collect
update: apply
read back
)"));
    Experiment clipped = sample::plainDot();
    clipped.optimizer.clipNorm = 1.0;
    QCOMPARE(textOf(clipped, StepPurpose::kTrain, 2), std::string(R"(prepare ids
route ids of tables/user, beside
begin 1: ids of tables/user
end 1
fetch rows of tables/user
begin 2: rows of tables/user
end 2
prepare the next batch
group ids of tables/item, beside
run forward features/user, features/item, score, loss; back loss, score, features/item, features/user
begin 3: barrier
end 3
merge gradients of tables/user
begin 4: row gradients of tables/user
end 4
add up slices, gradients 0 to 0, and whole tables
begin 5: gradients 0 to 32
end 5
update: collect
update: measure squares
begin 6: squares of norms
end 6
update: clip
update: apply
read back
begin 7: sums of losses
end 7
)"));
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
    const auto gathered = [](const nn::Graph& graph) {
      std::int64_t cols = 0;
      for (const auto& node : graph.nodes()) cols += node->gatheredCols();
      return cols;
    };
    QCOMPARE(gathered(alone), 0);
    QCOMPARE(gathered(pairs), kDim);
    experiment.loss.negatives = experiment::NegativeScope::kDevice;
    QCOMPARE(gathered(sample::build(experiment).graph), 0);
    QVERIFY(nn::runsInParallel(pairs, StepPurpose::kTrain, kBatch));
    QVERIFY(!nn::runsInParallel(alone, StepPurpose::kTrain, kBatch));
  }

  // Two kernels of more than a bucket: each is complete before the layers ahead of it have run back.
  void gradientsOfSpacesLieInBuckets() {
    Experiment experiment = sample::plainDot(6);
    experiment.model.kind = experiment::ModelKind::kRanking;
    const experiment::Layer wide{.units = 1100, .activation = Activation::kRelu};
    experiment.model.layers = {wide, wide, wide, {.units = 1}};
    const nn::Model model = sample::build(experiment);
    const auto programOf = [&](int spaces) {
      return nn::compile(model.graph,
                         {.targets = {model.heads[0].lossValue}, .purpose = StepPurpose::kTrain},
                         {.rows = 16, .split = {true, true}, .spaces = spaces});
    };
    const auto isBucket = [](const nn::Line& line) {
      return line.isBeside && std::holds_alternative<nn::BeginExchange>(line.what);
    };
    QVERIFY(std::ranges::none_of(programOf(1).step, isBucket));
    const Program program = programOf(2);
    std::int64_t buckets = 0, end = program.denseElements;
    for (std::size_t line = 0; line < program.step.size(); ++line) {
      if (!isBucket(program.step[line])) continue;
      const auto& bucket = std::get<nn::BeginExchange>(program.step[line].what);
      QVERIFY(bucket.count >= 1 << 20);
      QCOMPARE(bucket.begin + bucket.count, end);
      end = bucket.begin;
      ++buckets;
      // The nodes that run meanwhile, and those to come, have no part in what is complete.
      for (std::size_t later = line; later < program.step.size(); ++later) {
        const auto* const nodes = std::get_if<nn::RunNodes>(&program.step[later].what);
        if (!nodes || !nodes->backward) continue;
        for (std::size_t node = nodes->backward->begin; node < nodes->backward->end; ++node)
          for (const nn::ParameterIndex of : program.nodes[node]->parameters())
            QVERIFY(program.denseOffsets[at(of)] < bucket.begin);
      }
    }
    QCOMPARE(buckets, std::int64_t{2});
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
      return nn::compile(model.graph,
                         {.targets = {model.heads[0].lossValue}, .purpose = StepPurpose::kTrain},
                         {.rows = 512})
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
    const Laid forward(sample::plainDot(), StepPurpose::kForward);
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
      for (const nn::TableGradient& table : laid.layout.tables) QVERIFY(!table.factored);
    }
    const nn::Model model = sample::build(sample::plainDot());
    const Program asked = nn::compile(
        model.graph, {.targets = {model.heads[0].lossValue, model.query}}, {.rows = 16});
    QVERIFY(!asked.inPlace[0] && asked.hasValue[at(model.query)]);
  }
};

QTEST_GUILESS_MAIN(ProgramTest)
#include "program_test.moc"
