// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/rank_route.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/base/result.h"

namespace parapet::mesh {
namespace {

std::int64_t maxOfOneTable(const StackShape& shape) {
  std::int64_t max = 0;
  for (int table = 0; table < shape.tableCount(); ++table)
    max = std::max(max, shape.maxDistinct(table));
  return max;
}

}  // namespace

RankRoute::RankRoute(const tensor::Device& device, const StackShape& shape, int rank)
    : rank_(rank),
      merger_(tensor::hostFor(device), maxOfOneTable(shape)),
      lookupIds_(static_cast<std::size_t>(shape.lookupCount()), 0),
      positions_(device, shape.lookupBegin(shape.lookupCount())),
      uniqueRows_(tensor::hostFor(device), shape.maxReceived()),
      partitions_(tensor::hostFor(device), shape.maxReceived()),
      ids_(shape.cell(shape.partitions(), 0), 0),
      distinct_(ids_.size(), 0),
      begin_(ids_.size(), 0),
      sent_(tensor::hostFor(device), shape.maxReceived()),
      sentCounts_(shape.cell(shape.ranks(), 0), 0) {}

// Equal ids get one unique index first, then each unique index a position: those of an owner side
// by side, in the order of the owners, and within them by table.
void RankRoute::assign(const StackShape& shape,
                       std::span<const std::span<const std::int32_t>> ids) {
  if (ids.size() != lookupIds_.size())
    throw InvalidArgument(fmt::format("[mesh.RankRoute] ids of {} lookups; the stack has {}",
                                      ids.size(), lookupIds_.size()));
  std::ranges::fill(distinct_, 0);
  std::ranges::fill(ids_, 0);
  for (int table = 0; table < shape.tableCount(); ++table) mergeIds(shape, table, ids);
  orderRows(shape);
  countSent(shape);
  for (int lookup = 0; lookup < shape.lookupCount(); ++lookup) {
    const int table = shape.lookup(lookup).table;
    std::int32_t* const positions = positions_.data() + shape.lookupBegin(lookup);
    for (std::int64_t n = 0; n < lookupIds_[static_cast<std::size_t>(lookup)]; ++n) {
      const std::int64_t at = shape.uniqueBegin(table) + positions[n];
      ++ids_[shape.cell(partitions_.data()[at], table)];
      positions[n] = uniqueRows_.data()[at];
    }
    positions_.upload(shape.lookupBegin(lookup), lookupIds_[static_cast<std::size_t>(lookup)]);
  }
}

void RankRoute::mergeIds(const StackShape& shape, int table,
                         std::span<const std::span<const std::int32_t>> ids) {
  const Sharding& sharding = shape.table(table);
  merger_.begin(sharding.rows());
  for (int lookup = 0; lookup < shape.lookupCount(); ++lookup) {
    if (shape.lookup(lookup).table != table) continue;
    const std::span<const std::int32_t> brought = ids[static_cast<std::size_t>(lookup)];
    const auto count = static_cast<std::int64_t>(brought.size());
    if (count > shape.lookup(lookup).capacity)
      throw InvalidArgument(fmt::format("[mesh.RankRoute] {} ids of lookup {}; it holds {}", count,
                                        lookup, shape.lookup(lookup).capacity));
    lookupIds_[static_cast<std::size_t>(lookup)] = count;
    std::int32_t* const uniqueIndices = positions_.data() + shape.lookupBegin(lookup);
    for (std::int64_t n = 0; n < count; ++n) {
      const std::int32_t id = brought[static_cast<std::size_t>(n)];
      if (id < 0 || id >= sharding.rows())
        throw InvalidArgument(
            fmt::format("[mesh.RankRoute] id {} at index {} of lookup {}; accepted are 0 … {}", id,
                        n, lookup, sharding.rows() - 1));
      uniqueIndices[n] = merger_.uniqueIndexOf(id);
    }
  }
  std::int64_t at = shape.uniqueBegin(table);
  for (const std::int32_t row : merger_.ids()) {
    const int partition = shape.partitionOf(sharding.shardOf(row));
    ++distinct_[shape.cell(partition, table)];
    partitions_.data()[at] = partition;
    uniqueRows_.data()[at++] = row;
  }
}

void RankRoute::orderRows(const StackShape& shape) {
  received_ = 0;
  const std::vector<int>& order = shape.shardOrder(shape.groupOf(rank_));
  for (int i = 0; i < shape.partitions(); ++i)
    for (int table = 0; table < shape.tableCount(); ++table) {
      const std::size_t at =
          shape.cell(shape.partitionOf(order[static_cast<std::size_t>(i)]), table);
      begin_[at] = received_;
      received_ += distinct_[at];
    }
  for (int table = 0; table < shape.tableCount(); ++table) {
    const Sharding& sharding = shape.table(table);
    std::int64_t rows = 0;
    for (int partition = 0; partition < shape.partitions(); ++partition)
      rows += distinct_[shape.cell(partition, table)];
    std::int32_t* const uniqueRows = uniqueRows_.data() + shape.uniqueBegin(table);
    const std::int32_t* const partition = partitions_.data() + shape.uniqueBegin(table);
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::int64_t position = begin_[shape.cell(partition[i], table)]++;
      sent_.data()[position] = static_cast<std::int32_t>(sharding.localRow(uniqueRows[i]));
      uniqueRows[i] = static_cast<std::int32_t>(position);
    }
  }
  for (std::size_t at = 0; at < begin_.size(); ++at) begin_[at] -= distinct_[at];
}

void RankRoute::countSent(const StackShape& shape) {
  std::ranges::fill(sentCounts_, 0);
  for (int peer = 0; peer < shape.ranks(); ++peer) {
    const int shard = shape.shardOf(peer);
    if (shard < 0) continue;
    for (int table = 0; table < shape.tableCount(); ++table)
      sentCounts_[shape.cell(peer, table)] =
          static_cast<std::int32_t>(distinct_[shape.cell(shape.partitionOf(shard), table)]);
  }
}

std::int64_t RankRoute::rowsOf(const StackShape& shape, int shard) const {
  const auto begin =
      distinct_.begin() + static_cast<std::ptrdiff_t>(shape.cell(shape.partitionOf(shard), 0));
  return std::reduce(begin, begin + shape.tableCount(), std::int64_t{0});
}

std::span<const std::int32_t> RankRoute::positions(const StackShape& shape, int lookup) const {
  return {positions_.data() + shape.lookupBegin(lookup),
          static_cast<std::size_t>(lookupIds_.at(static_cast<std::size_t>(lookup)))};
}

RouteCounts RankRoute::counts(const StackShape& shape, int shard) const {
  RouteCounts counts;
  for (int table = 0; table < shape.tableCount(); ++table) {
    counts.ids += ids_[shape.cell(shape.partitionOf(shard), table)];
    counts.distinct += distinct_[shape.cell(shape.partitionOf(shard), table)];
  }
  return counts;
}

std::span<const std::int32_t> RankRoute::requested(const StackShape& shape, int shard,
                                                   int table) const {
  const std::size_t at = shape.cell(shape.partitionOf(shard), table);
  return {sent_.data() + begin_[at], static_cast<std::size_t>(distinct_[at])};
}

}  // namespace parapet::mesh
