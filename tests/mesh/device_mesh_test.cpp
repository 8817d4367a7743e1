// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/device_mesh.h"

#include <fmt/format.h>

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>

#include "engine/mesh/device_profile.h"
#include "engine/mesh/placement.h"

using namespace parapet;
using experiment::Placement;
using mesh::DeviceMesh;

namespace {

using Numbers = std::vector<std::int64_t>;
using Names = std::vector<std::string>;

DeviceMesh meshOf(const std::string& devices) {
  return DeviceMesh::create({.devices = {devices}, .shape = {}}).value();
}

Error errorOf(const experiment::Mesh& spec) {
  const auto mesh = DeviceMesh::create(spec);
  return mesh.ok() ? Error{} : mesh.error();
}

using Owners = std::vector<std::vector<int>>;

/// A mesh of 2 × 3 devices with the axes data and model.
DeviceMesh grid() {
  return DeviceMesh::create(
             {.devices = {"cpu*6"}, .shape = Numbers{2, 3}, .axes = {"data", "model"}})
      .value();
}

experiment::Table tableOf(Placement placement, Names axes) {
  experiment::Table table;
  table.embeddingDim = 5;
  table.placement = placement;
  table.axes = std::move(axes);
  return table;
}

Owners ownersOf(const mesh::Sharding& sharding) {
  Owners owners;
  for (int shard = 0; shard < sharding.shards(); ++shard) owners.push_back(sharding.owners(shard));
  return owners;
}

}  // namespace

class DeviceMeshTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void slicesCoverEveryBatchOnce_data() {
    QTest::addColumn<int>("ranks");
    for (const int ranks : {1, 2, 3, 7, 8}) QTest::addRow("%d ranks", ranks) << ranks;
  }
  void slicesCoverEveryBatchOnce() {
    QFETCH(int, ranks);
    const DeviceMesh mesh = meshOf("cpu*" + std::to_string(ranks));
    QCOMPARE(mesh.ranks(), ranks);
    for (const std::int64_t batch : {0, 1, 2, 5, 7, 8, 9, 1000, 1'000'003}) {
      std::int64_t at = 0, smallest = batch, largest = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const mesh::RowSlice slice = mesh.slice(rank, batch);
        QCOMPARE(slice.begin, at);
        QVERIFY(slice.rows() >= 0);
        smallest = std::min(smallest, slice.rows());
        largest = std::max(largest, slice.rows());
        at = slice.end;
      }
      QCOMPARE(at, batch);
      QVERIFY(largest - smallest <= 1);
    }
  }

  void moreRanksThanRowsLeaveSomeWithoutWork() {
    const DeviceMesh mesh = meshOf("cpu*8");
    Numbers rows;
    for (int rank = 0; rank < 8; ++rank) rows.push_back(mesh.slice(rank, 3).rows());
    QCOMPARE(rows, (Numbers{0, 0, 1, 0, 0, 1, 0, 1}));
  }

  void oneAxisOverAllDevicesUnlessTold() {
    const DeviceMesh mesh = meshOf("cpu*3");
    QCOMPARE(mesh.shape(), Numbers{3});
    QCOMPARE(mesh.axes(), Names{"data"});
    QCOMPARE(mesh.deviceNames(), (Names{"cpu:0", "cpu:1", "cpu:2"}));
    QCOMPARE(mesh.device(2).index(), 2);
  }

  void coordinatesAreRowMajor() {
    const auto mesh = DeviceMesh::create(
        {.devices = {"cpu*6"}, .shape = Numbers{2, 3}, .axes = {"data", "model"}});
    QVERIFY(mesh.ok());
    const std::vector<Numbers> expected{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}};
    for (int rank = 0; rank < 6; ++rank)
      QCOMPARE(mesh->coordinates(rank), expected[static_cast<std::size_t>(rank)]);
  }

  void shardsRunAlongTheAxesOfATable_data() {
    QTest::addColumn<Placement>("placement");
    QTest::addColumn<Names>("axes");
    QTest::addColumn<Owners>("owners");
    const auto row = Placement::kRow;
    QTest::newRow("all axes") << row << Names{} << Owners{{0}, {1}, {2}, {3}, {4}, {5}};
    QTest::newRow("model") << row << Names{"model"} << Owners{{0, 3}, {1, 4}, {2, 5}};
    QTest::newRow("data") << Placement::kRowBlock << Names{"data"} << Owners{{0, 1, 2}, {3, 4, 5}};
    QTest::newRow("model before data")
        << row << Names{"model", "data"} << Owners{{0}, {3}, {1}, {4}, {2}, {5}};
    QTest::newRow("columns") << Placement::kColumn << Names{"model"}
                             << Owners{{0, 3}, {1, 4}, {2, 5}};
    QTest::newRow("replicated") << Placement::kReplicated << Names{} << Owners{{0, 1, 2, 3, 4, 5}};
    QTest::newRow("table") << Placement::kTable << Names{} << Owners{{0}};
  }
  void shardsRunAlongTheAxesOfATable() {
    QFETCH(Placement, placement);
    QFETCH(Names, axes);
    QFETCH(Owners, owners);
    const auto sharding = mesh::placeTable(tableOf(placement, axes), grid(), 20, "/tables/2");
    QVERIFY(sharding.ok());
    QCOMPARE(ownersOf(*sharding), owners);
    QCOMPARE(sharding->rows(), 20);
    QCOMPARE(sharding->cols(), 5);
  }

  void memoriesHoldShards_data() {
    QTest::addColumn<Placement>("placement");
    QTest::addColumn<Names>("axes");
    QTest::addColumn<Numbers>("spaces");
    QTest::addColumn<Owners>("owners");
    const auto row = Placement::kRow, column = Placement::kColumn;
    QTest::newRow("one memory") << row << Names{} << Numbers{0, 0, 0, 0, 0, 0} << Owners{{0}};
    QTest::newRow("a memory for each device")
        << row << Names{"model", "data"} << Numbers{0, 1, 2, 3, 4, 5}
        << Owners{{0}, {3}, {1}, {4}, {2}, {5}};
    QTest::newRow("groups of devices")
        << row << Names{"model"} << Numbers{0, 1, 2, 3, 4, 5} << Owners{{0, 3}, {1, 4}, {2, 5}};
    QTest::newRow("two memories") << row << Names{} << Numbers{0, 0, 0, 1, 1, 1}
                                  << Owners{{0}, {1}};
    QTest::newRow("each has all shards")
        << column << Names{"model"} << Numbers{0, 0, 0, 1, 1, 1} << Owners{{0, 1}};
    QTest::newRow("each has one shard")
        << Placement::kRowBlock << Names{"data"} << Numbers{0, 0, 0, 1, 1, 1} << Owners{{0}, {1}};
    QTest::newRow("of unequal size")
        << row << Names{} << Numbers{0, 0, 0, 0, 1, 1} << Owners{{0}, {1}};
    QTest::newRow("that overlap") << row << Names{"model"} << Numbers{0, 0, 1, 1, 2, 2}
                                  << Owners{{0}, {1}, {2}};
    QTest::newRow("table") << Placement::kTable << Names{} << Numbers{0, 0, 0, 1, 1, 1}
                           << Owners{{0}};
    QTest::newRow("replicated") << Placement::kReplicated << Names{} << Numbers{0, 0, 0, 1, 1, 1}
                                << Owners{{0, 1}};
  }
  void memoriesHoldShards() {
    QFETCH(Placement, placement);
    QFETCH(Names, axes);
    QFETCH(Numbers, spaces);
    QFETCH(Owners, owners);
    mesh::Hardware hardware;
    for (const std::int64_t space : spaces)
      hardware.devices.push_back({"gpu", static_cast<int>(space)});
    const auto mesh =
        mesh::DeviceMesh::hypothetical(hardware, Numbers{2, 3}, {"data", "model"}).value();
    const auto placed = mesh::placeTable(tableOf(placement, axes), mesh, 20, "");
    const mesh::Sharding held = mesh::heldSharding(*placed, mesh);
    QCOMPARE(ownersOf(held), owners);
    QCOMPARE(held.isReplicated(), owners.size() == 1 && placement != Placement::kTable);
    QCOMPARE(mesh::devicesOf(held, mesh).size(), owners.size() * owners[0].size());
  }

  void aTableLiesOnTheDeviceItNames() {
    experiment::Table table = tableOf(Placement::kTable, {});
    table.device = "cpu:4";
    QCOMPARE(ownersOf(*mesh::placeTable(table, grid(), 20, "/tables/2")), (Owners{{4}}));
    table.device = "cpu:6";
    const Error error = mesh::placeTable(table, grid(), 20, "/tables/2").error();
    QCOMPARE(error.pointer, std::string("/tables/2/device"));
    QVERIFY(error.message.find("no device \"cpu:6\"") != std::string::npos);
  }

  void refusesPlacements_data() {
    QTest::addColumn<Placement>("placement");
    QTest::addColumn<Names>("axes");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("says");
    const auto row = Placement::kRow;
    QTest::newRow("absent axis") << row << Names{"data", "modell"} << "/tables/2/axes/1"
                                 << "no axis \"modell\"";
    QTest::newRow("axis twice") << row << Names{"data", "data"} << "/tables/2/axes/1"
                                << "\"data\" again";
    QTest::newRow("more shards than columns")
        << Placement::kColumn << Names{} << "/tables/2/placement"
        << "5 columns on 6 shards";
    QTest::newRow("not planned") << Placement::kAuto << Names{} << "/tables/2/placement"
                                 << "auto";
    QTest::newRow("axes of a table that is not split")
        << Placement::kReplicated << Names{"data"} << "/tables/2/axes"
        << "not split";
  }
  void refusesPlacements() {
    QFETCH(Placement, placement);
    QFETCH(Names, axes);
    QFETCH(QString, pointer);
    QFETCH(QString, says);
    const auto placed = mesh::placeTable(tableOf(placement, axes), grid(), 20, "/tables/2");
    QVERIFY(!placed.ok());
    QCOMPARE(placed.error().code, ErrorCode::kInvalidDocument);
    QCOMPARE(QString::fromStdString(placed.error().pointer), pointer);
    QVERIFY2(placed.error().message.find(says.toStdString()) != std::string::npos,
             placed.error().message.c_str());
  }

  // By memory space: the ranks of one have their limits together.
  void limitsWhatDevicesHold() {
    using experiment::MemorySpaces;
    const QTemporaryDir journal;
    const tensor::DeviceRegistry registry(
        {{PARAPET_EMULATED_PLUGIN}, true, ProbeJournal(journal.path().toStdString()), ""});
    const auto meshOn = [&](const Names& names, MemorySpaces spaces) {
      std::vector<tensor::Device> devices;
      for (const std::string& name : names) devices.push_back(registry.find(name).value());
      return DeviceMesh::arrange(std::move(devices), {}, {"data"}, spaces).value();
    };
    const auto limitsOf = [](const DeviceMesh& mesh) {
      Names limits;
      for (const tensor::Device& device : mesh.devices())
        limits.push_back(device.memoryLimit()
                             ? fmt::format("{}: {}", device.memoryLimit()->devices(),
                                           device.memoryLimit()->bytes())
                             : "none");
      return limits;
    };
    const Numbers bytes{1000, 200, 30};
    const Names side{"emu:0/0", "emu:0/1", "emu:1"}, apart{"emu:0/0", "emu:1", "emu:0/1"};
    const DeviceMesh mesh = meshOn(side, MemorySpaces::kShared), limited = mesh.within(bytes);
    QCOMPARE(limitsOf(mesh), (Names{"none", "none", "none"}));
    QCOMPARE(limitsOf(limited),
             (Names{"emu:0/0, emu:0/1: 1200", "emu:0/0, emu:0/1: 1200", "emu:1: 30"}));
    QCOMPARE(limited.deviceNames(), side);
    QCOMPARE(limited.spaces().size(), std::size_t{2});
    // Handles of one space share one limit; those of another run have another.
    QCOMPARE(limited.device(0).memoryLimit(), limited.device(1).memoryLimit());
    const DeviceMesh again = limited.within(bytes);
    QCOMPARE(limitsOf(again), limitsOf(limited));
    QVERIFY(again.device(0).memoryLimit() != limited.device(0).memoryLimit());
    const Names each{"emu:0/0: 1000", "emu:0/1: 200", "emu:1: 30"};
    QCOMPARE(limitsOf(meshOn(side, MemorySpaces::kSeparate).within(bytes)), each);
    QCOMPARE(limitsOf(meshOn(apart, MemorySpaces::kShared).within(bytes)),
             (Names{"emu:0/0: 1000", "emu:1: 200", "emu:0/1: 30"}));
    // Memory that is not known has no limit, nor has the host's, which more than the mesh lives in.
    QCOMPARE(limitsOf(mesh.within(Numbers{1000, 0, 30})), (Names{"none", "none", "emu:1: 30"}));
    QCOMPARE(limitsOf(meshOf("cpu*2").within(Numbers{1000, 200})), (Names{"none", "none"}));
    QVERIFY_THROWS_EXCEPTION(InvalidArgument, (void)mesh.within(Numbers{1000, 200}));
  }

  void processesDivideRanksAndSpaces() {
    const DeviceMesh whole = meshOf("cpu*5");
    QCOMPARE(whole.spaces().size(), std::size_t{1});
    QVERIFY(!whole.isDivided());
    QCOMPARE(whole.localRanks().count, 5);
    const std::vector<int> firstRanks{0, 2, 3};
    const DeviceMesh middle = whole.divided(firstRanks, 1), last = whole.divided(firstRanks, 2);
    for (const DeviceMesh& part : {middle, last}) {
      QCOMPARE(part.ranks(), 5);
      QCOMPARE(part.spaces().size(), std::size_t{3});  // no memory is that of two processes
      QCOMPARE(part.deviceNames(), whole.deviceNames());
      for (int rank = 0; rank < 5; ++rank)
        QCOMPARE(part.device(rank).isElsewhere(), !part.localRanks().has(rank));
    }
    QCOMPARE(middle.localRanks().first, 2);
    QCOMPARE(middle.localRanks().count, 1);
    QCOMPARE(last.localSpaces().first, 2);
    QCOMPARE(last.spaces()[2].ranks, 2);
    QVERIFY_THROWS_EXCEPTION(InternalError, (void)last.device(0).allocate(64));
    QVERIFY(!last.dry().isDivided());
    QVERIFY(!last.dry().device(0).isElsewhere());
  }

  void refusesToDivide() {
    const DeviceMesh whole = meshOf("cpu*3");
    using Ranks = std::vector<int>;
    for (const Ranks& firstRanks : {Ranks{}, Ranks{1}, Ranks{0, 0}, Ranks{0, 2, 1}, Ranks{0, 3}})
      QVERIFY_THROWS_EXCEPTION(InvalidArgument, (void)whole.divided(firstRanks, 0));
    QVERIFY_THROWS_EXCEPTION(InvalidArgument, (void)whole.divided(Ranks{0, 1}, 2));
    QVERIFY_THROWS_EXCEPTION(InvalidArgument, (void)whole.divided(Ranks{0, 1}, -1));
  }

  void refuses_data() {
    QTest::addColumn<Names>("devices");
    QTest::addColumn<Numbers>("shape");
    QTest::addColumn<Names>("axes");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("says");
    const Names data{"data"};
    QTest::newRow("no device") << Names{} << Numbers{} << data << "/mesh/devices"
                               << "no device";
    QTest::newRow("unknown device")
        << Names{"cpu", "tpu:0"} << Numbers{} << data << "/mesh/devices/1"
        << "tpu:0";
    QTest::newRow("absent device") << Names{"cuda:0"} << Numbers{} << data << "/mesh/devices"
                                   << "cuda:0";
    QTest::newRow("absent device, with those that are here")
        << Names{"cuda:0/1"} << Numbers{} << data << "/mesh/devices"
        << "here are: cpu (any number)";
    QTest::newRow("named twice") << Names{"cpu:0", "cpu:0"} << Numbers{} << data
                                 << "/mesh/devices/1"
                                 << "cpu:0 again";
    QTest::newRow("product too small") << Names{"cpu*4"} << Numbers{3} << data << "/mesh/shape"
                                       << "shape [3] holds 3 devices, the mesh has 4";
    QTest::newRow("empty axis") << Names{"cpu*4"} << Numbers{4, 0} << Names{"a", "b"}
                                << "/mesh/shape"
                                << "shape [4, 0]";
    QTest::newRow("two negative axes whose product fits")
        << Names{"cpu*4"} << Numbers{-2, -2} << Names{"a", "b"} << "/mesh/shape"
        << "shape [-2, -2]";
    QTest::newRow("two axes of one name")
        << Names{"cpu*4"} << Numbers{2, 2} << Names{"a", "a"} << "/mesh/axes"
        << "axis \"a\" again";
    QTest::newRow("axis without a name") << Names{"cpu*4"} << Numbers{2, 2} << data << "/mesh/axes"
                                         << "1 axis names for 2 dimensions";
  }
  void refuses() {
    QFETCH(Names, devices);
    QFETCH(Numbers, shape);
    QFETCH(Names, axes);
    QFETCH(QString, pointer);
    QFETCH(QString, says);
    experiment::Mesh spec{.devices = devices, .shape = {}, .axes = axes};
    if (!shape.empty()) spec.shape = shape;
    const Error error = errorOf(spec);
    QCOMPARE(error.code, ErrorCode::kInvalidDocument);
    QCOMPARE(QString::fromStdString(error.pointer), pointer);
    QVERIFY2(error.message.find(says.toStdString()) != std::string::npos, error.message.c_str());
  }
};

QTEST_GUILESS_MAIN(DeviceMeshTest)
#include "device_mesh_test.moc"
