// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "plugins/cuda/stream.h"
#include "plugins/cuda/uploads.h"

namespace parapet::cuda {

/// "out of memory (cudaErrorMemoryAllocation)".
std::string textOf(cudaError_t error);
/// "1.50 GiB".
std::string sizeText(std::uint64_t bytes);

/// Pinned memory that copies to the host go through, one at a time: the mutex is of who reads.
struct ReadBack {
  static constexpr std::uint64_t kBytes = std::uint64_t{4} << 20;
  std::mutex mutex;
  void* memory = nullptr;
  cudaEvent_t read{};
  cudaError_t make();
};

/// A GPU with its stream, which is what an op is given. Made when it is found, filled when it is
/// first used, never destroyed: at the end of a process the driver takes all of it back.
struct Gpu : Stream {
  std::string name;
  int pciDomain = 0, pciBus = 0, pciDevice = 0;
  std::uint64_t memoryBytes = 0;
  std::mutex making;
  bool made = false;
  std::atomic<bool> isLate{false};  ///< see canGiveBack
  Uploads uploads;
  ReadBack readBack;
  Stream capturing;  ///< what ops are launched on while a graph is made of them; guarded by mutex
};

inline Gpu& gpuOf(Stream& stream) {
  return static_cast<Gpu&>(stream);
}
/// The GPUs that were found, in the order of the driver.
std::vector<std::unique_ptr<Gpu>>& gpus();
/// Ready for use, unless it is lost.
Gpu& gpuAt(std::int32_t index);

/// Makes the device the thread's own; false, with the reason said, if it is lost.
bool enter(Stream& stream);
/// Error of a call of the runtime: the device is lost.
std::int32_t lose(Stream& stream, const char* what, cudaError_t error);
/// Asks again and again: PP_OK once it answers cudaSuccess, PP_TIMED_OUT after so long, PP_FAILED
/// with the device lost. Short waits spin: a step's results are needed at once.
std::int32_t until(Stream& stream, const char* what, std::int64_t timeoutMs,
                   cudaError_t (*ask)(void*), void* of);
/// Sends what the device was sent and does not have yet; the stream's mutex is held. PP_OK, or
/// PP_FAILED with the device lost.
std::int32_t sendUploads(Stream& stream);
/// Waits for an event that is recorded on the stream already.
std::int32_t untilMark(Stream& stream, const char* what, cudaEvent_t mark);
/// Until the stream has done all that it was asked for before, whatever others go on to ask of it.
std::int32_t untilDone(Stream& stream, const char* what, std::int64_t timeoutMs);
/// Waits for the same, so that what the device uses can be given back. False if it is lost or late:
/// what it uses is left to it, as the runtime would wait without end. One that was late is not
/// waited for again.
bool canGiveBack(Gpu& gpu, const char* what);
/// How long a copy waits: PARAPET_TIMEOUT_MS, else 30 s.
std::int64_t copyLimitMs();

}  // namespace parapet::cuda
