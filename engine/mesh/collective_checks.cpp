// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/collective_checks.h"

#include <fmt/format.h>

#include <algorithm>

namespace parapet::mesh {

void requireRanks(const char* collective, std::size_t found, int ranks) {
  if (found != static_cast<std::size_t>(ranks))
    throw InvalidArgument(fmt::format("[mesh.{}] buffers of {} ranks; this communicator has {}",
                                      collective, found, ranks));
}

void requireCount(const char* collective, std::int64_t n) {
  if (n < 0)
    throw InvalidArgument(fmt::format("[mesh.{}] n is {}; at least 0 is accepted", collective, n));
}

void requireCounts(const char* collective, Communicator::Counts counts, int ranks) {
  requireRanks(collective, counts.size(), ranks);
  for (const std::int64_t count : counts) requireCount(collective, count);
}

void requireAddable(const char* collective, ElementType type) {
  if (type == ElementType::kBytes)
    throw InvalidArgument(fmt::format(
        "[mesh.{}] sums of bytes; f32, f64, bf16, i32 and i64 are accepted", collective));
}

void requireAll(const char* collective, const Communicator& of, Communicator::ConstBuffers in,
                Communicator::Buffers out, Communicator::Counts counts) {
  requireRanks(collective, in.size(), of.local().count);
  requireRanks(collective, out.size(), of.local().count);
  requireCounts(collective, counts, of.ranks());
}

void requireSends(std::span<const PeerCounts> all, int ranks, LocalRange local) {
  requireRanks("allToAll", all.size(), local.count);
  const auto peers = static_cast<std::size_t>(ranks);
  for (int rank = local.first; rank < local.end(); ++rank) {
    const auto from = static_cast<std::size_t>(rank);
    const PeerCounts& counts = all[local.of(rank)];
    if (counts.send.size() != peers || counts.sendBegin.size() != peers ||
        counts.receive.size() != peers)
      throw InvalidArgument(
          fmt::format("[mesh.allToAll] rank {} sends to {} ranks; this communicator has {}", from,
                      counts.send.size(), ranks));
    for (std::size_t to = 0; to < peers; ++to) {
      if (counts.send[to] < 0 || counts.sendBegin[to] < 0)
        throw InvalidArgument(
            fmt::format("[mesh.allToAll] rank {} sends {} to rank {}; at least 0 is accepted", from,
                        std::min(counts.send[to], counts.sendBegin[to]), to));
      if (!local.has(static_cast<int>(to))) continue;
      const PeerCounts& receiver = all[local.of(static_cast<int>(to))];
      if (receiver.receive.size() == peers && receiver.receive[from] != counts.send[to])
        throw InvalidArgument(
            fmt::format("[mesh.allToAll] rank {} sends {} to rank {}, which expects {}", from,
                        counts.send[to], to, receiver.receive[from]));
    }
  }
}

void requireMembers(std::span<const int> members, int ranks, LocalRange local) {
  if (members.empty()) throw InvalidArgument("[mesh.group] no rank; at least 1 is accepted");
  for (std::size_t i = 0; i < members.size(); ++i) {
    const int least = i == 0 ? 0 : members[i - 1] + 1;
    if (members[i] < least || members[i] >= ranks)
      throw InvalidArgument(
          fmt::format("[mesh.group] rank {}; accepted are {} … {}", members[i], least, ranks - 1));
  }
  if (std::ranges::none_of(members, [&](int member) { return local.has(member); }))
    throw InvalidArgument(fmt::format("[mesh.group] no rank of this process; it has {} … {}",
                                      local.first, local.end() - 1));
}

}  // namespace parapet::mesh
