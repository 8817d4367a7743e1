// SPDX-License-Identifier: Apache-2.0
// What a run may hold on a device with memory of its own: the number that the plan was compared with is
// the one that allocations are, for each run of its own.
#include <fmt/format.h>

#include <QtTest>
#include <mutex>
#include <numeric>

#include "engine/base/text.h"
#include "engine/mesh/device_mesh.h"
#include "engine/tensor/buffer.h"
#include "engine/workspace/masked_model.h"
#include "engine/workspace/plan.h"
#include "engine/workspace/resolved_experiment.h"
#include "tests/workspace/sample_runs.h"
#include "tests/workspace/small_recipes.h"

using namespace parapet;
using experiment::Experiment;
using experiment::RunState;
using tensor::MemoryLimit;

namespace {

/// A workspace that keeps the limits of its runs, and takes some bytes of a device before a run does,
/// which no plan has counted.
struct WatchedWorkspace {
  QTemporaryDir folder;
  std::mutex mutex;
  std::vector<std::shared_ptr<MemoryLimit>> limits;  ///< by run and rank
  std::size_t rankTaken = 0;
  std::int64_t bytesToTake = 0;
  std::vector<tensor::Buffer<std::byte>> taken;
  std::unique_ptr<workspace::Workspace> workspace =
      workspace::Workspace::open(folder.path().toStdString(), {},
                                 [this](std::span<const tensor::Device> devices, Workers* workers) {
                                   const std::lock_guard lock(mutex);
                                   for (const tensor::Device& device : devices)
                                     limits.push_back(device.memoryLimit());
                                   if (bytesToTake > 0)
                                     taken.emplace_back(devices[rankTaken], bytesToTake);
                                   return mesh::localCommunicators()(devices, workers);
                                 })
          .value();

  workspace::Workspace* operator->() { return workspace.get(); }
  workspace::RunOutcome train(const Experiment& experiment) {
    auto run = workspace->start(experiment, {.recipe = "sample", .threads = 1});
    if (run) return (*run)->wait();
    workspace::RunOutcome refused;
    refused.state = RunState::kFailed;
    refused.error = run.error();
    return refused;
  }
  std::optional<workspace::PlanReport> plan(const Experiment& experiment) {
    auto planned = workspace->plan(experiment,
                                   {.figures = workspace::PlanOptions::Figures::kStored,
                                    .data = workspace::PlanOptions::Data::kImport},
                                   {});
    if (!planned || !planned->findings.problems.empty()) return std::nullopt;
    return *std::move(planned);
  }

  /// The experiment with the placements of its plan, and no byte more for each device than it needs.
  std::optional<Experiment> toTheByte(Experiment experiment) {
    auto planned = plan(experiment);
    if (!planned) return std::nullopt;
    workspace::applyPlan(experiment, planned->plan);
    planned = plan(experiment);
    if (!planned) return std::nullopt;
    std::vector<std::int64_t> needed;
    const train::ResolvedModel& model = planned->resolved->model;
    for (std::size_t rank = 0; rank < model.plan.devices.size(); ++rank)
      needed.push_back(model.plan.devices[rank].bytes() + model.evaluationBytes[rank]);
    experiment.mesh.capacityBytes = experiment::DeviceCapacity(needed);
    return experiment;
  }
};

const char* textOf(const workspace::RunOutcome& run) {
  return run.error ? run.error->message.c_str() : "";
}

Experiment sampleOn(std::vector<std::string> devices) {
  Experiment experiment = testing::smallSample();
  experiment.mesh.devices = std::move(devices);
  return experiment;
}

}  // namespace

class MemoryLimitsTest : public QObject {
  Q_OBJECT

  const testing::SmallRecipes recipes_;

  // The bytes that preflight accepts are none too few for the run, its evaluation, and the
  // questions to what it has learned.
  static void runToTheByte(const Experiment& experiment) {
    WatchedWorkspace place;
    const auto exact = place.toTheByte(experiment);
    QVERIFY(exact.has_value());
    const auto run = place.train(*exact);
    QVERIFY2(run.state == RunState::kFinished, textOf(run));
    const std::vector<std::int64_t>& capacities = exact->mesh.capacityBytes->bytes;
    const auto mesh = mesh::DeviceMesh::create(exact->mesh).value();
    QCOMPARE(place.limits.size(), capacities.size());
    for (const mesh::SpaceRanks& space : mesh.spaces()) {
      const MemoryLimit& limit = *place.limits[static_cast<std::size_t>(space.firstRank)];
      const auto ofSpace = std::span(capacities)
                               .subspan(static_cast<std::size_t>(space.firstRank),
                                        static_cast<std::size_t>(space.ranks));
      QCOMPARE(static_cast<std::int64_t>(limit.bytes()),
               std::accumulate(ofSpace.begin(), ofSpace.end(), std::int64_t{0}));
      QVERIFY2(limit.peak() > 0 && limit.peak() <= limit.bytes(),
               fmt::format("{} of {} bytes", limit.peak(), limit.bytes()).c_str());
      QCOMPARE(limit.inUse(), std::uint64_t{0});  // all is given back
    }
    if (exact->model.kind == experiment::ModelKind::kMaskedLm) {
      const auto model = place->maskedModel(run.runId, {}, {});
      QVERIFY2(model.ok(), model.ok() ? "" : model.error().text().c_str());
      QVERIFY((*model)->fill("the cat [MASK] the dog", 2).ok());
      for (const int layer : {0, 1})
        QVERIFY((*model)->attention("the cat sees the dog", layer, 0).ok());
    } else {
      const auto evaluation = place->evaluate(run.runId, {}, {});
      QVERIFY2(evaluation.ok(), evaluation.ok() ? "" : evaluation.error().text().c_str());
    }
  }

 private Q_SLOTS:
  void initTestCase() { QVERIFY(recipes_.made()); }

  void aRunHoldsNoMoreThanItsPlan_data() {
    QTest::addColumn<QString>("recipe");
    QTest::addColumn<QStringList>("devices");
    for (const experiment::Recipe& recipe : experiment::recipes())
      for (const QString devices : {"emu:0", "emu:0/0 emu:0/1", "emu:0/0 emu:1 emu:0/1"})
        QTest::addRow("%s, %s", recipe.name.c_str(), qPrintable(devices))
            << QString::fromStdString(recipe.name) << devices.split(' ');
  }
  void aRunHoldsNoMoreThanItsPlan() {
    QFETCH(QString, recipe);
    QFETCH(QStringList, devices);
    Experiment experiment = recipes_.of(recipe.toStdString());
    experiment.mesh.devices.clear();
    for (const QString& device : devices) experiment.mesh.devices.push_back(device.toStdString());
    runToTheByte(experiment);
  }

  void settingsHoldNoMoreThanTheirPlan_data() {
    QTest::addColumn<QString>("recipe");
    QTest::addColumn<QStringList>("settings");
    for (const char* placement : {"replicated", "row", "row_block", "column", "table"}) {
      const QString quoted = QString("=\"%1\"").arg(placement);
      QTest::newRow(placement) << "sample"
                               << QStringList{"/tables/0/placement" + quoted,
                                              "/tables/1/placement" + quoted};
    }
    const auto row = [](const char* name, const char* recipe, const QStringList& settings) {
      QTest::newRow(name) << QString(recipe) << settings;
    };
    row("no stacks", "sample", {"/mesh/stack_tables=false"});
    row("no overlap", "sample", {"/mesh/overlap=false"});
    row("a large batch", "sample", {"/dataset/batch/size=397"});
    row("adam", "sample", {R"(/optimizer={"kind": "adam", "learning_rate": 0.01})"});
    row("clipped", "sample", {"/optimizer/global_clip_norm=1.0"});
    row("extra negatives", "sample", {R"(/loss/extra_negatives={"count": 64})"});
    row("weights", "movielens-retrieval", {"/dataset/weight=\"rating\""});
    row("accumulated", "movielens-retrieval", {"/optimizer/accumulate_steps=3"});
    row("cached", "sample",
        {"/dataset/generator/users=20000", "/dataset/generator/events=9000",
         "/tables/0/cache_rows=4096", "/tables/0/embedding_dim=64", "/tables/1/embedding_dim=64",
         R"(/optimizer={"kind": "adam", "learning_rate": 0.01, "sparse_update": "lazy"})"});
  }
  void settingsHoldNoMoreThanTheirPlan() {
    QFETCH(QString, recipe);
    QFETCH(QStringList, settings);
    nlohmann::json document = experiment::toJson(recipes_.of(recipe.toStdString()));
    for (const QString& setting : settings)
      document[nlohmann::json::json_pointer(setting.section('=', 0, 0).toStdString())] =
          nlohmann::json::parse(setting.section('=', 1).toStdString());
    for (const char* devices : {"emu*1", "emu*3"}) {
      document["mesh"]["devices"] = {devices};
      runToTheByte(experiment::test::parsedDocument(document));
    }
  }

  void whatGoesBeyondIsRefusedWithTheNumbers() {
    WatchedWorkspace place;
    const auto exact = place.toTheByte(sampleOn({"emu:0/0", "emu:1", "emu:0/1"}));
    QVERIFY(exact.has_value());
    const std::int64_t limit = exact->mesh.capacityBytes->bytes[2];
    place.rankTaken = 2;
    place.bytesToTake = limit;
    const auto refused = place.train(*exact);
    QCOMPARE(refused.state, RunState::kFailed);
    QCOMPARE(refused.error->code, ErrorCode::kInternal);
    const std::string text = refused.error->message;
    QVERIFY2(text.starts_with("[tensor.Buffer] emu:0/1 has no room for "), text.c_str());
    const std::string numbers =
        fmt::format("its limit is {0} ({1} bytes), of which {0} ({1} bytes) are in use",
                    formatBytes(static_cast<std::uint64_t>(limit)), limit);
    QVERIFY2(text.find(numbers) != std::string::npos, text.c_str());
    QVERIFY2(text.find("asked for the weights of tables/") != std::string::npos, text.c_str());
    // All that the refused run had taken is back; what is left is not its own.
    QCOMPARE(place.limits[0]->inUse(), std::uint64_t{0});
    QCOMPARE(place.limits[2]->inUse(), static_cast<std::uint64_t>(limit));
    // Another run on the same devices, beside those bytes, has limits of its own.
    place.bytesToTake = 0;
    const auto run = place.train(*exact);
    QVERIFY2(run.state == RunState::kFinished, textOf(run));
    QVERIFY(place.limits[5] != place.limits[2]);
    QCOMPARE(place.limits[2]->inUse(), static_cast<std::uint64_t>(limit));
  }

  void partsOfOneMemoryAreRefusedTogether() {
    WatchedWorkspace place;
    const auto exact = place.toTheByte(sampleOn({"emu:0/0", "emu:0/1"}));
    QVERIFY(exact.has_value());
    const std::vector<std::int64_t>& capacities = exact->mesh.capacityBytes->bytes;
    place.bytesToTake = capacities[0] + capacities[1];
    const auto refused = place.train(*exact);
    QCOMPARE(refused.state, RunState::kFailed);
    QVERIFY2(
        refused.error->message.starts_with("[tensor.Buffer] emu:0/0, emu:0/1 has no room for "),
        textOf(refused));
    QVERIFY2(refused.error->message.find(fmt::format("({} bytes), of which", place.bytesToTake)) !=
                 std::string::npos,
             textOf(refused));
  }

  // Without a number in the document a part has its share of the device.
  void aPartHasItsShareOfTheDevice() {
    WatchedWorkspace place;
    constexpr std::uint64_t kMemory = std::uint64_t{1} << 30;
    const auto run = place.train(sampleOn({"emu:0/0", "emu:1", "emu:0/1"}));
    QVERIFY2(run.state == RunState::kFinished, textOf(run));
    QCOMPARE(place.limits.size(), std::size_t{3});
    QCOMPARE(place.limits[0]->bytes(), kMemory / 2);
    QCOMPARE(place.limits[1]->bytes(), kMemory);
    QCOMPARE(place.limits[2]->bytes(), kMemory / 2);
  }

  void runsBesideOneAnotherHaveLimitsOfTheirOwn() {
    WatchedWorkspace place;
    auto exact = place.toTheByte(sampleOn({"emu:0/0", "emu:0/1"}));
    QVERIFY(exact.has_value());
    std::vector<std::unique_ptr<workspace::RunHandle>> runs;
    for (int i = 0; i < 3; ++i) {
      exact->training.seed = static_cast<std::uint64_t>(i);
      auto run = place->start(*exact, {.recipe = "sample", .threads = 1});
      QVERIFY2(run.ok(), run.ok() ? "" : run.error().text().c_str());
      runs.push_back(std::move(run).value());
    }
    for (const auto& run : runs) {
      const auto outcome = run->wait();
      QVERIFY2(outcome.state == RunState::kFinished, textOf(outcome));
    }
  }

  // The ranks of the CPU live in the memory of the host, with the data and much else: there the number is
  // one of the plan.
  void theHostsMemoryHasNoLimit() {
    WatchedWorkspace place;
    const auto exact = place.toTheByte(sampleOn({"cpu*2"}));
    QVERIFY(exact.has_value());
    place.bytesToTake = 2 * exact->mesh.capacityBytes->bytes[0];
    const auto run = place.train(*exact);
    QVERIFY2(run.state == RunState::kFinished, textOf(run));
    QCOMPARE(place.limits[0], std::shared_ptr<MemoryLimit>());
  }
};

QTEST_GUILESS_MAIN(MemoryLimitsTest)
#include "memory_limits_test.moc"
