// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "engine/mesh/collective_checks.h"
#include "engine/tensor/buffer.h"

namespace parapet::mesh {
namespace {

/// What the ranks of a collective have on the host: the memory grows to what was needed most, by
/// powers of two, so that steps of slightly different counts take none.
class Staging {
 public:
  explicit Staging(std::size_t ranks) : memory_(ranks), pointers_(ranks), counts_(ranks, 0) {}

  /// Sets how many elements of a rank are exchanged.
  void setCount(std::size_t rank, std::int64_t count) { counts_[rank] = count; }
  void setCounts(Communicator::Counts counts) { std::ranges::copy(counts, counts_.begin()); }
  void setAll(std::int64_t count) { std::ranges::fill(counts_, count); }

  /// Makes room for the elements of all ranks.
  void reserve(ElementType type) {
    for (std::size_t rank = 0; rank < memory_.size(); ++rank) {
      const std::uint64_t needed = bytes(rank, type);
      if (static_cast<std::uint64_t>(memory_[rank].size()) < needed)
        memory_[rank] = tensor::Buffer<std::byte>(tensor::hostDevice(),
                                                  static_cast<std::int64_t>(std::bit_ceil(needed)));
      pointers_[rank] = memory_[rank].data();
    }
  }
  [[nodiscard]] std::uint64_t bytes(std::size_t rank, ElementType type) const {
    return static_cast<std::uint64_t>(counts_[rank]) * bytesOf(type);
  }
  [[nodiscard]] void* of(std::size_t rank) const { return pointers_[rank]; }
  [[nodiscard]] Communicator::Buffers buffers() const { return pointers_; }
  [[nodiscard]] Communicator::ConstBuffers constBuffers() const {
    return {pointers_.data(), pointers_.size()};
  }

 private:
  std::vector<tensor::Buffer<std::byte>> memory_;
  std::vector<void*> pointers_;
  std::vector<std::int64_t> counts_;
};

/// Between devices of one process that cannot read each other's memory: what is sent is copied to
/// the host, the collective runs there, and what is received is copied back.
class StagedCommunicator final : public Communicator {
 public:
  /// `devices`: of the ranks of this process. `worldRanks`: as which they are named.
  StagedCommunicator(std::span<const tensor::Device> devices, std::vector<int> worldRanks,
                     std::unique_ptr<Communicator> host)
      : devices_(devices.begin(), devices.end()),
        worldRanks_(std::move(worldRanks)),
        host_(std::move(host)),
        in_(devices.size()),
        out_(devices.size()) {}

  int ranks() const override { return host_->ranks(); }
  LocalRange local() const override { return host_->local(); }

  Result<std::unique_ptr<Communicator>> group(std::span<const int> ranks) override {
    PARAPET_ASSIGN(std::unique_ptr<Communicator> host, host_->group(ranks));
    std::vector<tensor::Device> devices;
    std::vector<int> worldRanks;
    for (const int rank : ranks) {
      if (!local().has(rank)) continue;
      devices.push_back(devices_[local().of(rank)]);
      worldRanks.push_back(worldRanks_[local().of(rank)]);
    }
    return std::unique_ptr<Communicator>(
        std::make_unique<StagedCommunicator>(devices, std::move(worldRanks), std::move(host)));
  }

  Status allReduce(Buffers buffers, std::int64_t n, ElementType type, Memory memory) override {
    if (memory == Memory::kHost) return host_->allReduce(buffers, n, type, memory);
    requireRanks("allReduce", buffers.size(), local().count);
    requireCount("allReduce", n);
    in_.setAll(n);
    PARAPET_TRY(fetch(ConstBuffers(buffers.data(), buffers.size()), type));
    PARAPET_TRY(host_->allReduce(in_.buffers(), n, type, Memory::kHost));
    return deliver(in_, buffers, type);
  }

  Status reduceScatter(ConstBuffers in, Buffers out, Counts counts, ElementType type,
                       Memory memory) override {
    if (memory == Memory::kHost) return host_->reduceScatter(in, out, counts, type, memory);
    requireAll("reduceScatter", *this, in, out, counts);
    in_.setAll(sum(counts));
    out_.setCounts(counts.subspan(static_cast<std::size_t>(local().first), devices_.size()));
    out_.reserve(type);
    PARAPET_TRY(fetch(in, type));
    PARAPET_TRY(
        host_->reduceScatter(in_.constBuffers(), out_.buffers(), counts, type, Memory::kHost));
    return deliver(out_, out, type);
  }

  Status allGather(ConstBuffers in, Buffers out, Counts counts, ElementType type,
                   Memory memory) override {
    if (memory == Memory::kHost) return host_->allGather(in, out, counts, type, memory);
    requireAll("allGather", *this, in, out, counts);
    in_.setCounts(counts.subspan(static_cast<std::size_t>(local().first), devices_.size()));
    out_.setAll(sum(counts));
    out_.reserve(type);
    PARAPET_TRY(fetch(in, type));
    PARAPET_TRY(host_->allGather(in_.constBuffers(), out_.buffers(), counts, type, Memory::kHost));
    return deliver(out_, out, type);
  }

  Status allToAll(ConstBuffers in, std::span<const PeerCounts> counts, Buffers out,
                  ElementType type, Memory memory) override {
    if (memory == Memory::kHost) return host_->allToAll(in, counts, out, type, memory);
    requireRanks("allToAll", in.size(), local().count);
    requireRanks("allToAll", out.size(), local().count);
    requireSends(counts, ranks(), local());
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
      const PeerCounts& of = counts[rank];
      std::int64_t end = 0;
      for (std::size_t peer = 0; peer < of.send.size(); ++peer)
        if (of.send[peer] > 0) end = std::max(end, of.sendBegin[peer] + of.send[peer]);
      in_.setCount(rank, end);
      out_.setCount(rank, sum(of.receive));
    }
    out_.reserve(type);
    PARAPET_TRY(fetch(in, type));
    PARAPET_TRY(host_->allToAll(in_.constBuffers(), counts, out_.buffers(), type, Memory::kHost));
    return deliver(out_, out, type);
  }

  Status barrier() override { return host_->barrier(); }
  void abort(const std::string& reason) override { host_->abort(reason); }

 private:
  static std::int64_t sum(Counts counts) {
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  }

  Status fetch(ConstBuffers from, ElementType type) {
    // Nothing is waited for after an abort.
    PARAPET_TRY(host_->barrier());
    in_.reserve(type);
    return forRanks([&](std::size_t rank) {
      devices_[rank].copyOut(in_.of(rank), from[rank], in_.bytes(rank, type));
    });
  }
  Status deliver(const Staging& staged, Buffers to, ElementType type) const {
    return forRanks([&](std::size_t rank) {
      devices_[rank].copyIn(to[rank], staged.of(rank), staged.bytes(rank, type));
    });
  }
  /// Calls copy(rank) of each; a device that fails is named with its rank.
  template <class Copy>
  [[nodiscard]] Status forRanks(const Copy& copy) const {
    for (std::size_t rank = 0; rank < devices_.size(); ++rank) {
      try {
        copy(rank);
      } catch (const tensor::DeviceFailure& failure) {
        return Error{ErrorCode::kDevice, fmt::format("rank {} ({}): {}", worldRanks_[rank],
                                                     devices_[rank].name(), failure.what())};
      }
    }
    return {};
  }

  const std::vector<tensor::Device> devices_;
  const std::vector<int> worldRanks_;
  const std::unique_ptr<Communicator> host_;
  Staging in_, out_;
};

}  // namespace

std::unique_ptr<Communicator> makeLocalCommunicator(std::span<const tensor::Device> devices,
                                                    Workers* workers) {
  for (const tensor::Device& device : devices)
    if (device.isElsewhere())
      throw InvalidArgument(
          fmt::format("[mesh.makeLocalCommunicator] {} belongs to another process", device.name()));
  const bool readable = !devices.empty() && devices[0].isHost();
  return throughHost(
      devices, 0,
      makeLocalCommunicator(static_cast<int>(devices.size()),
                            {readable ? &devices[0] : &tensor::hostDevice(), workers}));
}

std::unique_ptr<Communicator> throughHost(std::span<const tensor::Device> devices, int firstRank,
                                          std::unique_ptr<Communicator> host) {
  if (std::ranges::all_of(devices, &tensor::Device::isHost)) return host;
  std::vector<int> worldRanks(devices.size());
  std::iota(worldRanks.begin(), worldRanks.end(), firstRank);
  return std::make_unique<StagedCommunicator>(devices, std::move(worldRanks), std::move(host));
}

CommunicatorFactory localCommunicators() {
  return [](std::span<const tensor::Device> devices,
            Workers* workers) -> Result<std::unique_ptr<Communicator>> {
    return makeLocalCommunicator(devices, workers);
  };
}

}  // namespace parapet::mesh
