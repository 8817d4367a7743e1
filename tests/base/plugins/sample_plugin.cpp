// SPDX-License-Identifier: Apache-2.0
// A plugin of a kind of its own, made several times with one thing wrong each. Its device is found
// and listed but never asked to compute.
#include <signal.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "engine/tensor/plugin_abi.h"

#ifndef SAMPLE_ABI
#define SAMPLE_ABI PP_ABI_VERSION
#endif
#ifndef SAMPLE_TAG
#define SAMPLE_TAG PARAPET_BUILD_TAG
#endif
#ifndef SAMPLE_STATUS
#define SAMPLE_STATUS PP_OK
#endif
#ifndef SAMPLE_REASON
#define SAMPLE_REASON ""
#endif
#ifndef SAMPLE_OPS
#define SAMPLE_OPS sizeof(PpOps)
#endif

namespace {

constexpr std::uint64_t kMemoryBytes = 4096;

std::int32_t refuse(const void*, const void*) {
  return PP_UNSUPPORTED;
}

void* allocate(std::int32_t, std::uint64_t bytes) {
  constexpr std::uint64_t kLine = 64;
  return std::aligned_alloc(kLine, (bytes + kLine - 1) / kLine * kLine);
}
void release(std::int32_t, void* memory) {
  std::free(memory);
}
std::int32_t copyBytes(void*, void* out, const void* in, std::uint64_t bytes) {
  std::memcpy(out, in, bytes);
  return PP_OK;
}

// Every slot behind the size holds the same function, however many ops the ABI has.
PpOps sampleOps() {
  PpOps ops{};
  std::array<std::int32_t (*)(const void*, const void*),
             (sizeof(PpOps) - offsetof(PpOps, fill)) / sizeof(void*)>
      slots{};
  slots.fill(refuse);
  std::memcpy(&ops.fill, slots.data(), sizeof slots);
  ops.structSize = static_cast<std::uint32_t>(SAMPLE_OPS);
  return ops;
}

const PpDevice* sampleDevice() {
  static const PpOps ops = sampleOps();
  static const PpDevice device{
      .structSize = sizeof(PpDevice),
      .kind = "sample",
      .memoryKind = PP_MEMORY_DEVICE,
      .ops = &ops,
      .allocate = allocate,
      .release = release,
      .copyToDevice = copyBytes,
      .copyToHost = copyBytes,
      .recordEvent = [](void*) -> void* { return nullptr; },
      .waitEvent = [](void*, void*) -> std::int32_t { return PP_OK; },
      .workspaceBytes = [](std::size_t, const std::int64_t*, std::int32_t) -> std::uint64_t {
        return 0;
      },
      .memoryBytes = [](std::int32_t index) { return kMemoryBytes * (1u + index); },
      .lastError = [] { return "this device only refuses"; }};
  return &device;
}

std::int32_t probe(char* reason, std::size_t bytes) {
  // No handler of a sanitizer can take this for its own.
  if (std::getenv("SAMPLE_CRASH")) ::raise(SIGKILL);
  std::snprintf(reason, bytes, "%s", SAMPLE_REASON);
  return SAMPLE_STATUS;
}

std::int32_t twoDevices() {
  return 2;
}

}  // namespace

extern "C" {
__attribute__((visibility("default"))) std::uint32_t parapet_plugin_abi() {
  return SAMPLE_ABI;
}
#ifndef SAMPLE_WITHOUT_TAG
__attribute__((visibility("default"))) const char* parapet_plugin_build_tag() {
  return SAMPLE_TAG;
}
#endif
__attribute__((visibility("default"))) const PpPlugin* parapet_plugin() {
  static const PpPlugin plugin{sizeof(PpPlugin), "sample",      "sample-set", probe,
                               twoDevices,       sampleDevice()};
  return &plugin;
}
}
