// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/plot_theme.h"

#include <qcustomplot.h>
#include <algorithm>
#include <array>
#include <numeric>

namespace parapet::ui {
namespace {

/// After Okabe and Ito (blue, vermilion, bluish green, reddish purple, yellow, grey), each moved in
/// lightness until it reads on its background; neighbours differ in lightness too.
constexpr std::array<QRgb, kSeriesColors> kOnLight = {0xff0072b2, 0xffc2410c, 0xff007a5a,
                                                      0xffa3477f, 0xff8a6d00, 0xff4d4d4d};
constexpr std::array<QRgb, kSeriesColors> kOnDark = {0xff56b4e9, 0xfff0803c, 0xff2fc79a,
                                                     0xffe29ac4, 0xffe6c229, 0xffc0c0c0};

constexpr std::array kDashes = {Qt::SolidLine, Qt::DashDotLine, Qt::DashDotDotLine};

QColor mix(const QColor& a, const QColor& b, double share) {
  const auto channel = [&](int x, int y) { return static_cast<int>(x + (y - x) * share); };
  return {channel(a.red(), b.red()), channel(a.green(), b.green()), channel(a.blue(), b.blue())};
}

}  // namespace

SeriesStyle seriesStyle(int index, SeriesRole role, bool dark) {
  const auto slot = static_cast<std::size_t>(std::max(index, 0));
  SeriesStyle style;
  style.color = QColor((dark ? kOnDark : kOnLight)[slot % kSeriesColors]);
  style.dashes = kDashes[slot / kSeriesColors % kDashes.size()];
  if (role == SeriesRole::kReference) style.dashes = Qt::DashLine;
  if (role == SeriesRole::kBaseline) style.dashes = Qt::DotLine;
  style.line = role != SeriesRole::kApart;
  style.marks = role == SeriesRole::kValidation || !style.line;
  return style;
}

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
