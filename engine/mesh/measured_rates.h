// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "engine/mesh/device_profile.h"

// From times that a busy machine lengthened to figures that a machine can have.

namespace parapet::mesh {

/// The time of work that was repeated. Other programs only ever lengthen a repetition, so the
/// shortest is the one that counts, and it is trusted once others came close to it: a machine that
/// is busy throughout shows by times that are all apart.
class ShortestTime {
 public:
  void add(double seconds);
  /// Whether kAgreeing repetitions lie within kSpread of the shortest.
  [[nodiscard]] bool agrees() const;
  /// Infinite before the first.
  [[nodiscard]] double seconds() const { return shortest_[0]; }

 private:
  static constexpr std::size_t kAgreeing = 3;
  static constexpr double kSpread = 1.1;
  static constexpr double kNone = std::numeric_limits<double>::infinity();
  std::array<double, kAgreeing> shortest_{kNone, kNone, kNone};  ///< ascending
};

/// Work on rows of two widths, by which the time per row and the time per byte are told apart.
struct TwoWidths {
  std::int64_t narrow = 0, wide = 0;  ///< elements of a row
  double narrowSeconds = 0.0, wideSeconds = 0.0;
  double rows = 0.0;
  double bytesPerElement = 0.0;  ///< read and written
};

/// Rows out of a cache are at most so many times as fast as memory read in order, and rows out of
/// memory hardly faster than that; what they are written to may lie in a cache.
inline constexpr double kMaxCachedOverStream = 16.0, kMaxRandomOverStream = 2.0;

/// The line through the times of the two widths:
///
///   seconds(width) = rows·secondsPerRow + rows·bytesPerElement·width / bytesPerSecond
///
/// Bounds   the narrow rows take no longer than the wide ones (where they seem to, they were held
///          up), and bytesPerSecond is at most `maxBytesPerSecond`; the line then goes through the
///          wide rows. secondsPerRow is at least 0.
/// Thread   pure.
RowRate rowRate(const TwoWidths& times, double maxBytesPerSecond);

}  // namespace parapet::mesh
