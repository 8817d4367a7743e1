// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <numeric>

#include "engine/mesh/communicator.h"
#include "engine/tensor/ops/sum_parts.h"

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

class LocalCommunicator final : public Communicator {
 public:
  LocalCommunicator(int ranks, tensor::Launch launch) : ranks_(ranks), launch_(launch) {}

  int worldRanks() const override { return ranks_; }
  int localRanks() const override { return ranks_; }
  int firstLocalRank() const override { return 0; }

  Status allReduce(Buffers buffers, std::int64_t n, ElementType type, Memory) override {
    requireRanks("allReduce", buffers.size());
    requireCount("allReduce", n);
    requireAddable("allReduce", type);
    PARAPET_TRY(aborted());
    takeParts(ConstBuffers(buffers.data(), buffers.size()), 0);
    add(type, n, buffers[0]);
    for (std::size_t rank = 1; rank < buffers.size(); ++rank)
      copyBytes(buffers[rank], buffers[0], n * bytes(type));
    return {};
  }

  Status reduceScatter(ConstBuffers in, Buffers out, Counts counts, ElementType type,
                       Memory) override {
    requireRanks("reduceScatter", in.size());
    requireRanks("reduceScatter", out.size());
    requireCounts("reduceScatter", counts);
    requireAddable("reduceScatter", type);
    PARAPET_TRY(aborted());
    std::int64_t begin = 0;
    for (std::size_t rank = 0; rank < out.size(); ++rank) {
      takeParts(in, begin * bytes(type));
      add(type, counts[rank], out[rank]);
      begin += counts[rank];
    }
    return {};
  }

  Status allGather(ConstBuffers in, Buffers out, Counts counts, ElementType type, Memory) override {
    requireRanks("allGather", in.size());
    requireRanks("allGather", out.size());
    requireCounts("allGather", counts);
    PARAPET_TRY(aborted());
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
    requireRanks("allToAll", in.size());
    requireRanks("allToAll", out.size());
    requireRanks("allToAll", counts.size());
    for (std::size_t from = 0; from < counts.size(); ++from) requireSends(from, counts);
    PARAPET_TRY(aborted());
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

  Status barrier() override { return aborted(); }

  void abort(const std::string& reason) override {
    std::lock_guard lock(mutex_);
    if (!aborted_) reason_ = reason;
    aborted_ = true;
  }

 private:
  static std::int64_t bytes(ElementType type) { return static_cast<std::int64_t>(bytesOf(type)); }

  void requireRanks(const char* collective, std::size_t found) const {
    if (found != static_cast<std::size_t>(ranks_))
      throw InvalidArgument(fmt::format("[mesh.{}] buffers of {} ranks; this communicator has {}",
                                        collective, found, ranks_));
  }

  static void requireCount(const char* collective, std::int64_t n) {
    if (n < 0)
      throw InvalidArgument(
          fmt::format("[mesh.{}] n is {}; at least 0 is accepted", collective, n));
  }

  void requireCounts(const char* collective, Counts counts) const {
    requireRanks(collective, counts.size());
    for (const std::int64_t count : counts) requireCount(collective, count);
  }

  static void requireAddable(const char* collective, ElementType type) {
    if (type == ElementType::kI32)
      throw InvalidArgument(
          fmt::format("[mesh.{}] sums of i32; f32 and f64 are accepted", collective));
  }

  void requireSends(std::size_t from, std::span<const PeerCounts> all) const {
    const PeerCounts& counts = all[from];
    const auto ranks = static_cast<std::size_t>(ranks_);
    if (counts.send.size() != ranks || counts.sendBegin.size() != ranks ||
        counts.receive.size() != ranks)
      throw InvalidArgument(
          fmt::format("[mesh.allToAll] rank {} sends to {} ranks; this communicator has {}", from,
                      counts.send.size(), ranks_));
    for (std::size_t to = 0; to < ranks; ++to) {
      if (counts.send[to] < 0 || counts.sendBegin[to] < 0)
        throw InvalidArgument(
            fmt::format("[mesh.allToAll] rank {} sends {} to rank {}; at least 0 is accepted", from,
                        std::min(counts.send[to], counts.sendBegin[to]), to));
      if (all[to].receive.size() == ranks && all[to].receive[from] != counts.send[to])
        throw InvalidArgument(
            fmt::format("[mesh.allToAll] rank {} sends {} to rank {}, which expects {}", from,
                        counts.send[to], to, all[to].receive[from]));
    }
  }

  Status aborted() {
    if (!aborted_) return {};
    std::lock_guard lock(mutex_);
    return Error{ErrorCode::kPeer, fmt::format("[mesh] the ranks were told to end: {}", reason_)};
  }

  void takeParts(ConstBuffers buffers, std::int64_t begin) {
    parts_.clear();
    for (const void* buffer : buffers) parts_.push_back(after(buffer, begin));
  }

  /// The sum of the parts, in their order; `out` may be the first.
  void add(ElementType type, std::int64_t n, void* out) {
    if (type == ElementType::kF32) {
      floats_.clear();
      for (const void* part : parts_) floats_.push_back(static_cast<const float*>(part));
      return tensor::sumParts(launch_, floats_, n, static_cast<float*>(out));
    }
    for (std::int64_t i = 0; i < n; ++i) {
      double sum = 0.0;
      for (const void* part : parts_) sum += static_cast<const double*>(part)[i];
      static_cast<double*>(out)[i] = sum;
    }
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
  const tensor::Launch launch_;
  std::vector<const void*> parts_;
  std::vector<const float*> floats_;
  std::vector<Move> moves_;  ///< by receiver and sender
  std::atomic<bool> aborted_ = false;
  std::mutex mutex_;
  std::string reason_;
};

}  // namespace

std::size_t bytesOf(ElementType type) {
  return type == ElementType::kF64 ? sizeof(double) : sizeof(float);
}

void PeerCounts::packSends() {
  std::exclusive_scan(send.begin(), send.end(), sendBegin.begin(), std::int64_t{0});
}

std::unique_ptr<Communicator> makeLocalCommunicator(int ranks, tensor::Launch launch) {
  if (ranks < 1)
    throw InvalidArgument(
        fmt::format("[mesh.makeLocalCommunicator] {} ranks; at least 1 is accepted", ranks));
  return std::make_unique<LocalCommunicator>(ranks, launch);
}

}  // namespace parapet::mesh
