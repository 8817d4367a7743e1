// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/uploads.h"

#include <cstring>

namespace parapet::cuda {

cudaError_t Uploads::make() {
  if (pinned_) return cudaSuccess;
  if (const cudaError_t error = cudaStreamCreateWithFlags(&copies_, cudaStreamNonBlocking))
    return error;
  if (const cudaError_t error = cudaEventCreateWithFlags(&arrived_, cudaEventDisableTiming))
    return error;
  void* memory = nullptr;
  if (const cudaError_t error = cudaMallocHost(&memory, kRingBytes)) return error;
  pinned_ = static_cast<std::byte*>(memory);
  if (cudaMalloc(&memory, kRingBytes) == cudaSuccess)
    ring_ = static_cast<std::byte*>(memory);
  else
    (void)cudaGetLastError();
  return cudaSuccess;
}

// An error shows in whoever waits for the event.
void Uploads::reclaim() {
  while (!blocks_.empty() && cudaEventQuery(blocks_.front().used) == cudaSuccess) {
    freed_ = blocks_.front().end;
    spare_.push_back(blocks_.front().used);
    blocks_.pop_front();
  }
}

bool Uploads::take(void* out, const void* in, std::uint64_t bytes) {
  constexpr std::uint64_t kLine = 256;
  const std::uint64_t size = (bytes + kLine - 1) / kLine * kLine;
  std::uint64_t begin = written_;
  // None crosses the end of the ring.
  if (begin % kRingBytes + size > kRingBytes) begin += kRingBytes - begin % kRingBytes;
  if (begin + size - freed_ > kRingBytes) reclaim();
  if (begin + size - freed_ > kRingBytes) return false;
  const std::uint64_t offset = begin % kRingBytes;
  std::memcpy(pinned_ + offset, in, bytes);
  pending_.push_back({out, offset, bytes});
  pendingBytes_ += size;
  written_ = begin + size;
  return true;
}

cudaError_t Uploads::sendToRing(cudaStream_t on) {
  for (std::size_t first = 0, end = 0; first < pending_.size(); first = end) {
    // Side by side, until the ring begins anew.
    for (end = first + 1; end < pending_.size() && pending_[end].offset > pending_[first].offset;)
      ++end;
    const std::uint64_t begin = pending_[first].offset;
    const Copy& last = pending_[end - 1];
    if (const cudaError_t error =
            cudaMemcpyAsync(ring_ + begin, pinned_ + begin, last.offset + last.bytes - begin,
                            cudaMemcpyHostToDevice, copies_))
      return error;
  }
  if (const cudaError_t error = cudaEventRecord(arrived_, copies_)) return error;
  return cudaStreamWaitEvent(on, arrived_, 0);
}

cudaError_t Uploads::mark(cudaStream_t on) {
  cudaEvent_t used{};
  if (!spare_.empty()) {
    used = spare_.back();
    spare_.pop_back();
  } else if (const cudaError_t error = cudaEventCreateWithFlags(&used, cudaEventDisableTiming)) {
    return error;
  }
  blocks_.push_back({written_, used});
  return cudaEventRecord(used, on);
}

cudaError_t Uploads::flush(cudaStream_t on) {
  if (pending_.empty()) return cudaSuccess;
  if (ring_)
    if (const cudaError_t error = sendToRing(on)) return error;
  const std::byte* const from = ring_ ? ring_ : pinned_;
  const cudaMemcpyKind kind = ring_ ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
  for (const Copy& copy : pending_)
    if (const cudaError_t error =
            cudaMemcpyAsync(copy.out, from + copy.offset, copy.bytes, kind, on))
      return error;
  pending_.clear();
  pendingBytes_ = 0;
  return mark(on);
}

}  // namespace parapet::cuda
