// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data/split_panel.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <numeric>

#include "engine/base/text.h"
#include "engine/workspace/source_questions.h"
#include "engine/workspace/workspace.h"
#include "ui/bridge/pause.h"
#include "ui/bridge/shown_text.h"
#include "ui/forms/card.h"
#include "ui/forms/report_view.h"
#include "ui/models/runs_format.h"
#include "ui/plots/plot_theme.h"
#include "ui/style/layouts.h"
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

constexpr int kBins = 160, kSplitPauseMs = 200;

std::vector<ReportTableModel::Row> rowsOf(const workspace::SplitTimeline& timeline) {
  const auto all = static_cast<double>(
      std::accumulate(timeline.totals.begin(), timeline.totals.end(), std::int64_t{0}));
  std::vector<ReportTableModel::Row> rows;
  for (std::size_t part = 0; part < workspace::SplitTimeline::kParts; ++part) {
    const std::int64_t count = timeline.totals[part];
    if (count == 0) continue;
    const workspace::SplitTimeline::Span& span = timeline.spans[part];
    rows.push_back({SplitTimelineView::partName(part), countText(count),
                    QString::number(100.0 * static_cast<double>(count) / all, 'f', 1),
                    timeline.hasTimes ? dayText(span.first) : QString(),
                    timeline.hasTimes ? dayText(span.last) : QString()});
  }
  return rows;
}

}  // namespace

SplitTimelineView::SplitTimelineView(QWidget* parent) : QWidget(parent), SpokenDrawing(this) {
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

void SplitTimelineView::setTimeline(std::optional<SplitTimeline> timeline) {
  timeline_ = std::move(timeline);
  spokenChanged();
  update();
}

int SplitTimelineView::spokenParts() const {
  return timeline_ ? static_cast<int>(rowsOf(*timeline_).size()) : 0;
}

SpokenPart SplitTimelineView::spokenPart(int index) const {
  const ReportTableModel::Row row = rowsOf(*timeline_).at(static_cast<std::size_t>(index));
  QString value = tr("%1 rows, %2 %").arg(row[1].toString(), row[2].toString());
  if (timeline_->hasTimes) value += tr(", %1 to %2").arg(row[3].toString(), row[4].toString());
  return {row[0].toString(), value, plotRect().toRect()};
}

QString SplitTimelineView::spokenValue() const {
  return timeline_ ? described(timeline_->totals) : QString();
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
  QStringList dates{dayText(timeline_->begin), dayText(timeline_->begin + length / 2),
                    dayText(timeline_->end - 1)};
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
    text = tr("from %1: %2").arg(dayText(from), described(timeline_->bins[bin]));
  }
  QToolTip::showText(help->globalPos(), text, this);
  return true;
}

struct SplitPanel::Picture {
  workspace::SplitTimeline timeline;
  std::vector<workspace::LeakFinding> leaks;
};

SplitPanel::SplitPanel(ExperimentEditor& editor, QWidget* parent)
    : QWidget(parent),
      editor_(editor),
      hint_(new QuietLabel),
      findings_(new FindingsLabel(this)),
      view_(new SplitTimelineView),
      parts_(new ReportTableModel(
          {tr("Part"), tr("Rows"), tr("Share [%]"), tr("First row"), tr("Last row")}, {1, 2},
          this)) {
  hint_->setWordWrap(true);
  partView_ = makeReportView(*parts_, tr("Parts of the split"), this);
  auto* layout = verticalBox(this, 8);
  layout->addWidget(findings_);
  layout->addWidget(view_);
  layout->addWidget(partView_);
  layout->addWidget(hint_);
  callAfterPause(pause_, kSplitPauseMs, this, &SplitPanel::draw);
  connect(&editor, &ExperimentEditor::documentChanged, this, &SplitPanel::follow);
  setDataset(nullptr);
}

void SplitPanel::setDataset(std::shared_ptr<const workspace::Dataset> dataset) {
  dataset_ = std::move(dataset);
  drawn_.clear();
  follow();
}

void SplitPanel::follow() {
  std::string now;
  for (const char* setting : {"/dataset/split", "/dataset/batch", "/training/seed"})
    now += editor_.value(setting).dump();
  if (dataset_ && now == drawn_) return;
  drawn_ = now;
  background_.cancel();
  view_->setVisible(false);
  findings_->setFindings({});
  parts_->setRows({});
  fitRows(*partView_, 0);
  hint_->setVisible(true);
  hint_->setText(dataset_ ? tr("Splitting…")
                          : tr("The parts are shown on a timeline after the import."));
  if (dataset_) pause_.start();
}

void SplitPanel::draw() {
  if (!dataset_) return;
  background_.start(
      [dataset = dataset_,
       now = editor_.experiment()](const WorkContext& context) -> Result<Picture> {
        PARAPET_ASSIGN(const workspace::Split split, workspace::splitFor(now, *dataset));
        if (context.cancelled()) return Error{ErrorCode::kCancelled, "stopped"};
        const workspace::EventColumns events(*dataset);
        return Picture{workspace::splitTimeline(*dataset, split, kBins),
                       workspace::findLeakage(events, split).findings()};
      },
      [this](const Result<Picture>& picture) { show(picture); });
}

void SplitPanel::show(const Result<Picture>& picture) {
  hint_->setVisible(false);
  experiment::Findings findings;
  if (!picture) {
    findings.problems.push_back({picture.error().pointer, picture.error().text(), {}});
    findings_->setFindings(findings);
    return;
  }
  showLeaks(picture->leaks);
  view_->setTimeline(picture->timeline);
  view_->setVisible(true);
  parts_->setRows(rowsOf(picture->timeline));
  fitRows(*partView_, static_cast<int>(workspace::SplitTimeline::kParts));
  partView_->resizeColumnsToContents();
}

void SplitPanel::showLeaks(const std::vector<workspace::LeakFinding>& leaks) {
  experiment::Findings findings;
  QStringList notes;
  for (const workspace::LeakFinding& leak : leaks)
    if (leak.severity == workspace::LeakSeverity::kWarning) {
      findings.warnings.push_back({"/dataset/split", leak.message, {}});
    } else {
      notes << shownText(leak.message);
    }
  findings_->setFindings(findings);
  hint_->setText(notes.join('\n'));
  hint_->setVisible(!notes.isEmpty());
}

}  // namespace parapet::ui
