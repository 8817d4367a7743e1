// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <numeric>

#include "engine/mesh/collective_checks.h"
#include "engine/mesh/element_sums.h"

namespace parapet::mesh {
namespace {

// Below this many bytes a second worker costs more to wake than it saves.
constexpr std::int64_t kMinParallelBytes = 256 * 1024;

void copyBytes(void* out, const void* in, std::int64_t bytes) {
  if (bytes > 0 && out != in) std::memmove(out, in, static_cast<std::size_t>(bytes));
}

const void* after(const void* buffer, std::int64_t bytes) {
  return static_cast<const std::byte*>(buffer) + bytes;
}
void* after(void* buffer, std::int64_t bytes) {
  return static_cast<std::byte*>(buffer) + bytes;
}

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
    requireMembers(ranks, ranks_);
    return std::unique_ptr<Communicator>(
        std::make_unique<LocalCommunicator>(static_cast<int>(ranks.size()), launch_, ending_));
  }

  Status allReduce(Buffers buffers, std::int64_t n, ElementType type, Memory) override {
    requireRanks("allReduce", buffers.size(), ranks_);
    requireCount("allReduce", n);
    requireAddable("allReduce", type);
    PARAPET_TRY(ending_->status());
    takeParts(ConstBuffers(buffers.data(), buffers.size()), 0);
    sums_.add(type, parts_, n, buffers[0]);
    for (std::size_t rank = 1; rank < buffers.size(); ++rank)
      copyBytes(buffers[rank], buffers[0], n * bytes(type));
    return {};
  }

  Status reduceScatter(ConstBuffers in, Buffers out, Counts counts, ElementType type,
                       Memory) override {
    requireRanks("reduceScatter", in.size(), ranks_);
    requireRanks("reduceScatter", out.size(), ranks_);
    requireCounts("reduceScatter", counts, ranks_);
    requireAddable("reduceScatter", type);
    PARAPET_TRY(ending_->status());
    std::int64_t begin = 0;
    for (std::size_t rank = 0; rank < out.size(); ++rank) {
      takeParts(in, begin * bytes(type));
      sums_.add(type, parts_, counts[rank], out[rank]);
      begin += counts[rank];
    }
    return {};
  }

  Status allGather(ConstBuffers in, Buffers out, Counts counts, ElementType type, Memory) override {
    requireRanks("allGather", in.size(), ranks_);
    requireRanks("allGather", out.size(), ranks_);
    requireCounts("allGather", counts, ranks_);
    PARAPET_TRY(ending_->status());
    moves_.clear();
    for (void* gathered : out) {
      std::int64_t begin = 0;
      for (std::size_t rank = 0; rank < in.size(); ++rank) {
        addMove(in[rank], after(gathered, begin * bytes(type)), counts[rank] * bytes(type));
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
    requireSends(counts, ranks_);
    PARAPET_TRY(ending_->status());
    moves_.clear();
    for (std::size_t to = 0; to < out.size(); ++to) {
      std::int64_t received = 0;
      for (std::size_t from = 0; from < in.size(); ++from) {
        const std::int64_t count = counts[from].send[to];
        addMove(after(in[from], counts[from].sendBegin[to] * bytes(type)),
                after(out[to], received * bytes(type)), count * bytes(type));
        received += count;
      }
    }
    runMoves();
    return {};
  }

  Status barrier() override { return ending_->status(); }
  void abort(const std::string& reason) override { ending_->begin(reason); }

 private:
  static std::int64_t bytes(ElementType type) { return static_cast<std::int64_t>(bytesOf(type)); }

  void takeParts(ConstBuffers buffers, std::int64_t begin) {
    parts_.clear();
    for (const void* buffer : buffers) parts_.push_back(after(buffer, begin));
  }

  void addMove(const void* in, void* out, std::int64_t count) {
    if (count > 0) moves_.push_back({in, out, count});
  }

  void runMoves() {
    std::int64_t total = 0;
    for (const Move& move : moves_) total += move.bytes;
    runBlocks(total >= kMinParallelBytes ? launch_.workers : nullptr,
              static_cast<std::int64_t>(moves_.size()), [this](std::int64_t index) {
                const Move& move = moves_[static_cast<std::size_t>(index)];
                copyBytes(move.out, move.in, move.bytes);
              });
  }

  struct Move {
    const void* in;
    void* out;
    std::int64_t bytes;
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
