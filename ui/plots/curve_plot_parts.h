// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <qcustomplot.h>

#include <QElapsedTimer>
#include <QPointer>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ui/bridge/replot_timer.h"
#include "ui/plots/crosshair.h"
#include "ui/plots/curve_graphs.h"
#include "ui/plots/curve_plot.h"
#include "ui/plots/curve_table_model.h"
#include "ui/plots/event_rail.h"

namespace parapet::ui {

/// One curve of the plot: its data, its graphs and what they show.
struct PlottedCurve {
  CurvePlot::SeriesId id;
  int styleIndex;
  CurveSeries data;
  std::unique_ptr<CurveGraphs> graphs;
  DrawnCurve drawn;
  bool visible = true;
};

/// The id of no curve.
inline constexpr CurvePlot::SeriesId kNoSeries = -1;

/// Places the parts of a plot now, which otherwise happens when it is drawn.
void layOut(QCustomPlot& plot);

/// State of a plot, shared by the curve_plot*.cpp; keeps QCustomPlot out of the public header.
struct CurvePlot::Parts {
  QCustomPlot* plot = nullptr;
  EventRail* rail = nullptr;
  Crosshair* crosshair = nullptr;
  ReplotTimer timer;
  std::vector<std::unique_ptr<PlottedCurve>> curves;
  /// Entries of the legend, kNoSeries for the number of curves that have no place in it.
  std::vector<std::pair<SeriesId, QString>> legendEntries;
  QPointer<QCPTextElement> legendRest;
  std::vector<PlotMark> marks;
  std::int64_t marksStepsPerEpoch = 0;
  QPointer<CurveTableModel> table;
  ZoomHistory zoom;
  /// Part of the axis that a linked plot shows; counts while nothing is zoomed here.
  std::optional<std::pair<double, double>> followed;
  QElapsedTimer lastWheel;
  XAxis axis = XAxis::kStep;
  QString quantity;
  double smoothing = 0.0, prepareMs = 0.0;
  bool logarithmic = false, band = true, dirty = true;
  SeriesId nextId = 1;
  int nextStyle = 0;
  QAction *back = nullptr, *forward = nullptr, *log = nullptr;

  PlottedCurve& curve(SeriesId id);
  std::vector<const CurveSeries*> series() const;
  std::pair<double, double> xRange() const;
  std::pair<double, double> yRange() const;
};

}  // namespace parapet::ui
