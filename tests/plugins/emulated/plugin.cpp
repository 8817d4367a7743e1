// SPDX-License-Identifier: Apache-2.0
// A device that is hard in the ways a GPU is, on any machine: nobody but its own ops and copies can
// read its memory, and its stream runs late. What works on it reads no device memory on the host and
// waits where it must.
#include <algorithm>
#include <array>
#include <mutex>
#include <vector>

#include "tests/plugins/emulated/ops.h"
#include "tests/plugins/emulated/stream.h"

namespace parapet::emulated {
namespace {

constexpr std::int32_t kDevices = 8;
constexpr std::uint64_t kMemoryBytes = Arena::kMaxBytes;

/// Made when it is first used; lives as long as the process, whose exit does not wait for it.
Stream& streamOf(std::int32_t index) {
  static std::array<Stream*, kDevices> streams{};
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  Stream*& stream = streams.at(static_cast<std::size_t>(index));
  if (!stream) stream = new Stream(index, kMemoryBytes);
  return *stream;
}

void* allocate(std::int32_t index, std::uint64_t bytes) {
  return streamOf(index).arena().allocate(bytes);
}

void release(std::int32_t index, void* memory) {
  Stream& stream = streamOf(index);
  stream.post([&stream, memory] {
    stream.arena().release(memory);
    return PP_OK;
  });
}

void* streamHandle(std::int32_t index) {
  return &streamOf(index);
}

std::int32_t copyToDevice(void* handle, void* out, const void* in, std::uint64_t bytes) {
  Stream& stream = *static_cast<Stream*>(handle);
  if (stream.isLost()) return PP_FAILED;
  const auto* const begin = static_cast<const std::byte*>(in);
  stream.post([to = stream.arena().translate(static_cast<std::byte*>(out)),
               from = std::vector<std::byte>(begin, begin + bytes)] {
    std::ranges::copy(from, to);
    return PP_OK;
  });
  return PP_OK;
}

std::int32_t copyToHost(void* handle, void* out, const void* in, std::uint64_t bytes) {
  Stream& stream = *static_cast<Stream*>(handle);
  if (const std::int32_t code = stream.wait(kWaitLimit); code != PP_OK) return code;
  const auto* const from = stream.arena().translate(static_cast<const std::byte*>(in));
  std::copy(from, from + bytes, static_cast<std::byte*>(out));
  return PP_OK;
}

std::int32_t wait(void* handle, std::int64_t timeoutMs) {
  return static_cast<Stream*>(handle)->wait(std::chrono::milliseconds(timeoutMs));
}

void* makeRecording(std::int32_t index) {
  return new Recording{streamHandle(index)};
}

void releaseRecording(void* recording) {
  delete static_cast<Recording*>(recording);
}

std::int32_t endRecording(void* handle, std::int32_t run, std::int32_t* ran) {
  Recording& recording = *static_cast<Recording*>(handle);
  return recording.ops.endEach(recording.stream, run, ran);
}

const char* lastError() {
  const std::string fault = faultText();
  if (fault.starts_with("lost")) return "the device is lost";
  if (fault.starts_with("fails")) return "the device has thrown";
  return "the emulated device tells no more";
}

std::int32_t probe(char*, std::size_t) {
  return PP_OK;
}

const PpPlugin& plugin() {
  static const PpDevice device{.structSize = sizeof(PpDevice),
                               .kind = "emu",
                               .memoryKind = PP_MEMORY_DEVICE,
                               .ops = &ops(),
                               .allocate = allocate,
                               .release = release,
                               .stream = streamHandle,
                               .copyToDevice = copyToDevice,
                               .copyToHost = copyToHost,
                               .wait = wait,
                               .makeRecording = makeRecording,
                               .releaseRecording = releaseRecording,
                               .endRecording = endRecording,
                               .supports = supports,
                               .memoryBytes = [](std::int32_t) { return kMemoryBytes; },
                               .lastError = lastError};
  static const PpPlugin made{sizeof(PpPlugin),        "emulated", "emulated", probe,
                             [] { return kDevices; }, &device};
  return made;
}

}  // namespace
}  // namespace parapet::emulated

extern "C" {

__attribute__((visibility("default"))) uint32_t parapet_plugin_abi(void) {
  return PP_ABI_VERSION;
}
__attribute__((visibility("default"))) const char* parapet_plugin_build_tag(void) {
  return PARAPET_BUILD_TAG;
}
__attribute__((visibility("default"))) const PpPlugin* parapet_plugin(void) {
  return &parapet::emulated::plugin();
}

}  // extern "C"
