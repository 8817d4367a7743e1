// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/rank_route.h"

#include <QtTest>

#include "engine/mesh/placement.h"

using namespace parapet;
using experiment::Placement;
using mesh::RankRoute;
using mesh::StackShape;
using Ids = std::vector<std::int32_t>;

namespace {

/// Tables of 7 and 5 rows on two ranks, lookups of the first, the second and the first.
StackShape shapeOf(Placement placement) {
  const auto mesh =
      mesh::DeviceMesh::create({.devices = {"cpu*2"}, .shape = {}, .axes = {"data"}}).value();
  std::vector<mesh::Sharding> tables;
  for (const std::int64_t rows : {7, 5}) {
    experiment::Table table;
    table.embeddingDim = 4;
    table.placement = placement;
    tables.push_back(placement == Placement::kReplicated
                         ? mesh::Sharding::replicated(rows, 4, mesh.ranks())
                         : mesh::placeTable(table, mesh, rows, "").value());
  }
  return StackShape(std::move(tables), {{0, 4}, {1, 3}, {0, 2}}, mesh.ranks());
}

/// A route with its shape.
struct Routed {
  StackShape shape;
  RankRoute route;
  Routed(StackShape of, int rank)
      : shape(std::move(of)), route(tensor::hostDevice(), shape, rank) {}
  void assign(const std::vector<Ids>& ids) {
    std::vector<std::span<const std::int32_t>> spans(ids.begin(), ids.end());
    route.assign(shape, spans);
  }
  [[nodiscard]] Ids positions(int lookup) const {
    const auto found = route.positions(shape, lookup);
    return {found.begin(), found.end()};
  }
  [[nodiscard]] Ids requested(int shard, int table) const {
    const auto found = route.requested(shape, shard, table);
    return {found.begin(), found.end()};
  }
};

}  // namespace

class RankRouteTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  // Row r is row r / 2 of shard r mod 2. The rank receives shard 0's rows of table 0, then of
  // table 1, then shard 1's.
  void sortsDistinctRowsByOwnerAndTable() {
    Routed of(shapeOf(Placement::kRow), 0);
    of.assign({{5, 2, 5, 0}, {3, 4}, {2, 6}});
    QCOMPARE(of.requested(0, 0), (Ids{1, 0, 3}));  // rows 2, 0, 6
    QCOMPARE(of.requested(0, 1), (Ids{2}));        // row 4
    QCOMPARE(of.requested(1, 0), (Ids{2}));        // row 5
    QCOMPARE(of.requested(1, 1), (Ids{1}));        // row 3
    QCOMPARE(of.route.received(), std::int64_t{6});
    QCOMPARE(of.route.rowsOf(of.shape, 0), std::int64_t{4});
    QCOMPARE(of.route.rowsOf(of.shape, 1), std::int64_t{2});
    QCOMPARE(of.route.beginOf(of.shape, 0), std::int64_t{0});
    QCOMPARE(of.route.beginOf(of.shape, 1), std::int64_t{4});
    QCOMPARE(of.positions(0), (Ids{4, 0, 4, 1}));
    QCOMPARE(of.positions(1), (Ids{5, 3}));
    QCOMPARE(of.positions(2), (Ids{0, 2}));
  }

  void countsIdsAndDistinctRowsOfAShard() {
    Routed of(shapeOf(Placement::kRow), 1);
    of.assign({{5, 2, 5, 0}, {3, 4}, {2, 6}});
    const mesh::RouteCounts first = of.route.counts(of.shape, 0);
    QCOMPARE(first.ids, std::int64_t{5});
    QCOMPARE(first.distinct, std::int64_t{4});
    const mesh::RouteCounts second = of.route.counts(of.shape, 1);
    QCOMPARE(second.ids, std::int64_t{3});
    QCOMPARE(second.distinct, std::int64_t{2});
    // By peer and table.
    QCOMPARE(of.route.sentCounts(), (Ids{3, 1, 1, 1}));
  }

  // Each owner has some columns of every row, so each is asked for all.
  void requestsEveryRowOfEveryOwnerOfColumns() {
    Routed of(shapeOf(Placement::kColumn), 0);
    of.assign({{5, 2, 5, 0}, {3, 4}, {2, 6}});
    for (const int shard : {0, 1}) {
      QCOMPARE(of.requested(shard, 0), (Ids{5, 2, 0, 6}));
      QCOMPARE(of.requested(shard, 1), (Ids{3, 4}));
      QCOMPARE(of.route.beginOf(of.shape, shard), std::int64_t{0});
    }
    QCOMPARE(of.route.received(), std::int64_t{6});
  }

  // A replicated table is one shard of which every space has a copy.
  void tellsAllCopiesOfAReplicatedTable() {
    Routed of(shapeOf(Placement::kReplicated), 1);
    of.assign({{6}, {}, {6, 1}});
    QCOMPARE(of.requested(0, 0), (Ids{6, 1}));
    QCOMPARE(of.requested(0, 1), Ids{});
    QCOMPARE(of.route.sentCounts(), (Ids{2, 0, 2, 0}));
  }

  void startsAnewWithEachBatch() {
    Routed of(shapeOf(Placement::kRow), 0);
    of.assign({{5, 2, 5, 0}, {3, 4}, {2, 6}});
    of.assign({{1}, {}, {}});
    QCOMPARE(of.route.received(), std::int64_t{1});
    QCOMPARE(of.positions(0), Ids{0});
    QVERIFY(of.positions(1).empty());
    of.assign({{}, {}, {}});
    QCOMPARE(of.route.received(), std::int64_t{0});
  }

  void refusesWhatTheStackDoesNotHold() {
    Routed of(shapeOf(Placement::kRow), 0);
    const auto complaint = [&](const std::vector<Ids>& ids) -> std::string {
      try {
        of.assign(ids);
      } catch (const InvalidArgument& error) {
        return error.what();
      }
      return "";
    };
    QCOMPARE(complaint({{1}, {1}}),
             std::string("[mesh.RankRoute] ids of 2 lookups; the stack has 3"));
    QCOMPARE(complaint({{1, 2, 3, 4, 5}, {}, {}}),
             std::string("[mesh.RankRoute] 5 ids of lookup 0; it holds 4"));
    QCOMPARE(complaint({{0}, {0, 5}, {}}),
             std::string("[mesh.RankRoute] id 5 at index 1 of lookup 1; accepted are 0 … 4"));
    QCOMPARE(complaint({{-1}, {}, {}}),
             std::string("[mesh.RankRoute] id -1 at index 0 of lookup 0; accepted are 0 … 6"));
  }
};

QTEST_GUILESS_MAIN(RankRouteTest)
#include "rank_route_test.moc"
