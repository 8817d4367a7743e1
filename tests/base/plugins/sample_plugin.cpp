// SPDX-License-Identifier: Apache-2.0
// A plugin of a kind of its own, made several times with one thing wrong each. Its device is found
// and listed but never asked to compute.
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

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
#ifndef SAMPLE_KIND
#define SAMPLE_KIND "sample"
#endif
#ifndef SAMPLE_OPS
#define SAMPLE_OPS sizeof(PpOps)
#endif

namespace {

#ifdef SAMPLE_ON_LOAD
// Code that a plugin may run while the loader maps it, before anything is asked.
[[maybe_unused]] void hang() {
  ::signal(SIGTERM, SIG_IGN);
  // Whoever waits for this to have begun reads the process's id from the file.
  if (const char* path = std::getenv("SAMPLE_BEGAN")) {
    const std::string written = std::string(path) + ".written";
    std::FILE* file = std::fopen(written.c_str(), "w");
    std::fprintf(file, "%d", static_cast<int>(::getpid()));
    std::fclose(file);
    std::rename(written.c_str(), path);
  }
  for (;;) ::pause();
}
[[maybe_unused]] void leave() {
  std::_Exit(0);  // std::exit() within dlopen() is a fault by itself to ThreadSanitizer
}
[[maybe_unused]] void abortAtOnce() {
  std::abort();
}
[[maybe_unused]] void print() {
  std::puts("sample: loaded");
  std::fflush(stdout);
  static_cast<void>(::write(STDOUT_FILENO, "sample: ready\n", 14));
}
[[maybe_unused]] void fault() {
  ::raise(SIGSEGV);
}
__attribute__((constructor)) void onLoad() {
  SAMPLE_ON_LOAD();
}
#endif

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
      .kind = SAMPLE_KIND,
      .memoryKind = PP_MEMORY_DEVICE,
      .ops = &ops,
      .allocate = allocate,
      .release = release,
      .stream = [](std::int32_t) -> void* { return nullptr; },
      .copyToDevice = copyBytes,
      .copyToHost = copyBytes,
      .wait = [](void*, std::int64_t) -> std::int32_t { return PP_OK; },
      .makeRecording = nullptr,
      .releaseRecording = nullptr,
      .endRecording = nullptr,
      .supports = [](std::int32_t, std::uint64_t, std::int32_t, std::int32_t) { return 0; },
      .memoryBytes = [](std::int32_t index) { return kMemoryBytes * (1u + index); },
      .lastError = [] { return "this device only refuses"; }};
  return &device;
}

std::int32_t probe(char* reason, std::size_t bytes) {
  if (const char* how = std::getenv("SAMPLE_CRASH")) {
    if (std::string_view(how) == "abort") std::abort();
    ::raise(SIGKILL);  // no handler of a sanitizer can take this for its own
  }
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
