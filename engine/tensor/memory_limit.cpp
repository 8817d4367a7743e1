// SPDX-License-Identifier: Apache-2.0
#include "engine/tensor/memory_limit.h"

#include <fmt/format.h>

#include "engine/base/result.h"
#include "engine/base/text.h"

namespace parapet::tensor {
namespace {

std::string exactBytes(std::uint64_t bytes) {
  return fmt::format("{} ({} bytes)", formatBytes(bytes), bytes);
}

}  // namespace

// A refused request is never counted, so that it takes nothing from requests that fit.
void MemoryLimit::take(std::uint64_t bytes) {
  std::uint64_t before = inUse_;
  do {
    if (bytes > bytes_ - before)
      throw InternalError(fmt::format(
          "[tensor.Buffer] {} has no room for {}: its limit is {}, of which {} are in use",
          devices_, exactBytes(bytes), exactBytes(bytes_), exactBytes(before)));
  } while (!inUse_.compare_exchange_weak(before, before + bytes));
  std::uint64_t peak = peak_;
  while (peak < before + bytes && !peak_.compare_exchange_weak(peak, before + bytes)) {
  }
}

}  // namespace parapet::tensor
