// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/mesh/device_mesh.h"

namespace parapet::mesh {

/// What collectives move and add up.
enum class ElementType {
  kF32,
  kF64,
  kBf16,   ///< the upper half of an f32; sums are made in f32 and rounded once, to nearest even
  kI32,    ///< sums wrap around
  kI64,    ///< sums wrap around
  kBytes,  ///< moved, never added up
};
std::size_t bytesOf(ElementType type);

/// Whose memory the buffers of a collective lie in.
enum class Memory {
  kHost,    ///< the memory of this process
  kDevice,  ///< the memory of each rank's device, in the order of its stream
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

/// Collectives among the ranks of a mesh. A call takes the buffers of *all ranks of this process*
/// at once, in rank order: a communicator over one process is then a plain function over them, one
/// over GPUs a single group call. So a rank needs no thread. Every process makes the same calls in
/// the same order.
///
/// Letters  P ranks, L of them in this process; n elements, counts [P] elements of each rank.
/// Order    sums run in rank order on every implementation over host memory, so that the same ranks
///          give the same bits however processes share them.
/// Memory   calls allocate nothing once they have been made with the largest counts.
/// Errors   InvalidArgument if the number of buffers is not L, a count is negative, or what a rank
///          of this process expects of another is not what that one sends. A device that fails or does not answer
///          within waitLimit() gives kDevice, a peer that does so, or an abort, kPeer; both name
///          the rank. Never a hang.
/// Thread   one caller at a time; abort() from any thread.
class Communicator {
 public:
  using Buffers = std::span<void* const>;
  using ConstBuffers = std::span<const void* const>;
  using Counts = std::span<const std::int64_t>;

  virtual ~Communicator() = default;
  [[nodiscard]] virtual int ranks() const = 0;
  /// The ranks of this process: all, unless there are several processes.
  [[nodiscard]] virtual LocalRange local() const { return {0, ranks()}; }

  /// Makes a communicator of some of the ranks, given ascending and numbered from 0 in it: one rank
  /// of each memory space. An abort of either ends both; the group is destroyed before this one.
  ///
  /// Errors   InvalidArgument if a rank is not one of these, or not above the one before it, or if
  ///          none is of this process.
  virtual Result<std::unique_ptr<Communicator>> group(std::span<const int> ranks) = 0;

  // `in` and `out` are [L] buffers, `counts` of an all-to-all [L] too.

  /// Every buffer [n] becomes the sum of all.
  virtual Status allReduce(Buffers buffers, std::int64_t n, ElementType type, Memory memory) = 0;
  /// in [Σ counts]; out [counts[r]] of rank r = Σ over ranks of their block r.
  virtual Status reduceScatter(ConstBuffers in, Buffers out, Counts counts, ElementType type,
                               Memory memory) = 0;
  /// in [counts[r]] of rank r; out [Σ counts] holds the blocks of all ranks in rank order. The
  /// block of a rank may lie in its `out` already.
  virtual Status allGather(ConstBuffers in, Buffers out, Counts counts, ElementType type,
                           Memory memory) = 0;
  /// What each rank receives lies side by side in `out`, in the order of the peers.
  virtual Status allToAll(ConstBuffers in, std::span<const PeerCounts> counts, Buffers out,
                          ElementType type, Memory memory) = 0;
  /// Returns when all ranks have come here.
  virtual Status barrier() = 0;
  /// Makes every call, pending or to come, on every rank, fail with kPeer and this reason.
  virtual void abort(const std::string& reason) = 0;
};

/// All ranks live in this process, whose code may read and write the memory of each.
std::unique_ptr<Communicator> makeLocalCommunicator(int ranks, tensor::Launch launch);

/// A communicator of buffers on these devices by one of buffers that the host can read: where the
/// devices have memory of their own, what they exchange goes through the host's.
///
/// `devices`: of the ranks of this process, which are named from `firstRank` on.
std::unique_ptr<Communicator> throughHost(std::span<const tensor::Device> devices, int firstRank,
                                          std::unique_ptr<Communicator> host);

/// Makes a communicator for the ranks of a mesh, all in this process, throughHost().
///
/// Errors   InvalidArgument for a device of another process.
std::unique_ptr<Communicator> makeLocalCommunicator(std::span<const tensor::Device> devices,
                                                    Workers* workers);

/// Makes the communicator of a mesh with these devices, of which some may be elsewhere. The program chooses one and hands it down
/// to every session.
///
/// Errors   kDevice or kPeer: the plugin that was asked for could not make one.
using CommunicatorFactory = std::function<Result<std::unique_ptr<Communicator>>(
    std::span<const tensor::Device> devices, Workers* workers)>;

/// The factory that calls makeLocalCommunicator().
CommunicatorFactory localCommunicators();

}  // namespace parapet::mesh
