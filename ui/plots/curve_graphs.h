// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <memory>

#include "ui/plots/curve_series.h"
#include "ui/plots/plot_theme.h"

class QCPGraph;
class QCPItemText;
class QCPScatterStyle;
class QCustomPlot;

namespace parapet::ui {

/// The parts of a QCustomPlot that show one curve: its line, the band of extremes behind it, and
/// for a level its label. Made and removed together.
class CurveGraphs {
 public:
  CurveGraphs(QCustomPlot& plot, const CurveSeries& series);
  ~CurveGraphs();
  CurveGraphs(const CurveGraphs&) = delete;
  CurveGraphs& operator=(const CurveGraphs&) = delete;

  void setStyle(const SeriesStyle& style, const PlotColors& colors);
  void setVisible(bool visible);
  /// Appends the line to the legend under a name that may be cut.
  void addToLegend(const QString& name);
  void setData(const DrawnCurve& drawn);
  /// Whether this is a level with a label. The label stands on `y` of the axis while the level is
  /// visible.
  [[nodiscard]] bool hasLabel() const { return label_ != nullptr; }
  void placeLabel(double y, bool inSight);

 private:
  QCustomPlot& plot_;
  QCPGraph* lower_ = nullptr;
  QCPGraph* upper_ = nullptr;
  QCPGraph* line_ = nullptr;
  QCPItemText* label_ = nullptr;
  bool visible_ = true;
  std::unique_ptr<QCPScatterStyle> marks_;  ///< of few points; null: none
};

}  // namespace parapet::ui
