// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data/split_timeline_view.h"

#include <QDateTime>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <numeric>

#include "engine/base/text.h"
#include "engine/workspace/source_questions.h"
#include "ui/models/runs_format.h"
#include "ui/plots/series_style.h"
#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

using workspace::SplitTimeline;

constexpr double kMark = 10.0, kGap = 8.0, kShareHeight = 36.0;

std::int64_t sumOf(const SplitTimeline::Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

QString described(const SplitTimeline::Counts& counts) {
  QStringList parts;
  for (std::size_t part = 0; part < SplitTimeline::kParts; ++part)
    if (counts[part] > 0)
      parts << QStringLiteral("%1 %2").arg(SplitTimelineView::partName(part),
                                           countText(counts[part]));
  return parts.isEmpty() ? SplitTimelineView::tr("no rows") : parts.join(", ");
}

}  // namespace

SplitTimelineView::SplitTimelineView(QWidget* parent) : QWidget(parent) {
  setMinimumHeight(sizeHint().height());
  setAccessibleName(tr("Rows of the parts of the split over time"));
}

QString SplitTimelineView::partName(std::size_t part) {
  switch (part) {
    case SplitTimeline::kTrain:
      return tr("training");
    case SplitTimeline::kValidation:
      return tr("validation");
    case SplitTimeline::kTest:
      return tr("test");
    default:
      return tr("unused");
  }
}

QString SplitTimelineView::dateOf(std::int64_t seconds) {
  return QDateTime::fromSecsSinceEpoch(seconds, Qt::UTC).toString(QStringLiteral("yyyy-MM-dd"));
}

void SplitTimelineView::setTimeline(std::optional<SplitTimeline> timeline) {
  timeline_ = std::move(timeline);
  setAccessibleDescription(timeline_ ? described(timeline_->totals) : QString());
  update();
}

QColor SplitTimelineView::colorOf(std::size_t part) const {
  const bool dark = isDark(palette());
  if (part == SplitTimeline::kLeftOut) return lineColor(palette());
  return seriesStyle(static_cast<int>(part), SeriesRole::kTraining, dark).color;
}

QRectF SplitTimelineView::plotRect() const {
  const double line = fontMetrics().height();
  return QRectF(rect()).adjusted(0.0, line + 2.0 * kGap, 0.0, -line - kGap);
}

void SplitTimelineView::paintEvent(QPaintEvent*) {
  if (!timeline_) return;
  QPainter painter(this);
  paintLegend(painter);
  timeline_->hasTimes ? paintBins(painter) : paintShares(painter);
}

void SplitTimelineView::paintLegend(QPainter& painter) const {
  const auto all = static_cast<double>(sumOf(timeline_->totals));
  const double line = fontMetrics().height();
  double x = 0.0;
  for (std::size_t part = 0; part < SplitTimeline::kParts; ++part) {
    const std::int64_t rows = timeline_->totals[part];
    if (rows == 0) continue;
    const QString text = tr("%1 %2 (%3 %)")
                             .arg(partName(part), countText(rows),
                                  QString::number(100.0 * static_cast<double>(rows) / all, 'f', 1));
    painter.fillRect(QRectF(x, (line - kMark) / 2.0, kMark, kMark), colorOf(part));
    x += kMark + kGap;
    painter.setPen(palette().color(QPalette::WindowText));
    const double wide = fontMetrics().horizontalAdvance(text);
    painter.drawText(QRectF(x, 0.0, wide + 1.0, line), Qt::AlignLeft | Qt::AlignVCenter, text);
    x += wide + 3.0 * kGap;
  }
}

void SplitTimelineView::paintBins(QPainter& painter) const {
  const QRectF plot = plotRect();
  std::int64_t most = 1;
  for (const SplitTimeline::Counts& bin : timeline_->bins) most = std::max(most, sumOf(bin));
  const double wide = plot.width() / static_cast<double>(timeline_->bins.size());
  for (std::size_t at = 0; at < timeline_->bins.size(); ++at) {
    double bottom = plot.bottom();
    for (std::size_t part = 0; part < SplitTimeline::kParts; ++part) {
      const double high = plot.height() * static_cast<double>(timeline_->bins[at][part]) /
                          static_cast<double>(most);
      if (high <= 0.0) continue;
      const double left = plot.left() + wide * static_cast<double>(at);
      // Whole pixels: neighbours leave no seams.
      const QRectF bar(std::round(left), bottom - high,
                       std::max(1.0, std::round(left + wide) - std::round(left)), high);
      painter.fillRect(bar, colorOf(part));
      bottom -= high;
    }
  }
  painter.setPen(lineColor(palette()));
  painter.drawLine(plot.bottomLeft(), plot.bottomRight());
  painter.setPen(quietColor(palette()));
  const QRectF below(plot.left(), plot.bottom() + kGap / 2.0, plot.width(), fontMetrics().height());
  const QStringList dates = dateLabels();
  const Qt::Alignment sides[] = {Qt::AlignLeft, Qt::AlignHCenter, Qt::AlignRight};
  for (qsizetype at = 0; at < dates.size(); ++at)
    painter.drawText(below, static_cast<int>(sides[at]), dates[at]);
}

QStringList SplitTimelineView::dateLabels() const {
  if (!timeline_ || !timeline_->hasTimes) return {};
  const std::int64_t length = timeline_->end - timeline_->begin;
  QStringList dates{dateOf(timeline_->begin), dateOf(timeline_->begin + length / 2),
                    dateOf(timeline_->end - 1)};
  // A day that the one before it says is left out; its place stays.
  for (qsizetype at = dates.size() - 1; at > 0; --at)
    if (dates[at] == dates[at - 1]) dates[at].clear();
  return dates;
}

void SplitTimelineView::paintShares(QPainter& painter) const {
  QRectF bar = plotRect();
  bar.setHeight(kShareHeight);
  const auto all = static_cast<double>(std::max<std::int64_t>(1, sumOf(timeline_->totals)));
  double left = bar.left();
  for (std::size_t part = 0; part < SplitTimeline::kParts; ++part) {
    const double wide = bar.width() * static_cast<double>(timeline_->totals[part]) / all;
    painter.fillRect(QRectF(left, bar.top(), wide, bar.height()), colorOf(part));
    left += wide;
  }
  painter.setPen(quietColor(palette()));
  painter.drawText(QRectF(bar.left(), bar.bottom() + kGap, bar.width(), fontMetrics().height()),
                   Qt::AlignLeft, tr("The data have no times; the shares of the rows."));
}

bool SplitTimelineView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip || !timeline_) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const QRectF plot = plotRect();
  QString text = described(timeline_->totals);
  if (timeline_->hasTimes && plot.contains(help->pos())) {
    const auto bins = static_cast<double>(timeline_->bins.size());
    const double at = bins * (help->pos().x() - plot.left()) / plot.width();
    const auto bin = std::min(timeline_->bins.size() - 1, static_cast<std::size_t>(at));
    const double length = static_cast<double>(timeline_->end - timeline_->begin) / bins;
    const auto from =
        timeline_->begin + static_cast<std::int64_t>(length * static_cast<double>(bin));
    text = tr("from %1: %2").arg(dateOf(from), described(timeline_->bins[bin]));
  }
  QToolTip::showText(help->globalPos(), text, this);
  return true;
}

}  // namespace parapet::ui
