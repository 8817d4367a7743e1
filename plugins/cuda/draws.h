// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/cuda/device_code.h"

namespace parapet::cuda {

/// The draw of PpDropout: the same numbers on every device.
inline PP_DEVICE std::uint32_t drawnAt(std::uint64_t key, std::uint64_t index) {
  std::uint64_t z = key + (index + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return static_cast<std::uint32_t>((z ^ (z >> 31)) >> 40);
}

/// The key of PpDropout and PpAttention.
template <class Args>
PP_DEVICE std::uint64_t keyOf(const Args& args) {
  return args.keyAt ? *args.keyAt : args.key;
}

}  // namespace parapet::cuda
