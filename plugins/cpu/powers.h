// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "plugins/cpu/floats.h"

namespace parapet::plugin {

/// e^x for x ≤ 0, within two units in the last place; 0 where that would be denormal.
///
///   e^x = 2^n·e^r,  n = round(x/ln 2),  |r| ≤ ln 2 / 2, with ln 2 in two parts
template <class Number>
inline Number powerOf(Number x) {
  using Bits = decltype(x < x);
  constexpr float kInverse = 1.44269504088896341f, kHigh = 0.693359375f, kLow = -2.12194440e-4f;
  // Added to a number below 2²² it leaves no bits behind the point, and the nearest integer in the
  // lowest ones.
  constexpr float kRounder = 12582912.0f;
  constexpr std::int32_t kRounderBits = 0x4b400000, kBias = 127, kFractionBits = 23;
  const Number rounded = x * kInverse + kRounder;
  const Number n = rounded - kRounder;
  const Number r = (x - n * kHigh) - n * kLow;
  Number p = Number{} + 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  const Bits exponent = (std::bit_cast<Bits>(rounded) - kRounderBits + kBias) << kFractionBits;
  return x > -87.0f ? p * std::bit_cast<Number>(exponent) : Number{};
}

inline float powerOf(float x) {
  return x > -87.0f ? __builtin_expf(x) : 0.0f;
}

/// Calls body<Number>(i, at) so that Numbers from `at` on cover [0, count): four registers at a
/// time, i telling them apart, then one, eight elements where a register has more, then single
/// ones.
template <class Body>
inline void forLine(std::int64_t count, const Body& body) {
  std::int64_t at = 0;
  for (; at + 4 * kLanes <= count; at += 4 * kLanes)
    for (int i = 0; i < 4; ++i) body.template operator()<Floats>(i, at + i * kLanes);
  for (; at + kLanes <= count; at += kLanes) body.template operator()<Floats>(0, at);
  if constexpr (kLanes > kWidth<Eight>)
    for (; at + kWidth<Eight> <= count; at += kWidth<Eight>) body.template operator()<Eight>(0, at);
  for (; at < count; ++at) body.template operator()<float>(0, at);
}

/// The greatest lane that is a number; −∞ if none is.
template <class Number>
inline float greatestLane(Number x) {
  float greatest = -__builtin_inff();
  if constexpr (kWidth<Number> == 1)
    greatest = larger(x, greatest);
  else
    for (std::int64_t lane = 0; lane < kWidth<Number>; ++lane) greatest = larger(x[lane], greatest);
  return greatest;
}

/// Σ over four registers and what did not fill one.
class LineSum {
 public:
  template <class Number>
  void add(int i, Number x) {
    if constexpr (kWidth<Number> == kLanes)
      lanes_[i] += x;
    else
      rest_ += sum(x);
  }
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
  template <class Number>
  void add(int i, Number x) {
    if constexpr (kWidth<Number> == kLanes)
      lanes_[i] = larger(x, lanes_[i]);
    else
      rest_ = larger(greatestLane(x), rest_);
  }
  [[nodiscard]] float most() const {
    const Floats all = larger(larger(lanes_[0], lanes_[1]), larger(lanes_[2], lanes_[3]));
    return larger(greatestLane(all), rest_);
  }

 private:
  static constexpr float kNone = -__builtin_inff();
  Floats lanes_[4] = {splat(kNone), splat(kNone), splat(kNone), splat(kNone)};
  float rest_ = kNone;
};

}  // namespace parapet::plugin
