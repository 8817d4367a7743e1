// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/plot_theme.h"

#include <qcustomplot.h>

namespace parapet::ui {
namespace {

QColor mix(const QColor& a, const QColor& b, double share) {
  const auto channel = [&](int x, int y) { return static_cast<int>(x + (y - x) * share); };
  return {channel(a.red(), b.red()), channel(a.green(), b.green()), channel(a.blue(), b.blue())};
}

}  // namespace

PlotColors plotColors(const QPalette& palette) {
  PlotColors colors;
  colors.background = palette.color(QPalette::Base);
  colors.text = palette.color(QPalette::Text);
  colors.dark = colors.background.lightness() < colors.text.lightness();
  colors.axis = mix(colors.background, colors.text, 0.5);
  colors.grid = mix(colors.background, colors.text, 0.12);
  colors.quiet = mix(colors.background, colors.text, 0.65);
  colors.alarm = colors.dark ? QColor(0xff, 0x6b, 0x6b) : QColor(0xc6, 0x28, 0x28);
  colors.notice = colors.dark ? QColor(0xff, 0xc1, 0x4d) : QColor(0x9a, 0x5b, 0x00);
  return colors;
}

void applyTheme(QCustomPlot& plot, const PlotColors& colors) {
  plot.setBackground(colors.background);
  const QPen axisPen(colors.axis, 1);
  for (QCPAxis* axis : plot.axisRect()->axes()) {
    axis->setBasePen(axisPen);
    axis->setTickPen(axisPen);
    axis->setSubTickPen(QPen(colors.grid, 1));
    axis->setTickLabelColor(colors.text);
    axis->setLabelColor(colors.text);
    axis->grid()->setPen(QPen(colors.grid, 1));
    axis->grid()->setZeroLinePen(QPen(colors.grid, 1));
    axis->grid()->setSubGridVisible(false);
  }
  plot.legend->setBrush(Qt::NoBrush);
  plot.legend->setBorderPen(Qt::NoPen);
  plot.legend->setTextColor(colors.text);
  plot.selectionRect()->setPen(QPen(colors.quiet, 1, Qt::DashLine));
  QColor veil = colors.text;
  veil.setAlpha(24);
  plot.selectionRect()->setBrush(veil);
}

}  // namespace parapet::ui
