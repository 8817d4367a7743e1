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
  // Lines too close for a label between them; their labels stand above the first or below the last of them.
  struct Cluster {
    double first, last;
    std::vector<std::size_t> members{};  // from above
  };
  std::vector<std::size_t> downwards(lines.size());
  std::iota(downwards.begin(), downwards.end(), std::size_t{0});
  std::ranges::stable_sort(downwards, {}, [&](std::size_t i) { return lines[i]; });
  const auto room = [height](const Cluster& of) {
    return height * static_cast<double>(of.members.size());
  };
  const auto standsBelow = [&](const Cluster& of) { return of.first - room(of) < top; };
  std::vector<Cluster> clusters;
  for (const std::size_t i : downwards) {
    clusters.push_back({lines[i], lines[i], {i}});
    while (clusters.size() > 1) {
      Cluster& lower = clusters.back();
      Cluster& upper = clusters[clusters.size() - 2];
      // Only the first may have to stand below its lines; all others have room above.
      const bool both = clusters.size() == 2 && standsBelow(upper);
      if (lower.first - upper.last >= room(lower) + (both ? room(upper) : 0.0)) break;
      upper.last = lower.last;
      upper.members.insert(upper.members.end(), lower.members.begin(), lower.members.end());
      clusters.pop_back();
    }
  }
  std::vector<double> edges(lines.size());
  for (const Cluster& cluster : clusters) {
    const double end =
        standsBelow(cluster) ? std::min(cluster.last + room(cluster), bottom) : cluster.first;
    const std::size_t count = cluster.members.size();
    for (std::size_t at = 0; at < count; ++at)
      edges[cluster.members[at]] = end - height * static_cast<double>(count - 1 - at);
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
