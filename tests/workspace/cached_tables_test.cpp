// SPDX-License-Identifier: Apache-2.0
// Tables that lie in the host's memory, with caches on devices that nobody else can read: runs, their
// checkpoints and lists are those of tables that fit.
#include <QtTest>
#include <algorithm>

#include "engine/train/session.h"
#include "engine/workspace/plan.h"
#include "tests/train/make_session.h"
#include "tests/workspace/same_tensors.h"
#include "tests/workspace/sample_runs.h"

using namespace parapet;
using experiment::Experiment;
using experiment::Placement;
using experiment::Problem;

namespace {

constexpr std::int64_t kCacheRows = 4096;

/// More users than a cache has places.
Experiment manyUsers(const char* devices, Placement placement = Placement::kAuto) {
  Experiment experiment = testing::smallSample();
  experiment.dataset.generator =
      experiment::Generator{.users = 9000, .items = 40, .events = 30'000, .seed = 7};
  experiment.dataset.batch.size = 1000;
  experiment.mesh.devices = {devices};
  experiment.tables[0].placement = placement;
  return experiment;
}

Experiment cached(const char* devices, Placement placement = Placement::kAuto) {
  Experiment experiment = manyUsers(devices, placement);
  experiment.tables[0].cacheRows = kCacheRows;
  return experiment;
}

const Problem* at(const std::vector<Problem>& problems, std::string_view pointer) {
  const auto found = std::ranges::find(problems, pointer, &Problem::pointer);
  return found == problems.end() ? nullptr : &*found;
}

}  // namespace

class CachedTablesTest : public QObject {
  Q_OBJECT

  testing::TemporaryWorkspace place_;

  [[nodiscard]] std::string refusal(const Experiment& experiment) {
    const auto problems = place_->preflight(experiment).findings.problems;
    const Problem* problem = at(problems, "/tables/0/cache_rows");
    return problem ? problem->message : "accepted";
  }

 private Q_SLOTS:
  void aRunEndsWithTheSameBits() {
    const auto whole = place_.train(manyUsers("emu:0")), few = place_.train(cached("emu:0"));
    QVERIFY2(few.state == experiment::RunState::kFinished,
             few.error ? few.error->text().c_str() : "");
    testing::compareTensors(whole.checkpoint, few.checkpoint);
    QCOMPARE(few.testMetrics, whole.testMetrics);
    QVERIFY(whole.epochs.back().timeUse.caches.empty());
    const auto& caches = few.epochs.back().timeUse.caches;
    QCOMPARE(caches.size(), std::size_t{1});
    QCOMPARE(caches[0].table, std::string("user"));
    QVERIFY(caches[0].hits > 0 && caches[0].hits < caches[0].rows);
    const auto lists = [&](const workspace::RunOutcome& run) {
      const std::vector<std::string> users{"1", "8999"};
      return place_->recommender(run.runId, {})
          .value()
          ->recommend(users, 10, retrieval::SeenItems::kKeep)
          .value();
    };
    const auto expected = lists(whole), found = lists(few);
    for (std::size_t user = 0; user < found.size(); ++user)
      QVERIFY(std::ranges::equal(
          found[user].items, expected[user].items, {}, [](const auto& item) { return item.id; },
          [](const auto& item) { return item.id; }));
  }

  void devicesAgreeWithTheCpu_data() {
    QTest::addColumn<QString>("devices");
    QTest::addColumn<int>("placement");
    using enum Placement;
    for (const char* devices : {"emu:0", "emu*2", "emu*3"})
      for (const Placement placement : {kAuto, kRow, kRowBlock, kColumn, kTable})
        QTest::addRow("%s, %d", devices, static_cast<int>(placement))
            << QString(devices) << static_cast<int>(placement);
  }
  void devicesAgreeWithTheCpu() {
    QFETCH(QString, devices);
    QFETCH(int, placement);
    const auto found = place_->verify(
        cached("emu:0", static_cast<Placement>(placement)),
        {.steps = 20, .devices = {devices.toStdString()}, .against = {"cpu*1"}, .threads = 2}, {});
    QVERIFY2(found.ok(), found.ok() ? "" : found.error().text().c_str());
    QVERIFY2(found->passed, std::to_string(found->maxRelativeDiff).c_str());
  }

  // On a mesh with several ranks in one memory there is one cache for all.
  void partsOfADeviceShareACache() {
    const auto found = place_->verify(cached("emu:0"),
                                      {.steps = 20,
                                       .devices = {"emu:0/0", "emu:0/1", "emu:1"},
                                       .against = {"cpu*1"},
                                       .threads = 2},
                                      {});
    QVERIFY2(found.ok() && found->passed, found.ok() ? "" : found.error().text().c_str());
  }

  void whatNeedsEveryRowIsRefused() {
    Experiment few = cached("emu:0");
    few.tables[0].cacheRows = 100;
    QCOMPARE(refusal(few), std::string("100 rows, and up to 4,096 are read at once"));
    few.tables[0].cacheRows = 1;
    QCOMPARE(refusal(few), std::string("1 row, and up to 4,096 are read at once"));
    // No cache is accepted for a table with fewer rows than that.
    few.dataset.generator->users = 500;
    const auto problems = place_->preflight(few).findings.problems;
    const Problem* problem = at(problems, "/tables/0/cache_rows");
    QVERIFY(problem != nullptr);
    QCOMPARE(problem->message,
             std::string("1 row, and all 501 that a device has may be read at once"));
    QCOMPARE(problem->accepted, std::string("null"));
    QCOMPARE(refusal(cached("emu*2", Placement::kReplicated)),
             std::string(
                 "every device has a copy of a replicated table; a row may be in one cache alone"));
    QCOMPARE(refusal(cached("emu*2")), std::string("accepted"));
    // On one device, and in the memory of one, every placement is the whole table.
    QCOMPARE(refusal(cached("emu:0", Placement::kReplicated)), std::string("accepted"));
  }

  void theHostsMemoryIsCounted() {
    const auto whole = place_->preflight(manyUsers("emu:0")),
               few = place_->preflight(cached("emu:0"));
    QCOMPARE(whole.cachedTableBytes, std::uint64_t{0});
    const std::uint64_t rows = 9001, cols = 16;
    QVERIFY(few.cachedTableBytes >= rows * (2 * cols + 1) * sizeof(float));
    QCOMPARE(few.memory.size(), std::size_t{2});
    QCOMPARE(few.memory[1].name, std::string("host memory"));
    QVERIFY(few.memory[0].total() < whole.memory[0].total());
    const auto session =
        testing::makeSession(cached("emu:0"), place_->importData(cached("emu:0"), {})->dataset);
    QVERIFY(session.ok());
    const nn::ParameterShard& user = (*session)->parameters()[0].shards[0];
    QCOMPARE(user.rowsHere, kCacheRows);
    // And the block of rows on its way, of which the device has one, too.
    const auto block =
        static_cast<std::uint64_t>(nn::RowCache::deviceBytesFor(kCacheRows, 2 * cols));
    QCOMPARE(user.cache->bytes(), few.cachedTableBytes + block);
  }

  // Hosted tables have to fit into this machine, whatever its devices have.
  void aTableBeyondTheHostsMemoryIsRefused() {
    Experiment large = cached("emu:0");
    large.dataset.vocabularies[0].size = {experiment::VocabularySize::Kind::kFixed, 2'000'000'000};
    large.tables[0].embeddingDim = large.tables[1].embeddingDim = 64;
    const auto problems = place_->preflight(large).findings.problems;
    const Problem* problem = at(problems, "/tables/0");
    QVERIFY(problem != nullptr);
    QVERIFY2(problem->message.find("table \"user\"") != std::string::npos,
             problem->message.c_str());
  }

  void cpuDevicesWarn() {
    const auto parsed = experiment::parse(experiment::toJson(cached("cpu*2")));
    const Problem* warning = at(parsed.findings.warnings, "/tables/0/cache_rows");
    QVERIFY(warning != nullptr);
    QCOMPARE(warning->message,
             std::string("not used: the devices of the mesh read the host's memory, "
                         "where the table lies"));
    QVERIFY(parsed.findings.problems.empty());
  }

  void aCacheOfAllRowsOfADeviceWarns() {
    const auto warningOf = [&](Experiment experiment, std::int64_t rows) {
      experiment.tables[0].cacheRows = rows;
      const auto found = place_->preflight(experiment).findings;
      const Problem* warning = at(found.warnings, "/tables/0/cache_rows");
      return warning ? warning->message : std::string();
    };
    const Experiment sharded = manyUsers("emu*2", Placement::kRow);
    QCOMPARE(warningOf(manyUsers("emu:0"), 9000), std::string());
    QCOMPARE(warningOf(manyUsers("emu:0"), 9001),
             std::string("not used: a device has 9,001 rows of the table at most, and keeps all of "
                         "them"));
    QCOMPARE(warningOf(sharded, 4500), std::string());
    QCOMPARE(warningOf(sharded, 4501),
             std::string("not used: a device has 4,501 rows of the table at most, and keeps all of "
                         "them"));
    // Not twice.
    QCOMPARE(warningOf(manyUsers("cpu*2"), 9001), std::string());
  }

  void aPlanTellsWhatLiesOnTheHost() {
    const auto planOf = [&](const Experiment& experiment) {
      return place_->plan(experiment, {.data = workspace::PlanOptions::Data::kImport}, {}).value();
    };
    const workspace::PlanReport few = planOf(cached("emu:0")), whole = planOf(manyUsers("emu:0"));
    QCOMPARE(few.plan.tables[0].reason,
             std::string("there is one device, with a cache of 4,096 rows of the table, which lies "
                         "in the host's memory"));
    const auto onDevices = [](const workspace::PlanReport& report) {
      std::int64_t bytes = report.besides.total();
      for (const mesh::DevicePlan& device : report.plan.devices) bytes += device.bytes();
      return bytes;
    };
    QCOMPARE(few.peakBytes() - onDevices(few),
             static_cast<std::int64_t>(place_->preflight(cached("emu:0")).cachedTableBytes));
    QCOMPARE(whole.peakBytes(), onDevices(whole));
    const auto names = [](const workspace::PlanReport& report) {
      return std::ranges::any_of(report.plan.assumptions, [](const std::string& line) {
        return line.find("in the caches of its devices") != std::string::npos;
      });
    };
    QVERIFY(names(few));
    QVERIFY(!names(planOf(cached("cpu*2"))));
    Experiment all = cached("emu:0");
    all.tables[0].cacheRows = 9001;
    QVERIFY(!names(planOf(all)));
    const auto sharded = planOf(cached("emu*2", Placement::kRow));
    QCOMPARE(sharded.plan.tables[0].reason,
             std::string("the document sets this placement; it lies in the host's memory, with a "
                         "cache of 4,096 rows for each shard"));
  }

  void aPlanNamesTheTableThatCouldLieOnTheHost() {
    Experiment experiment = manyUsers("emu:0");
    experiment.mesh.capacityBytes = experiment::DeviceCapacity(std::int64_t{1'000'000});
    const auto problems = place_->preflight(experiment).findings.problems;
    const Problem* problem = at(problems, "/mesh/capacity_bytes");
    QVERIFY(problem != nullptr);
    QVERIFY2(problem->accepted.find("/tables/0/cache_rows, with which \"user\" lies in the host's "
                                    "memory") != std::string::npos,
             problem->accepted.c_str());
  }
};

QTEST_GUILESS_MAIN(CachedTablesTest)
#include "cached_tables_test.moc"
