// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/term_chart.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "ui/models/recommendation_model.h"
#include "ui/plots/plot_theme.h"
#include "ui/plots/series_style.h"

namespace parapet::ui {
namespace {

constexpr double kMinBar = 10.0, kMaxBar = 36.0;

}  // namespace

TermChart::TermChart(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  setAccessibleName(tr("Terms of the score, largest first"));
}

void TermChart::setTerms(std::vector<ExplanationModel::Term> terms) {
  terms_ = std::move(terms);
  if (terms_.empty())
    setAccessibleDescription(QString());
  else
    setAccessibleDescription(tr("%1 terms; the largest is dimension %2 with %3; the sum is %4")
                                 .arg(terms_.size())
                                 .arg(terms_.front().dimension)
                                 .arg(scoreText(static_cast<double>(terms_.front().value)),
                                      scoreText(terms_.back().runningSum)));
  update();
}

QRectF TermChart::plotRect() const {
  const double line = fontMetrics().height();
  return QRectF(rect()).adjusted(fontMetrics().horizontalAdvance(QStringLiteral("−0.0000")) + 8.0,
                                 line / 2.0 + 2.0, -4.0, -line - 4.0);
}

double TermChart::barWidth() const {
  if (terms_.empty()) return kMaxBar;
  return std::clamp(plotRect().width() / static_cast<double>(terms_.size()), kMinBar, kMaxBar);
}

int TermChart::barsShown() const {
  return std::min(static_cast<int>(terms_.size()),
                  std::max(0, static_cast<int>(plotRect().width() / barWidth())));
}

void TermChart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const PlotColors colors = plotColors(palette());
  const QRectF plot = plotRect();
  const int shown = barsShown();
  if (shown == 0) return;
  double low = 0.0, high = 0.0;
  for (const ExplanationModel::Term& term : terms_) {
    low = std::min(low, static_cast<double>(term.value));
    high = std::max(high, static_cast<double>(term.value));
  }
  if (high - low <= 0.0) high = 1.0;
  const auto y = [&](double value) {
    return plot.bottom() - (value - low) / (high - low) * plot.height();
  };
  const double width = barWidth();
  const QColor positive = seriesStyle(0, SeriesRole::kTraining, colors.dark).color;
  const QColor negative = seriesStyle(1, SeriesRole::kTraining, colors.dark).color;
  painter.setRenderHint(QPainter::Antialiasing);
  for (int i = 0; i < shown; ++i) {
    const auto value = static_cast<double>(terms_[static_cast<std::size_t>(i)].value);
    const QRectF bar(plot.left() + i * width + 1.0, std::min(y(value), y(0.0)), width - 2.0,
                     std::max(1.0, std::abs(y(value) - y(0.0))));
    painter.fillRect(bar, value < 0.0 ? negative : positive);
  }
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(colors.axis);
  painter.drawLine(QPointF(plot.left(), y(0.0)), QPointF(plot.right(), y(0.0)));
  painter.setPen(colors.quiet);
  const double line = fontMetrics().height();
  const QString zero = scoreText(0.0);
  const auto label = [&](double value) {
    if (value != 0.0 && scoreText(value) == zero) return;  // says nothing that zero does not
    painter.drawText(QRectF(0, y(value) - line / 2, plot.left() - 6.0, line),
                     Qt::AlignRight | Qt::AlignVCenter, scoreText(value));
  };
  label(0.0);
  // Only labels that do not run into the zero.
  if (std::abs(y(high) - y(0.0)) > line) label(high);
  if (std::abs(y(low) - y(0.0)) > line) label(low);
  QString foot = tr("term of each dimension, largest first");
  if (shown < static_cast<int>(terms_.size())) {
    const double rest =
        terms_.back().runningSum - terms_[static_cast<std::size_t>(shown) - 1].runningSum;
    foot = tr("%1; %2 smaller ones add up to %3")
               .arg(foot)
               .arg(static_cast<int>(terms_.size()) - shown)
               .arg(scoreText(rest));
  }
  painter.drawText(QRectF(plot.left(), height() - line, plot.width(), line),
                   Qt::AlignLeft | Qt::AlignVCenter,
                   fontMetrics().elidedText(foot, Qt::ElideRight, static_cast<int>(plot.width())));
}

bool TermChart::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int bar = static_cast<int>(std::floor((help->pos().x() - plotRect().left()) / barWidth()));
  if (bar < 0 || bar >= barsShown()) {
    QToolTip::hideText();
    event->ignore();
    return true;
  }
  const ExplanationModel::Term& term = terms_[static_cast<std::size_t>(bar)];
  QToolTip::showText(
      help->globalPos(),
      tr("Dimension %1: %2 (sum so far %3)")
          .arg(term.dimension)
          .arg(scoreText(static_cast<double>(term.value)), scoreText(term.runningSum)),
      this);
  return true;
}

}  // namespace parapet::ui
