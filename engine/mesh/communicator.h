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

/// What collectives move and add up.
enum class ElementType {
  kF32,
  kF64,
  kI32,
};
std::size_t bytesOf(ElementType type);

/// Whose memory the buffers of a collective lie in.
enum class Memory {
  kHost,    ///< that of this process
  kDevice,  ///< that of each rank's device, in the order of its stream
};

/// What one rank gives to every peer and gets from it in an all-to-all, in elements, by peer.
struct PeerCounts {
  std::vector<std::int64_t> send;       ///< how many go to it
  std::vector<std::int64_t> sendBegin;  ///< where they begin; the same may go to several peers
  std::vector<std::int64_t> receive;    ///< how many come from it

  explicit PeerCounts(int ranks = 0)
      : send(static_cast<std::size_t>(ranks), 0),
        sendBegin(static_cast<std::size_t>(ranks), 0),
        receive(static_cast<std::size_t>(ranks), 0) {}
  /// What is sent lies side by side, in the order of the peers.
  void packSends();
};

/// Collectives among the ranks of a mesh. A call takes the buffers of *all local ranks* at once, in
/// rank order: a communicator over one process is then a plain function over them, one over GPUs a
/// single group call, one over hosts local-then-between-then-local. So a rank needs no thread.
///
/// Letters  P ranks of the whole mesh, L local ranks, n elements, counts [P] elements of each rank.
/// Order    sums run in rank order on every implementation over one process, in the element type.
/// Errors   InvalidArgument if the number of buffers is not L, a count is negative, or what a rank
///          expects of another is not what that one sends. A peer that dies, hangs past the
///          time-out or aborts gives kPeer naming the rank; never a hang.
/// Thread   one caller at a time; abort() from any thread.
class Communicator {
 public:
  using Buffers = std::span<void* const>;
  using ConstBuffers = std::span<const void* const>;
  using Counts = std::span<const std::int64_t>;

  virtual ~Communicator() = default;
  [[nodiscard]] virtual int worldRanks() const = 0;
  [[nodiscard]] virtual int localRanks() const = 0;
  /// World rank of the first local rank; local ranks are consecutive.
  [[nodiscard]] virtual int firstLocalRank() const = 0;

  /// Every buffer [n] becomes the sum of all. kF32 and kF64.
  virtual Status allReduce(Buffers buffers, std::int64_t n, ElementType type, Memory memory) = 0;
  /// in [Σ counts]; out [counts[r]] of rank r = Σ over ranks of their block r. kF32 and kF64.
  virtual Status reduceScatter(ConstBuffers in, Buffers out, Counts counts, ElementType type,
                               Memory memory) = 0;
  /// in [counts[r]] of rank r; out [Σ counts] holds the blocks of all ranks in rank order.
  virtual Status allGather(ConstBuffers in, Buffers out, Counts counts, ElementType type,
                           Memory memory) = 0;
  /// What each rank receives lies side by side in `out`, in the order of the peers.
  virtual Status allToAll(ConstBuffers in, std::span<const PeerCounts> counts, Buffers out,
                          ElementType type, Memory memory) = 0;
  virtual Status barrier() = 0;
  /// Makes every call, pending or to come, on every rank, fail with kPeer and this reason.
  virtual void abort(const std::string& reason) = 0;
};

/// All ranks live in this process, whose code may read and write the memory of each.
std::unique_ptr<Communicator> makeLocalCommunicator(int ranks, tensor::Launch launch);

/// The same for the ranks of a mesh in this process: where their devices have memory of their own,
/// what they exchange goes through the host's.
std::unique_ptr<Communicator> makeLocalCommunicator(std::span<const tensor::Device> devices,
                                                    Workers* workers);

}  // namespace parapet::mesh
