// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QPalette>

class QCustomPlot;

namespace parapet::ui {

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
