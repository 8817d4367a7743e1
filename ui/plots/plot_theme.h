// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QPalette>
#include <Qt>
#include <vector>

class QCustomPlot;

namespace parapet::ui {

/// The role of a curve; decides dashes and marks, so that colour is never the only difference.
enum class SeriesRole {
  kTraining,    ///< solid line, band of extremes
  kValidation,  ///< solid line with a mark at each point
  kReference,   ///< published curve: dashed
  kBaseline,    ///< horizontal line: dotted
  kApart,       ///< hollow marks without a line
};

struct SeriesStyle {
  QColor color;
  Qt::PenStyle dashes = Qt::SolidLine;
  bool marks = false, line = true;
};

/// The look of the `index`-th curve of a plot (index ≥ 0; negative counts as 0). Six colours that
/// stay apart in the common kinds of colour blindness, at 3:1 or more against the background;
/// further curves repeat the colours with other dashes.
SeriesStyle seriesStyle(int index, SeriesRole role, bool dark);

/// Colours before they repeat.
inline constexpr int kSeriesColors = 6;

/// Where labels stand whose lines may lie close together.
///
/// A label stands on its line, of [top, bottom] in pixels, or hangs from it; where lines leave no room between
/// them it is as near as it can be, in the order of the lines: no line goes through a label.
///
/// lines    y of each line, in any order.
/// Returns  y of the lower edge of each label, in the same order, at least `height` apart, so that the sum of
///          distances between labels and lines is smallest. Where there is no room at all, labels overlap.
/// Thread   pure.
std::vector<double> spreadLabels(const std::vector<double>& lines, double height, double top,
                                 double bottom);

/// The colours of a plot that are not curves.
struct PlotColors {
  bool dark = false;
  QColor background, text, axis, grid, alarm, notice, quiet;
};

/// From the palette, so that plots follow light and dark.
PlotColors plotColors(const QPalette& palette);

/// QCustomPlot stays white by itself: background, axes, labels, grid and legend are set here.
void applyTheme(QCustomPlot& plot, const PlotColors& colors);

}  // namespace parapet::ui
