// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/cuda/launch.h"

/// Scores as whole numbers in their order, no two of them equal, and which is the n-th of them.
namespace parapet::cuda {

/// Greater for a greater score, and of equal ones for the lower candidate; 0 and −0 are equal. NaN:
/// 0, which no number gives.
inline PP_DEVICE std::uint64_t orderedKey(float score, std::uint32_t candidate) {
  if (score != score) return 0;
  const std::uint32_t bits = bitsOf(score + 0.0f);
  const std::uint32_t ordered = bits >> 31 ? ~bits : bits | 0x80000000u;
  return static_cast<std::uint64_t>(ordered) << 32 | ~candidate;
}
inline PP_DEVICE float scoreOf(std::uint64_t key) {
  const auto ordered = static_cast<std::uint32_t>(key >> 32);
  return floatOf(ordered >> 31 ? ordered & 0x7fffffffu : ~ordered);
}
inline PP_DEVICE std::uint32_t candidateOf(std::uint64_t key) {
  return ~static_cast<std::uint32_t>(key);
}

/// The rank-th greatest of keyAt(0 … count-1), rank 1 being the greatest; by all threads of a block
/// of kThreads. Byte by byte from the top: how many keys have each value of the byte, which of them
/// the wanted one has. Keys of 0 are left out; 0 if there are fewer than rank others.
template <class KeyAt>
PP_DEVICE std::uint64_t keyOfRank(std::int64_t rank, std::int64_t count, const KeyAt& keyAt) {
  PP_SHARED std::int32_t found[256];
  PP_SHARED std::int32_t chosen[2];
  std::uint64_t prefix = 0;
  auto wanted = static_cast<std::int32_t>(rank);
  for (int shift = 56; shift >= 0; shift -= 8) {
    found[thread()] = 0;
    meet();
    for (std::int64_t i = thread(); i < count; i += kThreads) {
      const std::uint64_t key = keyAt(i);
      if (key != 0 && (shift == 56 || key >> (shift + 8) == prefix >> (shift + 8)))
        addAtomically(&found[key >> shift & 255u], 1);
    }
    meet();
    if (thread() == 0) {
      std::int32_t byte = 255, left = wanted;
      while (byte >= 0 && found[byte] < left) left -= found[byte--];
      chosen[0] = byte;
      chosen[1] = left;
    }
    meet();
    const std::int32_t byte = chosen[0];
    wanted = chosen[1];
    meet();
    if (byte < 0) return 0;
    prefix |= static_cast<std::uint64_t>(byte) << shift;
  }
  return prefix;
}

}  // namespace parapet::cuda
