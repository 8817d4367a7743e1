// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "engine/experiment/step_ring.h"
#include "ui/plots/plot_theme.h"
#include "ui/plots/pyramid.h"

namespace parapet::ui {

/// Exponential moving average without the pull towards 0 at its start.
///
///   m ← w·m + (1 − w)·x,  c ← w·c + (1 − w),  out = m / c
///
/// It runs over every point before the curve is reduced to pixels, so zooming does not change it.
///
/// Shapes   one value in, one value out.
/// Units    of the input; w is the weight of the past, 0 leaves the input as it is.
/// Order    in the order of the steps; a merged bucket of n steps counts as n steps of its last
///          value.
/// Errors   InvalidArgument unless 0 ≤ w < 1.
/// Thread   one at a time.
class DebiasedEma {
 public:
  explicit DebiasedEma(double weight);
  /// The buckets with min = max = last = the average; those without a finite value stay out of it
  /// and keep their count.
  std::vector<experiment::StepBucket> smooth(std::span<const experiment::StepBucket> buckets);
  [[nodiscard]] double weight() const { return weight_; }

 private:
  double weight_;
  double mean_ = 0.0, mass_ = 0.0;
};

/// One value of a curve with few points. A coordinate that is not known is NaN; step and epoch
/// stand in for each other where stepsPerEpoch is known.
struct CurvePoint {
  double step = std::numeric_limits<double>::quiet_NaN();
  double epoch = std::numeric_limits<double>::quiet_NaN();
  double seconds = std::numeric_limits<double>::quiet_NaN();
  double value = std::numeric_limits<double>::quiet_NaN();
  /// The band around a mean of several runs in which most of them lie. NaN: there is none.
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
};

/// A curve reduced to what a plot draws.
struct DrawnCurve {
  std::vector<double> x, y;          ///< ascending x; y NaN where there is no finite value
  std::vector<double> lower, upper;  ///< as long as x with a band, else empty
  std::vector<double> nonFiniteX;    ///< where values are NaN or infinite
};

/// Summary for a reader who does not see the plot. NaN if there is no finite value.
struct CurveSummary {
  double last, min, max;
};

/// The data of one curve: steps in a pyramid, a few points, or one level (a baseline). No widgets.
class CurveSeries {
 public:
  enum class Kind {
    kSteps,   ///< many training steps, behind a pyramid
    kPoints,  ///< a value per epoch, or a published curve
    kLevel,   ///< one value over the whole width
  };
  CurveSeries(QString name, Kind kind, SeriesRole role)
      : name_(std::move(name)), kind_(kind), role_(role) {}

  [[nodiscard]] const QString& name() const { return name_; }
  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] SeriesRole role() const { return role_; }

  /// kSteps. Errors of Pyramid::append.
  void append(std::span<const experiment::StepBucket> buckets);
  void truncateAfter(std::int64_t step);
  /// Weight of the past in [0, 1); 0 shows the values as they are.
  void setSmoothing(double weight);
  [[nodiscard]] const Pyramid& pyramid() const { return raw_; }

  /// kPoints.
  void append(CurvePoint point) { points_.push_back(point); }
  void setPoints(std::vector<CurvePoint> points) { points_ = std::move(points); }
  [[nodiscard]] const std::vector<CurvePoint>& points() const { return points_; }

  /// kLevel.
  void setLevel(double value) { level_ = value; }
  [[nodiscard]] double level() const { return level_; }

  void setStepsPerEpoch(std::int64_t steps) { stepsPerEpoch_ = steps; }
  [[nodiscard]] std::int64_t stepsPerEpoch() const { return stepsPerEpoch_; }
  void setBand(bool shown) { band_ = shown; }
  /// Whether the axes of a plot show all of it.
  void setSetsAxes(bool sets) { setsAxes_ = sets; }
  [[nodiscard]] bool setsAxes() const { return setsAxes_; }

  /// The curve over [from, to] as at most `width` x positions, so line and band stay within 2 ·
  /// width values each; few points come as they are, with one neighbour on either side, and more
  /// than 2 · width points as the smallest and largest of each pixel. On a logarithmic axis values
  /// ≤ 0 become NaN.
  [[nodiscard]] DrawnCurve draw(XAxis axis, double from, double to, std::size_t width,
                                bool logarithmic) const;
  /// First and last position; nullopt if nothing can be drawn on this axis. A level has none.
  [[nodiscard]] std::optional<std::pair<double, double>> extent(XAxis axis) const;
  [[nodiscard]] CurveSummary summary() const;

 private:
  [[nodiscard]] double positionOfPoint(const CurvePoint& point, XAxis axis) const;
  [[nodiscard]] DrawnCurve drawPoints(XAxis axis, double from, double to, std::size_t width) const;
  [[nodiscard]] DrawnCurve drawSteps(XAxis axis, StepRange range, std::size_t width) const;

  QString name_;
  Kind kind_;
  SeriesRole role_;
  Pyramid raw_, smooth_;
  std::optional<DebiasedEma> ema_;
  std::vector<CurvePoint> points_;
  double level_ = std::numeric_limits<double>::quiet_NaN();
  std::int64_t stepsPerEpoch_ = 0;
  bool band_ = true, setsAxes_ = true;
};

}  // namespace parapet::ui
