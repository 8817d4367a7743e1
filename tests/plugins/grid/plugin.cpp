// SPDX-License-Identifier: Apache-2.0
// The kernels of plugins/cuda as a device of this machine: the same sources, compiled as C++.
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "plugins/cuda/copies.h"
#include "plugins/cuda/device_code.h"
#include "plugins/cuda/ops.h"
#include "plugins/cuda/recording.h"

namespace parapet::cuda {

void toDevice(Stream& stream, void* out, const void* in, std::uint64_t bytes) {
  if (stream.code == PP_OK) std::memcpy(out, in, bytes);
}
void toHost(Stream& stream, void* out, const void* in, std::uint64_t bytes) {
  if (stream.code == PP_OK) std::memcpy(out, in, bytes);
}

namespace {

constexpr std::int32_t kDevices = 4;
constexpr std::uint64_t kScratchBytes = std::uint64_t{64} << 20;
constexpr int kEveryBit = 0xff;  // as f32 and f64 NaN, as i32 −1

/// An element of an operand, which in bf16 is the upper half of an f32.
float elementOf(const float* operand, std::int64_t at, std::int32_t precision) {
  if (precision == PP_PRECISION_FP32) return operand[at];
  std::uint16_t half = 0;
  std::memcpy(&half, reinterpret_cast<const std::byte*>(operand) + sizeof half * at, sizeof half);
  return floatOf(static_cast<std::uint32_t>(half) << 16);
}

/// A stand-in for the library of a stream: in fp32 and bf16, linear and relu; no epilogue where a row has
/// an odd length, and no product at all of seven rows.
std::int32_t multiplyByStandIn(Stream&, const PpMatmul& p, std::int32_t precision) {
  const bool finishes = p.bias != nullptr || p.activation != PP_LINEAR;
  if (precision == PP_PRECISION_TF32 || p.m == 7 || (finishes && p.n % 2 != 0))
    return PP_UNSUPPORTED;
  if (p.activation != PP_LINEAR && p.activation != PP_RELU) return PP_FAILED;  // never asked
  for (std::int64_t i = 0; i < p.m; ++i)
    for (std::int64_t j = 0; j < p.n; ++j) {
      float& out = p.c[i * p.strideC + j];
      float sum = p.beta == 0.0f ? 0.0f : p.beta * out;
      for (std::int64_t d = 0; d < p.k; ++d)
        sum += elementOf(p.a, p.transposeA ? d * p.strideA + i : i * p.strideA + d, precision) *
               elementOf(p.b, p.transposeB ? j * p.strideB + d : d * p.strideB + j, precision);
      if (p.bias) sum += p.bias[j];
      out = p.activation == PP_RELU && sum < 0.0f ? 0.0f : sum;
    }
  return PP_OK;
}

constexpr std::size_t kDeviceWithLibrary = 1;
/// A device where neither operands in bf16 nor rows that are sorted fit at once.
constexpr std::size_t kDeviceWithLittleScratch = 2;
constexpr std::uint64_t kLittleScratchBytes = std::uint64_t{32} << 10;

struct Device {
  std::unique_ptr<std::byte, decltype(&std::free)> scratch{
      static_cast<std::byte*>(std::aligned_alloc(256, kScratchBytes)), std::free};
  Stream stream;
  Device() {
    stream.scratch = scratch.get();
    stream.scratchBytes = kScratchBytes;
  }
};

struct Devices {
  std::array<Device, kDevices> all;
  Devices() {
    for (const std::size_t device : {kDeviceWithLibrary, kDeviceWithLittleScratch})
      all.at(device).stream.multiply = multiplyByStandIn;
    all.at(kDeviceWithLittleScratch).stream.scratchBytes = kLittleScratchBytes;
  }
};

void* allocate(std::int32_t, std::uint64_t bytes) {
  const std::uint64_t size = (bytes + 63) / 64 * 64;
  void* const memory = std::aligned_alloc(64, size == 0 ? 64 : size);
  if (memory) std::memset(memory, kEveryBit, size);
  return memory;
}

void release(std::int32_t, void* memory) {
  std::free(memory);
}

void* streamOfDevice(std::int32_t index) {
  static Devices devices;
  return &devices.all.at(static_cast<std::size_t>(index)).stream;
}

std::int32_t copyBytes(void*, void* out, const void* in, std::uint64_t bytes) {
  std::memcpy(out, in, bytes);
  return PP_OK;
}

std::int32_t endRecording(void* handle, std::int32_t run, std::int32_t* ran) {
  Recording& recording = *static_cast<Recording*>(handle);
  const std::lock_guard lock(recording.stream.mutex);
  return recording.ops.endEach(&recording.stream, run, ran);
}

const PpPlugin& plugin() {
  static const PpDevice device{
      .structSize = sizeof(PpDevice),
      .kind = "grid",
      .memoryKind = PP_MEMORY_DEVICE,
      .ops = &ops(),
      .allocate = allocate,
      .release = release,
      .stream = streamOfDevice,
      .copyToDevice = copyBytes,
      .copyToHost = copyBytes,
      .wait = [](void*, std::int64_t) -> std::int32_t { return PP_OK; },
      .makeRecording = [](std::int32_t index) -> void* {
        return new Recording{*static_cast<Stream*>(streamOfDevice(index))};
      },
      .releaseRecording = [](void* recording) { delete static_cast<Recording*>(recording); },
      .endRecording = endRecording,
      .supports = [](std::int32_t, std::uint64_t op, std::int32_t, std::int32_t) -> std::int32_t {
        return op < sizeof(PpOps) ? 1 : 0;
      },
      .memoryBytes = [](std::int32_t) { return std::uint64_t{1} << 30; },
      .lastError = said};
  static const PpPlugin made{
      sizeof(PpPlugin),           "grid",
      "cuda kernels on the host", [](char*, std::size_t) -> std::int32_t { return PP_OK; },
      [] { return kDevices; },    &device};
  return made;
}

}  // namespace
}  // namespace parapet::cuda

extern "C" {

__attribute__((visibility("default"))) uint32_t parapet_plugin_abi(void) {
  return PP_ABI_VERSION;
}
__attribute__((visibility("default"))) const char* parapet_plugin_build_tag(void) {
  return PARAPET_BUILD_TAG;
}
__attribute__((visibility("default"))) const PpPlugin* parapet_plugin(void) {
  return &parapet::cuda::plugin();
}

}  // extern "C"
