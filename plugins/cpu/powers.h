// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/cpu/floats.h"

namespace parapet::plugin {

/// e^x for x ≤ 0, within two units in the last place; 0 where that would be denormal.
///
///   e^x = 2^n·e^r,  n = round(x/ln 2),  |r| ≤ ln 2 / 2, with ln 2 in two parts
inline Floats powerOf(Floats x) {
  constexpr float kInverse = 1.44269504088896341f, kHigh = 0.693359375f, kLow = -2.12194440e-4f;
  const Floats n = _mm256_round_ps(x * kInverse, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  const Floats r = (x - n * kHigh) - n * kLow;
  Floats p = splat(1.9875691500e-4f);
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  const __m256i exponent =
      _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127)), 23);
  const __m256 isNormal = _mm256_cmp_ps(x, splat(-87.0f), _CMP_GT_OQ);
  return _mm256_and_ps(p * Floats(_mm256_castsi256_ps(exponent)), isNormal);
}

inline float powerOf(float x) {
  return x > -87.0f ? __builtin_expf(x) : 0.0f;
}

/// Calls body<Number>(i, at) so that Numbers from `at` on cover [0, count): four registers of eight at
/// a time, i telling them apart, then one, then single elements.
template <class Body>
inline void forLine(std::int64_t count, const Body& body) {
  std::int64_t at = 0;
  for (; at + 4 * kLanes <= count; at += 4 * kLanes)
    for (int i = 0; i < 4; ++i) body.template operator()<Floats>(i, at + i * kLanes);
  for (; at + kLanes <= count; at += kLanes) body.template operator()<Floats>(0, at);
  for (; at < count; ++at) body.template operator()<float>(0, at);
}

/// Σ over four registers and what did not fill one.
class LineSum {
 public:
  void add(int i, Floats x) { lanes_[i] += x; }
  void add(int, float x) { rest_ += x; }
  [[nodiscard]] float total() const {
    return sum((lanes_[0] + lanes_[1]) + (lanes_[2] + lanes_[3])) + rest_;
  }

 private:
  Floats lanes_[4]{};
  float rest_ = 0.0f;
};

/// The greatest, likewise.
class LineMost {
 public:
  void add(int i, Floats x) { lanes_[i] = _mm256_max_ps(x, lanes_[i]); }
  void add(int, float x) { rest_ = std::max(rest_, x); }
  [[nodiscard]] float most() const {
    const Floats both =
        _mm256_max_ps(_mm256_max_ps(lanes_[0], lanes_[1]), _mm256_max_ps(lanes_[2], lanes_[3]));
    float greatest = rest_;
    for (std::int64_t lane = 0; lane < kLanes; ++lane) greatest = std::max(greatest, both[lane]);
    return greatest;
  }

 private:
  static constexpr float kNone = -__builtin_inff();
  Floats lanes_[4] = {splat(kNone), splat(kNone), splat(kNone), splat(kNone)};
  float rest_ = kNone;
};

}  // namespace parapet::plugin
