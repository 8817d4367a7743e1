// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace parapet::bench {

// The widest register of the machine that this was compiled on and for (-march=native).
#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif
constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(float));

using Vector [[gnu::vector_size(kVectorBytes)]] = float;

inline Vector broadcast(float value) {
  return Vector{} + value;
}

inline Vector load(const float* from) {
  return *reinterpret_cast<const Vector*>(from);
}

inline void store(float* to, Vector value) {
  *reinterpret_cast<Vector*>(to) = value;
}

inline float sum(Vector value) {
  float total = 0.0f;
  for (int lane = 0; lane < kLanes; ++lane) total += value[lane];
  return total;
}

/// Keeps the compiler from leaving out what made `value`.
inline void keep(float value) {
  volatile float sink = value;
  static_cast<void>(sink);
}

}  // namespace parapet::bench
