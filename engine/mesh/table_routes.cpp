// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/table_routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "engine/base/result.h"
#include "engine/tensor/ops/group_rows.h"

namespace parapet::mesh {
namespace {

/// Where a rank stands in a sharding: the shard it holds and its group.
struct Standing {
  int shard = -1, group = -1;
};

// A rank that holds nothing asks the only group there is.
Standing standingOf(const Sharding& sharding, int rank) {
  for (int shard = 0; shard < sharding.shards(); ++shard) {
    const std::vector<int>& holders = sharding.holders(shard);
    const auto found = std::ranges::find(holders, rank);
    if (found != holders.end()) return {shard, static_cast<int>(found - holders.begin())};
  }
  return {-1, sharding.holders(0).size() == 1 ? 0 : -1};
}

std::vector<std::vector<int>> shardsByHolder(const Sharding& sharding) {
  std::vector<std::vector<int>> order(sharding.holders(0).size());
  for (std::size_t group = 0; group < order.size(); ++group) {
    order[group].resize(static_cast<std::size_t>(sharding.shards()));
    std::iota(order[group].begin(), order[group].end(), 0);
    std::ranges::sort(order[group], {}, [&](int shard) { return sharding.holders(shard)[group]; });
  }
  return order;
}

// Collectives move four bytes at a time, whatever they mean.
float* elements(std::int32_t* numbers) {
  return reinterpret_cast<float*>(numbers);
}

}  // namespace

TableRoutes::TableRoutes(const tensor::Device& device, std::vector<Sharding> tables,
                         std::vector<StackLookup> lookups, int ranks)
    : tables_(std::move(tables)), lookups_(std::move(lookups)) {
  requireAlike();
  const auto placement = tables_[0].placement();
  splitsRows_ =
      placement == experiment::Placement::kRow || placement == experiment::Placement::kRowBlock;
  shardOrder_ = shardsByHolder(tables_[0]);
  mostDistinct_.assign(tables_.size(), 0);
  std::int64_t places = 0;
  for (const StackLookup& lookup : lookups_) {
    lookupBegin_.push_back(places);
    places += lookup.capacity;
    mostDistinct_[static_cast<std::size_t>(lookup.table)] += lookup.capacity;
  }
  lookupBegin_.push_back(places);
  std::int64_t numbers = 0;
  for (std::size_t table = 0; table < tables_.size(); ++table) {
    mostDistinct_[table] = std::min(mostDistinct_[table], tables_[table].rows());
    numberBegin_.push_back(numbers);
    numbers += mostDistinct_[table];
  }

  std::vector<Standing> standings;
  std::vector<int> members(shardOrder_.size(), 0);
  for (int rank = 0; rank < ranks; ++rank) {
    standings.push_back(standingOf(tables_[0], rank));
    if (standings.back().group < 0)
      throw InvalidArgument(fmt::format("[mesh.TableRoutes] rank {} is in no group", rank));
    askers_ = std::max(askers_, ++members[static_cast<std::size_t>(standings.back().group)]);
  }
  elementCounts_.assign(standings.size(), std::vector<std::int64_t>(standings.size(), 0));
  in_.resize(standings.size());
  out_.resize(standings.size());
  for (const Standing& standing : standings)
    ranks_.push_back(makeRank(device, standing.shard, standing.group));
  allocateGroups(device);
}

void TableRoutes::requireAlike() const {
  if (tables_.empty() || tables_[0].isReplicated())
    throw InvalidArgument("[mesh.TableRoutes] a stack has tables, and none that is replicated");
  for (const Sharding& table : tables_) {
    bool alike = table.placement() == tables_[0].placement() &&
                 table.shards() == tables_[0].shards() && table.cols() == tables_[0].cols();
    for (int shard = 0; alike && shard < table.shards(); ++shard)
      alike = table.holders(shard) == tables_[0].holders(shard);
    if (!alike)
      throw InvalidArgument(
          "[mesh.TableRoutes] tables of a stack have the same placement, holders and columns");
  }
  for (const StackLookup& lookup : lookups_)
    if (lookup.table < 0 || static_cast<std::size_t>(lookup.table) >= tables_.size() ||
        lookup.capacity < 0)
      throw InvalidArgument(
          fmt::format("[mesh.TableRoutes] a lookup of table {} of {}, capacity {}", lookup.table,
                      tables_.size(), lookup.capacity));
}

TableRoutes::Rank TableRoutes::makeRank(const tensor::Device& device, int shard, int group) const {
  const std::size_t cells = cell(parts(), 0), peers = elementCounts_.size() * tables_.size();
  return {.shard = shard,
          .group = group,
          .merger = IdMerger(*std::ranges::max_element(mostDistinct_)),
          .lookupIds = std::vector<std::int64_t>(lookups_.size(), 0),
          .positions = {device, lookupBegin_.back()},
          .numbered = {device, mostReceived()},
          .parts = {device, mostReceived()},
          .ids = std::vector<std::int64_t>(cells, 0),
          .distinct = std::vector<std::int64_t>(cells, 0),
          .begin = std::vector<std::int64_t>(cells, 0),
          .sent = {device, mostReceived() * shards() / parts()},
          .sentCounts = std::vector<std::int32_t>(peers, 0),
          .askedCounts = std::vector<std::int32_t>(peers, 0),
          .askedBegin = std::vector<std::int64_t>(peers + 1, 0),
          .asked = {device, shard < 0 ? 0 : mostAsked(shard)}};
}

void TableRoutes::allocateGroups(const tensor::Device& device) {
  const auto ranks = static_cast<std::int64_t>(ranks_.size());
  for (int shard = 0; shard < shards(); ++shard)
    for (std::size_t table = 0; table < tables_.size(); ++table) {
      const std::int64_t places =
          ranks * std::min(mostDistinct_[table], tables_[table].shardRows(shard));
      Group group;
      for (auto* buffer :
           {&group.ids, &group.gradRows, &group.rows, &group.first, &group.next, &group.scratch})
        *buffer = tensor::Buffer<std::int32_t>(device, places);
      groups_.push_back(std::move(group));
    }
}

std::int64_t TableRoutes::sentTo(const Rank& rank, int peer) const {
  const auto begin = rank.sentCounts.begin() + static_cast<std::ptrdiff_t>(cell(peer, 0));
  return std::reduce(begin, begin + static_cast<std::ptrdiff_t>(tables_.size()), std::int64_t{0});
}

std::int64_t TableRoutes::mostPlaces() const {
  std::int64_t most = 0;
  for (const StackLookup& lookup : lookups_) most = std::max(most, lookup.capacity);
  return most;
}

std::int64_t TableRoutes::mostReceived() const {
  return std::reduce(mostDistinct_.begin(), mostDistinct_.end());
}

std::int64_t TableRoutes::mostAsked(int shard) const {
  std::int64_t perRank = 0;
  for (std::size_t table = 0; table < tables_.size(); ++table)
    perRank += std::min(mostDistinct_[table], tables_[table].shardRows(shard));
  return perRank * askers_;
}

// Equal ids get one number first, then numbers get positions: those of a holder side by side, in
// the order of the holders, and within them by table. That is the order in which a collective sends
// them and in which their rows arrive.
void TableRoutes::route(int rank, std::span<const std::span<const std::int32_t>> ids) {
  if (ids.size() != lookups_.size())
    throw InvalidArgument(fmt::format("[mesh.TableRoutes] ids of {} lookups; the stack has {}",
                                      ids.size(), lookups_.size()));
  Rank& self = ranks_.at(static_cast<std::size_t>(rank));
  std::ranges::fill(self.distinct, 0);
  std::ranges::fill(self.ids, 0);
  for (int table = 0; table < static_cast<int>(tables_.size()); ++table) number(self, table, ids);
  place(self);
  for (std::size_t lookup = 0; lookup < lookups_.size(); ++lookup) {
    const int table = lookups_[lookup].table;
    const std::int64_t numbers = numberBegin_[static_cast<std::size_t>(table)];
    std::int32_t* const positions = self.positions.data() + lookupBegin_[lookup];
    for (std::int64_t n = 0; n < self.lookupIds[lookup]; ++n) {
      const std::int64_t at = numbers + positions[n];
      ++self.ids[cell(self.parts.data()[at], table)];
      positions[n] = self.numbered.data()[at];
    }
  }
}

void TableRoutes::number(Rank& self, int table,
                         std::span<const std::span<const std::int32_t>> ids) const {
  const Sharding& sharding = tables_[static_cast<std::size_t>(table)];
  self.merger.begin(sharding.rows());
  for (std::size_t lookup = 0; lookup < lookups_.size(); ++lookup) {
    if (lookups_[lookup].table != table) continue;
    const auto count = static_cast<std::int64_t>(ids[lookup].size());
    if (count > lookups_[lookup].capacity)
      throw InvalidArgument(fmt::format("[mesh.TableRoutes] {} ids of lookup {}; it holds {}",
                                        count, lookup, lookups_[lookup].capacity));
    self.lookupIds[lookup] = count;
    std::int32_t* const numbers = self.positions.data() + lookupBegin_[lookup];
    for (std::int64_t n = 0; n < count; ++n) {
      const std::int32_t id = ids[lookup][static_cast<std::size_t>(n)];
      if (id < 0 || id >= sharding.rows())
        throw InvalidArgument(
            fmt::format("[mesh.TableRoutes] id {} at place {} of lookup {}; "
                        "accepted are 0 … {}",
                        id, n, lookup, sharding.rows() - 1));
      numbers[n] = self.merger.numberOf(id);
    }
  }
  std::int64_t at = numberBegin_[static_cast<std::size_t>(table)];
  for (const std::int32_t row : self.merger.ids()) {
    const int part = partOf(sharding.shardOf(row));
    ++self.distinct[cell(part, table)];
    self.parts.data()[at] = part;
    self.numbered.data()[at++] = row;
  }
}

void TableRoutes::place(Rank& self) const {
  std::int64_t begin = 0;
  const std::vector<int>& order = shardOrder_[static_cast<std::size_t>(self.group)];
  for (int i = 0; i < parts(); ++i)
    for (int table = 0; table < static_cast<int>(tables_.size()); ++table) {
      const std::size_t at = cell(partOf(order[static_cast<std::size_t>(i)]), table);
      self.begin[at] = begin;
      begin += self.distinct[at];
    }
  self.received = begin;
  for (int table = 0; table < static_cast<int>(tables_.size()); ++table) {
    const Sharding& sharding = tables_[static_cast<std::size_t>(table)];
    std::int64_t rows = 0;
    for (int part = 0; part < parts(); ++part) rows += self.distinct[cell(part, table)];
    std::int32_t* const numbered =
        self.numbered.data() + numberBegin_[static_cast<std::size_t>(table)];
    const std::int32_t* const part =
        self.parts.data() + numberBegin_[static_cast<std::size_t>(table)];
    for (std::int64_t number = 0; number < rows; ++number) {
      const std::int64_t position = self.begin[cell(part[number], table)]++;
      self.sent.data()[position] = static_cast<std::int32_t>(sharding.placeOf(numbered[number]));
      numbered[number] = static_cast<std::int32_t>(position);
    }
  }
  for (std::size_t at = 0; at < self.begin.size(); ++at) self.begin[at] -= self.distinct[at];
  // Where every shard is asked for every row, each holder gets the whole list.
  for (int copy = 1; copy < shards() / parts(); ++copy)
    std::copy_n(self.sent.data(), self.received, self.sent.data() + copy * self.received);
  std::ranges::fill(self.sentCounts, 0);
  for (int shard = 0; shard < shards(); ++shard) {
    const int holder = holderFor(self, shard);
    for (int table = 0; table < static_cast<int>(tables_.size()); ++table)
      self.sentCounts[cell(holder, table)] =
          static_cast<std::int32_t>(self.distinct[cell(partOf(shard), table)]);
  }
}

Status TableRoutes::exchange(Communicator& communicator) {
  const auto tables = static_cast<std::int64_t>(tables_.size());
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    std::ranges::fill(elementCounts_[rank], tables);
    in_[rank] = elements(ranks_[rank].sentCounts.data());
    out_[rank] = elements(ranks_[rank].askedCounts.data());
  }
  PARAPET_TRY(communicator.allToAll(in_, elementCounts_, out_));
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    Rank& self = ranks_[rank];
    for (int peer = 0; peer < ranks(); ++peer)
      elementCounts_[rank][static_cast<std::size_t>(peer)] = sentTo(self, peer);
    std::inclusive_scan(self.askedCounts.begin(), self.askedCounts.end(),
                        self.askedBegin.begin() + 1, std::plus<>{}, std::int64_t{0});
    in_[rank] = elements(self.sent.data());
    out_[rank] = elements(self.asked.data());
  }
  return communicator.allToAll(in_, elementCounts_, out_);
}

// Places are numbered in rank order, whichever holder of the shard a rank asks.
void TableRoutes::group(const tensor::Launch& launch, int shard, int table,
                        std::int32_t* placeOfRow) {
  Group& group = groupOf(shard, table);
  const std::vector<int>& holders = tables_[0].holders(shard);
  std::int64_t place = 0;
  for (int peer = 0; peer < ranks(); ++peer) {
    const auto inGroup = static_cast<std::size_t>(at(ranks_, peer).group);
    const Rank& holder = at(ranks_, holders[inGroup]);
    const std::int64_t begin = holder.askedBegin[cell(peer, table)];
    const std::int64_t row = static_cast<std::int64_t>(inGroup) * mostAsked(shard) + begin;
    for (std::int64_t n = 0; n < holder.askedCounts[cell(peer, table)]; ++n, ++place) {
      group.ids.data()[place] = holder.asked.data()[begin + n];
      group.gradRows.data()[place] = static_cast<std::int32_t>(row + n);
    }
  }
  group.places = place;
  group.count =
      tensor::groupRows(launch, {group.ids.data(), static_cast<std::size_t>(place)},
                        tables_[static_cast<std::size_t>(table)].shardRows(shard), placeOfRow,
                        {.rows = group.rows.data(),
                         .first = group.first.data(),
                         .next = group.next.data(),
                         .scratch = group.scratch.data()});
}

std::span<const std::int32_t> TableRoutes::positions(int rank, int lookup) const {
  const auto index = static_cast<std::size_t>(lookup);
  const Rank& self = at(ranks_, rank);
  return {self.positions.data() + lookupBegin_.at(index),
          static_cast<std::size_t>(self.lookupIds[index])};
}

RouteCounts TableRoutes::counts(int rank, int shard) const {
  const Rank& self = at(ranks_, rank);
  RouteCounts counts;
  for (int table = 0; table < static_cast<int>(tables_.size()); ++table) {
    counts.ids += self.ids[cell(partOf(shard), table)];
    counts.distinct += self.distinct[cell(partOf(shard), table)];
  }
  return counts;
}

std::span<const std::int32_t> TableRoutes::asked(int rank, int shard, int table) const {
  const Rank& self = at(ranks_, rank);
  const std::size_t at = cell(partOf(shard), table);
  return {self.sent.data() + self.begin[at], static_cast<std::size_t>(self.distinct[at])};
}

std::uint64_t TableRoutes::bytes() const {
  std::uint64_t total = 0;
  for (const Rank& rank : ranks_)
    total += rank.merger.bytes() + rank.positions.bytes() + rank.numbered.bytes() +
             rank.parts.bytes() + rank.sent.bytes() + rank.asked.bytes();
  for (const Group& group : groups_)
    total += group.ids.bytes() + group.gradRows.bytes() + group.rows.bytes() + group.first.bytes() +
             group.next.bytes() + group.scratch.bytes();
  return total;
}

}  // namespace parapet::mesh
