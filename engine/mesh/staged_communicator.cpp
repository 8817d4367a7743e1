// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "engine/mesh/communicator.h"
#include "engine/tensor/buffer.h"

namespace parapet::mesh {
namespace {

/// Between devices of one process that cannot read each other's memory: what is sent is copied to the
/// host, the collective runs there, and what is received is copied back.
class StagedCommunicator final : public Communicator {
 public:
  StagedCommunicator(std::span<const tensor::Device> devices, std::unique_ptr<Communicator> host)
      : devices_(devices.begin(), devices.end()),
        host_(std::move(host)),
        in_(devices.size()),
        out_(devices.size()) {}

  int worldRanks() const override { return host_->worldRanks(); }
  int localRanks() const override { return host_->localRanks(); }
  int firstLocalRank() const override { return host_->firstLocalRank(); }

  Status allReduce(Buffers buffers, std::int64_t n, ElementType type, Memory memory) override {
    if (memory == Memory::kHost || n < 0 || buffers.size() != devices_.size())
      return host_->allReduce(buffers, n, type, Memory::kHost);
    const std::vector<std::int64_t> counts(buffers.size(), n);
    fetch(ConstBuffers(buffers.data(), buffers.size()), counts, type);
    const std::vector<void*> staged = pointers(in_);
    PARAPET_TRY(host_->allReduce(staged, n, type, Memory::kHost));
    deliver(in_, buffers, counts, type);
    return {};
  }

  Status reduceScatter(ConstBuffers in, Buffers out, Counts counts, ElementType type,
                       Memory memory) override {
    if (memory == Memory::kHost || !fits(in, out, counts))
      return host_->reduceScatter(in, out, counts, type, Memory::kHost);
    fetch(in, all(counts), type);
    reserve(out_, counts, type);
    PARAPET_TRY(
        host_->reduceScatter(constPointers(in_), pointers(out_), counts, type, Memory::kHost));
    deliver(out_, out, counts, type);
    return {};
  }

  Status allGather(ConstBuffers in, Buffers out, Counts counts, ElementType type,
                   Memory memory) override {
    if (memory == Memory::kHost || !fits(in, out, counts))
      return host_->allGather(in, out, counts, type, Memory::kHost);
    fetch(in, counts, type);
    const std::vector<std::int64_t> gathered = all(counts);
    reserve(out_, gathered, type);
    PARAPET_TRY(host_->allGather(constPointers(in_), pointers(out_), counts, type, Memory::kHost));
    deliver(out_, out, gathered, type);
    return {};
  }

  Status allToAll(ConstBuffers in, std::span<const PeerCounts> counts, Buffers out,
                  ElementType type, Memory memory) override {
    if (memory == Memory::kHost || in.size() != devices_.size() || out.size() != in.size() ||
        counts.size() != in.size())
      return host_->allToAll(in, counts, out, type, Memory::kHost);
    std::vector<std::int64_t> sent, received;
    for (const PeerCounts& of : counts) {
      std::int64_t end = 0;
      for (std::size_t peer = 0; peer < of.send.size(); ++peer)
        if (of.send[peer] > 0) end = std::max(end, of.sendBegin[peer] + of.send[peer]);
      sent.push_back(end);
      received.push_back(std::accumulate(of.receive.begin(), of.receive.end(), std::int64_t{0}));
    }
    fetch(in, sent, type);
    reserve(out_, received, type);
    PARAPET_TRY(host_->allToAll(constPointers(in_), counts, pointers(out_), type, Memory::kHost));
    deliver(out_, out, received, type);
    return {};
  }

  Status barrier() override { return host_->barrier(); }
  void abort(const std::string& reason) override { host_->abort(reason); }

 private:
  using Staged = std::vector<tensor::Buffer<std::byte>>;

  [[nodiscard]] bool fits(ConstBuffers in, Buffers out, Counts counts) const {
    return in.size() == devices_.size() && out.size() == in.size() && counts.size() == in.size() &&
           std::ranges::all_of(counts, [](std::int64_t count) { return count >= 0; });
  }
  static std::vector<std::int64_t> all(Counts counts) {
    return std::vector(counts.size(),
                       std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
  }
  static std::uint64_t bytes(std::int64_t count, ElementType type) {
    return static_cast<std::uint64_t>(count) * bytesOf(type);
  }
  static void reserve(Staged& staged, Counts counts, ElementType type) {
    for (std::size_t rank = 0; rank < staged.size(); ++rank)
      if (const auto needed = static_cast<std::int64_t>(bytes(counts[rank], type));
          staged[rank].size() < needed)
        staged[rank] = tensor::Buffer<std::byte>(tensor::hostDevice(), needed);
  }
  void fetch(ConstBuffers from, Counts counts, ElementType type) {
    reserve(in_, counts, type);
    for (std::size_t rank = 0; rank < from.size(); ++rank)
      devices_[rank].copyOut(in_[rank].data(), from[rank], bytes(counts[rank], type));
  }
  void deliver(const Staged& staged, Buffers to, Counts counts, ElementType type) const {
    for (std::size_t rank = 0; rank < to.size(); ++rank)
      devices_[rank].copyIn(to[rank], staged[rank].data(), bytes(counts[rank], type));
  }
  static std::vector<void*> pointers(Staged& staged) {
    std::vector<void*> made;
    for (auto& buffer : staged) made.push_back(buffer.data());
    return made;
  }
  static std::vector<const void*> constPointers(const Staged& staged) {
    std::vector<const void*> made;
    for (const auto& buffer : staged) made.push_back(buffer.data());
    return made;
  }

  const std::vector<tensor::Device> devices_;
  const std::unique_ptr<Communicator> host_;
  Staged in_, out_;  ///< by rank; they grow to what was needed most
};

}  // namespace

std::unique_ptr<Communicator> makeLocalCommunicator(std::span<const tensor::Device> devices,
                                                    Workers* workers) {
  const bool readable = std::ranges::all_of(devices, &tensor::Device::isHost);
  auto host = makeLocalCommunicator(
      static_cast<int>(devices.size()),
      {readable && !devices.empty() ? &devices[0] : &tensor::hostDevice(), workers});
  if (readable) return host;
  return std::make_unique<StagedCommunicator>(devices, std::move(host));
}

}  // namespace parapet::mesh
