// SPDX-License-Identifier: Apache-2.0
// Tables in the host's memory, of which a device holds the rows that steps used last: the same bits as
// tables that lie in the device.
#include "engine/nn/row_cache.h"

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <numeric>

#include "tests/nn/sample_kinds.h"

using namespace parapet;
using experiment::Experiment;
using experiment::Placement;
using nn::RecentRows;
using nn::RowCache;
using sample::kExamples, sample::Kind, sample::Outcome;

namespace {

constexpr std::int64_t kManyUsers = 900, kManyItems = 700;

/// Models of the sample whose tables are documents', and optimizers that keep slots.
std::vector<Kind> kindsWithTables() {
  std::vector<Kind> all;
  for (const Kind& kind : sample::kinds())
    if (kind.experiment) all.push_back(kind);
  const auto with = [](experiment::OptimizerKind kind) {
    Experiment experiment = sample::denseTowers(experiment::Activation::kRelu);
    experiment.optimizer.kind = kind;
    experiment.optimizer.sparseUpdate = experiment::SparseUpdate::kLazy;
    experiment.optimizer.weightDecay = 0.01;
    return experiment;
  };
  all.push_back({"lazy Adam", [=] { return with(experiment::OptimizerKind::kAdam); }});
  all.push_back(
      {"row-wise Adagrad", [=] { return with(experiment::OptimizerKind::kRowwiseAdagrad); }});
  all.push_back({"FTRL", [=] { return with(experiment::OptimizerKind::kFtrl); }});
  all.push_back({"a table with several readers, norms clipped", [] {
                   Experiment experiment = sample::sharedTable();
                   experiment.optimizer.clipNorm = 0.01;
                   return experiment;
                 }});
  return all;
}

/// A model whose tables have as many places as a step may need, or all of their rows.
nn::Model modelOf(const Kind& kind, bool cached) {
  Experiment experiment = kind.experiment();
  nn::Model whole = sample::build(experiment, kManyUsers, kManyItems);
  if (!cached) return whole;
  nn::SpaceCapacity capacity;
  capacity.idsPerRow = sample::idsPerRow(whole);
  for (std::size_t table = 0; table < experiment.tables.size(); ++table) {
    std::int64_t ids = 0;
    for (const nn::Lookup& lookup : whole.graph.lookups())
      if (static_cast<std::size_t>(lookup.table) == table) ids += capacity.idsOf(lookup);
    experiment.tables[table].cacheRows = ids * (kExamples + kind.extra);
  }
  return sample::build(experiment, kManyUsers, kManyItems);
}

}  // namespace

class RowCacheTest : public QObject {
  Q_OBJECT

  const QTemporaryDir journal_;
  const tensor::DeviceRegistry registry_{
      {{PARAPET_EMULATED_PLUGIN}, true, ProbeJournal(journal_.path().toStdString()), ""}};
  const std::vector<Kind> kinds_ = kindsWithTables();

  [[nodiscard]] tensor::Device emulated(int index = 0) const {
    return registry_.find("emu:" + std::to_string(index)).value();
  }
  [[nodiscard]] sample::Trainer trainer(const Kind& kind, bool cached, int devices,
                                        Placement placement) const {
    std::vector<tensor::Device> here;
    for (int index = 0; index < devices; ++index) here.push_back(emulated(index));
    nn::Model model = modelOf(kind, cached);
    auto idsPerRow = sample::idsPerRow(model);
    return {std::move(model),
            mesh::DeviceMesh::arrange(std::move(here), std::nullopt, {"data"},
                                      experiment::MemorySpaces::kShared)
                .value(),
            2,
            kExamples + kind.extra,
            std::move(idsPerRow),
            placement};
  }

 private Q_SLOTS:
  void theRowUsedLongestAgoLeaves() {
    RecentRows recent(10, 3);
    for (const std::int32_t row : {7, 2, 5}) QCOMPARE(recent.take(row).left, RecentRows::kNone);
    recent.beginStep();
    QVERIFY(recent.use(recent.find(7)));
    QVERIFY(!recent.use(recent.find(7)));
    const std::int32_t place = recent.find(2);
    const RecentRows::Taken taken = recent.take(9);
    QCOMPARE(taken.left, 2);
    QCOMPARE(taken.place, place);
    QCOMPARE(recent.rowIn(place), 9);
    QCOMPARE(recent.find(2), RecentRows::kNone);
    QCOMPARE(recent.take(0).left, 5);
  }

  void noRowOfTheStepLeaves() {
    RecentRows recent(10, 2);
    recent.beginStep();
    recent.take(1);
    recent.take(2);
    try {
      recent.take(3);
      QFAIL("it was taken");
    } catch (const InvalidArgument& error) {
      QCOMPARE(std::string(error.what()),
               std::string(
                   "[nn.RecentRows] a step uses more than the 2 rows that there are places for"));
    }
    recent.beginStep();
    QCOMPARE(recent.take(3).left, 1);
    recent.clear();
    for (std::int32_t row = 0; row < 10; ++row) QCOMPARE(recent.find(row), RecentRows::kNone);
    QCOMPARE(recent.take(4).left, RecentRows::kNone);
  }

  void refusesMorePlacesThanRows() {
    QVERIFY_THROWS_EXCEPTION(InvalidArgument, RecentRows(3, 4));
    QVERIFY_THROWS_EXCEPTION(InvalidArgument, RecentRows(3, 0));
  }

  // More rows come and go than fit into a block; what a plain table holds is the reference.
  void rowsKeepWhatStepsMadeOfThem_data() {
    QTest::addColumn<int>("places");
    for (const int places : {40, 300, static_cast<int>(2 * RowCache::kBlockRows + 3)})
      QTest::addRow("%d places", places) << places;
  }
  void rowsKeepWhatStepsMadeOfThem() {
    QFETCH(int, places);
    const std::int64_t rows = 3 * places;
    constexpr std::int64_t kCols = 3;
    const tensor::Device device = emulated();
    tensor::Buffer<float> weight(device, places * kCols), slot(device, places);
    RowCache cache(device, rows, places, {{weight.data(), kCols}, {slot.data(), 1}});
    std::vector<float> weights(static_cast<std::size_t>(rows * kCols)),
        slots(static_cast<std::size_t>(rows));
    std::iota(weights.begin(), weights.end(), 0.5f);
    std::iota(slots.begin(), slots.end(), -100.25f);
    std::ranges::copy(weights, cache.table(0).data());
    std::ranges::copy(slots, cache.table(1).data());
    const Random random(3, RandomPurpose::kSampling);
    std::vector<std::int32_t> ids, at;
    std::uint64_t draw = 0;
    nn::CacheCounts expected;
    for (int step = 0; step < 12; ++step) {
      const bool trains = step % 4 != 3;
      ids.clear();
      for (int id = 0; id < places; ++id)
        ids.push_back(
            static_cast<std::int32_t>(random.below(draw++, static_cast<std::uint64_t>(rows))));
      at.assign(ids.size(), -1);
      cache.beginStep();
      cache.bring(ids, trains ? RowCache::Use::kTrains : RowCache::Use::kReads, at.data());
      const std::vector<float> here = tensor::readBack(weight), slotsHere = tensor::readBack(slot);
      std::vector<float> changed = here, slotsChanged = slotsHere;
      std::vector<std::int32_t> distinct = ids;
      std::ranges::sort(distinct);
      const auto tail = std::ranges::unique(distinct);
      distinct.erase(tail.begin(), tail.end());
      if (trains) expected.rows += static_cast<std::int64_t>(distinct.size());
      for (std::size_t n = 0; n < ids.size(); ++n) {
        const auto place = static_cast<std::size_t>(at[n]), row = static_cast<std::size_t>(ids[n]);
        for (std::size_t d = 0; d < kCols; ++d) {
          QCOMPARE(here[place * kCols + d], weights[row * kCols + d]);
          changed[place * kCols + d] = here[place * kCols + d] * 1.25f + 1.0f;
        }
        QCOMPARE(slotsHere[place], slots[row]);
        slotsChanged[place] = slotsHere[place] - 2.0f;
      }
      if (!trains) continue;
      for (const std::int32_t id : distinct) {
        const auto row = static_cast<std::size_t>(id);
        for (std::size_t d = 0; d < kCols; ++d)
          weights[row * kCols + d] = weights[row * kCols + d] * 1.25f + 1.0f;
        slots[row] -= 2.0f;
      }
      device.copyIn(weight.data(), changed.data(), weight.bytes());
      device.copyIn(slot.data(), slotsChanged.data(), slot.bytes());
    }
    const auto whole = cache.table(0).host(), wholeSlots = cache.table(1).host();
    QVERIFY(std::ranges::equal(whole, weights));
    QVERIFY(std::ranges::equal(wholeSlots, slots));
    const nn::CacheCounts counts = cache.takeCounts();
    QCOMPARE(counts.rows, expected.rows);
    QVERIFY(counts.hits > 0 && counts.hits < counts.rows);
    QCOMPARE(cache.takeCounts().rows, std::int64_t{0});
  }

  void trainsTheSameBits_data() {
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("devices");
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind)
      for (const int devices : {1, 2, 3})
        QTest::addRow("%s, %d devices", kinds_[kind].name, devices)
            << static_cast<int>(kind) << devices;
  }
  void trainsTheSameBits() {
    QFETCH(int, kind);
    QFETCH(int, devices);
    const Kind& of = kinds_[static_cast<std::size_t>(kind)];
    using enum Placement;
    const std::vector<Placement> placements =
        devices == 1 ? std::vector{kReplicated} : std::vector{kRow, kRowBlock, kColumn, kTable};
    for (const Placement placement : placements) {
      sample::Trainer whole = trainer(of, false, devices, placement);
      sample::Trainer cached = trainer(of, true, devices, placement);
      QVERIFY(cached.parameters[0].shards[0].cache);
      QVERIFY(!whole.parameters[0].shards[0].cache);
      const Outcome expected = sample::trained(whole, of.extra);
      const Outcome found = sample::trained(cached, of.extra);
      QCOMPARE(found.losses.size(), static_cast<std::size_t>(sample::kSteps) + 1);
      QCOMPARE(found.losses, expected.losses);
      QVERIFY(found.arrays == expected.arrays);
      const auto counts = cached.parameters[0].takeCacheCounts();
      QVERIFY(counts && counts->rows > 0 && counts->hits < counts->rows);
      QVERIFY(!whole.parameters[0].takeCacheCounts());
    }
  }

  void rowsThatAreWrittenReplaceThoseOfTheCache() {
    sample::Trainer cached = trainer(kinds_.back(), true, 1, Placement::kReplicated);
    QVERIFY(sample::trained(cached, kinds_.back().extra).losses.size() > 1);
    nn::Parameter& table = cached.parameters[0];
    std::vector<float> rows(static_cast<std::size_t>(table.size())), read(rows.size());
    std::iota(rows.begin(), rows.end(), 0.25f);
    nn::scatterRows(table, -1, rows);
    nn::gatherRows(table, -1, read);
    QCOMPARE(read, rows);
  }

  // A step that a cache cannot serve is refused before there is a plan.
  void refusesPlansThatNeedAllRows() {
    const auto refusal = [&](const Kind& kind, int devices, Placement placement) {
      try {
        (void)trainer(kind, true, devices, placement);
      } catch (const InvalidArgument& error) {
        return std::string(error.what());
      }
      return std::string("taken");
    };
    QCOMPARE(refusal(kinds_[0], 2, Placement::kReplicated),
             std::string("[nn.StepRunner] tables/user is replicated, and it is cached"));
    const Kind dense{"", [] {
                       Experiment experiment = sample::plainDot();
                       experiment.optimizer.momentum = 0.9;
                       return experiment;
                     }};
    QCOMPARE(
        refusal(dense, 1, Placement::kReplicated),
        std::string(
            "[nn.StepRunner] tables/user has an optimizer that moves every row, and it is cached"));
  }
};

QTEST_GUILESS_MAIN(RowCacheTest)
#include "row_cache_test.moc"
