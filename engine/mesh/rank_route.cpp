// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/rank_route.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/base/result.h"

namespace parapet::mesh {
namespace {

std::int64_t mostOfOneTable(const StackShape& shape) {
  std::int64_t most = 0;
  for (int table = 0; table < shape.tableCount(); ++table)
    most = std::max(most, shape.mostDistinct(table));
  return most;
}

}  // namespace

RankRoute::RankRoute(const tensor::Device& device, const StackShape& shape, int rank)
    : rank_(rank),
      merger_(mostOfOneTable(shape)),
      lookupIds_(static_cast<std::size_t>(shape.lookupCount()), 0),
      positions_(device, shape.lookupBegin(shape.lookupCount())),
      numbered_(device, shape.mostReceived()),
      parts_(device, shape.mostReceived()),
      ids_(shape.cell(shape.parts(), 0), 0),
      distinct_(ids_.size(), 0),
      begin_(ids_.size(), 0),
      sent_(device, shape.mostReceived() * shape.shards() / shape.parts()),
      sentCounts_(shape.cell(shape.ranks(), 0), 0) {}

// Equal ids get one number first, then numbers get positions: those of a holder side by side, in
// the order of the holders, and within them by table.
void RankRoute::assign(const StackShape& shape,
                       std::span<const std::span<const std::int32_t>> ids) {
  if (ids.size() != lookupIds_.size())
    throw InvalidArgument(fmt::format("[mesh.RankRoute] ids of {} lookups; the stack has {}",
                                      ids.size(), lookupIds_.size()));
  std::ranges::fill(distinct_, 0);
  std::ranges::fill(ids_, 0);
  for (int table = 0; table < shape.tableCount(); ++table) number(shape, table, ids);
  place(shape);
  countSent(shape);
  for (int lookup = 0; lookup < shape.lookupCount(); ++lookup) {
    const int table = shape.lookup(lookup).table;
    std::int32_t* const positions = positions_.data() + shape.lookupBegin(lookup);
    for (std::int64_t n = 0; n < lookupIds_[static_cast<std::size_t>(lookup)]; ++n) {
      const std::int64_t at = shape.numberBegin(table) + positions[n];
      ++ids_[shape.cell(parts_.data()[at], table)];
      positions[n] = numbered_.data()[at];
    }
  }
}

void RankRoute::number(const StackShape& shape, int table,
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
    std::int32_t* const numbers = positions_.data() + shape.lookupBegin(lookup);
    for (std::int64_t n = 0; n < count; ++n) {
      const std::int32_t id = brought[static_cast<std::size_t>(n)];
      if (id < 0 || id >= sharding.rows())
        throw InvalidArgument(
            fmt::format("[mesh.RankRoute] id {} at place {} of lookup {}; accepted are 0 … {}", id,
                        n, lookup, sharding.rows() - 1));
      numbers[n] = merger_.numberOf(id);
    }
  }
  std::int64_t at = shape.numberBegin(table);
  for (const std::int32_t row : merger_.ids()) {
    const int part = shape.partOf(sharding.shardOf(row));
    ++distinct_[shape.cell(part, table)];
    parts_.data()[at] = part;
    numbered_.data()[at++] = row;
  }
}

void RankRoute::place(const StackShape& shape) {
  received_ = 0;
  const std::vector<int>& order = shape.shardOrder(shape.groupOf(rank_));
  for (int i = 0; i < shape.parts(); ++i)
    for (int table = 0; table < shape.tableCount(); ++table) {
      const std::size_t at = shape.cell(shape.partOf(order[static_cast<std::size_t>(i)]), table);
      begin_[at] = received_;
      received_ += distinct_[at];
    }
  for (int table = 0; table < shape.tableCount(); ++table) {
    const Sharding& sharding = shape.table(table);
    std::int64_t rows = 0;
    for (int part = 0; part < shape.parts(); ++part) rows += distinct_[shape.cell(part, table)];
    std::int32_t* const numbered = numbered_.data() + shape.numberBegin(table);
    const std::int32_t* const part = parts_.data() + shape.numberBegin(table);
    for (std::int64_t number = 0; number < rows; ++number) {
      const std::int64_t position = begin_[shape.cell(part[number], table)]++;
      sent_.data()[position] = static_cast<std::int32_t>(sharding.placeOf(numbered[number]));
      numbered[number] = static_cast<std::int32_t>(position);
    }
  }
  for (std::size_t at = 0; at < begin_.size(); ++at) begin_[at] -= distinct_[at];
  // Where every shard is asked for every row, each holder gets the whole list.
  for (int copy = 1; copy < shape.shards() / shape.parts(); ++copy)
    std::copy_n(sent_.data(), received_, sent_.data() + copy * received_);
}

void RankRoute::countSent(const StackShape& shape) {
  std::ranges::fill(sentCounts_, 0);
  for (int shard = 0; shard < shape.shards(); ++shard)
    for (int table = 0; table < shape.tableCount(); ++table)
      sentCounts_[shape.cell(shape.holderFor(rank_, shard), table)] =
          static_cast<std::int32_t>(distinct_[shape.cell(shape.partOf(shard), table)]);
}

std::int64_t RankRoute::sentTo(const StackShape& shape, int peer) const {
  const auto begin = sentCounts_.begin() + static_cast<std::ptrdiff_t>(shape.cell(peer, 0));
  return std::reduce(begin, begin + shape.tableCount(), std::int64_t{0});
}

std::span<const std::int32_t> RankRoute::positions(const StackShape& shape, int lookup) const {
  return {positions_.data() + shape.lookupBegin(lookup),
          static_cast<std::size_t>(lookupIds_.at(static_cast<std::size_t>(lookup)))};
}

RouteCounts RankRoute::counts(const StackShape& shape, int shard) const {
  RouteCounts counts;
  for (int table = 0; table < shape.tableCount(); ++table) {
    counts.ids += ids_[shape.cell(shape.partOf(shard), table)];
    counts.distinct += distinct_[shape.cell(shape.partOf(shard), table)];
  }
  return counts;
}

std::span<const std::int32_t> RankRoute::asked(const StackShape& shape, int shard,
                                               int table) const {
  const std::size_t at = shape.cell(shape.partOf(shard), table);
  return {sent_.data() + begin_[at], static_cast<std::size_t>(distinct_[at])};
}

std::uint64_t RankRoute::bytes() const {
  return merger_.bytes() + positions_.bytes() + numbered_.bytes() + parts_.bytes() + sent_.bytes();
}

}  // namespace parapet::mesh
