// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "plugins/cuda/stream.h"

namespace parapet::cuda {

/// "out of memory (cudaErrorMemoryAllocation)".
std::string textOf(cudaError_t error);
/// "1.50 GiB".
std::string sizeText(std::uint64_t bytes);

/// Pinned memory that copies to the device go through, so that what the caller has may be changed at
/// once and the copy runs beside the kernels.
class Staging {
 public:
  static constexpr std::uint64_t kSlotBytes = std::uint64_t{1} << 19;
  cudaError_t make();
  /// At most kSlotBytes. PP_OK, PP_TIMED_OUT, or PP_FAILED with the device lost.
  std::int32_t send(Stream& stream, void* out, const void* in, std::uint64_t bytes);

 private:
  static constexpr std::size_t kSlots = 8;
  std::array<cudaEvent_t, kSlots> sent_{};
  void* memory_ = nullptr;
  std::size_t next_ = 0;
};

/// A GPU with its stream, which is what an op is given. Made when it is found, filled when it is first
/// used, never destroyed: at the end of a process the driver takes all of it back.
struct Gpu : Stream {
  std::string name;
  int pciDomain = 0, pciBus = 0, pciDevice = 0;
  std::uint64_t memoryBytes = 0;
  std::mutex making;
  bool made = false;
  std::atomic<bool> isLate{false};  ///< see canGiveBack
  Staging staging;
  Stream capturing;  ///< what ops are launched on while a graph is made of them; guarded by mutex
};

inline Gpu& gpuOf(Stream& stream) {
  return static_cast<Gpu&>(stream);
}
/// Those that were found, in the order of the driver.
std::vector<std::unique_ptr<Gpu>>& gpus();
/// Ready for use, unless it is lost.
Gpu& gpuAt(std::int32_t index);

/// Makes the device the thread's own; false, with the reason said, if it is lost.
bool enter(Stream& stream);
/// Error of a call of the runtime: the device is lost.
std::int32_t lose(Stream& stream, const char* what, cudaError_t error);
/// Asks again and again: PP_OK once it answers cudaSuccess, PP_TIMED_OUT after so long, PP_FAILED with
/// the device lost. Short waits spin: a step's results are needed at once.
std::int32_t until(Stream& stream, const char* what, std::int64_t timeoutMs,
                   cudaError_t (*ask)(void*), void* of);
/// Until the stream has done all that it was asked for before, whatever others go on to ask of it.
std::int32_t untilDone(Stream& stream, const char* what, std::int64_t timeoutMs);
/// Waits for the same, so that what the device uses can be given back. False if it is lost or late: what it
/// uses is left to it, as the runtime would wait without end. One that was late is not waited for again.
bool canGiveBack(Gpu& gpu, const char* what);
/// How long a copy waits: PARAPET_TIMEOUT_MS, else 30 s.
std::int64_t copyLimitMs();

}  // namespace parapet::cuda
