// SPDX-License-Identifier: Apache-2.0
// Tables that are split over the devices of a mesh train as tables in one piece on one device, for
// every placement, optimizer and combiner. Sums over ranks have another order, so losses and tables
// agree within rounding.
#include <fmt/format.h>

#include <QtTest>
#include <cmath>

#include "engine/mesh/placement.h"
#include "engine/nn/plan_request.h"
#include "tests/nn/sample_model.h"

using namespace parapet;
using experiment::Combiner;
using experiment::Experiment;
using experiment::MemorySpaces;
using experiment::Optimizer;
using experiment::OptimizerKind;
using experiment::Placement;
using experiment::SparseUpdate;

namespace {

constexpr std::int64_t kRows = 13, kBag = 4, kSteps = 6, kTags = 17;

struct Geometry {
  const char* name;
  std::vector<std::int64_t> shape;
  Placement placement;
  std::vector<std::string> tableAxes;
  experiment::MemorySpaces spaces = experiment::MemorySpaces::kShared;
};

const std::vector<Geometry>& geometries() {
  static const std::vector<Geometry> placements{
      {"row over 1", {1}, Placement::kRow, {}},
      {"row over 2", {2}, Placement::kRow, {}},
      {"row over 8", {8}, Placement::kRow, {}},
      {"row block over 3", {3}, Placement::kRowBlock, {}},
      {"row block over 8", {8}, Placement::kRowBlock, {}},
      {"column over 2", {2}, Placement::kColumn, {}},
      {"column over 5", {5}, Placement::kColumn, {}},
      {"table on one of 3", {3}, Placement::kTable, {}},
      {"row over 4 in 2 groups", {2, 4}, Placement::kRow, {"model"}},
      {"row block over 2 in 3 groups", {2, 3}, Placement::kRowBlock, {"data"}},
      {"column over 3 in 2 groups", {2, 3}, Placement::kColumn, {"model"}},
  };
  // Where each device has a memory of its own, and in one memory, which has tables whole under any
  // placement.
  static const std::vector<Geometry> all = [] {
    std::vector<Geometry> both = placements;
    for (const std::int64_t ranks : {2, 3, 8})
      both.push_back({"replicated", {ranks}, Placement::kReplicated, {}});
    for (Geometry& geometry : both) geometry.spaces = experiment::MemorySpaces::kSeparate;
    for (const Geometry& geometry : placements)
      if (geometry.shape == std::vector<std::int64_t>{3} || geometry.shape.size() == 2)
        both.push_back(geometry);
    return both;
  }();
  return all;
}

struct NamedOptimizer {
  std::string name;
  Optimizer optimizer;
};

Optimizer optimizerOf(OptimizerKind kind, double rate, SparseUpdate update = SparseUpdate::kLazy) {
  Optimizer optimizer;
  optimizer.kind = kind;
  optimizer.learningRate = rate;
  optimizer.sparseUpdate = update;
  return optimizer;
}

const std::vector<NamedOptimizer>& optimizers() {
  static const std::vector<NamedOptimizer> all = [] {
    std::vector<NamedOptimizer> list{
        {"sgd", optimizerOf(OptimizerKind::kSgd, 0.1)},
        {"adagrad", optimizerOf(OptimizerKind::kAdagrad, 0.1)},
        {"rowwise_adagrad", optimizerOf(OptimizerKind::kRowwiseAdagrad, 0.1)},
        {"ftrl", optimizerOf(OptimizerKind::kFtrl, 0.1)}};
    list.back().optimizer.l1 = list.back().optimizer.l2 = 0.001;
    for (const auto update : {SparseUpdate::kDense, SparseUpdate::kLazy}) {
      const char* const which = update == SparseUpdate::kDense ? "dense" : "lazy";
      Optimizer momentum = optimizerOf(OptimizerKind::kSgd, 0.1, update);
      momentum.momentum = 0.9;
      list.push_back({fmt::format("momentum {}", which), momentum});
      list.push_back(
          {fmt::format("adam {}", which), optimizerOf(OptimizerKind::kAdam, 0.01, update)});
      Optimizer decayed = optimizerOf(OptimizerKind::kAdamW, 0.01, update);
      decayed.weightDecay = 0.01;
      list.push_back({fmt::format("adamw {}", which), decayed});
    }
    for (const bool global : {false, true}) {
      Optimizer limited = optimizerOf(OptimizerKind::kAdagrad, 0.1);
      (global ? limited.globalClipNorm : limited.clipNorm) = 0.05;
      list.push_back({global ? "adagrad, global norm" : "adagrad, norm", limited});
    }
    return list;
  }();
  return all;
}

/// Users and items by one id a row, tags in bags; both towers look tags up.
Experiment bagModel(Combiner combiner, const Optimizer& optimizer) {
  Experiment experiment = sample::denseTowers(experiment::Activation::kTanh, 6);
  experiment.tables.push_back(sample::table("tag", 5));
  experiment.tables.push_back(sample::table("mood", 6));  // stands in a stack with user and item
  for (experiment::Table& table : experiment.tables) table.combiner = combiner;
  experiment.features.push_back({"tags", "tag", "tag", experiment::Tower::kQuery});
  experiment.features.push_back({"genres", "tag", "tag", experiment::Tower::kCandidate});
  experiment.features.push_back({"moods", "mood", "mood", experiment::Tower::kQuery});
  experiment.features[4].maxLength = 2;
  experiment.optimizer = optimizer;
  return experiment;
}

/// A batch whose features from the third on have bags with weights, some of them empty.
struct BagBatch {
  sample::Batch plain;
  std::vector<std::vector<std::int32_t>> ids, offsets;
  std::vector<std::vector<float>> weights;
  std::vector<data::FeatureIds> features;

  BagBatch(const nn::Model& model, std::int64_t rows, std::uint64_t seed)
      : plain(sample::batchOf(model, rows, seed)) {
    const Random random(seed, RandomPurpose::kSampling, 1);
    std::uint64_t index = 0;
    for (std::size_t feature = 2; feature < plain.ids.size(); ++feature) {
      auto& bagIds = ids.emplace_back();
      auto& bagWeights = weights.emplace_back();
      auto& ends = offsets.emplace_back(1, 0);
      for (std::int64_t row = 0; row < rows; ++row) {
        const std::uint64_t length = random.below(index++, kBag + 1);
        for (std::uint64_t place = 0; place < length; ++place) {
          bagIds.push_back(static_cast<std::int32_t>(random.below(index++, kTags)));
          bagWeights.push_back(random.uniform(index++) + 0.25f);
        }
        ends.push_back(static_cast<std::int32_t>(bagIds.size()));
      }
    }
    for (std::size_t feature = 0; feature < plain.ids.size(); ++feature)
      features.push_back(feature < 2 ? data::FeatureIds{.ids = plain.ids[feature]}
                                     : data::FeatureIds{.ids = ids[feature - 2],
                                                        .offsets = offsets[feature - 2],
                                                        .weights = weights[feature - 2]});
  }
  [[nodiscard]] nn::StepBatch input() const { return {plain.rows, features, plain.labels}; }
};

/// The losses of some steps and what has become of the parameters and their slots.
struct Trained {
  std::vector<double> losses;
  std::vector<std::vector<float>> arrays;
};

std::vector<nn::Parameter> placed(const nn::Graph& graph, const mesh::DeviceMesh& mesh,
                                  Placement placement, const std::vector<std::string>& axes) {
  std::vector<nn::Parameter> parameters;
  for (const nn::ParameterSpec& spec : graph.parameters()) {
    experiment::Table table;
    table.embeddingDim = spec.cols;
    table.placement = spec.sparse ? placement : Placement::kReplicated;
    if (spec.sparse) table.axes = axes;
    const mesh::Sharding sharding =
        mesh::heldSharding(mesh::placeTable(table, mesh, spec.rows, "").value(), mesh);
    parameters.push_back(
        nn::makeParameter(spec, sharding, mesh::devicesOf(sharding, mesh), 42).value());
  }
  return parameters;
}

nn::Model modelOf(const Experiment& experiment, std::int64_t users = sample::kUsers) {
  return nn::buildModel(
             experiment,
             {{"user", users}, {"item", sample::kItems}, {"tag", kTags}, {"mood", kTags}})
      .value();
}

Trained train(const nn::Model& model, const Geometry& geometry, std::int64_t rows = kRows,
              int threads = 2) {
  const std::vector<std::string> axes = geometry.shape.size() == 2
                                            ? std::vector<std::string>{"data", "model"}
                                            : std::vector<std::string>{"data"};
  std::int64_t ranks = 1;
  for (const std::int64_t extent : geometry.shape) ranks *= extent;
  const auto mesh = mesh::DeviceMesh::create({.devices = {fmt::format("cpu*{}", ranks)},
                                              .shape = geometry.shape,
                                              .axes = axes,
                                              .spaces = geometry.spaces})
                        .value();
  std::vector<nn::Parameter> parameters =
      placed(model.graph, mesh, geometry.placement, geometry.tableAxes);
  Workers workers(threads);
  const auto communicator =
      mesh::makeLocalCommunicator(mesh.ranks(), {&tensor::hostDevice(), &workers});
  nn::StepRunner plan(model.graph, parameters, mesh, *communicator, workers,
                      {.targets = {model.heads[0].lossValue},
                       .capacityRows = rows,
                       .purpose = nn::StepPurpose::kTrain,
                       .idsPerRow = {1, 1, kBag, kBag, kBag}});
  Trained out;
  // The last batch has fewer rows than some meshes have ranks.
  std::vector<std::unique_ptr<BagBatch>> batches;
  for (std::int64_t step = 1; step <= kSteps; ++step)
    batches.push_back(std::make_unique<BagBatch>(model, step == kSteps ? 3 : rows,
                                                 static_cast<std::uint64_t>(step)));
  for (std::int64_t step = 1; step <= kSteps; ++step) {
    // The next batch is known, is not known, or is announced and another one comes.
    const auto at = static_cast<std::size_t>(step - 1);
    nn::StepBatch input = batches[at]->input(), next = batches[(at + 1) % batches.size()]->input();
    input.batch = step;
    next.batch = step % 3 == 0 ? 100 + step : step + 1;
    if (!plan.train(input, step, step % 3 == 1 ? nullptr : &next).ok()) return {};
    out.losses.push_back(nn::totalLoss(model.graph, plan.losses()));
  }
  for (const nn::Parameter& parameter : parameters) {
    const auto slots = nn::slotSpecs(parameter.spec.optimizer, parameter.spec.cols);
    for (int slot = -1; slot < static_cast<int>(slots.size()); ++slot) {
      const std::int64_t cols =
          slot < 0 ? parameter.spec.cols : slots[static_cast<std::size_t>(slot)].cols;
      auto& array = out.arrays.emplace_back(static_cast<std::size_t>(parameter.spec.rows * cols));
      nn::gatherRows(parameter, slot, array);
    }
  }
  return out;
}

/// Largest difference relative to the largest number of an array.
template <class Number>
double distance(const std::vector<Number>& a, const std::vector<Number>& b) {
  if (a.size() != b.size() || a.empty()) return HUGE_VAL;
  double largest = 1e-30, difference = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(a[i])));
    difference =
        std::max(difference, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
  return difference / largest;
}

const Geometry kOneDevice{"one device", {1}, Placement::kReplicated, {}};

}  // namespace

class ShardingTest : public QObject {
  Q_OBJECT

  static std::string nameOf(const Geometry& geometry) {
    return fmt::format(
        "{} [{}], {}", geometry.name, fmt::join(geometry.shape, ", "),
        geometry.spaces == experiment::MemorySpaces::kShared ? "one memory" : "own memories");
  }

 private Q_SLOTS:
  void splitTablesTrainAsWholeOnes_data() {
    QTest::addColumn<int>("geometry");
    QTest::addColumn<int>("optimizer");
    for (std::size_t geometry = 0; geometry < geometries().size(); ++geometry)
      for (std::size_t optimizer = 0; optimizer < optimizers().size(); ++optimizer)
        QTest::addRow("%s, %s", nameOf(geometries()[geometry]).c_str(),
                      optimizers()[optimizer].name.c_str())
            << static_cast<int>(geometry) << static_cast<int>(optimizer);
  }
  void splitTablesTrainAsWholeOnes() {
    QFETCH(int, geometry);
    QFETCH(int, optimizer);
    const Optimizer& used = optimizers()[static_cast<std::size_t>(optimizer)].optimizer;
    Experiment plainDot = sample::plainDot(6);
    plainDot.optimizer = used;
    for (const Experiment& experiment :
         {bagModel(Combiner::kMean, used), bagModel(Combiner::kSum, used),
          bagModel(Combiner::kSqrtn, used), plainDot}) {
      const Trained whole = train(modelOf(experiment), kOneDevice);
      const Trained split =
          train(modelOf(experiment), geometries()[static_cast<std::size_t>(geometry)]);
      QCOMPARE(split.losses.size(), static_cast<std::size_t>(kSteps));
      for (std::size_t step = 0; step < whole.losses.size(); ++step) {
        const double apart = std::abs(split.losses[step] / whole.losses[step] - 1.0);
        QVERIFY2(apart <= 1e-5, fmt::format("loss {}: {}", step, apart).c_str());
      }
      QCOMPARE(split.arrays.size(), whole.arrays.size());
      for (std::size_t i = 0; i < whole.arrays.size(); ++i) {
        const double apart = distance(split.arrays[i], whole.arrays[i]);
        QVERIFY2(apart <= 1e-5, fmt::format("array {}: {}", i, apart).c_str());
      }
    }
  }

  // 5000 rows of width 32 are enough to wake workers for the exchange and the update.
  void threadsChangeNoBit_data() {
    QTest::addColumn<int>("geometry");
    for (const int geometry : {2, 6, 8, 10, 12, 13, 16})
      QTest::newRow(nameOf(geometries()[static_cast<std::size_t>(geometry)]).c_str()) << geometry;
  }
  void threadsChangeNoBit() {
    QFETCH(int, geometry);
    const nn::Model model = modelOf(sample::plainDot(32), 4000);
    const Geometry& split = geometries()[static_cast<std::size_t>(geometry)];
    const Trained alone = train(model, split, 5000, 1), several = train(model, split, 5000, 3);
    QCOMPARE(alone.losses.size(), static_cast<std::size_t>(kSteps));
    QCOMPARE(several.losses, alone.losses);
    QVERIFY(several.arrays == alone.arrays);
    const Trained whole = train(model, kOneDevice, 5000);
    QVERIFY(distance(alone.losses, whole.losses) <= 1e-5);
    QVERIFY(distance(alone.arrays[0], whole.arrays[0]) <= 1e-5);
  }

  // The comparison notices a slightly different learning rate, or it would prove nothing.
  void comparisonNoticesAChange() {
    Experiment experiment = bagModel(Combiner::kMean, optimizers()[0].optimizer);
    const Trained before = train(modelOf(experiment), geometries()[1]);
    experiment.optimizer.learningRate *= 1.001;
    const Trained after = train(modelOf(experiment), geometries()[1]);
    QVERIFY(distance(before.losses, after.losses) > 1e-5);
    QVERIFY(distance(before.arrays[0], after.arrays[0]) > 1e-5);
  }

  // The bytes that the planner counts for a model are those that its plan takes, exchanges and all.
  void plannedBytesAreThoseOfThePlan_data() {
    QTest::addColumn<int>("placement");
    QTest::addColumn<int>("spaces");
    for (const Placement placement : {Placement::kReplicated, Placement::kRow, Placement::kRowBlock,
                                      Placement::kColumn, Placement::kTable})
      for (const auto spaces : {MemorySpaces::kShared, MemorySpaces::kSeparate})
        QTest::addRow("%s, %s", mesh::placementName(placement),
                      spaces == MemorySpaces::kShared ? "one memory" : "own memories")
            << static_cast<int>(placement) << static_cast<int>(spaces);
  }
  void plannedBytesAreThoseOfThePlan() {
    QFETCH(int, placement);
    QFETCH(int, spaces);
    constexpr std::int64_t kBatch = 801;
    Experiment experiment = bagModel(Combiner::kMean, optimizers()[1].optimizer);
    for (experiment::Table& table : experiment.tables) {
      table.placement = static_cast<Placement>(placement);
      if (table.placement == Placement::kTable) table.device = "cpu:0";
    }
    const nn::Model model = modelOf(experiment, 3000);
    const auto mesh = mesh::DeviceMesh::create({.devices = {"cpu*4"},
                                                .shape = {},
                                                .axes = {"data"},
                                                .spaces = static_cast<MemorySpaces>(spaces)})
                          .value();
    std::vector<mesh::Sharding> shardings;
    for (const nn::Parameter& parameter :
         placed(model.graph, mesh, static_cast<Placement>(placement), {}))
      shardings.push_back(parameter.sharding);
    nn::ColumnIds bags;
    bags.maxIds = kBag;
    for (const bool overlap : {false, true})
      for (const bool stackTables : {false, true}) {
        experiment.mesh.overlap = overlap;
        experiment.mesh.stackTables = stackTables;
        std::int64_t taken = 0;
        for (const std::int64_t bytes : nn::stepBytes(model.graph, shardings, mesh,
                                                      {.targets = {model.heads[0].lossValue},
                                                      .capacityRows = kBatch,
                                                      .purpose = nn::StepPurpose::kTrain,
                                                      .idsPerRow = {1, 1, kBag, kBag, kBag},
                                                      .stackTables = stackTables,
                                                      .overlap = overlap}))
          taken += bytes;
        const mesh::PlanOutcome outcome = mesh::planTables(
            nn::planRequest(experiment, model, {{"tag", bags}, {"mood", bags}}, mesh,
                            mesh::localHardware(mesh.deviceNames(), *mesh::findProfile("cpu"),
                                                static_cast<MemorySpaces>(spaces)),
                            kBatch));
        QVERIFY(outcome.problems.empty());
        double planned = 0.0;
        for (const mesh::DevicePlan& device : outcome.plan.devices)
          planned += static_cast<double>(device.bufferBytes);
        const double off = planned / static_cast<double>(taken) - 1.0;
        QVERIFY2(std::abs(off) <= 0.02, fmt::format("{} of {} bytes, overlap {}, stacks {}",
                                                    planned, taken, overlap, stackTables)
                                            .c_str());
      }
  }

  void tablesOfEqualWidthShareAnExchange() {
    const nn::Model model = sample::build(sample::plainDot());
    const auto mesh = mesh::DeviceMesh::create({.devices = {"cpu*2"},
                                                .shape = {},
                                                .axes = {"data"},
                                                .spaces = experiment::MemorySpaces::kSeparate})
                          .value();
    std::vector<nn::Parameter> parameters = placed(model.graph, mesh, Placement::kRow, {});
    Workers workers(1);
    const auto communicator = mesh::makeLocalCommunicator(2, {&tensor::hostDevice(), &workers});
    nn::StepRunner plan(model.graph, parameters, mesh, *communicator, workers,
                        {.targets = {model.heads[0].lossValue},
                         .capacityRows = kRows,
                         .purpose = nn::StepPurpose::kTrain});
    sample::Batch batch = sample::batchOf(model, kRows, 1);
    QVERIFY(plan.train(batch.input(), 1).ok());
    QCOMPARE(plan.routes().size(), std::size_t{1});
    std::int64_t ids = 0;
    for (int rank = 0; rank < 2; ++rank)
      for (int shard = 0; shard < 2; ++shard) ids += plan.routes()[0]->counts(rank, shard).ids;
    QCOMPARE(ids, 2 * kRows);
  }
};

QTEST_GUILESS_MAIN(ShardingTest)
#include "sharding_test.moc"
