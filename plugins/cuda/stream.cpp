// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/stream.h"

#include <utility>

namespace parapet::cuda {
namespace {

std::string& lastText() {
  thread_local std::string text;
  return text;
}

}  // namespace

void say(std::string text) {
  lastText() = std::move(text);
}

const char* said() {
  return lastText().c_str();
}

void lose(Stream& stream, const std::string& reason) {
  const std::lock_guard lock(stream.losing);
  if (!stream.lost) stream.lostReason = reason + "; the device is lost to this process";
  stream.lost = true;
  say(reason + "; the device is lost to this process");
}

bool isLost(Stream& stream) {
  if (!stream.lost) return false;
  const std::lock_guard lock(stream.losing);
  say(stream.lostReason);
  return true;
}

void fail(Stream& stream, std::int32_t code, std::string text) {
  if (stream.code != PP_OK) return;
  stream.code = code;
  say(std::move(text));
}

std::int32_t done(const PpCall* call) {
  return std::exchange(streamOf(call).code, PP_OK);
}

void* Scratch::takeBytes(std::uint64_t bytes) {
  constexpr std::uint64_t kLine = 256;
  const std::uint64_t size = (bytes + kLine - 1) / kLine * kLine;
  if (size > stream_.scratchBytes - used_) {
    fail(stream_, PP_OUT_OF_MEMORY,
         "the op needs " + std::to_string(used_ + size) + " bytes between its kernels; there are " +
             std::to_string(stream_.scratchBytes) + " (PARAPET_CUDA_SCRATCH_MIB)" +
             (stream_.scratch ? "" : ", as the device had no room when they were asked for"));
    return nullptr;
  }
  void* const memory = stream_.scratch + used_;
  used_ += size;
  return memory;
}

}  // namespace parapet::cuda
