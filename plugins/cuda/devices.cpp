// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/devices.h"

#include <cuda_runtime_api.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "plugins/cuda/copies.h"
#include "plugins/cuda/products.h"
#include "plugins/cuda/stream.h"

namespace parapet::cuda {
namespace {

constexpr int kMinMajor = 8;  // the oldest architecture that the kernels are compiled for
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

std::string textOf(cudaError_t error) {
  return std::string(cudaGetErrorString(error)) + " (" + cudaGetErrorName(error) + ")";
}

/// Pinned memory that copies to the device go through, so that what the caller has may be changed at
/// once and the copy runs beside the kernels.
class Staging {
 public:
  static constexpr std::uint64_t kSlotBytes = kMiB / 2;
  cudaError_t make() {
    if (memory_) return cudaSuccess;
    for (cudaEvent_t& event : sent_)
      if (const cudaError_t error = cudaEventCreateWithFlags(&event, cudaEventDisableTiming))
        return error;
    return cudaMallocHost(&memory_, kSlots * kSlotBytes);
  }
  /// At most kSlotBytes.
  cudaError_t send(cudaStream_t stream, void* out, const void* in, std::uint64_t bytes) {
    const std::size_t slot = next_++ % kSlots;
    if (const cudaError_t error = cudaEventSynchronize(sent_[slot])) return error;
    void* const here = static_cast<std::byte*>(memory_) + slot * kSlotBytes;
    std::memcpy(here, in, bytes);
    if (const cudaError_t error = cudaMemcpyAsync(out, here, bytes, cudaMemcpyHostToDevice, stream))
      return error;
    return cudaEventRecord(sent_[slot], stream);
  }

 private:
  static constexpr std::size_t kSlots = 8;
  std::array<cudaEvent_t, kSlots> sent_{};
  void* memory_ = nullptr;
  std::size_t next_ = 0;
};

/// A GPU. Made when it is found, filled when it is first used, never destroyed: at the end of a
/// process the driver takes all of it back.
struct Gpu {
  int ordinal = 0;
  std::string name;
  Stream stream;
  std::mutex making;
  bool made = false;
  cudaEvent_t reached{};
  Staging staging;
};

std::vector<std::unique_ptr<Gpu>>& gpus() {
  static std::vector<std::unique_ptr<Gpu>> all;
  return all;
}

std::string& firstArchitecture() {
  static std::string name = "cuda";
  return name;
}

/// The device does nothing more, and says why.
std::int32_t lose(Stream& stream, const char* what, cudaError_t error) {
  stream.lost = true;
  say(std::string(what) + ": " + textOf(error) + "; the device is lost to this process");
  return PP_FAILED;
}

std::uint64_t scratchBytes() {
  constexpr std::uint64_t kDefaultMiB = 128, kMinMiB = 16, kMaxMiB = 4096;
  const char* const text = std::getenv("PARAPET_CUDA_SCRATCH_MIB");
  const std::uint64_t wanted = text ? std::strtoull(text, nullptr, 10) : kDefaultMiB;
  return std::clamp(wanted, kMinMiB, kMaxMiB) * kMiB;
}

cudaError_t fill(Gpu& gpu) {
  cudaStream_t stream{};
  void* scratch = nullptr;
  if (const cudaError_t error = cudaSetDevice(gpu.ordinal)) return error;
  if (const cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking))
    return error;
  if (const cudaError_t error = cudaEventCreateWithFlags(&gpu.reached, cudaEventDisableTiming))
    return error;
  if (const cudaError_t error = gpu.staging.make()) return error;
  if (const cudaError_t error = cudaMalloc(&scratch, scratchBytes())) return error;
  gpu.stream.device = gpu.ordinal;
  gpu.stream.handle = stream;
  gpu.stream.scratch = static_cast<std::byte*>(scratch);
  gpu.stream.scratchBytes = scratchBytes();
  openProducts(gpu.stream);
  return cudaSuccess;
}

Gpu& gpuAt(std::int32_t index) {
  Gpu& gpu = *gpus().at(static_cast<std::size_t>(index));
  const std::lock_guard lock(gpu.making);
  if (!gpu.made) {
    gpu.made = true;
    if (const cudaError_t error = fill(gpu)) lose(gpu.stream, gpu.name.c_str(), error);
  }
  return gpu;
}

Gpu& gpuOf(Stream& stream) {
  for (const auto& gpu : gpus())
    if (&gpu->stream == &stream) return *gpu;
  std::abort();  // no stream of ours
}

bool isLost(Stream& stream) {
  if (!stream.lost && cudaSetDevice(stream.device) == cudaSuccess) return false;
  stream.lost = true;
  say("the device is lost to this process after an earlier error");
  return true;
}

}  // namespace

std::int32_t findDevices(char* reason, std::size_t reasonBytes) {
  const auto refuse = [&](const std::string& text) {
    std::snprintf(reason, reasonBytes, "%s", text.c_str());
    return PP_UNSUPPORTED;
  };
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaErrorInsufficientDriver)
    return refuse(::access("/proc/driver/nvidia/version", R_OK) == 0
                      ? "the NVIDIA driver is too old; one for CUDA 13 (580 or newer) is accepted"
                      : "no driver: no NVIDIA driver is loaded on this machine");
  if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0))
    return refuse("no GPU: the NVIDIA driver shows none (CUDA_VISIBLE_DEVICES?)");
  if (error != cudaSuccess) return refuse("the NVIDIA driver refuses: " + textOf(error));
  std::string old;
  gpus().clear();
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, ordinal) != cudaSuccess) continue;
    const std::string chip = std::string(properties.name) + ", compute capability " +
                             std::to_string(properties.major) + "." +
                             std::to_string(properties.minor);
    if (properties.major < kMinMajor) {
      old = chip;
      continue;
    }
    auto gpu = std::make_unique<Gpu>();
    gpu->ordinal = ordinal;
    gpu->name = chip;
    if (gpus().empty())
      firstArchitecture() =
          "sm_" + std::to_string(properties.major) + std::to_string(properties.minor);
    gpus().push_back(std::move(gpu));
  }
  if (gpus().empty())
    return refuse("no GPU that the kernels are made for (" + old + "); 8.0 or newer is accepted");
  return PP_OK;
}

std::int32_t deviceCount() {
  return static_cast<std::int32_t>(gpus().size());
}

const char* architecture() {
  return firstArchitecture().c_str();
}

void* allocate(std::int32_t index, std::uint64_t bytes) {
  Gpu& gpu = gpuAt(index);
  if (isLost(gpu.stream)) return nullptr;
  void* memory = nullptr;
  const cudaError_t error = cudaMalloc(&memory, std::max<std::uint64_t>(bytes, 1));
  if (error == cudaSuccess) return memory;
  (void)cudaGetLastError();
  std::size_t free = 0, total = 0;
  (void)cudaMemGetInfo(&free, &total);
  say(gpu.name + ": " + std::to_string(bytes) + " bytes were asked for; " + std::to_string(free) +
      " of " + std::to_string(total) + " are free (" + textOf(error) + ")");
  return nullptr;
}

// It waits for what is still to run on the device.
void release(std::int32_t index, void* memory) {
  Gpu& gpu = gpuAt(index);
  if (!isLost(gpu.stream)) (void)cudaFree(memory);
}

void* streamOfDevice(std::int32_t index) {
  return &gpuAt(index).stream;
}

std::int32_t copyToDevice(void* handle, void* out, const void* in, std::uint64_t bytes) {
  Stream& stream = *static_cast<Stream*>(handle);
  const std::lock_guard lock(stream.mutex);
  if (isLost(stream)) return PP_FAILED;
  Gpu& gpu = gpuOf(stream);
  for (std::uint64_t at = 0; at < bytes; at += Staging::kSlotBytes) {
    const cudaError_t error = gpu.staging.send(
        static_cast<cudaStream_t>(stream.handle), static_cast<std::byte*>(out) + at,
        static_cast<const std::byte*>(in) + at, std::min(Staging::kSlotBytes, bytes - at));
    if (error) return lose(stream, "a copy to the device", error);
  }
  return PP_OK;
}

std::int32_t copyToHost(void* handle, void* out, const void* in, std::uint64_t bytes) {
  Stream& stream = *static_cast<Stream*>(handle);
  const std::lock_guard lock(stream.mutex);
  if (isLost(stream)) return PP_FAILED;
  const auto on = static_cast<cudaStream_t>(stream.handle);
  cudaError_t error = cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToHost, on);
  if (error == cudaSuccess) error = cudaStreamSynchronize(on);
  return error ? lose(stream, "a copy from the device", error) : PP_OK;
}

// Short waits spin: a step's results are needed at once. The stream's mutex is not held.
std::int32_t wait(void* handle, std::int64_t timeoutMs) {
  constexpr auto kSpin = std::chrono::microseconds(200), kPause = std::chrono::microseconds(50);
  Stream& stream = *static_cast<Stream*>(handle);
  if (isLost(stream)) return PP_FAILED;
  const auto begin = std::chrono::steady_clock::now();
  while (true) {
    const cudaError_t error = cudaStreamQuery(static_cast<cudaStream_t>(stream.handle));
    if (error == cudaSuccess) return PP_OK;
    if (error != cudaErrorNotReady) return lose(stream, "an op", error);
    const auto waited = std::chrono::steady_clock::now() - begin;
    if (waited > std::chrono::milliseconds(timeoutMs)) return PP_TIMED_OUT;
    if (waited > kSpin) std::this_thread::sleep_for(kPause);
  }
}

std::uint64_t memoryBytes(std::int32_t index) {
  cudaDeviceProp properties{};
  const int ordinal = gpus().at(static_cast<std::size_t>(index))->ordinal;
  return cudaGetDeviceProperties(&properties, ordinal) == cudaSuccess ? properties.totalGlobalMem
                                                                      : 0;
}

void toDevice(Stream& stream, void* out, const void* in, std::uint64_t bytes) {
  if (stream.code != PP_OK) return;
  const auto on = static_cast<cudaStream_t>(stream.handle);
  cudaError_t error = cudaMemcpyAsync(out, in, bytes, cudaMemcpyHostToDevice, on);
  if (error == cudaSuccess) error = cudaStreamSynchronize(on);
  if (error) stream.code = lose(stream, "a copy to the device", error);
}

void toHost(Stream& stream, void* out, const void* in, std::uint64_t bytes) {
  if (stream.code != PP_OK) return;
  const auto on = static_cast<cudaStream_t>(stream.handle);
  cudaError_t error = cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToHost, on);
  if (error == cudaSuccess) error = cudaStreamSynchronize(on);
  if (error) stream.code = lose(stream, "a copy from the device", error);
}

// Named by launch.h.
bool beginLaunch(Stream& stream);
void endLaunch(Stream& stream);

bool beginLaunch(Stream& stream) {
  if (stream.code != PP_OK) return false;
  if (!isLost(stream)) return true;
  stream.code = PP_FAILED;
  return false;
}

void endLaunch(Stream& stream) {
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) stream.code = lose(stream, "a kernel", error);
}

}  // namespace parapet::cuda
