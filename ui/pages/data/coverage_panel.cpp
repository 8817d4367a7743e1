// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data/coverage_panel.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "engine/base/text.h"
#include "engine/workspace/source_questions.h"
#include "ui/bridge/shown_text.h"
#include "ui/forms/card.h"
#include "ui/models/runs_format.h"
#include "ui/plots/plot_theme.h"
#include "ui/style/layouts.h"
#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

constexpr double kAxisGap = 8.0, kAxisMark = 18.0, kLine = 2.0;

/// The fewest ids that cover a share of the rows, among the points of a curve; 0: none do.
std::int64_t idsFor(const std::vector<workspace::CoveragePoint>& curve, double share) {
  const auto found = std::ranges::lower_bound(curve, share, {}, &workspace::CoveragePoint::share);
  return found == curve.end() ? 0 : found->ids;
}

QString described(const VocabularyCoverage& coverage) {
  const std::int64_t half = idsFor(coverage.curve, 0.5);
  const auto& all = coverage.curve.back();
  const QString whole =
      CoverageView::tr("%1: %2 ids cover %3 % of the rows")
          .arg(coverage.name, countText(all.ids), QString::number(100.0 * all.share, 'f', 1));
  return half == 0 ? whole
                   : CoverageView::tr("%1, about %2 half of them").arg(whole, countText(half));
}

constexpr int kCurvePoints = 60;

Result<std::vector<VocabularyCoverage>> coverageOf(const workspace::Dataset& dataset) {
  std::vector<VocabularyCoverage> coverage;
  for (const workspace::Vocabulary& vocabulary : dataset.vocabularies())
    coverage.push_back({QString::fromStdString(vocabulary.name()),
                        workspace::coverageCurve(vocabulary, kCurvePoints)});
  return coverage;
}

}  // namespace

CoverageView::CoverageView(QWidget* parent) : QWidget(parent), SpokenDrawing(this) {
  setMinimumHeight(sizeHint().height());
  setAccessibleName(tr("Rows that the most frequent ids cover"));
}

void CoverageView::setCoverage(std::vector<VocabularyCoverage> coverage) {
  coverage_ = std::move(coverage);
  std::erase_if(coverage_, [](const VocabularyCoverage& each) { return each.curve.empty(); });
  QStringList lines;
  for (const VocabularyCoverage& each : coverage_) lines << described(each);
  spokenChanged();
  setToolTip(lines.join('\n'));
  // A line of legend each.
  setMinimumHeight(sizeHint().height() +
                   static_cast<int>(coverage_.size()) * fontMetrics().height());
  update();
}

int CoverageView::spokenParts() const {
  return static_cast<int>(coverage_.size());
}

SpokenPart CoverageView::spokenPart(int index) const {
  const VocabularyCoverage& coverage = coverage_.at(static_cast<std::size_t>(index));
  return {coverage.name, described(coverage), rect()};
}

QString CoverageView::spokenValue() const {
  return tr("%n vocabularies", nullptr, spokenParts());
}

void CoverageView::paintEvent(QPaintEvent*) {
  if (coverage_.empty()) return;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const double line = fontMetrics().height();
  const double legend = line * static_cast<double>(coverage_.size()) + 2.0 * kAxisGap;
  const QRectF plot =
      QRectF(rect()).adjusted(fontMetrics().horizontalAdvance(QStringLiteral("100 %")) + kAxisGap,
                              legend, -kAxisGap, -line - kAxisGap);
  double most = 1.0;
  for (const VocabularyCoverage& each : coverage_)
    most = std::max(most, std::log10(static_cast<double>(each.curve.back().ids)));
  paintAxes(painter, plot, most);
  for (std::size_t at = 0; at < coverage_.size(); ++at) {
    const SeriesStyle style =
        seriesStyle(static_cast<int>(at), SeriesRole::kTraining, isDark(palette()));
    const QPen pen(style.color, kLine, style.dashes);
    QPainterPath path;
    for (const workspace::CoveragePoint& point : coverage_[at].curve) {
      const QPointF to(
          plot.left() + plot.width() * std::log10(static_cast<double>(point.ids)) / most,
          plot.bottom() - plot.height() * point.share);
      path.elementCount() == 0 ? path.moveTo(to) : path.lineTo(to);
    }
    painter.setPen(pen);
    painter.drawPath(path);
    const double y = line * (static_cast<double>(at) + 0.5);
    painter.drawLine(QPointF(0.0, y), QPointF(kAxisMark, y));
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(QPointF(kAxisMark + kAxisGap, y + fontMetrics().ascent() / 2.0 - 1.0),
                     described(coverage_[at]));
  }
}

void CoverageView::paintAxes(QPainter& painter, const QRectF& plot, double most) const {
  const double line = fontMetrics().height();
  for (const int percent : {0, 50, 100}) {
    const double y = plot.bottom() - plot.height() * percent / 100.0;
    painter.setPen(lineColor(palette()));
    painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    painter.setPen(quietColor(palette()));
    painter.drawText(QRectF(0.0, y - line / 2.0, plot.left() - kAxisGap / 2.0, line),
                     Qt::AlignRight | Qt::AlignVCenter, tr("%1 %").arg(percent));
  }
  for (int power = 0; power <= static_cast<int>(most); ++power) {
    const double x = plot.left() + plot.width() * power / most;
    const QString text = countText(std::llround(std::pow(10.0, power)));
    const double wide = fontMetrics().horizontalAdvance(text) + 2.0;
    const double left = std::clamp(x - wide / 2.0, plot.left(), plot.right() - wide);
    painter.drawText(QRectF(left, plot.bottom() + kAxisGap / 2.0, wide, line), Qt::AlignCenter,
                     text);
  }
}

CoveragePanel::CoveragePanel(QWidget* parent)
    : QWidget(parent), hint_(new QuietLabel), view_(new CoverageView) {
  hint_->setWordWrap(true);
  auto* layout = verticalBox(this);
  layout->addWidget(hint_);
  layout->addWidget(view_);
  setDataset(nullptr);
}

void CoveragePanel::setDataset(std::shared_ptr<const workspace::Dataset> dataset) {
  view_->setVisible(false);
  hint_->setVisible(true);
  if (!dataset) {
    background_.cancel();
    hint_->setText(tr("Sizes, OOV share and coverage are known after the import."));
    return;
  }
  hint_->setText(tr("Counting ids…"));
  background_.start([dataset](const WorkContext&) { return coverageOf(*dataset); },
                    [this](Result<std::vector<VocabularyCoverage>> coverage) {
                      if (!coverage) {
                        hint_->setText(shownText(coverage.error().text()));
                        return;
                      }
                      view_->setCoverage(std::move(coverage).value());
                      view_->setVisible(true);
                      hint_->setVisible(false);
                    });
}

}  // namespace parapet::ui
