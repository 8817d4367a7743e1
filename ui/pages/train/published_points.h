// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

#include "engine/experiment/experiment.h"
#include "ui/plots/curve_series.h"

namespace parapet::ui {

/// Points of a published run, which has epochs alone.
inline std::vector<CurvePoint> publishedPoints(
    std::span<const experiment::ReferenceCurve::Point> published) {
  std::vector<CurvePoint> points;
  for (const auto& [epoch, value] : published)
    points.push_back({.epoch = static_cast<double>(epoch), .value = value});
  return points;
}

}  // namespace parapet::ui
