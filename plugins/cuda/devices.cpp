// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/devices.h"

#include <cuda_runtime_api.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "plugins/cuda/copies.h"
#include "plugins/cuda/gpu.h"
#include "plugins/cuda/remarks.h"

namespace parapet::cuda {
namespace {

constexpr int kMinMajor = 8;  // the oldest architecture that the kernels are compiled for

std::string& firstArchitecture() {
  static std::string name = "cuda";
  return name;
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
    gpu->device = ordinal;
    gpu->name = chip;
    gpu->memoryBytes = properties.totalGlobalMem;
    gpu->pciDomain = properties.pciDomainID;
    gpu->pciBus = properties.pciBusID;
    gpu->pciDevice = properties.pciDeviceID;
    if (gpus().empty())
      firstArchitecture() =
          "sm_" + std::to_string(properties.major) + std::to_string(properties.minor);
    gpus().push_back(std::move(gpu));
  }
  if (gpus().empty())
    return refuse("no GPU that the kernels are made for (" + old + "); 8.0 or newer is accepted");
  std::string remarks;
  for (const auto& gpu : gpus()) remarks += (remarks.empty() ? "" : "\n") + remarkOf(*gpu);
  std::snprintf(reason, reasonBytes, "%s", remarks.c_str());
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
  if (!enter(gpu)) return nullptr;
  void* memory = nullptr;
  const cudaError_t error = cudaMalloc(&memory, std::max<std::uint64_t>(bytes, 1));
  if (error == cudaSuccess) return memory;
  if (error != cudaErrorMemoryAllocation) {
    lose(gpu, "memory was asked for", error);
    return nullptr;
  }
  (void)cudaGetLastError();
  std::size_t free = 0, total = 0;
  (void)cudaMemGetInfo(&free, &total);
  say(gpu.name + " has " + sizeText(free) + " of " + sizeText(total) + " free" +
      (bytes <= free ? ", in no single piece of that size" : "") +
      "; what fits: smaller batches, tables in rows or columns over several devices, or what other "
      "programs hold there");
  return nullptr;
}

// cudaFree waits for what is still to run on the device.
void release(std::int32_t index, void* memory) {
  Gpu& gpu = gpuAt(index);
  {
    const std::lock_guard lock(gpu.mutex);
    if (sendUploads(gpu) != PP_OK) return;
  }
  if (enter(gpu) && canGiveBack(gpu, "memory is given back")) (void)cudaFree(memory);
}

void* streamOfDevice(std::int32_t index) {
  return static_cast<Stream*>(&gpuAt(index));
}

// The mutex is not held while room is waited for.
std::int32_t copyToDevice(void* handle, void* out, const void* in, std::uint64_t bytes) {
  Stream& stream = *static_cast<Stream*>(handle);
  Uploads& uploads = gpuOf(stream).uploads;
  for (std::uint64_t at = 0; at < bytes;) {
    const std::uint64_t size = std::min(Uploads::kMaxTake, bytes - at);
    std::unique_lock lock(stream.mutex);
    if (!enter(stream)) return PP_FAILED;
    const bool isTaken = uploads.take(static_cast<std::byte*>(out) + at,
                                      static_cast<const std::byte*>(in) + at, size);
    if (!isTaken || uploads.pendingBytes() >= Uploads::kMaxTake)
      if (const std::int32_t code = sendUploads(stream)) return code;
    const cudaEvent_t oldest = uploads.oldest();
    lock.unlock();
    if (isTaken)
      at += size;
    else if (const std::int32_t code = untilMark(stream, "a copy to the device", oldest))
      return code;
  }
  return PP_OK;
}

std::int32_t copyToHost(void* handle, void* out, const void* in, std::uint64_t bytes) {
  constexpr const char* kWhat = "a copy from the device";
  Stream& stream = *static_cast<Stream*>(handle);
  ReadBack& back = gpuOf(stream).readBack;
  const auto on = static_cast<cudaStream_t>(stream.handle);
  const std::lock_guard reading(back.mutex);
  for (std::uint64_t at = 0; at < bytes; at += ReadBack::kBytes) {
    const std::uint64_t size = std::min(ReadBack::kBytes, bytes - at);
    {
      const std::lock_guard lock(stream.mutex);
      if (!enter(stream)) return PP_FAILED;
      if (const std::int32_t code = sendUploads(stream)) return code;
      cudaError_t error = cudaMemcpyAsync(back.memory, static_cast<const std::byte*>(in) + at, size,
                                          cudaMemcpyDeviceToHost, on);
      if (error == cudaSuccess) error = cudaEventRecord(back.read, on);
      if (error != cudaSuccess) return lose(stream, kWhat, error);
    }
    if (const std::int32_t code = untilMark(stream, kWhat, back.read)) return code;
    std::memcpy(static_cast<std::byte*>(out) + at, back.memory, size);
  }
  return PP_OK;
}

namespace {

/// Within an op, into or out of pageable memory, which the runtime copies while the caller waits:
/// what is before it on the stream is waited for first, with a time-out.
std::int32_t copyAndWait(Stream& stream, void* out, const void* in, std::uint64_t bytes,
                         cudaMemcpyKind kind, const char* what) {
  if (const std::int32_t code = untilDone(stream, what, copyLimitMs())) return code;
  const auto on = static_cast<cudaStream_t>(stream.handle);
  if (const cudaError_t error = cudaMemcpyAsync(out, in, bytes, kind, on))
    return lose(stream, what, error);
  return untilDone(stream, what, copyLimitMs());
}

}  // namespace

// The mutex is not held while it waits.
std::int32_t wait(void* handle, std::int64_t timeoutMs) {
  Stream& stream = *static_cast<Stream*>(handle);
  {
    const std::lock_guard lock(stream.mutex);
    if (const std::int32_t code = sendUploads(stream)) return code;
  }
  return enter(stream) ? untilDone(stream, "an op", timeoutMs) : PP_FAILED;
}

std::uint64_t memoryBytes(std::int32_t index) {
  return gpus().at(static_cast<std::size_t>(index))->memoryBytes;
}

void toDevice(Stream& stream, void* out, const void* in, std::uint64_t bytes) {
  if (stream.code != PP_OK) return;
  stream.code = copyAndWait(stream, out, in, bytes, cudaMemcpyHostToDevice, "a copy to the device");
}

void toHost(Stream& stream, void* out, const void* in, std::uint64_t bytes) {
  if (stream.code != PP_OK) return;
  stream.code =
      copyAndWait(stream, out, in, bytes, cudaMemcpyDeviceToHost, "a copy from the device");
}

// Named by launch.h.
bool beginLaunch(Stream& stream);
void endLaunch(Stream& stream);

bool beginLaunch(Stream& stream) {
  if (stream.code != PP_OK) return false;
  if (enter(stream)) return true;
  stream.code = PP_FAILED;
  return false;
}

void endLaunch(Stream& stream) {
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) stream.code = lose(stream, "a kernel", error);
}

}  // namespace parapet::cuda
