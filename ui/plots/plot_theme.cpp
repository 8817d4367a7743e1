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
  const std::size_t count = lines.size();
  std::vector<std::size_t> downwards(count);
  std::iota(downwards.begin(), downwards.end(), std::size_t{0});
  std::ranges::stable_sort(downwards, {}, [&](std::size_t i) { return lines[i]; });
  const auto line = [&](std::size_t at) { return lines[downwards[at]]; };
  // Gap g is above line g, the last one below all lines; labels stand in gaps, in the order of the lines.
  const auto fits = [&](std::size_t gap, std::size_t labels) {
    const double from = gap == 0 ? top : line(gap - 1), to = gap == count ? bottom : line(gap);
    return labels == 0 || static_cast<double>(labels) * height <= to - from + 1e-9;
  };
  // Lower edge of label `at` of those from `first` to before `last` in a gap: labels of lines above it hang
  // from its top, the others stand on its bottom.
  const auto edge = [&](std::size_t gap, std::size_t at, std::size_t first, std::size_t last) {
    const double end = gap == count ? bottom : line(gap);
    if (at < gap)
      return std::min(line(gap - 1) + height * static_cast<double>(at - first + 1),
                      end - height * static_cast<double>(last - at - 1));
    return end - height * static_cast<double>(last - at - 1);
  };
  // Above its line is where a label is looked for.
  const double below = 0.25 * height;
  const auto distance = [&](std::size_t at, double y) {
    return y <= line(at) ? line(at) - y : y - height - line(at) + below;
  };
  constexpr double kNever = 1e9;
  std::vector<double> cost(count + 1, kNever);
  cost[0] = 0.0;
  // By gap and labels up to its end: the first label of the gap.
  std::vector<std::vector<std::size_t>> firsts(count + 1, std::vector<std::size_t>(count + 1));
  for (std::size_t gap = 0; gap <= count; ++gap) {
    std::vector<double> next(count + 1, 2.0 * kNever);
    for (std::size_t first = 0; first <= count; ++first)
      for (std::size_t last = first; last <= count; ++last) {
        double sum = cost[first] + (fits(gap, last - first) ? 0.0 : kNever);
        for (std::size_t at = first; at < last; ++at)
          sum += distance(at, edge(gap, at, first, last));
        if (sum >= next[last]) continue;
        next[last] = sum;
        firsts[gap][last] = first;
      }
    cost = std::move(next);
  }
  std::vector<double> edges(count);
  for (std::size_t gap = count + 1, last = count; gap-- > 0;) {
    const std::size_t first = firsts[gap][last];
    for (std::size_t at = first; at < last; ++at) edges[downwards[at]] = edge(gap, at, first, last);
    last = first;
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
