// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/gpu.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "plugins/cuda/products.h"

namespace parapet::cuda {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20, kMinScratch = 16 * kMiB;

std::uint64_t wantedScratch() {
  constexpr std::uint64_t kDefaultMiB = 128, kMinMiB = kMinScratch / kMiB, kMaxMiB = 4096;
  const char* const text = std::getenv("PARAPET_CUDA_SCRATCH_MIB");
  const std::uint64_t wanted = text ? std::strtoull(text, nullptr, 10) : kDefaultMiB;
  return std::clamp(wanted, kMinMiB, kMaxMiB) * kMiB;
}

cudaError_t makeStream(Gpu& gpu) {
  cudaStream_t stream{};
  if (const cudaError_t error = cudaSetDevice(gpu.device)) return error;
  if (const cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking))
    return error;
  gpu.handle = stream;
  if (const cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking))
    return error;
  gpu.capturing.handle = stream;
  gpu.send = sendUploads;
  if (const cudaError_t error = gpu.readBack.make()) return error;
  return gpu.uploads.make();
}

/// Takes the memory that there is room for, halved until it fits. None is no loss of the device: a
/// tensor that needs the memory is refused with numbers, and it is asked for again when the device
/// is next used.
void takeScratch(Gpu& gpu) {
  void* memory = nullptr;
  std::uint64_t bytes = wantedScratch();
  while (cudaMalloc(&memory, bytes) != cudaSuccess) {
    (void)cudaGetLastError();
    memory = nullptr;
    bytes /= 2;
    if (bytes < kMinScratch) return;
  }
  const std::lock_guard lock(gpu.mutex);
  gpu.scratch = static_cast<std::byte*>(memory);
  gpu.scratchBytes = bytes;
}

}  // namespace

std::string textOf(cudaError_t error) {
  return std::string(cudaGetErrorString(error)) + " (" + cudaGetErrorName(error) + ")";
}

std::string sizeText(std::uint64_t bytes) {
  constexpr double kGiB = 1024.0 * static_cast<double>(kMiB);
  std::array<char, 32> text{};
  if (bytes < 1024 * kMiB)
    std::snprintf(text.data(), text.size(), "%.2f MiB",
                  static_cast<double>(bytes) / static_cast<double>(kMiB));
  else
    std::snprintf(text.data(), text.size(), "%.2f GiB", static_cast<double>(bytes) / kGiB);
  return text.data();
}

cudaError_t ReadBack::make() {
  if (memory) return cudaSuccess;
  if (const cudaError_t error = cudaEventCreateWithFlags(&read, cudaEventDisableTiming))
    return error;
  return cudaMallocHost(&memory, kBytes);
}

std::vector<std::unique_ptr<Gpu>>& gpus() {
  static std::vector<std::unique_ptr<Gpu>> all;
  return all;
}

Gpu& gpuAt(std::int32_t index) {
  Gpu& gpu = *gpus().at(static_cast<std::size_t>(index));
  const std::lock_guard lock(gpu.making);
  if (!gpu.made) {
    gpu.made = true;
    if (const cudaError_t error = makeStream(gpu))
      lose(gpu, gpu.name.c_str(), error);
    else
      openProducts(gpu);
  }
  if (!gpu.scratch && enter(gpu)) takeScratch(gpu);
  return gpu;
}

bool enter(Stream& stream) {
  if (isLost(stream)) return false;
  const cudaError_t error = cudaSetDevice(stream.device);
  if (error) lose(stream, "the device does not answer", error);
  return error == cudaSuccess;
}

std::int32_t lose(Stream& stream, const char* what, cudaError_t error) {
  lose(stream, std::string(what) + ": " + textOf(error));
  return PP_FAILED;
}

std::int32_t until(Stream& stream, const char* what, std::int64_t timeoutMs,
                   cudaError_t (*ask)(void*), void* of) {
  constexpr auto kSpin = std::chrono::microseconds(200), kPause = std::chrono::microseconds(50);
  const auto begin = std::chrono::steady_clock::now();
  while (true) {
    const cudaError_t error = ask(of);
    if (error == cudaSuccess) return PP_OK;
    if (error != cudaErrorNotReady) return lose(stream, what, error);
    const auto waited = std::chrono::steady_clock::now() - begin;
    if (waited > std::chrono::milliseconds(timeoutMs)) {
      say(std::string(what) + " has not ended within " + std::to_string(timeoutMs) + " ms");
      return PP_TIMED_OUT;
    }
    if (waited > kSpin) std::this_thread::sleep_for(kPause);
  }
}

namespace {

cudaError_t askMark(void* event) {
  return cudaEventQuery(static_cast<cudaEvent_t>(event));
}

}  // namespace

std::int32_t sendUploads(Stream& stream) {
  Uploads& uploads = gpuOf(stream).uploads;
  if (uploads.pendingBytes() == 0) return PP_OK;
  if (!enter(stream)) return PP_FAILED;
  const cudaError_t error = uploads.flush(static_cast<cudaStream_t>(stream.handle));
  return error ? lose(stream, "a copy to the device", error) : PP_OK;
}

std::int32_t untilMark(Stream& stream, const char* what, cudaEvent_t mark) {
  return until(stream, what, copyLimitMs(), askMark, mark);
}

std::int32_t untilDone(Stream& stream, const char* what, std::int64_t timeoutMs) {
  cudaEvent_t mark{};
  cudaError_t error = cudaEventCreateWithFlags(&mark, cudaEventDisableTiming);
  if (error) return lose(stream, what, error);
  error = cudaEventRecord(mark, static_cast<cudaStream_t>(stream.handle));
  const std::int32_t code =
      error ? lose(stream, what, error) : until(stream, what, timeoutMs, askMark, mark);
  (void)cudaEventDestroy(mark);
  return code;
}

bool canGiveBack(Gpu& gpu, const char* what) {
  const std::int32_t code = untilDone(gpu, what, gpu.isLate ? 0 : copyLimitMs());
  gpu.isLate = code == PP_TIMED_OUT;
  return code == PP_OK;
}

std::int64_t copyLimitMs() {
  static const std::int64_t limit = [] {
    constexpr std::int64_t kDefault = 30'000;
    const char* const text = std::getenv("PARAPET_TIMEOUT_MS");
    const std::int64_t wanted = text ? std::strtoll(text, nullptr, 10) : kDefault;
    return wanted >= 1 ? wanted : kDefault;
  }();
  return limit;
}

}  // namespace parapet::cuda
