// SPDX-License-Identifier: Apache-2.0
#include "engine/mesh/measured_rates.h"

#include <algorithm>

namespace parapet::mesh {

void ShortestTime::add(double seconds) {
  for (double& known : shortest_)
    if (seconds < known) std::swap(seconds, known);
}

bool ShortestTime::agrees() const {
  return shortest_.back() <= kSpread * shortest_.front() && shortest_.back() < kNone;
}

RowRate rowRate(const TwoWidths& times, double maxBytesPerSecond) {
  const auto narrow = static_cast<double>(times.narrow), wide = static_cast<double>(times.wide);
  const double bytesPerColumn = times.rows * times.bytesPerElement;
  const double narrowSeconds = std::min(times.narrowSeconds, times.wideSeconds);
  const double slope = std::max((times.wideSeconds - narrowSeconds) / (wide - narrow),
                                bytesPerColumn / maxBytesPerSecond);
  const double perRow = std::max(0.0, times.wideSeconds - slope * wide) / times.rows;
  return {perRow, bytesPerColumn / slope};
}

}  // namespace parapet::mesh
