// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace parapet::cuda {

/// Data that the host sends to a device. take() copies into a ring of pinned memory, so that what
/// the caller has may be changed at once. flush(), before the next op, sends all of it as one block
/// to a ring of the same layout on the device, on a stream of its own beside the kernels; from
/// there the device's stream lays it where it belongs, in the order of the calls. So a step has one
/// copy over the bus, and none waits for a kernel. Where the device has no room for its ring, each
/// goes by itself on its stream.
///
/// Thread   guarded by the mutex of the device's stream.
class Uploads {
 public:
  static constexpr std::uint64_t kRingBytes = std::uint64_t{32} << 20, kMaxTake = kRingBytes / 8;

  cudaError_t make();
  /// Takes over at most kMaxTake bytes for `out`. False if the ring is full: see oldest().
  bool take(void* out, const void* in, std::uint64_t bytes);
  [[nodiscard]] std::uint64_t pendingBytes() const { return pendingBytes_; }
  /// Sends what was taken, before whatever `on`, the device's stream, is asked for from now on.
  cudaError_t flush(cudaStream_t on);
  /// Once it is done there is more room; null if all is free.
  [[nodiscard]] cudaEvent_t oldest() const {
    return blocks_.empty() ? nullptr : blocks_.front().used;
  }

 private:
  struct Copy {
    void* out;
    std::uint64_t offset, bytes;
  };
  /// The part of the ring that one flush has sent: it is free up to `end` once `used` is done.
  struct Block {
    std::uint64_t end;
    cudaEvent_t used;
  };
  void reclaim();
  cudaError_t sendToRing(cudaStream_t on);
  cudaError_t mark(cudaStream_t on);

  std::byte *pinned_ = nullptr, *ring_ = nullptr;
  cudaStream_t copies_{};
  cudaEvent_t arrived_{};
  std::uint64_t written_ = 0, freed_ = 0;  // of all that ever went through the ring
  std::uint64_t pendingBytes_ = 0;
  std::vector<Copy> pending_;
  std::deque<Block> blocks_;
  std::vector<cudaEvent_t> spare_;
};

}  // namespace parapet::cuda
