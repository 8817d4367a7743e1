// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <numeric>

#include "engine/mesh/collective_checks.h"
#include "engine/mesh/element_sums.h"

namespace parapet::mesh {
namespace {

// Below this many bytes a second worker costs more to wake than it saves.
constexpr std::size_t kMinParallelBytes = 256 * 1024;

/// Why the ranks end; shared by a communicator and its groups.
class Ending {
 public:
  void begin(const std::string& reason) {
    const std::lock_guard lock(mutex_);
    if (!begun_) reason_ = reason;
    begun_ = true;
  }
  Status status() {
    if (!begun_) return {};
    const std::lock_guard lock(mutex_);
    return Error{ErrorCode::kPeer, fmt::format("[mesh] the ranks were told to end: {}", reason_)};
  }

 private:
  std::atomic<bool> begun_ = false;
  std::mutex mutex_;
  std::string reason_;
};

class LocalCommunicator final : public Communicator {
 public:
  LocalCommunicator(int ranks, const tensor::Launch& launch, std::shared_ptr<Ending> ending)
      : ranks_(ranks),
        device_(*launch.device),
        launch_{&device_, launch.workers},
        ending_(std::move(ending)),
        sums_(launch_) {
    parts_.reserve(static_cast<std::size_t>(ranks));
    moves_.reserve(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks));
  }

  int ranks() const override { return ranks_; }

  Result<std::unique_ptr<Communicator>> group(std::span<const int> ranks) override {
    requireMembers(ranks, ranks_, local());
    return std::unique_ptr<Communicator>(
        std::make_unique<LocalCommunicator>(static_cast<int>(ranks.size()), launch_, ending_));
  }

  Status allReduce(Buffers buffers, std::int64_t n, ElementType type, Memory) override {
    requireRanks("allReduce", buffers.size(), ranks_);
    requireCount("allReduce", n);
    requireAddable("allReduce", type);
    PARAPET_TRY(ending_->status());
    takeParts(ConstBuffers(buffers.data(), buffers.size()), 0, type);
    sums_.add(type, parts_, n, buffers[0]);
    for (std::size_t rank = 1; rank < buffers.size(); ++rank)
      moveBytes(buffers[rank], buffers[0], bytesOf(type, n));
    return {};
  }

  Status reduceScatter(ConstBuffers in, Buffers out, Counts counts, ElementType type,
                       Memory) override {
    requireAll("reduceScatter", *this, in, out, counts);
    requireAddable("reduceScatter", type);
    PARAPET_TRY(ending_->status());
    std::int64_t begin = 0;
    for (std::size_t rank = 0; rank < out.size(); ++rank) {
      takeParts(in, begin, type);
      sums_.add(type, parts_, counts[rank], out[rank]);
      begin += counts[rank];
    }
    return {};
  }

  Status allGather(ConstBuffers in, Buffers out, Counts counts, ElementType type, Memory) override {
    requireAll("allGather", *this, in, out, counts);
    PARAPET_TRY(ending_->status());
    moves_.clear();
    for (void* gathered : out) {
      std::int64_t begin = 0;
      for (std::size_t rank = 0; rank < in.size(); ++rank) {
        addMove(in[rank], elementsAt(gathered, begin, type), bytesOf(type, counts[rank]));
        begin += counts[rank];
      }
    }
    runMoves();
    return {};
  }

  Status allToAll(ConstBuffers in, std::span<const PeerCounts> counts, Buffers out,
                  ElementType type, Memory) override {
    requireRanks("allToAll", in.size(), ranks_);
    requireRanks("allToAll", out.size(), ranks_);
    requireSends(counts, ranks_, local());
    PARAPET_TRY(ending_->status());
    moves_.clear();
    for (std::size_t to = 0; to < out.size(); ++to) {
      std::int64_t received = 0;
      for (std::size_t from = 0; from < in.size(); ++from) {
        const std::int64_t count = counts[from].send[to];
        addMove(elementsAt(in[from], counts[from].sendBegin[to], type),
                elementsAt(out[to], received, type), bytesOf(type, count));
        received += count;
      }
    }
    runMoves();
    return {};
  }

  Status barrier() override { return ending_->status(); }
  void abort(const std::string& reason) override { ending_->begin(reason); }

 private:
  void takeParts(ConstBuffers buffers, std::int64_t begin, ElementType type) {
    parts_.clear();
    for (const void* buffer : buffers) parts_.push_back(elementsAt(buffer, begin, type));
  }

  void addMove(const void* in, void* out, std::size_t bytes) {
    if (bytes > 0) moves_.push_back({in, out, bytes});
  }

  void runMoves() {
    std::size_t total = 0;
    for (const Move& move : moves_) total += move.bytes;
    runBlocks(total >= kMinParallelBytes ? launch_.workers : nullptr,
              static_cast<std::int64_t>(moves_.size()), [this](std::int64_t index) {
                const Move& move = moves_[static_cast<std::size_t>(index)];
                moveBytes(move.out, move.in, move.bytes);
              });
  }

  struct Move {
    const void* in;
    void* out;
    std::size_t bytes;
  };

  const int ranks_;
  const tensor::Device device_;
  const tensor::Launch launch_;
  const std::shared_ptr<Ending> ending_;
  ElementSums sums_;
  std::vector<const void*> parts_;
  std::vector<Move> moves_;  ///< by receiver and sender
};

}  // namespace

std::size_t bytesOf(ElementType type) {
  switch (type) {
    case ElementType::kF32:
    case ElementType::kI32:
      return sizeof(std::int32_t);
    case ElementType::kF64:
    case ElementType::kI64:
      return sizeof(std::int64_t);
    case ElementType::kBf16:
      return sizeof(std::int16_t);
    case ElementType::kBytes:
      return 1;
  }
  return 0;
}

void PeerCounts::packSends() {
  std::exclusive_scan(send.begin(), send.end(), sendBegin.begin(), std::int64_t{0});
}

std::unique_ptr<Communicator> makeLocalCommunicator(int ranks, tensor::Launch launch) {
  if (ranks < 1)
    throw InvalidArgument(
        fmt::format("[mesh.makeLocalCommunicator] {} ranks; at least 1 is accepted", ranks));
  return std::make_unique<LocalCommunicator>(ranks, launch, std::make_shared<Ending>());
}

}  // namespace parapet::mesh
