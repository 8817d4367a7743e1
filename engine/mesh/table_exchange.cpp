// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/table_exchange.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/result.h"
#include "engine/tensor/ops/ops.h"

namespace parapet::mesh {
namespace {

void requireCount(const char* what, std::size_t found, std::size_t accepted) {
  if (found != accepted)
    throw InvalidArgument(
        fmt::format("[mesh.TableExchange] {} {}; the stack has {}", found, what, accepted));
}

// Columns of the blocks that precede a shard's block in the order of their owners.
std::int64_t columnsBefore(const StackShape& shape, int rank, int shard) {
  std::int64_t columns = 0;
  for (const int before : shape.shardOrder(shape.groupOf(rank))) {
    if (before == shard) break;
    columns += shape.shardCols(before);
  }
  return columns;
}

}  // namespace

TableExchange::TableExchange(std::span<const tensor::Device> devices, const TableRoutes& routes)
    : local_(routes.local()),
      devices_(devices.begin() + local_.first, devices.begin() + local_.end()),
      counts_(devices_.size(), PeerCounts(routes.ranks())),
      in_(devices_.size()),
      out_(devices_.size()) {
  const StackShape& shape = routes.shape();
  const std::int64_t rows = shape.maxReceived(), values = rows * shape.cols();
  const std::int64_t ids = shape.maxIds();
  for (int rank = local_.first; rank < local_.end(); ++rank) {
    const tensor::Device& device = devices_[local_.of(rank)];
    const int shard = shape.shardOf(rank);
    const std::int64_t requested = shard < 0 ? 0 : shape.maxRequested(shard);
    ranks_.push_back({.received = {device, shape.fetchesRows() ? values : 0},
                      .gradients = {device, values},
                      .columns = {device, shape.splitsColumns() ? values : 0},
                      .held = {device, requested * shape.shardCols(shard)},
                      .rows = {device, ids},
                      .first = {device, ids},
                      .next = {device, ids},
                      .scratch = {tensor::hostFor(device), ids},
                      .indexOfRow = {tensor::hostFor(device), rows}});
    std::ranges::fill(ranks_.back().indexOfRow.host(), -1);
  }
}

void TableExchange::gather(const tensor::Launch& launch, const TableRoutes& routes, int rank,
                           std::span<const ShardRows> shards) {
  const StackShape& shape = routes.shape();
  const int shard = shape.shardOf(rank);
  if (shard < 0) return;
  requireCount("shards", shards.size(), shape.tables().size());
  const TableRoutes::Held& requested = routes.held(rank);
  const std::int64_t width = shape.shardCols(shard);
  float* out = held(rank);
  for (int peer = 0; peer < shape.ranks(); ++peer)
    for (int table = 0; table < shape.tableCount() && shape.fetchedOf(peer, rank) >= 0; ++table) {
      const std::size_t cell = shape.cell(peer, table);
      const std::int64_t count = requested.counts[cell];
      if (count == 0) continue;
      const ShardRows& of = shards[static_cast<std::size_t>(table)];
      tensor::run(launch, PpGatherRows{.table = of.weight,
                                       .tableRows = of.rows,
                                       .width = width,
                                       .rows = requested.localRows.here() + requested.begin[cell],
                                       .count = count,
                                       .out = out});
      out += count * width;
    }
}

Status TableExchange::exchangeRows(const tensor::Launch& launch, const TableRoutes& routes,
                                   Communicator& communicator) {
  const StackShape& shape = routes.shape();
  for (int rank = local_.first; rank < local_.end(); ++rank) {
    const std::size_t index = local_.of(rank);
    PeerCounts& counts = counts_[index];
    for (int peer = 0; peer < shape.ranks(); ++peer) {
      const auto at = static_cast<std::size_t>(peer);
      const int own = shape.fetchedOf(peer, rank), other = shape.fetchedOf(rank, peer);
      counts.send[at] = own < 0 ? 0 : routes.rowsFor(peer, rank) * shape.shardCols(own);
      counts.receive[at] = other < 0 ? 0 : routes.rowsOf(rank, other) * shape.shardCols(other);
    }
    counts.packSends();
    in_[index] = held(rank);
    out_[index] = (shape.splitsColumns() ? ranks_[index].columns : ranks_[index].received).data();
  }
  PARAPET_TRY(communicator.allToAll(in_, counts_, out_, ElementType::kF32, Memory::kDevice));
  if (shape.splitsColumns()) moveColumns(launch, routes, Columns::kJoin);
  return {};
}

const float* TableExchange::rows(int rank) const {
  return ranks_.at(local_.of(rank)).received.data();
}

// A step of gradient descent at rate −1 on rows of zeros is the sum of the gradients, whatever the
// lookups of a row have in common.
void TableExchange::mergeGradients(const tensor::Launch& launch, const TableRoutes& routes,
                                   int rank, std::span<const LookupGradient> gradients) {
  requireCount("gradients", gradients.size(), static_cast<std::size_t>(routes.lookups()));
  Rank& self = ranks_.at(local_.of(rank));
  const std::int64_t rows = routes.received(rank), cols = routes.shape().cols();
  tensor::run(launch, PpFill{self.gradients.data(), rows * cols, 0.0f});
  for (std::size_t lookup = 0; lookup < gradients.size(); ++lookup) {
    const LookupGradient& gradient = gradients[lookup];
    const auto positions = routes.positions(rank, static_cast<int>(lookup));
    if (!gradient.rows || positions.empty()) continue;
    std::int64_t count = 0;
    tensor::run({&tensor::hostFor(*launch.device), nullptr},
                PpGroupRows{.rows = positions.data(),
                            .count = std::ssize(positions),
                            .tableRows = rows,
                            .indexOfRow = self.indexOfRow.data(),
                            .scratch = self.scratch.data(),
                            .groupRows = self.rows.data(),
                            .first = self.first.data(),
                            .next = self.next.data(),
                            .groupCount = &count});
    self.rows.upload(count);
    self.first.upload(count);
    self.next.upload(static_cast<std::int64_t>(positions.size()));
    tensor::run(launch, PpSgd{.target = {.weight = self.gradients.data(),
                                         .tableRows = rows,
                                         .width = cols,
                                         .rows = self.rows.here(),
                                         .count = count,
                                         .grad = gradient.rows,
                                         .first = self.first.here(),
                                         .next = self.next.here(),
                                         .scale = gradient.scales,
                                         .gradRows = gradient.rowOfValue,
                                         .terms = static_cast<std::int64_t>(positions.size())},
                              .learningRate = -1.0f});
  }
}

Status TableExchange::exchangeGradients(const tensor::Launch& launch, const TableRoutes& routes,
                                        Communicator& communicator) {
  const StackShape& shape = routes.shape();
  if (shape.splitsColumns()) moveColumns(launch, routes, Columns::kSplit);
  for (int rank = local_.first; rank < local_.end(); ++rank) {
    const std::size_t index = local_.of(rank);
    PeerCounts& counts = counts_[index];
    const int own = shape.shardOf(rank);
    for (int peer = 0; peer < shape.ranks(); ++peer) {
      const auto at = static_cast<std::size_t>(peer);
      const int other = shape.shardOf(peer);
      counts.receive[at] = own < 0 ? 0 : routes.rowsFor(peer, rank) * shape.shardCols(own);
      counts.send[at] = other < 0 ? 0 : routes.rowsOf(rank, other) * shape.shardCols(other);
      // Split by columns, each shard has a block of its own: all rows, and its columns. The blocks
      // lie in the order of the shards' owners.
      counts.sendBegin[at] = other < 0 ? 0
                             : shape.splitsColumns()
                                 ? routes.received(rank) * columnsBefore(shape, rank, other)
                                 : routes.beginOf(rank, other) * shape.cols();
    }
    in_[index] = (shape.splitsColumns() ? ranks_[index].columns : ranks_[index].gradients).data();
    out_[index] = held(rank);
  }
  return communicator.allToAll(in_, counts_, out_, ElementType::kF32, Memory::kDevice);
}

void TableExchange::moveColumns(const tensor::Launch& launch, const TableRoutes& routes,
                                Columns direction) {
  const auto move = [&](std::int64_t index) {
    moveColumns({&devices_[static_cast<std::size_t>(index)], nullptr}, routes,
                local_.first + static_cast<int>(index), direction);
  };
  runBlocks(launch.workers, local_.count, move);
}

// A block of columns per shard, in the order of their owners: what a collective sends and brings.
void TableExchange::moveColumns(const tensor::Launch& launch, const TableRoutes& routes, int rank,
                                Columns direction) {
  const StackShape& shape = routes.shape();
  Rank& self = ranks_[local_.of(rank)];
  const std::int64_t rows = routes.received(rank), cols = shape.cols();
  float* block = self.columns.data();
  for (const int shard : shape.shardOrder(shape.groupOf(rank))) {
    const std::int64_t width = shape.shardCols(shard), first = shape.table(0).firstCol(shard);
    if (direction == Columns::kJoin)
      tensor::run(launch, PpCopyColumns{.rows = rows,
                                        .width = width,
                                        .in = block,
                                        .strideIn = width,
                                        .out = self.received.data() + first,
                                        .strideOut = cols});
    else
      tensor::run(launch, PpCopyColumns{.rows = rows,
                                        .width = width,
                                        .in = self.gradients.data() + first,
                                        .strideIn = cols,
                                        .out = block,
                                        .strideOut = width});
    block += rows * width;
  }
}

tensor::UpdateTarget TableExchange::target(const TableRoutes& routes, ShardCopy of, int table,
                                           const ShardRows& shard) const {
  const TableRoutes::Group& group = routes.grouped(of, table);
  return {.weight = shard.weight,
          .tableRows = shard.rows,
          .width = routes.shape().shardCols(of.shard),
          .rows = group.rows.here(),
          .count = group.count,
          .grad = ranks_[local_.of(routes.shape().ownerOf(of))].held.data(),
          .first = group.first.here(),
          .next = group.next.here(),
          .scale = nullptr,
          .gradRows = group.gradRows.here(),
          .terms = group.values,
          .nonFinite = nullptr,
          .counted = nullptr};
}

}  // namespace parapet::mesh
