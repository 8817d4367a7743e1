// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/table_routes.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "engine/base/result.h"
#include "engine/tensor/ops/group_rows.h"

namespace parapet::mesh {
namespace {

// Collectives move four bytes at a time, whatever they mean.
const float* elements(const std::int32_t* integers) {
  return reinterpret_cast<const float*>(integers);
}
float* elements(std::int32_t* integers) {
  return reinterpret_cast<float*>(integers);
}

}  // namespace

TableRoutes::TableRoutes(const tensor::Device& device, std::vector<Sharding> tables,
                         std::vector<StackLookup> lookups, int ranks)
    : shape_(std::move(tables), std::move(lookups), ranks) {
  const std::size_t peers = shape_.cell(ranks, 0);
  for (int rank = 0; rank < ranks; ++rank) {
    routes_.emplace_back(device, shape_, rank);
    const int shard = shape_.shardOf(rank);
    held_.push_back({.counts = std::vector<std::int32_t>(peers, 0),
                     .begin = std::vector<std::int64_t>(peers + 1, 0),
                     .localRows = {device, shard < 0 ? 0 : shape_.maxRequested(shard)}});
  }
  for (int shard = 0; shard < shape_.shards(); ++shard)
    for (int table = 0; table < shape_.tableCount(); ++table) {
      Group group;
      for (auto* buffer :
           {&group.ids, &group.gradRows, &group.rows, &group.first, &group.next, &group.scratch})
        *buffer = tensor::Buffer<std::int32_t>(device, shape_.maxValues(shard, table));
      groups_.push_back(std::move(group));
    }
  elementCounts_.assign(routes_.size(), std::vector<std::int64_t>(routes_.size(), 0));
  in_.resize(routes_.size());
  out_.resize(routes_.size());
}

void TableRoutes::route(int rank, std::span<const std::span<const std::int32_t>> ids) {
  routes_.at(static_cast<std::size_t>(rank)).assign(shape_, ids);
}

Status TableRoutes::exchange(Communicator& communicator) {
  for (std::size_t rank = 0; rank < routes_.size(); ++rank) {
    std::ranges::fill(elementCounts_[rank], shape_.tableCount());
    in_[rank] = elements(routes_[rank].sentCounts().data());
    out_[rank] = elements(held_[rank].counts.data());
  }
  PARAPET_TRY(communicator.allToAll(in_, elementCounts_, out_));
  for (std::size_t rank = 0; rank < routes_.size(); ++rank) {
    Held& held = held_[rank];
    for (int peer = 0; peer < ranks(); ++peer)
      elementCounts_[rank][static_cast<std::size_t>(peer)] = routes_[rank].sentTo(shape_, peer);
    std::inclusive_scan(held.counts.begin(), held.counts.end(), held.begin.begin() + 1,
                        std::plus<>{}, std::int64_t{0});
    in_[rank] = elements(routes_[rank].sent().data());
    out_[rank] = elements(held.localRows.data());
  }
  return communicator.allToAll(in_, elementCounts_, out_);
}

// Values come in rank order, whichever owner of the shard a rank requests them of.
void TableRoutes::group(const tensor::Launch& launch, int shard, int table,
                        std::int32_t* indexOfRow) {
  Group& group = groups_[shape_.cell(shard, table)];
  std::int64_t value = 0;
  for (int peer = 0; peer < ranks(); ++peer) {
    const Held& held = held_[static_cast<std::size_t>(shape_.ownerFor(peer, shard))];
    const std::size_t cell = shape_.cell(peer, table);
    const std::int32_t* const localRows = held.localRows.data() + held.begin[cell];
    const std::int64_t row = shape_.groupOf(peer) * shape_.maxRequested(shard) + held.begin[cell];
    for (std::int64_t n = 0; n < held.counts[cell]; ++n, ++value) {
      group.ids.data()[value] = localRows[n];
      group.gradRows.data()[value] = static_cast<std::int32_t>(row + n);
    }
  }
  group.values = value;
  group.count = tensor::groupRows(launch, {group.ids.data(), static_cast<std::size_t>(value)},
                                  shape_.table(table).shardRows(shard), indexOfRow,
                                  {.rows = group.rows.data(),
                                   .first = group.first.data(),
                                   .next = group.next.data(),
                                   .scratch = group.scratch.data()});
}

std::uint64_t TableRoutes::bytes() const {
  std::uint64_t total = 0;
  for (const RankRoute& route : routes_) total += route.bytes();
  for (const Held& held : held_) total += held.localRows.bytes();
  for (const Group& group : groups_)
    total += group.ids.bytes() + group.gradRows.bytes() + group.rows.bytes() + group.first.bytes() +
             group.next.bytes() + group.scratch.bytes();
  return total;
}

}  // namespace parapet::mesh
