// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/chart_link.h"

#include <QScopedValueRollback>

namespace parapet::ui {

void ChartLink::add(CurvePlot* plot) {
  plots_.removeAll(nullptr);
  if (!plots_.isEmpty()) {
    const QScopedValueRollback guard(following_, true);
    plot->followX(plots_.front()->zoomedX());
  }
  plots_ << plot;
  connect(plot, &CurvePlot::zoomChanged, this, [this, plot] { follow(*plot); });
  connect(plot, &CurvePlot::pointedAt, this, [this, plot](double x) { point(*plot, x); });
  connect(plot, &CurvePlot::pointerLeft, this, [this, plot] { point(*plot, std::nullopt); });
}

void ChartLink::follow(const CurvePlot& leader) {
  if (following_) return;
  const QScopedValueRollback guard(following_, true);
  for (const auto& plot : plots_)
    if (plot && plot != &leader && plot->xAxis() == leader.xAxis()) plot->followX(leader.zoomedX());
}

void ChartLink::point(const CurvePlot& leader, std::optional<double> x) {
  for (const auto& plot : plots_)
    if (plot && plot != &leader && plot->xAxis() == leader.xAxis()) plot->showCrosshair(x);
}

}  // namespace parapet::ui
