// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atomic>
#include <cstring>
#include <mutex>

#include "engine/mesh/communicator.h"
#include "engine/tensor/ops/sum_parts.h"

namespace parapet::mesh {
namespace {

// Below this many elements a second worker costs more to wake than it saves.
constexpr std::int64_t kMinParallelElements = 64 * 1024;

void copyElements(float* out, const float* in, std::int64_t count) {
  if (count > 0 && out != in)
    std::memmove(out, in, static_cast<std::size_t>(count) * sizeof(float));
}

class LocalCommunicator final : public Communicator {
 public:
  LocalCommunicator(int ranks, tensor::Launch launch) : ranks_(ranks), launch_(launch) {}

  int worldRanks() const override { return ranks_; }
  int localRanks() const override { return ranks_; }
  int firstLocalRank() const override { return 0; }

  Status allReduce(Buffers buffers, std::int64_t n) override {
    requireRanks("allReduce", buffers.size());
    requireCount("allReduce", n);
    PARAPET_TRY(aborted());
    parts_.assign(buffers.begin(), buffers.end());
    tensor::sumParts(launch_, parts_, n, buffers[0]);
    for (std::size_t rank = 1; rank < buffers.size(); ++rank)
      copyElements(buffers[rank], buffers[0], n);
    return {};
  }

  Status reduceScatter(ConstBuffers in, Buffers out, std::int64_t n) override {
    requireRanks("reduceScatter", in.size());
    requireRanks("reduceScatter", out.size());
    requireCount("reduceScatter", n);
    PARAPET_TRY(aborted());
    for (int rank = 0; rank < ranks_; ++rank) {
      parts_.clear();
      for (const float* buffer : in) parts_.push_back(buffer + rank * n);
      tensor::sumParts(launch_, parts_, n, out[static_cast<std::size_t>(rank)]);
    }
    return {};
  }

  Status allGather(ConstBuffers in, Buffers out, std::int64_t n) override {
    requireRanks("allGather", in.size());
    requireRanks("allGather", out.size());
    requireCount("allGather", n);
    PARAPET_TRY(aborted());
    for (float* gathered : out)
      for (std::size_t rank = 0; rank < in.size(); ++rank)
        copyElements(gathered + static_cast<std::int64_t>(rank) * n, in[rank], n);
    return {};
  }

  Status allToAll(ConstBuffers in, std::span<const std::vector<std::int64_t>> sendCounts,
                  Buffers out) override {
    requireRanks("allToAll", in.size());
    requireRanks("allToAll", out.size());
    requireRanks("allToAll", sendCounts.size());
    for (std::size_t from = 0; from < sendCounts.size(); ++from)
      requireSendCounts(from, sendCounts[from]);
    PARAPET_TRY(aborted());
    sent_.assign(in.size(), 0);
    moves_.clear();
    std::int64_t total = 0;
    for (std::size_t to = 0; to < out.size(); ++to) {
      std::int64_t received = 0;
      for (std::size_t from = 0; from < in.size(); ++from) {
        const std::int64_t count = sendCounts[from][to];
        moves_.push_back({in[from] + sent_[from], out[to] + received, count});
        received += count;
        sent_[from] += count;
      }
      total += received;
    }
    const auto move = [this](std::int64_t index) {
      const Move& one = moves_[static_cast<std::size_t>(index)];
      copyElements(one.out, one.in, one.count);
    };
    runBlocks(total >= kMinParallelElements ? launch_.workers : nullptr,
              static_cast<std::int64_t>(moves_.size()), move);
    return {};
  }

  Status broadcast(Buffers buffers, std::int64_t n, int root) override {
    requireRanks("broadcast", buffers.size());
    requireCount("broadcast", n);
    if (root < 0 || root >= ranks_)
      throw InvalidArgument(
          fmt::format("[mesh.broadcast] root {}; accepted are 0 … {}", root, ranks_ - 1));
    PARAPET_TRY(aborted());
    for (float* buffer : buffers) copyElements(buffer, buffers[static_cast<std::size_t>(root)], n);
    return {};
  }

  Status barrier() override { return aborted(); }

  void abort(const std::string& reason) override {
    std::lock_guard lock(mutex_);
    if (!aborted_) reason_ = reason;
    aborted_ = true;
  }

 private:
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

  void requireSendCounts(std::size_t from, const std::vector<std::int64_t>& counts) const {
    if (counts.size() != static_cast<std::size_t>(ranks_))
      throw InvalidArgument(
          fmt::format("[mesh.allToAll] rank {} sends to {} ranks; this communicator has {}", from,
                      counts.size(), ranks_));
    for (std::size_t to = 0; to < counts.size(); ++to)
      if (counts[to] < 0)
        throw InvalidArgument(
            fmt::format("[mesh.allToAll] rank {} sends {} to rank {}; at least 0 is accepted", from,
                        counts[to], to));
  }

  Status aborted() {
    if (!aborted_) return {};
    std::lock_guard lock(mutex_);
    return Error{ErrorCode::kPeer, fmt::format("[mesh] the ranks were told to end: {}", reason_)};
  }

  struct Move {
    const float* in;
    float* out;
    std::int64_t count;
  };

  const int ranks_;
  const tensor::Launch launch_;
  std::vector<const float*> parts_;
  std::vector<std::int64_t> sent_;  ///< by rank, of an all-to-all so far
  std::vector<Move> moves_;         ///< of an all-to-all, by receiver and sender
  std::atomic<bool> aborted_ = false;
  std::mutex mutex_;
  std::string reason_;
};

}  // namespace

std::unique_ptr<Communicator> makeLocalCommunicator(int ranks, tensor::Launch launch) {
  if (ranks < 1)
    throw InvalidArgument(
        fmt::format("[mesh.makeLocalCommunicator] {} ranks; at least 1 is accepted", ranks));
  return std::make_unique<LocalCommunicator>(ranks, launch);
}

}  // namespace parapet::mesh
