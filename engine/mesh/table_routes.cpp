// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/table_routes.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "engine/base/result.h"
#include "engine/tensor/ops/ops.h"

namespace parapet::mesh {

TableRoutes::TableRoutes(std::span<const tensor::Device> devices, std::vector<Sharding> tables,
                         std::vector<StackLookup> lookups)
    : shape_(std::move(tables), std::move(lookups), static_cast<int>(devices.size())),
      local_(localRange(devices)),
      counted_(static_cast<std::size_t>(local_.count), PeerCounts(ranks())),
      counts_(counted_),
      in_(counted_.size()),
      out_(counted_.size()) {
  const std::size_t cells = shape_.cell(ranks(), 0);
  for (int rank = local_.first; rank < local_.end(); ++rank) {
    const std::size_t index = local_.of(rank);
    const tensor::Device& device = devices[static_cast<std::size_t>(rank)];
    routes_.emplace_back(device, shape_, rank);
    const int shard = shape_.shardOf(rank);
    held_.push_back({.counts = std::vector<std::int32_t>(cells, 0),
                     .begin = std::vector<std::int64_t>(cells + 1, 0),
                     .localRows = {device, shard < 0 ? 0 : shape_.maxRequested(shard)}});
    std::ranges::fill(counted_[index].send, shape_.tableCount());
    std::ranges::fill(counted_[index].receive, shape_.tableCount());
    counted_[index].packSends();
  }
  for (int shard = 0; shard < shape_.shards(); ++shard)
    for (int copy = 0; copy < shape_.copies(); ++copy)
      for (int table = 0; table < shape_.tableCount(); ++table) {
        const int owner = shape_.ownerOf({shard, copy});
        Group& group = groups_.emplace_back();
        if (!local_.has(owner)) continue;
        const tensor::Device& device = devices[static_cast<std::size_t>(owner)];
        const std::int64_t values = shape_.maxValues(shard, table);
        for (auto* buffer : {&group.ids, &group.scratch})
          *buffer = tensor::Buffer<std::int32_t>(tensor::hostFor(device), values);
        for (auto* array : {&group.gradRows, &group.rows, &group.first, &group.next})
          *array = tensor::StagedArray<std::int32_t>(device, values);
        if (!device.isHost()) {
          group.indexOfRow = tensor::Buffer<std::int32_t>(tensor::hostFor(device),
                                                          shape_.table(table).shardRows(shard));
          std::ranges::fill(group.indexOfRow.host(), -1);
        }
      }
}

void TableRoutes::route(int rank, std::span<const std::span<const std::int32_t>> ids) {
  routes_.at(local_.of(rank)).assign(shape_, ids);
}

// First how many rows, so that the owners know what to expect, then the rows themselves.
Status TableRoutes::exchange(Communicator& communicator) {
  for (std::size_t index = 0; index < routes_.size(); ++index) {
    in_[index] = routes_[index].sentCounts().data();
    out_[index] = held_[index].counts.data();
  }
  PARAPET_TRY(communicator.allToAll(in_, counted_, out_, ElementType::kI32, Memory::kHost));
  for (int rank = local_.first; rank < local_.end(); ++rank) {
    const std::size_t index = local_.of(rank);
    Held& held = held_[index];
    PeerCounts& counts = counts_[index];
    std::inclusive_scan(held.counts.begin(), held.counts.end(), held.begin.begin() + 1,
                        std::plus<>{}, std::int64_t{0});
    for (int peer = 0; peer < ranks(); ++peer) {
      const auto to = static_cast<std::size_t>(peer);
      const int shard = shape_.shardOf(peer);
      counts.send[to] = shard < 0 ? 0 : rowsOf(rank, shard);
      counts.sendBegin[to] = shard < 0 ? 0 : beginOf(rank, shard);
      counts.receive[to] = rowsFor(peer, rank);
    }
    in_[index] = routes_[index].sent().data();
    out_[index] = held.localRows.data();
  }
  PARAPET_TRY(communicator.allToAll(in_, counts_, out_, ElementType::kI32, Memory::kHost));
  for (Held& held : held_) held.localRows.upload(held.begin.back());
  return {};
}

// Values come in rank order: so all copies of a shard add up the same gradients in the same order.
void TableRoutes::group(const tensor::Device& device, ShardCopy of, int table,
                        std::int32_t* indexOfRow) {
  Group& group = groups_[groupIndex(of, table)];
  const Held& held = this->held(shape_.ownerOf(of));
  std::int64_t value = 0;
  for (int peer = 0; peer < ranks(); ++peer) {
    const std::size_t cell = shape_.cell(peer, table);
    const std::int64_t begin = held.begin[cell], end = begin + held.counts[cell];
    for (std::int64_t row = begin; row < end; ++row, ++value) {
      group.ids.data()[value] = held.localRows.data()[row];
      group.gradRows.data()[value] = static_cast<std::int32_t>(row);
    }
  }
  group.values = value;
  tensor::run({&tensor::hostFor(device), nullptr},
              PpGroupRows{.rows = group.ids.data(),
                          .count = value,
                          .tableRows = shape_.table(table).shardRows(of.shard),
                          .indexOfRow = device.isHost() ? indexOfRow : group.indexOfRow.data(),
                          .scratch = group.scratch.data(),
                          .groupRows = group.rows.data(),
                          .first = group.first.data(),
                          .next = group.next.data(),
                          .groupCount = &group.count});
  group.gradRows.upload(value);
  group.rows.upload(group.count);
  group.first.upload(group.count);
  group.next.upload(value);
}

}  // namespace parapet::mesh
