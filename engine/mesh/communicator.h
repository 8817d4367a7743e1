// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/tensor/device.h"

namespace parapet::mesh {

/// Collectives among the ranks of a mesh. A call takes the buffers of *all local ranks* at once, in
/// rank order: a communicator over one process is then a plain function over them, one over GPUs a
/// single group call, one over hosts local-then-between-then-local. So a rank needs no thread.
///
/// Letters  P ranks of the whole mesh, L local ranks, n elements.
/// Order    sums run in rank order on every implementation over one process.
/// Errors   InvalidArgument if the number of buffers is not L or a count is negative. A peer that
///          dies, hangs past the time-out or aborts gives kPeer naming the rank; never a hang.
/// Thread   one caller at a time; abort() from any thread.
class Communicator {
 public:
  using Buffers = std::span<float* const>;
  using ConstBuffers = std::span<const float* const>;

  virtual ~Communicator() = default;
  [[nodiscard]] virtual int worldRanks() const = 0;
  [[nodiscard]] virtual int localRanks() const = 0;
  /// World rank of the first local rank; local ranks are consecutive.
  [[nodiscard]] virtual int firstLocalRank() const = 0;

  /// Every buffer [n] becomes the sum of all.
  virtual Status allReduce(Buffers buffers, std::int64_t n) = 0;
  /// in [P·n]; out [n] of rank r = Σ over ranks of their r-th block.
  virtual Status reduceScatter(ConstBuffers in, Buffers out, std::int64_t n) = 0;
  /// in [n]; out [P·n] holds the blocks of all ranks in rank order.
  virtual Status allGather(ConstBuffers in, Buffers out, std::int64_t n) = 0;
  /// Rank r sends sendCounts[r][p] elements to p, in peer order, and receives in peer order.
  /// sendCounts has a row per local rank with P entries; out must have room for what arrives.
  virtual Status allToAll(ConstBuffers in, std::span<const std::vector<std::int64_t>> sendCounts,
                          Buffers out) = 0;
  /// Every buffer [n] becomes that of world rank `root`.
  virtual Status broadcast(Buffers buffers, std::int64_t n, int root) = 0;
  virtual Status barrier() = 0;
  /// Makes every call, pending or to come, on every rank, fail with kPeer and this reason.
  virtual void abort(const std::string& reason) = 0;
};

/// All ranks live in this process and share its memory.
std::unique_ptr<Communicator> makeLocalCommunicator(int ranks, tensor::Launch launch);

}  // namespace parapet::mesh
