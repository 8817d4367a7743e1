// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

#include "engine/experiment/experiment.h"
#include "engine/experiment/published_run.h"
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

/// The band of its recipe over seeds, whose points are two standard deviations wide on either side.
inline std::vector<CurvePoint> bandPoints(const experiment::PublishedBand& band) {
  std::vector<CurvePoint> points;
  for (const auto& [epoch, mean, deviation] : band.points)
    points.push_back({.epoch = static_cast<double>(epoch),
                      .value = mean,
                      .low = mean - 2.0 * deviation,
                      .high = mean + 2.0 * deviation});
  return points;
}

}  // namespace parapet::ui
