// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <Qt>

namespace parapet::ui {

/// What a curve is; decides dashes and marks, so that colour is never the only difference.
enum class SeriesRole {
  kTraining,    ///< solid line, band of extremes
  kValidation,  ///< solid line with a mark at each point
  kReference,   ///< published curve: dashed
  kBaseline,    ///< horizontal line: dotted
};

struct SeriesStyle {
  QColor color;
  Qt::PenStyle dashes = Qt::SolidLine;
  bool marks = false;
};

/// The look of the `index`-th curve of a plot (index ≥ 0; negative counts as 0). Six colours that
/// stay apart in the common kinds of colour blindness, at 3:1 or more against the background;
/// further curves repeat the colours with other dashes.
SeriesStyle seriesStyle(int index, SeriesRole role, bool dark);

/// Colours before they repeat.
inline constexpr int kSeriesColors = 6;

}  // namespace parapet::ui
