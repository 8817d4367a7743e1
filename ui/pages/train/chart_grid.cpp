// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/train/chart_grid.h"

#include <QResizeEvent>

namespace parapet::ui {
namespace {

/// Narrower charts stand below each other.
constexpr int kMinWidth = 320;

bool isLosses(const QString& chart) {
  return chart == QLatin1String("loss");
}

}  // namespace

ChartGrid::ChartGrid(const RunCurves& curves, QWidget* parent)
    : QScrollArea(parent), curves_(curves) {
  auto* inside = new QWidget;
  grid_ = new QGridLayout(inside);
  grid_->setContentsMargins(0, 0, 0, 0);
  grid_->setSpacing(8);
  loss_ = new LossChart(curves_, inside);
  loss_->setMinimumHeight(kMinHeight);
  link_.add(&loss_->plot());
  setWidget(inside);
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setMinimumHeight(kMinHeight);
  setFocusPolicy(Qt::NoFocus);
  setAccessibleName(tr("Charts of the run"));
  setCharts({QStringLiteral("loss")});
}

void ChartGrid::setCharts(const QStringList& charts) {
  QStringList wanted = charts;
  wanted.removeDuplicates();
  wanted.removeAll(QString());
  wanted = wanted.mid(0, kMaxCharts);
  if (wanted == shown_) return;
  shown_ = wanted;
  std::erase_if(metrics_, [&](const auto& known) {
    if (shown_.contains(known.first)) return false;
    delete known.second;
    return true;
  });
  for (const QString& chart : shown_) {
    if (isLosses(chart) || metrics_.contains(chart)) continue;
    auto* made = new MetricChart(curves_, chart, widget());
    made->setMinimumHeight(kMinHeight);
    link_.add(&made->plot());
    metrics_.emplace(chart, made);
  }
  arrange();
}

void ChartGrid::arrange() {
  const int count = static_cast<int>(shown_.size());
  const int columns = count > 1 && viewport()->width() >= 2 * kMinWidth ? 2 : 1;
  while (QLayoutItem* item = grid_->takeAt(0)) delete item;
  for (int i = 0; i < count; ++i) {
    const QString& chart = shown_[i];
    QWidget* shown = isLosses(chart) ? static_cast<QWidget*>(loss_) : metrics_.at(chart);
    // A last one alone takes the whole row.
    const bool alone = columns == 2 && i + 1 == count && i % 2 == 0;
    grid_->addWidget(shown, i / columns, i % columns, 1, alone ? 2 : 1);
    shown->show();
  }
  loss_->setVisible(shown_.contains(QStringLiteral("loss")));
  for (int column = 0; column < 2; ++column)
    grid_->setColumnStretch(column, column < columns ? 1 : 0);
}

MetricChart* ChartGrid::metric(const QString& metric) const {
  const auto found = metrics_.find(metric);
  return found == metrics_.end() ? nullptr : found->second;
}

CurvePlot& ChartGrid::plot(const QString& chart) {
  MetricChart* shown = metric(chart);
  return shown ? shown->plot() : loss_->plot();
}

CurveTableModel& ChartGrid::table(const QString& chart) {
  MetricChart* shown = metric(chart);
  return shown ? shown->table() : loss_->table();
}

void ChartGrid::resizeEvent(QResizeEvent* event) {
  QScrollArea::resizeEvent(event);
  if (event->oldSize().width() != event->size().width()) arrange();
}

}  // namespace parapet::ui
