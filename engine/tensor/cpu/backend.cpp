// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/cpu/backend.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace parapet::tensor::cpu {
namespace {

void* allocate(std::int32_t, std::uint64_t bytes) {
  // Random rows of a big table miss the TLB at every access on 4 KiB pages (20–30 % slower
  // measured).
  constexpr std::uint64_t kHugePage = 2u << 20;
  const std::uint64_t alignment = bytes >= 2 * kHugePage ? kHugePage : 64;
  const std::uint64_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory && alignment == kHugePage) ::madvise(memory, rounded, MADV_HUGEPAGE);
  return memory;
}

void release(std::int32_t, void* memory) {
  std::free(memory);
}

std::int32_t copyBytes(void*, void* out, const void* in, std::uint64_t bytes) {
  std::memcpy(out, in, bytes);
  return PP_OK;
}

void* noStream(std::int32_t) {
  return nullptr;
}
std::int32_t nothingToWaitFor(void*, std::int64_t) {
  return PP_OK;
}
// All of the ops, whatever the rows.
std::int32_t supports(std::int32_t, std::uint64_t, std::int32_t precision, std::int32_t) {
  return precision != PP_PRECISION_TF32;
}
std::uint64_t memoryBytes(std::int32_t) {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGE_SIZE));
}
const char* lastError() {
  return "no further detail";
}

constexpr PpOps makeOps() {
  PpOps ops{};
  ops.structSize = sizeof(PpOps);
#define PP_OP(op, Args) ops.op = op;
#include "engine/tensor/ops.def"
  return ops;
}
constexpr PpOps kOps = makeOps();

constexpr PpDevice kDevice{.structSize = sizeof(PpDevice),
                           .kind = "cpu",
                           .memoryKind = PP_MEMORY_HOST,
                           .ops = &kOps,
                           .allocate = allocate,
                           .release = release,
                           .stream = noStream,
                           .copyToDevice = copyBytes,
                           .copyToHost = copyBytes,
                           .wait = nothingToWaitFor,
                           .makeRecording = nullptr,
                           .releaseRecording = nullptr,
                           .endRecording = nullptr,
                           .supports = supports,
                           .memoryBytes = memoryBytes,
                           .lastError = lastError};

}  // namespace

const PpDevice& backend() {
  return *parapet_portable_cpu();
}

}  // namespace parapet::tensor::cpu

const PpDevice* parapet_portable_cpu(void) {
  return &parapet::tensor::cpu::kDevice;
}
