// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/planner.h"

#include <fmt/format.h>

#include <QtTest>
#include <algorithm>
#include <numeric>

#include "engine/mesh/placement.h"
#include "engine/mesh/table_exchange.h"

using namespace parapet;
using experiment::Placement;
using mesh::PlanRequest;
using mesh::TablePlan;
using mesh::TableRequest;

namespace {

constexpr std::int64_t kGigabyte = 1'000'000'000;

/// `hosts` hosts of `each` H100s, as a mesh host × device.
mesh::Hardware gpus(int hosts, int each) {
  const std::string text = fmt::format(
      R"({{"hosts": [{{"name": "node", "count": {}, "devices": [{{"kind": "h100-80gb", "count": {}}}]}}],
          "mesh": {{"shape": [{}, {}], "axes": ["host", "device"]}}}})",
      hosts, each, hosts, each);
  return mesh::parseHardware(text, "hosts.json").value();
}

TableRequest table(const std::string& name, std::int64_t rows, std::int64_t cols = 64) {
  TableRequest request;
  request.table.name = name;
  request.table.embeddingDim = cols;
  request.rows = rows;
  request.slotBytesPerElement = 4;
  request.bytesPerRow = 4;
  request.distinct = mesh::DistinctRows::uniform(rows);
  return request;
}

PlanRequest requestOf(mesh::Hardware hardware, std::vector<TableRequest> tables) {
  auto grid = mesh::DeviceMesh::hypothetical(hardware, hardware.shape, hardware.axes);
  PlanRequest request{.tables = std::move(tables),
                      .dense = {},
                      .batchRows = 65536,
                      .mesh = std::move(grid).value(),
                      .hardware = std::move(hardware),
                      .capacityBytes = {}};
  request.dense = {.parameterBytes = 8'000'000,
                   .gradientBytes = 4'000'000,
                   .bufferBytes = 100'000'000,
                   .trainingFlopsPerExample = 3e6,
                   .bytesPerExample = 1e4,
                   .nodes = 10};
  for (std::size_t i = 0; i < request.tables.size(); ++i)
    request.tables[i].pointer = fmt::format("/tables/{}", i);
  return request;
}

/// Logical CPU devices, which share one memory.
PlanRequest onCpu(int devices, std::vector<TableRequest> tables) {
  std::vector<std::string> names;
  for (int i = 0; i < devices; ++i) names.push_back(fmt::format("cpu:{}", i));
  mesh::Hardware hardware = mesh::localHardware(names, *mesh::findProfile("cpu"));
  hardware.shape = {devices};
  hardware.axes = {"data"};
  return requestOf(std::move(hardware), std::move(tables));
}

TablePlan planOf(const PlanRequest& request) {
  const mesh::PlanOutcome outcome = mesh::planTables(request);
  if (!outcome.problems.empty()) return {.name = outcome.problems[0].message};
  return outcome.plan.tables.at(0);
}

TablePlan planPinned(Placement placement, std::vector<std::string> axes = {},
                     std::optional<std::string> device = {}) {
  PlanRequest request = requestOf(gpus(2, 4), {table("t", 1'000'003, 100)});
  request.tables[0].table.placement = placement;
  request.tables[0].table.axes = std::move(axes);
  request.tables[0].table.device = std::move(device);
  return planOf(request);
}

experiment::Problem problemOf(const PlanRequest& request) {
  const auto problems = mesh::planTables(request).problems;
  return problems.empty() ? experiment::Problem{} : problems[0];
}

/// Bytes of a table's shards on each rank, by Sharding.
std::vector<std::int64_t> bytesBySharding(const PlanRequest& request, const TablePlan& plan) {
  experiment::Table placed = request.tables[0].table;
  placed.placement = plan.placement;
  placed.axes = plan.axes;
  if (!plan.device.empty()) placed.device = plan.device;
  const auto sharding =
      mesh::placeTable(placed, request.mesh, request.tables[0].rows, "/tables/0").value();
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(request.mesh.ranks()), 0);
  for (int shard = 0; shard < sharding.shards(); ++shard)
    for (const int rank : sharding.owners(shard))
      bytes[static_cast<std::size_t>(rank)] +=
          sharding.shardRows(shard) * (sharding.shardCols(shard) * 8 + 4);
  return bytes;
}

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

class PlannerTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aTinyTableIsReplicated() {
    const TablePlan plan = planOf(requestOf(gpus(2, 8), {table("gender", 3, 16)}));
    QCOMPARE(plan.placement, Placement::kReplicated);
    QCOMPARE(plan.devices.size(), std::size_t{16});
    QVERIFY2(has(plan.reason, "on every device"), plan.reason.c_str());
  }

  void aHugeTableIsSplitByRowsOverAllDevices() {
    // 2 TB on 16 × 8 × 80 GB.
    const TablePlan plan = planOf(requestOf(gpus(16, 8), {table("ids", 4'000'000'000, 62)}));
    QCOMPARE(plan.placement, Placement::kRow);
    QCOMPARE(plan.devices.size(), std::size_t{128});
    QCOMPARE(plan.axes, (std::vector<std::string>{"host", "device"}));
    QVERIFY2(has(plan.reason, "do not fit"), plan.reason.c_str());
  }

  void devicesOfOneMemoryNeedNoSplit() {
    const TablePlan plan = planOf(onCpu(8, {table("user", 1'000'000)}));
    QCOMPARE(plan.placement, Placement::kReplicated);
    QCOMPARE(plan.bytes, std::int64_t{1'000'000} * (64 * 8 + 4));
    QVERIFY2(has(plan.reason, "share one memory"), plan.reason.c_str());
  }

  void oneMemoryHoldsATableOnceWhateverItsPlacement() {
    for (const Placement placement : {Placement::kReplicated, Placement::kRow, Placement::kRowBlock,
                                      Placement::kColumn, Placement::kTable}) {
      PlanRequest request = onCpu(8, {table("user", 1001)});
      request.tables[0].table.placement = placement;
      const TablePlan plan = planOf(request);
      QCOMPARE(plan.bytes, std::int64_t{1001} * (64 * 8 + 4));
      QCOMPARE(plan.trafficBytes, std::int64_t{0});
      QCOMPARE(plan.devices.size(), std::size_t{placement == Placement::kTable ? 1u : 8u});
    }
  }

  void bytesAreThoseOfTheShards_data() {
    QTest::addColumn<int>("placement");
    QTest::addColumn<QStringList>("axes");
    QTest::newRow("replicated") << int(Placement::kReplicated) << QStringList{};
    QTest::newRow("row") << int(Placement::kRow) << QStringList{};
    QTest::newRow("row block") << int(Placement::kRowBlock) << QStringList{};
    QTest::newRow("column") << int(Placement::kColumn) << QStringList{};
    QTest::newRow("table") << int(Placement::kTable) << QStringList{};
    QTest::newRow("row within hosts") << int(Placement::kRow) << QStringList{"device"};
    QTest::newRow("row over hosts") << int(Placement::kRow) << QStringList{"host"};
    QTest::newRow("block within hosts") << int(Placement::kRowBlock) << QStringList{"device"};
    QTest::newRow("columns within hosts") << int(Placement::kColumn) << QStringList{"device"};
  }
  void bytesAreThoseOfTheShards() {
    QFETCH(int, placement);
    QFETCH(QStringList, axes);
    PlanRequest request = requestOf(gpus(2, 4), {table("t", 1'000'003, 100)});
    request.tables[0].table.placement = static_cast<Placement>(placement);
    for (const QString& axis : axes) request.tables[0].table.axes.push_back(axis.toStdString());
    const mesh::PlanOutcome outcome = mesh::planTables(request);
    QVERIFY(outcome.problems.empty());
    const TablePlan& plan = outcome.plan.tables[0];
    QCOMPARE(plan.placement, static_cast<Placement>(placement));
    QVERIFY(plan.pinned);
    std::vector<std::int64_t> found(8, 0);
    for (std::size_t i = 0; i < plan.devices.size(); ++i)
      found[static_cast<std::size_t>(plan.devices[i])] = plan.bytesOfDevice[i];
    const auto expected = bytesBySharding(request, plan);
    QCOMPARE(found, expected);
    for (std::size_t rank = 0; rank < 8; ++rank)
      QCOMPARE(outcome.plan.devices[rank].tableBytes + outcome.plan.devices[rank].slotBytes,
               expected[rank]);
  }

  void buffersAreThoseOfTheExchange_data() { bytesAreThoseOfTheShards_data(); }
  void buffersAreThoseOfTheExchange() {
    QFETCH(int, placement);
    QFETCH(QStringList, axes);
    // Two tables of one stack, the ids of the next batch with routes of their own or not.
    for (const bool overlap : {false, true}) {
      PlanRequest request = requestOf(gpus(2, 4), {table("t", 3001, 100), table("u", 150, 100)});
      request.dense = {.preparedBytes = 803 * 8};
      request.batchRows = 803;
      request.overlap = overlap;
      request.tables[0].maxIdsPerExample = 7;
      request.tables[0].maxIdsOfLookup = 4;
      request.tables[1].maxIdsPerExample = request.tables[1].maxIdsOfLookup = 5;
      std::vector<mesh::Sharding> shardings;
      for (TableRequest& one : request.tables) {
        one.table.placement = static_cast<Placement>(placement);
        // On a device that is not named the planner chooses.
        if (one.table.placement == Placement::kTable) one.table.device = "node0/cuda:1";
        for (const QString& axis : axes) one.table.axes.push_back(axis.toStdString());
        shardings.push_back(mesh::placeTable(one.table, request.mesh, one.rows, "").value());
      }
      std::int64_t planned = 0;
      for (const mesh::DevicePlan& device : mesh::planTables(request).plan.devices)
        planned += device.bufferBytes;
      const auto count = std::make_shared<tensor::MemoryLimit>();
      const std::vector<tensor::Device> devices(8, tensor::hostDevice().dry(count));
      const auto makeRoutes = [&] {
        return mesh::TableRoutes(devices, shardings, {{0, 101 * 3}, {0, 101 * 4}, {1, 101 * 5}});
      };
      const mesh::TableRoutes routes = makeRoutes();
      const mesh::TableExchange exchange(devices, routes);
      std::optional<mesh::TableRoutes> ofNext;
      if (overlap) ofNext.emplace(makeRoutes());
      QCOMPARE(planned, static_cast<std::int64_t>(count->inUse()) + (overlap ? 803 * 8 : 0));
    }
  }

  void pinsAreKept() {
    QCOMPARE(planPinned(Placement::kColumn).placement, Placement::kColumn);
    QCOMPARE(planPinned(Placement::kTable, {}, "node1/cuda:2").device, std::string("node1/cuda:2"));
    // Axes alone ask for a split over them, a device alone for the table on it.
    QCOMPARE(planPinned(Placement::kAuto, {"device"}).axes, (std::vector<std::string>{"device"}));
    QCOMPARE(planPinned(Placement::kAuto, {}, "node0/cuda:3").placement, Placement::kTable);
    QVERIFY(has(planPinned(Placement::kRow).reason, "document"));
  }

  void impossiblePinsAreToldAtTheirPlace() {
    PlanRequest request =
        requestOf(gpus(2, 4), {table("a", 100, 4), table("b", 100), table("c", 9)});
    request.tables[0].table.placement = Placement::kColumn;  // 4 columns on 8 devices
    request.tables[1].table.placement = Placement::kRow;
    request.tables[1].table.axes = {"modle"};
    request.tables[2].table.placement = Placement::kTable;
    request.tables[2].table.device = "cuda:9";
    const auto problems = mesh::planTables(request).problems;
    QCOMPARE(problems.size(), std::size_t{3});
    QCOMPARE(problems[0].pointer, std::string("/tables/0/placement"));
    QCOMPARE(problems[1].pointer, std::string("/tables/1/axes/0"));
    QCOMPARE(problems[2].pointer, std::string("/tables/2/device"));
    QVERIFY2(has(problems[2].message, "node0/cuda:0"), problems[2].message.c_str());
  }

  void aShortfallIsToldInBytes() {
    // 10 · 1000 · (64·8 + 4) = 5,160,000 bytes of tables, 8,000,000 of layers and 100,000,000 of
    // buffers.
    std::vector<TableRequest> tables;
    for (int i = 0; i < 10; ++i) tables.push_back(table(fmt::format("t{}", i), 1000));
    PlanRequest request = requestOf(gpus(1, 1), std::move(tables));
    const std::int64_t needed = 5'160'000 + 8'000'000 + 100'000'000;
    request.capacityBytes = needed;
    QVERIFY(mesh::planTables(request).problems.empty());
    request.capacityBytes = needed - 7;
    const experiment::Problem problem = problemOf(request);
    QCOMPARE(problem.pointer, std::string("/mesh/capacity_bytes"));
    QVERIFY2(has(problem.message, "(7 bytes) are missing"), problem.message.c_str());
    QVERIFY2(has(problem.message, "113160000"), problem.message.c_str());
    QVERIFY2(has(problem.message, "\"t0\""), problem.message.c_str());
    QVERIFY2(has(problem.accepted, "at least 2 devices"), problem.accepted.c_str());
    QVERIFY2(has(problem.accepted, "rowwise_adagrad"), problem.accepted.c_str());
  }

  // A table of 100 GB on GPUs of 80: each holds the rows of its cache, the host the table.
  void aCachedTableTakesTheRowsOfItsCaches() {
    constexpr std::int64_t kPlaces = 1'000'000, kRowBytes = 64 * 8 + 4;
    TableRequest large = table("large", 200'000'000);
    large.cacheRows = kPlaces;
    const auto outcome = mesh::planTables(requestOf(gpus(1, 8), {large}));
    QVERIFY2(outcome.problems.empty(),
             outcome.problems.empty() ? "" : outcome.problems[0].message.c_str());
    const TablePlan& planned = outcome.plan.tables[0];
    // Each row has one place: no device has a cache of what another updates.
    QVERIFY(planned.placement != Placement::kReplicated);
    for (const mesh::PlanCandidate& candidate : planned.candidates)
      QVERIFY(candidate.placement != Placement::kReplicated);
    QVERIFY(planned.bytes <= 8 * kPlaces * kRowBytes);
    QVERIFY(std::ranges::any_of(outcome.plan.assumptions, [](const std::string& line) {
      return has(line, "in the caches of its devices");
    }));
    const auto alone = mesh::planTables(requestOf(gpus(1, 1), {large}));
    QCOMPARE(alone.plan.tables[0].bytes, kPlaces * kRowBytes);
    // Besides the slots of a cache a device has the rows that come and go, each with its slot.
    constexpr std::int64_t kBlockRows = 4096;
    large.cacheBlockRows = kBlockRows;
    QCOMPARE(mesh::planTables(requestOf(gpus(1, 1), {large})).plan.tables[0].bytes,
             (kPlaces + kBlockRows) * kRowBytes);
    large.cacheBlockRows = 2 * kPlaces;
    QCOMPARE(mesh::planTables(requestOf(gpus(1, 1), {large})).plan.tables[0].bytes,
             2 * kPlaces * kRowBytes);
    TableRequest frozen = large;
    frozen.slotBytesPerElement = frozen.bytesPerRow = 0;
    QCOMPARE(mesh::planTables(requestOf(gpus(1, 1), {frozen})).plan.tables[0].bytes,
             kPlaces * (2 * 64 * 4 + 4));
    large.table.placement = Placement::kReplicated;
    const experiment::Problem pinned = problemOf(requestOf(gpus(1, 8), {large}));
    QCOMPARE(pinned.pointer, std::string("/tables/0/cache_rows"));
    large.cacheRows = 0;
    const experiment::Problem missing = problemOf(requestOf(gpus(1, 1), {large}));
    QVERIFY2(has(missing.accepted,
                 "/tables/0/cache_rows, with which \"large\" lies in the host's memory"),
             missing.accepted.c_str());
    large.updatesEveryRow = true;
    QVERIFY(!has(problemOf(requestOf(gpus(1, 1), {large})).accepted, "cache_rows"));
  }

  void everyDeviceKeepsItsCapacity() {
    std::vector<TableRequest> tables;
    for (int i = 0; i < 40; ++i)
      tables.push_back(table(fmt::format("t{}", i), 1'000'000 * (1 + i)));
    PlanRequest request = requestOf(gpus(2, 4), std::move(tables));
    std::int64_t all = 0;
    for (const TableRequest& one : request.tables) all += one.bytes();
    request.capacityBytes = all / 8 + 2 * kGigabyte;  // little more than the tables take once
    const mesh::PlanOutcome outcome = mesh::planTables(request);
    QVERIFY2(outcome.problems.empty(),
             outcome.problems.empty() ? "" : outcome.problems[0].message.c_str());
    std::int64_t placed = 0;
    for (const mesh::DevicePlan& device : outcome.plan.devices) {
      QVERIFY(device.bytes() <= request.capacityBytes->of(0));
      QCOMPARE(device.capacityBytes, request.capacityBytes->of(0));
      placed += device.tableBytes + device.slotBytes;
    }
    QVERIFY(placed >= all);
  }

  // A small device beside a large one.
  void tablesGoWhereThereIsRoom_data() {
    QTest::addColumn<int>("large");
    QTest::newRow("the first is large") << 0;
    QTest::newRow("the last is large") << 1;
  }
  void tablesGoWhereThereIsRoom() {
    QFETCH(int, large);
    std::vector<TableRequest> tables;
    for (int i = 0; i < 4; ++i) tables.push_back(table(fmt::format("t{}", i), 4'000'000));
    PlanRequest request = requestOf(gpus(1, 2), std::move(tables));
    std::int64_t all = 0;
    for (const TableRequest& one : request.tables) all += one.bytes();
    // Little but layers and buffers, and room for the tables once; no way to halve them evenly.
    std::vector<std::int64_t> capacities{all / 4, all / 4};
    capacities[static_cast<std::size_t>(large)] = all + 3 * kGigabyte;
    request.capacityBytes = experiment::DeviceCapacity(capacities);
    const mesh::PlanOutcome outcome = mesh::planTables(request);
    QVERIFY2(outcome.problems.empty(),
             outcome.problems.empty() ? "" : outcome.problems[0].message.c_str());
    for (std::size_t rank = 0; rank < 2; ++rank) {
      const mesh::DevicePlan& device = outcome.plan.devices[rank];
      QCOMPARE(device.capacityBytes, capacities[rank]);
      QVERIFY2(device.bytes() <= device.capacityBytes, device.name.c_str());
    }
    const auto placed = [&](int rank) {
      const mesh::DevicePlan& device = outcome.plan.devices[static_cast<std::size_t>(rank)];
      return device.tableBytes + device.slotBytes;
    };
    QVERIFY(placed(large) > 2 * placed(1 - large));
    QVERIFY(placed(large) + placed(1 - large) >= all);
  }

  void theDeviceThatIsOverIsNamed() {
    PlanRequest request = requestOf(gpus(1, 3), {table("t", 1000)});
    // Layers and buffers alone are more than the second has.
    request.capacityBytes = experiment::DeviceCapacity({8 * kGigabyte, 1000, 8 * kGigabyte});
    const experiment::Problem problem = problemOf(request);
    QCOMPARE(problem.pointer, std::string("/mesh/capacity_bytes/1"));
    QVERIFY2(has(problem.message, "cuda:1 is over by"), problem.message.c_str());
    QVERIFY2(!has(problem.accepted, "of this size"), problem.accepted.c_str());
    // In all there is too little.
    request.capacityBytes = experiment::DeviceCapacity({1000, 2000, 900});
    const experiment::Problem less = problemOf(request);
    const std::string over = less.pointer.substr(less.pointer.rfind('/') + 1);
    QCOMPARE(less.pointer, "/mesh/capacity_bytes/" + over);
    QVERIFY2(has(less.message, ("cuda:" + over + " is over by").c_str()), less.message.c_str());
    QVERIFY2(has(less.accepted, "more in all"), less.accepted.c_str());
  }

  // More devices than a mesh may have are no help.
  void noMeshOfTooManyDevicesIsProposed() {
    PlanRequest request = requestOf(gpus(1, 2), {table("t", 1000)});
    request.capacityBytes = 1;
    const std::string accepted = problemOf(request).accepted;
    QVERIFY2(!has(accepted, "devices") && has(accepted, "more on each"), accepted.c_str());
  }

  void capacitiesOfOtherDevicesAreRefused() {
    PlanRequest request = requestOf(gpus(1, 2), {table("t", 1000)});
    request.capacityBytes = experiment::DeviceCapacity(std::vector<std::int64_t>{kGigabyte});
    QVERIFY_THROWS_EXCEPTION(InvalidArgument, mesh::planTables(request));
  }

  // Parts of a GPU are ranks of its memory, and have equal shares of it.
  void partsOfADeviceShareItsMemory() {
    using experiment::MemorySpaces;
    const auto planFor = [](const std::vector<std::string>& names, MemorySpaces spaces) {
      mesh::Hardware hardware = mesh::localHardware(names, *mesh::findProfile("cpu"), spaces);
      hardware.shape = {static_cast<std::int64_t>(names.size())};
      hardware.axes = {"data"};
      return mesh::planTables(requestOf(std::move(hardware), {table("t", 1000)})).plan.devices;
    };
    const std::int64_t whole = mesh::findProfile("h100-80gb")->memoryBytes;
    const auto shared = planFor({"cuda:0/0", "cuda:0/1"}, MemorySpaces::kShared);
    QCOMPARE(shared[0].memory, shared[1].memory);
    for (const mesh::DevicePlan& device : shared) QCOMPARE(device.capacityBytes, whole / 2);
    const auto separate = planFor({"cuda:0/0", "cuda:0/1"}, MemorySpaces::kSeparate);
    QVERIFY(separate[0].memory != separate[1].memory);
    for (const mesh::DevicePlan& device : separate) QCOMPARE(device.capacityBytes, whole / 2);
    const auto several = planFor({"cuda:0/0", "cuda:0/1", "cuda:1"}, MemorySpaces::kShared);
    QCOMPARE(several[0].memory, several[1].memory);
    QVERIFY(several[2].memory != several[1].memory);
    QCOMPARE(several[0].capacityBytes, whole / 2);
    QCOMPARE(several[2].capacityBytes, whole);
  }

  void moreRoomNeverMakesAStepLonger() {
    PlanRequest request = requestOf(gpus(1, 8), {});
    for (int i = 0; i < 12; ++i) {
      request.tables.push_back(table(fmt::format("t{}", i), 2'000'000 << (i % 4), 128));
      request.tables.back().pointer = fmt::format("/tables/{}", i);
    }
    double before = 1e9;
    for (const std::int64_t capacity : {16 * kGigabyte, 24 * kGigabyte, 80 * kGigabyte}) {
      request.capacityBytes = capacity;
      const mesh::PlanOutcome outcome = mesh::planTables(request);
      QVERIFY(outcome.problems.empty());
      QVERIFY(outcome.plan.stepSeconds <= before * 1.001);
      before = outcome.plan.stepSeconds;
    }
  }

  void skewLessensTraffic() {
    PlanRequest request = requestOf(gpus(1, 8), {table("ids", 100'000'000, 64)});
    request.tables[0].table.placement = Placement::kRow;
    const std::int64_t even = planOf(request).trafficBytes;
    request.tables[0].distinct =
        mesh::DistinctRows::measured(100'000'000, {8192, 4000}, {65536, 20000});
    const std::int64_t skewed = planOf(request).trafficBytes;
    QVERIFY(10 * skewed < 6 * even);
  }

  void skewMakesBlocksOfRowsUneven() {
    PlanRequest request = requestOf(gpus(1, 8), {table("ids", 100'000'000, 64)});
    request.dense = {};
    request.batchRows = 1 << 20;
    request.tables[0].accessCdf = {0.0, 0.7, 0.85, 0.95, 1.0};  // frequent rows come first
    const auto stepOf = [&](Placement placement) {
      request.tables[0].table.placement = placement;
      return mesh::planTables(request).plan.stepSeconds;
    };
    QVERIFY(stepOf(Placement::kRowBlock) > stepOf(Placement::kRow) * 1.5);
    request.tables[0].table.placement = Placement::kRowBlock;
    const TablePlan plan = planOf(request);
    QVERIFY(plan.rowsReadOfDevice.front() > 2.5 * plan.rowsReadOfDevice.back());
  }

  void distinctRowsFollowTheirSamples() {
    const auto curve = mesh::DistinctRows::measured(1000, {100, 50}, {400, 100});
    QVERIFY(std::abs(curve.of(400) - 100) < 1e-9);
    QVERIFY(std::abs(curve.of(100) - 50) < 1e-9);
    QVERIFY(std::abs(curve.of(1600) - 200) < 1e-9);  // u grows as √n
    QCOMPARE(curve.of(0), 0.0);
    QVERIFY(curve.of(1e9) <= 1000.0);
    const auto even = mesh::DistinctRows::uniform(100);
    QVERIFY(std::abs(even.of(100) - 63.397) < 1e-3);  // 100·(1 − 0.99^100)
    QCOMPARE(mesh::DistinctRows::uniform(1).of(64), 1.0);
  }

  void trafficOfRowsIsAsWorkedOutByHand() {
    // Two devices, rank batches of 100 rows with one id each, all different: 50 ids a rank are the
    // other's. Ids 4 bytes, vectors and gradients 4·8.
    PlanRequest request = requestOf(gpus(1, 2), {table("t", 1'000'000, 8)});
    request.dense = {};
    request.batchRows = 200;
    request.tables[0].table.placement = Placement::kRow;
    request.tables[0].distinct = mesh::DistinctRows::measured(1'000'000, {1, 1}, {1000, 1000});
    const auto plan = mesh::planTables(request).plan;
    for (const mesh::DevicePlan& device : plan.devices) {
      QCOMPARE(device.idBytes, std::int64_t{200});
      QCOMPARE(device.vectorBytes, std::int64_t{1600});
      QCOMPARE(device.gradientBytes, std::int64_t{1600});
    }
    QCOMPARE(plan.tables[0].trafficBytes, std::int64_t{6800});
  }

  void timesOfADeviceAddUpToTheStep() {
    const auto plan =
        mesh::planTables(requestOf(gpus(2, 4), {table("a", 50'000'000), table("b", 1000)})).plan;
    for (const mesh::DevicePlan& device : plan.devices) {
      const double sum = device.computeSeconds + device.exchangeSeconds + device.updateSeconds +
                         device.waitSeconds;
      QVERIFY(std::abs(sum - plan.stepSeconds) < 1e-9);
      QVERIFY(device.waitSeconds >= 0.0);
    }
  }

  void pairsOfTheBatchTakeTheirTime() {
    PlanRequest request = onCpu(2, {table("t", 1000, 16)});
    const auto computeSeconds = [&request] {
      return mesh::planTables(request).plan.devices[0].computeSeconds;
    };
    const double alone = computeSeconds();
    request.dense.pairLosses = 1;
    request.dense.trainingFlopsPerPair = 6.0 * 64;
    const mesh::PairRate& rate = request.hardware.spaces[0].profile.pairs;
    const auto rows = static_cast<double>(request.batchRows);
    // The devices share one memory space, which meets every pair once.
    const double pairs = rate.seconds(rows * rows, rows * rows * 6.0 * 64);
    QVERIFY(std::abs(computeSeconds() - alone - pairs) < 1e-9 * pairs);
  }

  // Each space sends its candidates to all others, and brings back the gradients of theirs.
  void candidatesOfTheBatchAreGathered() {
    for (const int hosts : {2, 16}) {
      PlanRequest request = requestOf(gpus(hosts, 8), {table("t", 1000, 16)});
      const int spaces = 8 * hosts;
      request.batchRows = 1024 * spaces;
      const auto device = [&request] { return mesh::planTables(request).plan.devices[0]; };
      const mesh::DevicePlan alone = device();
      request.dense.gatheredCols = 64;
      const mesh::DevicePlan gathers = device();
      const double sent = 1024.0 * (spaces - 1) * 4 * 65, returned = 1024.0 * (spaces - 1) * 4 * 64;
      QCOMPARE(static_cast<double>(gathers.vectorBytes - alone.vectorBytes), sent);
      QCOMPARE(static_cast<double>(gathers.gradientBytes - alone.gradientBytes), returned);
      const mesh::Link& link = request.hardware.betweenHosts;
      const double seconds = (sent + returned) / link.bytesPerSecond + 3 * link.latencySeconds;
      const double found = gathers.exchangeSeconds - alone.exchangeSeconds;
      QVERIFY2(std::abs(found - seconds) < 1e-9, qPrintable(QString::number(found)));
    }
  }

  void theChosenCandidateIsTheShortestThatFits() {
    const TablePlan plan = planOf(requestOf(gpus(2, 4), {table("a", 50'000'000)}));
    const auto chosen = std::ranges::find(plan.candidates, true, &mesh::PlanCandidate::chosen);
    QVERIFY(chosen != plan.candidates.end());
    QVERIFY(plan.candidates.size() >= 10);  // replicated, a device, three ways over three axis sets
    for (const mesh::PlanCandidate& candidate : plan.candidates)
      QVERIFY(!candidate.fits || chosen->stepSeconds <= candidate.stepSeconds * 1.01);
  }

  void manyTablesOnManyDevicesArePlannedTheSameEveryTime() {
    std::vector<TableRequest> tables;
    for (int i = 0; i < 100; ++i) {
      tables.push_back(
          table(fmt::format("t{}", i), 1000 + 1'000'000LL * ((i * 37) % 101), 32 << (i % 3)));
      tables.back().idsPerExample = 1 + i % 7;
    }
    const PlanRequest request = requestOf(gpus(16, 8), std::move(tables));
    const auto first = mesh::planTables(request).plan, second = mesh::planTables(request).plan;
    QCOMPARE(first.stepSeconds, second.stepSeconds);
    for (std::size_t i = 0; i < first.tables.size(); ++i) {
      QCOMPARE(first.tables[i].placement, second.tables[i].placement);
      QCOMPARE(first.tables[i].axes, second.tables[i].axes);
      QCOMPARE(first.tables[i].device, second.tables[i].device);
    }
  }

  void hardwareIsReadFromAFile() {
    const auto hardware = mesh::parseHardware(
        R"({"hosts": [{"name": "a", "devices": [{"kind": "mine", "count": 2}]},
                      {"name": "b", "devices": [{"kind": "cpu", "count": 3}]}],
            "kinds": [{"kind": "mine", "like": "h100-80gb", "memory_bytes": 48e9}],
            "links": {"between_hosts": {"bytes_per_second": 1e9, "latency_seconds": 1e-4}}})",
        "hosts.json");
    QVERIFY2(hardware.ok(), hardware.ok() ? "" : hardware.error().message.c_str());
    QCOMPARE(hardware->deviceNames(),
             (std::vector<std::string>{"a/cuda:0", "a/cuda:1", "b/cpu:0", "b/cpu:1", "b/cpu:2"}));
    QCOMPARE(hardware->spaces.size(), std::size_t{3});  // the CPU devices share one
    QCOMPARE(hardware->spaces[0].profile.memoryBytes, std::int64_t{48} * kGigabyte);
    QCOMPARE(hardware->spaces[0].profile.flopsPerSecond, 67e12);
    QCOMPARE(hardware->betweenHosts.bytesPerSecond, 1e9);
  }

  void faultsOfAFileNameTheirPlace_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("says");
    QTest::newRow("unknown key") << R"({"hosts": [{"devcies": []}]})"
                                 << "/hosts/0/devcies"
                                 << "did you mean \"devices\"";
    QTest::newRow("unknown kind") << R"({"hosts": [{"devices": [{"kind": "h100-80g"}]}]})"
                                  << "/hosts/0/devices/0/kind"
                                  << "h100-80gb";
    QTest::newRow("no hosts") << "{}"
                              << "/hosts"
                              << "missing";
    QTest::newRow("not a number")
        << R"({"hosts": [{"devices": [{"kind": "cpu", "count": "two"}]}]})"
        << "/hosts/0/devices/0/count"
        << "two";
    QTest::newRow("shape") << R"({"hosts": [{"devices": [{"kind": "cpu", "count": 4}]}],
                                  "mesh": {"shape": [3], "axes": ["data"]}})"
                           << "/mesh/shape"
                           << "4";
    QTest::newRow("same host twice")
        << R"({"hosts": [{"name": "a", "devices": [{"kind": "cpu"}]}, {"name": "a", "devices": [{"kind": "cpu"}]}]})"
        << "/hosts/1/name"
        << "duplicate host \"a\"";
    QTest::newRow("not JSON") << "{\n  hosts"
                              << ""
                              << "line 2";
  }
  void faultsOfAFileNameTheirPlace() {
    QFETCH(QString, text);
    QFETCH(QString, pointer);
    QFETCH(QString, says);
    const auto hardware = mesh::parseHardware(text.toStdString(), "hosts.json");
    QVERIFY(!hardware.ok());
    QCOMPARE(hardware.error().pointer, pointer.toStdString());
    QCOMPARE(hardware.error().path, std::string("hosts.json"));
    QVERIFY2(has(hardware.error().message, says.toUtf8()), hardware.error().message.c_str());
  }

  // Figures that were measured of a device replace those that one like it is known for.
  void measuredDevicesArePlannedWith() {
    mesh::DeviceProfile slow = *mesh::findProfile("h100-80gb");
    slow.kind = "cuda:1";
    slow.streamBytesPerSecond = 1e9;
    const mesh::Hardware hardware =
        mesh::localHardware({"cuda:0", "cuda:1/0", "cuda:1/1"}, *mesh::findProfile("cpu"),
                            experiment::MemorySpaces::kShared, {{"cuda:1", slow}});
    QCOMPARE(hardware.spaces.size(), std::size_t{2});
    QCOMPARE(hardware.spaces[0].profile.kind, std::string("h100-80gb"));
    QCOMPARE(hardware.spaces[1].profile.streamBytesPerSecond, 1e9);
    QCOMPARE(hardware.devices[1].space, 1);
    QCOMPARE(hardware.devices[2].space, 1);
  }
};

QTEST_GUILESS_MAIN(PlannerTest)
#include "planner_test.moc"
