// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/level_labels.h"

#include <algorithm>
#include <numeric>

namespace parapet::ui {

std::vector<double> spreadLabels(const std::vector<double>& lines, double height, double top,
                                 double bottom) {
  std::vector<std::size_t> upwards(lines.size());
  std::iota(upwards.begin(), upwards.end(), std::size_t{0});
  std::ranges::stable_sort(upwards, std::greater{}, [&](std::size_t i) { return lines[i]; });
  std::vector<double> edges(lines.size());
  double above = bottom;
  for (const std::size_t i : upwards) {
    edges[i] = std::min(lines[i], above);
    above = edges[i] - height;
  }
  double highest = top + height;
  for (auto i = upwards.rbegin(); i != upwards.rend(); ++i) {
    if (edges[*i] >= highest) break;
    edges[*i] = highest;
    highest += height;
  }
  return edges;
}

}  // namespace parapet::ui
