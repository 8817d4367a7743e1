// SPDX-License-Identifier: Apache-2.0
// Sharded lookups and their gradients against one table in one piece.
#include "engine/mesh/table_exchange.h"

#include <QtTest>
#include <cmath>
#include <numeric>

#include "engine/base/random.h"
#include "engine/mesh/placement.h"

using namespace parapet;
using experiment::Placement;

namespace {

constexpr std::int64_t kCapacity = 40;

/// The ids that the ranks bring.
enum class Ids { kSpread, kFewDistinct, kOneShard, kOneRank, kNone };

struct Geometry {
  const char* name;
  Placement placement;
  int ranks;
  std::vector<std::int64_t> shape;
  std::vector<std::string> axes;       ///< of the mesh
  std::vector<std::string> tableAxes;  ///< over which the tables are split
};

std::vector<Geometry> geometries() {
  std::vector<Geometry> all;
  for (const int ranks : {1, 2, 3, 8}) {
    all.push_back({"row", Placement::kRow, ranks, {ranks}, {"data"}, {}});
    all.push_back({"row_block", Placement::kRowBlock, ranks, {ranks}, {"data"}, {}});
    all.push_back({"column", Placement::kColumn, ranks, {ranks}, {"data"}, {}});
    all.push_back({"table", Placement::kTable, ranks, {ranks}, {"data"}, {}});
  }
  const std::vector<std::string> axes{"data", "model"}, model{"model"}, data{"data"};
  const std::vector<std::string> turned{"model", "data"};
  all.push_back({"row in groups of 4", Placement::kRow, 8, {2, 4}, axes, model});
  all.push_back({"row in strided groups", Placement::kRow, 8, {2, 4}, axes, data});
  all.push_back({"row_block in groups of 2", Placement::kRowBlock, 6, {3, 2}, axes, model});
  all.push_back({"column in groups of 3", Placement::kColumn, 6, {2, 3}, axes, model});
  all.push_back({"row over turned axes", Placement::kRow, 8, {2, 4}, axes, turned});
  all.push_back({"column over turned axes", Placement::kColumn, 6, {2, 3}, axes, turned});
  for (const int ranks : {2, 3, 8})
    all.push_back({"replicated", Placement::kReplicated, ranks, {ranks}, {"data"}, {}});
  return all;
}

/// A table in one piece, and the same numbers cut into shards.
struct WholeTable {
  mesh::Sharding sharding;
  std::vector<float> weight;
  std::vector<std::vector<float>> shards;
  std::vector<std::vector<std::int32_t>> indexOfRow;

  WholeTable(const mesh::Sharding& sharding_, std::uint64_t stream) : sharding(sharding_) {
    const Random random(1, RandomPurpose::kInitializer, stream);
    for (std::int64_t i = 0; i < sharding.rows() * sharding.cols(); ++i)
      weight.push_back(random.uniform(static_cast<std::uint64_t>(i)) - 0.5f);
    for (int shard = 0; shard < sharding.shards(); ++shard) {
      std::vector<float>& part = shards.emplace_back();
      for (std::int64_t localRow = 0; localRow < sharding.shardRows(shard); ++localRow) {
        const float* row = weight.data() + sharding.globalRow(shard, localRow) * sharding.cols() +
                           sharding.firstCol(shard);
        part.insert(part.end(), row, row + sharding.shardCols(shard));
      }
      indexOfRow.emplace_back(static_cast<std::size_t>(sharding.shardRows(shard)), -1);
    }
  }
};

/// The ids of one lookup on one rank, in bags of up to three; bag 1 is empty.
struct RankLookup {
  std::vector<std::int32_t> ids, bagOfPlace;
  std::vector<float> scales, gradients;  ///< gradients [bags, cols]
};

/// A stack on a mesh, and what a step with it does.
struct Stack {
  int ranks;
  std::vector<WholeTable> tables;
  std::vector<mesh::StackLookup> lookups;
  tensor::Launch launch{&tensor::hostDevice(), nullptr};
  std::unique_ptr<mesh::Communicator> communicator;
  std::unique_ptr<mesh::TableRoutes> routes;
  std::unique_ptr<mesh::TableExchange> exchange;
  std::vector<std::vector<RankLookup>> batch;  ///< [rank][lookup]

  Stack(const Geometry& geometry, int tableCount);
  void drawBatch(Ids pattern, std::uint64_t step);
  void forward();
  void backward();
  [[nodiscard]] std::vector<mesh::TableExchange::ShardRows> shardsHeldBy(int rank);
  [[nodiscard]] static mesh::TableExchange::ShardRows shardOf(WholeTable& table, int shard);
  /// Σ over all ranks of the gradient of a table, [rows, cols].
  [[nodiscard]] std::vector<double> directGradient(int table) const;
  /// The exchanged gradient as a copy of the shards has it.
  [[nodiscard]] std::vector<double> exchangedGradient(int table, int copy);
};

Stack::Stack(const Geometry& geometry, int tableCount)
    : ranks(geometry.ranks),
      communicator(mesh::makeLocalCommunicator(geometry.ranks, {&tensor::hostDevice(), nullptr})) {
  const auto mesh = mesh::DeviceMesh::create({.devices = {"cpu*" + std::to_string(ranks)},
                                              .shape = geometry.shape,
                                              .axes = geometry.axes});
  const std::int64_t rowsOfTable[] = {37, 5, 1000};
  std::vector<mesh::Sharding> shardings;
  for (int table = 0; table < tableCount; ++table) {
    experiment::Table spec;
    spec.embeddingDim = 11;
    spec.placement = geometry.placement;
    spec.axes = geometry.tableAxes;
    shardings.push_back(mesh::placeTable(spec, *mesh, rowsOfTable[table], "/tables/0").value());
    tables.emplace_back(shardings.back(), static_cast<std::uint64_t>(table));
    lookups.push_back({table, kCapacity});
  }
  lookups.push_back({0, kCapacity});  // a table that two features share
  const std::vector<tensor::Device> devices(static_cast<std::size_t>(ranks), tensor::hostDevice());
  routes = std::make_unique<mesh::TableRoutes>(devices, shardings, lookups);
  exchange = std::make_unique<mesh::TableExchange>(devices, *routes);
}

void Stack::drawBatch(Ids pattern, std::uint64_t step) {
  batch.assign(static_cast<std::size_t>(ranks), std::vector<RankLookup>(lookups.size()));
  for (int rank = 0; rank < ranks; ++rank)
    for (std::size_t lookup = 0; lookup < lookups.size(); ++lookup) {
      const mesh::Sharding& sharding =
          tables[static_cast<std::size_t>(lookups[lookup].table)].sharding;
      const Random random(step, RandomPurpose::kSampling,
                          static_cast<std::uint64_t>(rank) * 16 + lookup);
      RankLookup& mine = batch[static_cast<std::size_t>(rank)][lookup];
      const bool brings = pattern != Ids::kNone && (pattern != Ids::kOneRank || rank == ranks - 1);
      const auto count = brings ? static_cast<std::int64_t>(random.below(0, kCapacity + 1)) : 0;
      std::uint64_t at = 1;
      while (static_cast<std::int64_t>(mine.ids.size()) < count) {
        const std::int64_t below = pattern == Ids::kFewDistinct
                                       ? std::min<std::int64_t>(3, sharding.rows())
                                       : sharding.rows();
        const auto id =
            static_cast<std::int32_t>(random.below(at++, static_cast<std::uint64_t>(below)));
        if (pattern == Ids::kOneShard && sharding.shardOf(id) != sharding.shardOf(0)) continue;
        const auto place = static_cast<std::int32_t>(mine.ids.size());
        mine.ids.push_back(id);
        mine.bagOfPlace.push_back(place < 3 ? 0 : place / 3 + 1);
        mine.scales.push_back(random.uniform(at++) + 0.5f);
      }
      const auto bags = static_cast<std::uint64_t>(kCapacity / 3 + 2);
      for (std::uint64_t i = 0; i < bags * 11; ++i)
        mine.gradients.push_back(random.uniform(100000 + i) - 0.5f);
    }
}

mesh::TableExchange::ShardRows Stack::shardOf(WholeTable& table, int shard) {
  return {table.shards[static_cast<std::size_t>(shard)].data(), table.sharding.shardRows(shard)};
}

std::vector<mesh::TableExchange::ShardRows> Stack::shardsHeldBy(int rank) {
  const int shard = routes->shardHeldBy(rank);
  std::vector<mesh::TableExchange::ShardRows> shards;
  if (shard >= 0)
    for (WholeTable& table : tables) shards.push_back(shardOf(table, shard));
  return shards;
}

void Stack::forward() {
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<std::span<const std::int32_t>> ids;
    for (const RankLookup& lookup : batch[static_cast<std::size_t>(rank)])
      ids.emplace_back(lookup.ids);
    routes->route(rank, ids);
  }
  QVERIFY(routes->exchange(*communicator).ok());
  if (!routes->shape().fetchesRows()) return;
  for (int rank = 0; rank < ranks; ++rank)
    exchange->gather(launch, *routes, rank, shardsHeldBy(rank));
  QVERIFY(exchange->exchangeRows(launch, *routes, *communicator).ok());
}

void Stack::backward() {
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<mesh::LookupGradient> gradients;
    for (const RankLookup& lookup : batch[static_cast<std::size_t>(rank)])
      gradients.push_back(
          {lookup.gradients.data(), lookup.bagOfPlace.data(), lookup.scales.data()});
    exchange->mergeGradients(launch, *routes, rank, gradients);
  }
  QVERIFY(exchange->exchangeGradients(launch, *routes, *communicator).ok());
}

std::vector<double> Stack::directGradient(int table) const {
  const mesh::Sharding& sharding = tables[static_cast<std::size_t>(table)].sharding;
  std::vector<double> sums(static_cast<std::size_t>(sharding.rows() * sharding.cols()), 0.0);
  for (const auto& ofRank : batch)
    for (std::size_t lookup = 0; lookup < lookups.size(); ++lookup) {
      if (lookups[lookup].table != table) continue;
      const RankLookup& mine = ofRank[lookup];
      for (std::size_t n = 0; n < mine.ids.size(); ++n)
        for (std::int64_t d = 0; d < sharding.cols(); ++d)
          sums[static_cast<std::size_t>(mine.ids[n] * sharding.cols() + d)] +=
              static_cast<double>(mine.scales[n]) *
              static_cast<double>(mine.gradients[static_cast<std::size_t>(
                  mine.bagOfPlace[n] * sharding.cols() + d)]);
    }
  return sums;
}

std::vector<double> Stack::exchangedGradient(int table, int copy) {
  WholeTable& whole = tables[static_cast<std::size_t>(table)];
  const mesh::Sharding& sharding = whole.sharding;
  std::vector<double> sums(static_cast<std::size_t>(sharding.rows() * sharding.cols()), 0.0);
  for (int shard = 0; shard < sharding.shards(); ++shard) {
    const auto index = static_cast<std::size_t>(shard);
    routes->group(*launch.device, {shard, copy}, table, whole.indexOfRow[index].data());
    const tensor::UpdateTarget target =
        exchange->target(*routes, {shard, copy}, table, shardOf(whole, shard));
    for (std::int64_t u = 0; u < target.count; ++u) {
      const std::int64_t row = sharding.globalRow(shard, target.rows[u]);
      for (std::int32_t n = target.first[u]; n >= 0; n = target.next[n])
        for (std::int64_t d = 0; d < target.width; ++d)
          sums[static_cast<std::size_t>(row * sharding.cols() + sharding.firstCol(shard) + d)] +=
              static_cast<double>(target.grad[target.gradRows[n] * target.width + d]);
    }
  }
  return sums;
}

}  // namespace

class TableExchangeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void movesRowsAndGradients_data() {
    QTest::addColumn<int>("geometry");
    QTest::addColumn<int>("tables");
    const std::vector<Geometry> all = geometries();
    for (std::size_t i = 0; i < all.size(); ++i)
      for (const int tables : {1, 2, 3})
        QTest::addRow("%s, %d ranks, %d tables", all[i].name, all[i].ranks, tables)
            << static_cast<int>(i) << tables;
  }
  /// Several steps with one set of buffers: nothing of a step is left in the next one.
  void movesRowsAndGradients() {
    QFETCH(int, geometry);
    QFETCH(int, tables);
    Stack stack(geometries()[static_cast<std::size_t>(geometry)], tables);
    std::uint64_t step = 0;
    for (const Ids pattern : {Ids::kSpread, Ids::kFewDistinct, Ids::kOneShard, Ids::kOneRank,
                              Ids::kNone, Ids::kSpread}) {
      stack.drawBatch(pattern, step++);
      stack.forward();
      if (stack.routes->shape().fetchesRows()) compareRows(stack);
      compareCounts(stack);
      stack.backward();
      compareGradients(stack);
    }
  }

  void keepsDistinctRowsOnly() {
    Stack stack({"row", Placement::kRow, 2, {2}, {"data"}, {}}, 1);
    stack.drawBatch(Ids::kNone, 0);
    stack.batch[0][0].ids = {4, 7, 4, 4, 9, 7};
    stack.batch[0][1].ids = {7, 2};
    stack.forward();
    QCOMPARE(stack.routes->received(0), 4);
    const auto requested = [&](int shard) {
      const auto places = stack.routes->requested(0, shard, 0);
      return std::vector<std::int32_t>(places.begin(), places.end());
    };
    QCOMPARE(requested(0), (std::vector<std::int32_t>{2, 1}));  // rows 4 and 2
    QCOMPARE(requested(1), (std::vector<std::int32_t>{3, 4}));  // rows 7 and 9
    QCOMPARE(stack.routes->counts(0, 0).ids, 4);
    QCOMPARE(stack.routes->counts(0, 1).ids, 4);
    QCOMPARE(stack.routes->counts(0, 1).distinct, 2);
    QCOMPARE(stack.routes->received(1), 0);
  }

  void refusesWhatDoesNotFit() {
    Stack stack({"row", Placement::kRow, 2, {2}, {"data"}, {}}, 1);
    const std::vector<std::int32_t> none, tooHigh{36, 37}, negative{-1};
    const std::vector<std::int32_t> tooMany(kCapacity + 1, 0);
    using Lists = std::vector<std::span<const std::int32_t>>;
    for (const auto& bad : {tooHigh, negative, tooMany})
      QVERIFY_EXCEPTION_THROWN(stack.routes->route(0, Lists{none, bad}), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(stack.routes->route(0, Lists{none}), InvalidArgument);
    const auto routesOf = [](std::vector<mesh::Sharding> tables, int table) {
      const std::vector<tensor::Device> devices(2, tensor::hostDevice());
      mesh::TableRoutes(devices, std::move(tables), {{table, 1}});
    };
    const mesh::Sharding row(Placement::kRow, 9, 4, {{0}, {1}});
    const mesh::Sharding wide(Placement::kRow, 9, 5, {{0}, {1}});
    const mesh::Sharding turned(Placement::kRow, 9, 4, {{1}, {0}});
    QVERIFY_EXCEPTION_THROWN(routesOf({}, 0), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(routesOf({row, wide}, 0), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(routesOf({row, turned}, 0), InvalidArgument);
    QVERIFY_EXCEPTION_THROWN(routesOf({row}, 1), InvalidArgument);
  }

  void endsWhenTheCommunicatorIsAborted() {
    Stack stack({"row", Placement::kRow, 2, {2}, {"data"}, {}}, 1);
    stack.drawBatch(Ids::kSpread, 0);
    stack.forward();
    stack.communicator->abort("rank 1 is gone");
    QCOMPARE(stack.routes->exchange(*stack.communicator).error().code, ErrorCode::kPeer);
    QCOMPARE(
        stack.exchange->exchangeRows(stack.launch, *stack.routes, *stack.communicator).error().code,
        ErrorCode::kPeer);
  }

 private:
  static void compareRows(const Stack& stack) {
    for (int rank = 0; rank < stack.ranks; ++rank)
      for (int lookup = 0; lookup < stack.routes->lookups(); ++lookup) {
        const auto index = static_cast<std::size_t>(lookup);
        const auto& ids = stack.batch[static_cast<std::size_t>(rank)][index].ids;
        const WholeTable& table =
            stack.tables[static_cast<std::size_t>(stack.lookups[index].table)];
        const auto positions = stack.routes->positions(rank, lookup);
        QCOMPARE(positions.size(), ids.size());
        for (std::size_t n = 0; n < ids.size(); ++n) {
          QVERIFY(positions[n] >= 0 && positions[n] < stack.routes->received(rank));
          const float* found = stack.exchange->rows(rank) + positions[n] * 11;
          QVERIFY(std::equal(found, found + 11, table.weight.data() + ids[n] * 11));
        }
      }
  }

  static void compareCounts(const Stack& stack) {
    const bool splitsRows = stack.tables[0].sharding.placement() == Placement::kRow ||
                            stack.tables[0].sharding.placement() == Placement::kRowBlock;
    for (int rank = 0; rank < stack.ranks; ++rank) {
      std::int64_t brought = 0, ids = 0, distinct = 0;
      for (const RankLookup& lookup : stack.batch[static_cast<std::size_t>(rank)])
        brought += static_cast<std::int64_t>(lookup.ids.size());
      for (int shard = 0; shard < (splitsRows ? stack.routes->shards() : 1); ++shard) {
        ids += stack.routes->counts(rank, shard).ids;
        distinct += stack.routes->counts(rank, shard).distinct;
      }
      QCOMPARE(ids, brought);
      QCOMPARE(distinct, stack.routes->received(rank));
    }
  }

  static void compareGradients(Stack& stack) {
    for (int table = 0; table < static_cast<int>(stack.tables.size()); ++table) {
      const std::vector<double> expected = stack.directGradient(table);
      const std::vector<double> first = stack.exchangedGradient(table, 0);
      for (std::size_t i = 0; i < expected.size(); ++i)
        QVERIFY(std::abs(first[i] - expected[i]) <= 2e-6 * (1.0 + std::abs(expected[i])));
      // Every copy is updated by the same bits.
      for (int copy = 1; copy < stack.routes->shape().copies(); ++copy)
        QVERIFY(stack.exchangedGradient(table, copy) == first);
    }
  }
};

QTEST_GUILESS_MAIN(TableExchangeTest)
#include "table_exchange_test.moc"
