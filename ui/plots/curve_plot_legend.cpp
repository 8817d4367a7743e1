// SPDX-License-Identifier: GPL-3.0-or-later
// The legend of a CurvePlot, which leaves the curves at least half of the height.
#include <algorithm>

#include "ui/plots/curve_plot.h"
#include "ui/plots/curve_plot_parts.h"

namespace parapet::ui {
namespace {

/// More columns than these are not read at a glance.
constexpr int kMaxColumns = 5;
/// Pixels around a name: its line and the gaps.
constexpr int kAroundName = 56;
/// Pixels that a name is cut to at most.
constexpr int kMinName = 64;

/// Where the names go.
struct LegendGrid {
  int columns = 1;
  int names = 0;  ///< that have a cell; the others are counted in one more
  int nameWidth = 0;
};

/// Whole names while they fit. Where their rows would take the height from the curves, more columns
/// of shorter names; where these do not suffice, as many names as have a cell.
LegendGrid gridOf(int count, int widest, int maxRows, int width) {
  const int whole = std::clamp(width / (widest + kAroundName), 1, kMaxColumns);
  const int narrowest = std::clamp(width / (kMinName + kAroundName), whole, kMaxColumns);
  LegendGrid grid;
  grid.columns = std::clamp((count + maxRows - 1) / maxRows, whole, narrowest);
  const int cells = grid.columns * maxRows;
  grid.names = count <= cells ? count : cells - 1;
  grid.nameWidth = std::max(width / grid.columns - kAroundName, 0);
  return grid;
}

}  // namespace

void layOut(QCustomPlot& plot) {
  for (const auto phase :
       {QCPLayoutElement::upPreparation, QCPLayoutElement::upMargins, QCPLayoutElement::upLayout})
    plot.plotLayout()->update(phase);
}

void CurvePlot::refreshLegend() {
  Parts& p = *parts_;
  QCPLegend& legend = *p.plot->legend;
  const QFontMetrics metrics = fontMetrics();
  std::vector<PlottedCurve*> shown;
  int widest = 1;
  for (const auto& curve : p.curves) {
    if (!curve->visible) continue;
    shown.push_back(curve.get());
    widest = std::max(widest, metrics.horizontalAdvance(curve->data.name()));
  }
  // Above and below the curves stand the marks and the title and numbers of the axis.
  const int others = EventRail::kHeight + 3 * metrics.height() + legend.margins().top();
  const int row = std::max(metrics.height(), legend.iconSize().height());
  const int maxRows = std::max(1, (p.plot->height() / 2 - others) / row);
  const LegendGrid grid = gridOf(static_cast<int>(shown.size()), widest, maxRows, p.plot->width());
  std::vector<std::pair<SeriesId, QString>> entries;
  for (PlottedCurve* curve : shown)
    if (std::ssize(entries) < grid.names)
      entries.emplace_back(curve->id,
                           metrics.elidedText(curve->data.name(), Qt::ElideMiddle, grid.nameWidth));
  if (const auto left = static_cast<int>(shown.size()) - grid.names; left > 0)
    entries.emplace_back(kNoSeries, tr("and %1 more").arg(left));
  if (entries == p.legendEntries && legend.wrap() == grid.columns) return;
  p.legendEntries = std::move(entries);
  if (p.legendRest) legend.remove(p.legendRest);
  legend.clearItems();
  legend.setWrap(grid.columns);
  for (const auto& [id, text] : p.legendEntries) {
    if (id != kNoSeries) {
      p.curve(id).graphs->addToLegend(text);
      continue;
    }
    p.legendRest = new QCPTextElement(p.plot, text, font());
    p.legendRest->setTextFlags(Qt::AlignLeft | Qt::AlignVCenter);
    p.legendRest->setTextColor(plotColors(palette()).quiet);
    legend.addElement(p.legendRest);
  }
  layOut(*p.plot);
}

QString CurvePlot::legendTextAt(const QPoint& pixel) const {
  if (!parts_->plot->legend->outerRect().contains(pixel)) return {};
  QStringList names;
  for (const auto& curve : parts_->curves)
    if (curve->visible) names << curve->data.name();
  return names.join(QLatin1Char('\n'));
}

}  // namespace parapet::ui
