// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/table_exchange.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/result.h"
#include "engine/tensor/ops/copy_columns.h"
#include "engine/tensor/ops/fill.h"
#include "engine/tensor/ops/gather_rows.h"
#include "engine/tensor/ops/group_rows.h"

namespace parapet::mesh {
namespace {

void requireCount(const char* what, std::size_t found, std::size_t accepted) {
  if (found != accepted)
    throw InvalidArgument(
        fmt::format("[mesh.TableExchange] {} {}; the stack has {}", found, what, accepted));
}

/// Calls task(rank) for every rank, on the workers if there are any.
void forRanks(const tensor::Launch& launch, int ranks, BlockTask task) {
  if (launch.workers)
    launch.workers->parallelFor(ranks, task);
  else
    for (int rank = 0; rank < ranks; ++rank) task(rank);
}

}  // namespace

TableExchange::TableExchange(const tensor::Device& device, const TableRoutes& routes)
    : elementCounts_(routes.elementCounts_), in_(routes.in_), out_(routes.out_) {
  const Sharding& sharding = routes.tables()[0];
  const std::int64_t rows = routes.mostReceived(), values = rows * sharding.cols();
  const std::int64_t places = routes.mostPlaces();
  const bool splitsColumns = sharding.placement() == experiment::Placement::kColumn;
  for (int rank = 0; rank < routes.ranks(); ++rank) {
    ranks_.push_back({.received = {device, values},
                      .gradients = {device, values},
                      .columns = {device, splitsColumns ? values : 0},
                      .rows = {device, places},
                      .first = {device, places},
                      .next = {device, places},
                      .scratch = {device, places},
                      .placeOfRow = {device, rows}});
    std::ranges::fill(ranks_.back().placeOfRow.host(), -1);
  }
  for (int shard = 0; shard < routes.shards(); ++shard)
    held_.emplace_back(device, static_cast<std::int64_t>(sharding.holders(shard).size()) *
                                   routes.mostAsked(shard) * sharding.shardCols(shard));
}

float* TableExchange::held(const TableRoutes& routes, int rank) {
  const TableRoutes::Rank& self = TableRoutes::at(routes.ranks_, rank);
  if (self.shard < 0) return nullptr;
  return held_[static_cast<std::size_t>(self.shard)].data() +
         self.group * routes.mostAsked(self.shard) * routes.tables()[0].shardCols(self.shard);
}

void TableExchange::gather(const tensor::Launch& launch, const TableRoutes& routes, int rank,
                           std::span<const float* const> weights) {
  const TableRoutes::Rank& holder = TableRoutes::at(routes.ranks_, rank);
  if (holder.shard < 0) return;
  requireCount("weights", weights.size(), routes.tables().size());
  const std::int64_t width = routes.tables()[0].shardCols(holder.shard);
  float* out = held(routes, rank);
  for (int peer = 0; peer < routes.ranks(); ++peer)
    for (std::size_t table = 0; table < weights.size(); ++table) {
      const std::size_t cell = routes.cell(peer, static_cast<int>(table));
      const auto count = static_cast<std::size_t>(holder.askedCounts[cell]);
      if (count == 0) continue;
      tensor::gatherRows(launch, weights[table], routes.tables()[table].shardRows(holder.shard),
                         width, {holder.asked.data() + holder.askedBegin[cell], count}, out);
      out += static_cast<std::int64_t>(count) * width;
    }
}

Status TableExchange::exchangeRows(const tensor::Launch& launch, const TableRoutes& routes,
                                   Communicator& communicator) {
  const bool splitsColumns = routes.tables()[0].placement() == experiment::Placement::kColumn;
  for (int rank = 0; rank < routes.ranks(); ++rank) {
    const auto index = static_cast<std::size_t>(rank);
    const TableRoutes::Rank& holder = TableRoutes::at(routes.ranks_, rank);
    const std::int64_t width = holder.shard < 0 ? 0 : routes.tables()[0].shardCols(holder.shard);
    for (int peer = 0; peer < routes.ranks(); ++peer)
      elementCounts_[index][static_cast<std::size_t>(peer)] = routes.askedBy(holder, peer) * width;
    in_[index] = held(routes, rank);
    out_[index] = (splitsColumns ? ranks_[index].columns : ranks_[index].received).data();
  }
  PARAPET_TRY(communicator.allToAll(in_, elementCounts_, out_));
  if (splitsColumns)
    forRanks(launch, routes.ranks(), [&](std::int64_t rank) {
      moveColumns(*launch.device, routes, static_cast<int>(rank), Columns::kJoin);
    });
  return {};
}

const float* TableExchange::rows(int rank) const {
  return ranks_.at(static_cast<std::size_t>(rank)).received.data();
}

// A step of gradient descent at rate −1 on rows of zeros is the sum of the gradients, whatever the
// lookups of a row have in common.
void TableExchange::mergeGradients(const tensor::Launch& launch, const TableRoutes& routes,
                                   int rank, std::span<const LookupGradient> gradients) {
  requireCount("gradients", gradients.size(), static_cast<std::size_t>(routes.lookups()));
  Rank& self = ranks_.at(static_cast<std::size_t>(rank));
  const std::int64_t rows = routes.received(rank), cols = routes.tables()[0].cols();
  tensor::fill(launch, self.gradients.data(), rows * cols, 0.0f);
  for (std::size_t lookup = 0; lookup < gradients.size(); ++lookup) {
    const LookupGradient& gradient = gradients[lookup];
    const auto positions = routes.positions(rank, static_cast<int>(lookup));
    if (!gradient.rows || positions.empty()) continue;
    const std::int64_t count = tensor::groupRows(launch, positions, rows, self.placeOfRow.data(),
                                                 {.rows = self.rows.data(),
                                                  .first = self.first.data(),
                                                  .next = self.next.data(),
                                                  .scratch = self.scratch.data()});
    tensor::sgd(launch,
                {.weight = self.gradients.data(),
                 .tableRows = rows,
                 .width = cols,
                 .rows = self.rows.data(),
                 .count = count,
                 .grad = gradient.rows,
                 .first = self.first.data(),
                 .next = self.next.data(),
                 .scale = gradient.scales,
                 .gradRows = gradient.rowOfPlace,
                 .places = static_cast<std::int64_t>(positions.size())},
                -1.0f, 0.0f, nullptr, tensor::RowsMoved::kGradientRows, nullptr);
  }
}

Status TableExchange::exchangeGradients(const tensor::Launch& launch, const TableRoutes& routes,
                                        Communicator& communicator) {
  const Sharding& sharding = routes.tables()[0];
  const bool splitsColumns = sharding.placement() == experiment::Placement::kColumn;
  if (splitsColumns)
    forRanks(launch, routes.ranks(), [&](std::int64_t rank) {
      moveColumns(*launch.device, routes, static_cast<int>(rank), Columns::kSplit);
    });
  for (int rank = 0; rank < routes.ranks(); ++rank) {
    const auto index = static_cast<std::size_t>(rank);
    const TableRoutes::Rank& asker = TableRoutes::at(routes.ranks_, rank);
    std::ranges::fill(elementCounts_[index], 0);
    for (int shard = 0; shard < routes.shards(); ++shard) {
      const int holder = routes.holderFor(asker, shard);
      elementCounts_[index][static_cast<std::size_t>(holder)] =
          routes.sentTo(asker, holder) * sharding.shardCols(shard);
    }
    in_[index] = (splitsColumns ? ranks_[index].columns : ranks_[index].gradients).data();
    out_[index] = held(routes, rank);
  }
  return communicator.allToAll(in_, elementCounts_, out_);
}

// A block of columns per shard, in the order of their holders: what a collective sends and brings.
void TableExchange::moveColumns(const tensor::Device& device, const TableRoutes& routes, int rank,
                                Columns direction) {
  const Sharding& sharding = routes.tables()[0];
  Rank& self = ranks_[static_cast<std::size_t>(rank)];
  const auto group = static_cast<std::size_t>(TableRoutes::at(routes.ranks_, rank).group);
  const std::int64_t rows = routes.received(rank), cols = sharding.cols();
  const tensor::Launch launch{&device, nullptr};
  float* block = self.columns.data();
  for (const int shard : routes.shardOrder_[group]) {
    const std::int64_t width = sharding.shardCols(shard), first = sharding.firstCol(shard);
    if (direction == Columns::kJoin)
      tensor::copyColumns(launch, rows, width, block, width, self.received.data() + first, cols,
                          tensor::Accumulate::kNo);
    else
      tensor::copyColumns(launch, rows, width, self.gradients.data() + first, cols, block, width,
                          tensor::Accumulate::kNo);
    block += rows * width;
  }
}

tensor::UpdateTarget TableExchange::target(const TableRoutes& routes, int shard, int table,
                                           float* weight) const {
  const TableRoutes::Group& group = routes.groupOf(shard, table);
  const Sharding& sharding = routes.tables()[static_cast<std::size_t>(table)];
  return {.weight = weight,
          .tableRows = sharding.shardRows(shard),
          .width = sharding.shardCols(shard),
          .rows = group.rows.data(),
          .count = group.count,
          .grad = held_[static_cast<std::size_t>(shard)].data(),
          .first = group.first.data(),
          .next = group.next.data(),
          .scale = nullptr,
          .gradRows = group.gradRows.data(),
          .places = group.places};
}

std::uint64_t TableExchange::bytes() const {
  std::uint64_t total = 0;
  for (const Rank& rank : ranks_)
    total += rank.received.bytes() + rank.gradients.bytes() + rank.columns.bytes() +
             rank.rows.bytes() + rank.first.bytes() + rank.next.bytes() + rank.scratch.bytes() +
             rank.placeOfRow.bytes();
  for (const auto& buffer : held_) total += buffer.bytes();
  return total;
}

}  // namespace parapet::mesh
