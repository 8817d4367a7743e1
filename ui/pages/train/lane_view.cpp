// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/train/lane_view.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "ui/plots/plot_theme.h"
#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

constexpr double kRowHeight = 18.0, kThinnestRow = 2.0;
/// Beyond this the rows become thinner rather than the view higher.
constexpr double kMaxRowsHeight = 8 * kRowHeight;
constexpr double kGap = 8.0, kSwatch = 10.0, kLegendGap = 16.0;
/// Below this a row has no room for a name.
constexpr double kNamedRow = 14.0;

}  // namespace

LaneView::LaneView(const LanesModel& model, QWidget* parent)
    : QWidget(parent), SpokenDrawing(this), model_(model) {
  setObjectName(QStringLiteral("lanes"));
  setAccessibleName(tr("Time of the devices"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(&model_, &QAbstractItemModel::dataChanged, this, &LaneView::refresh);
  connect(&model_, &QAbstractItemModel::rowsInserted, this, &LaneView::resizeRows);
  connect(&model_, &QAbstractItemModel::rowsRemoved, this, &LaneView::resizeRows);
  resizeRows();
}

void LaneView::setSpan(const QString& span) {
  if (span_ == span) return;
  span_ = span;
  update();
}

void LaneView::resizeRows() {
  setVisible(model_.rowCount() > 0);
  updateGeometry();
  refresh();
}

void LaneView::refresh() {
  if (!isVisible()) return;
  spokenChanged();
  update();
}

int LaneView::spokenParts() const {
  return model_.rowCount();
}

SpokenPart LaneView::spokenPart(int index) const {
  const double height = rowHeight();
  return {model_.index(index, LanesModel::kDevice).data().toString(), model_.sentence(index),
          QRectF(0.0, headHeight() + index * height, width(), height).toRect()};
}

QString LaneView::spokenValue() const {
  return tr("%n devices", nullptr, model_.rowCount());
}

void LaneView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
}

double LaneView::rowHeight() const {
  return std::clamp(kMaxRowsHeight / std::max(1, model_.rowCount()), kThinnestRow, kRowHeight);
}

double LaneView::headHeight() const {
  return fontMetrics().height() + kGap;
}

double LaneView::namesWidth() const {
  if (rowHeight() < kNamedRow) return 0.0;
  int widest = 0;
  for (int rank = 0; rank < model_.rowCount(); ++rank)
    widest = std::max(widest, fontMetrics().horizontalAdvance(
                                  model_.index(rank, LanesModel::kDevice).data().toString()));
  return widest + kGap;
}

QSize LaneView::sizeHint() const {
  return {480, static_cast<int>(headHeight() + rowHeight() * model_.rowCount())};
}

QSize LaneView::minimumSizeHint() const {
  return {240, sizeHint().height()};
}

int LaneView::rankAt(const QPoint& point) const {
  const double y = point.y() - headHeight();
  const int rank = static_cast<int>(y / rowHeight());
  return y >= 0.0 && rank < model_.rowCount() ? rank : -1;
}

QColor LaneView::colorOf(int part) const {
  // Waiting is the absence of work and looks like it.
  if (part == LanesModel::kWaiting) return lineColor(palette());
  return seriesStyle(part - LanesModel::kFirstPart, SeriesRole::kTraining, isDark(palette())).color;
}

void LaneView::paintHead(QPainter& painter) const {
  const QRectF line(0.0, 0.0, width(), fontMetrics().height());
  QFont bold = font();
  bold.setBold(true);
  painter.setFont(bold);
  painter.setPen(palette().color(QPalette::WindowText));
  const QString title = tr("Devices");
  painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, title);
  const double titleWidth = QFontMetricsF(bold).horizontalAdvance(title) + kGap;
  painter.setFont(font());
  const QColor quiet = quietColor(palette());
  painter.setPen(quiet);
  double legend = 0.0;
  for (int part = LanesModel::kFirstPart; part < LanesModel::kColumnCount; ++part)
    legend += fontMetrics().horizontalAdvance(LanesModel::partName(part)) + kSwatch + kGap / 2.0 +
              kLegendGap;
  // Where both have no room, the tooltip tells the span.
  if (titleWidth + fontMetrics().horizontalAdvance(span_) + legend <= line.width())
    painter.drawText(line.adjusted(titleWidth, 0.0, 0.0, 0.0), Qt::AlignLeft | Qt::AlignVCenter,
                     span_);
  double right = line.right();
  for (int part = LanesModel::kColumnCount - 1; part >= LanesModel::kFirstPart; --part) {
    const QString name = LanesModel::partName(part);
    const double text = fontMetrics().horizontalAdvance(name);
    right -= text;
    painter.drawText(QRectF(right, line.top(), text + 1.0, line.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, name);
    right -= kSwatch + kGap / 2.0;
    painter.fillRect(QRectF(right, line.center().y() - kSwatch / 2.0, kSwatch, kSwatch),
                     colorOf(part));
    right -= kLegendGap;
  }
}

void LaneView::paintLane(QPainter& painter, int rank) const {
  const double height = rowHeight(), names = namesWidth();
  const QRectF row(0.0, headHeight() + rank * height, width(), height);
  if (names > 0.0)
    painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter,
                     model_.index(rank, LanesModel::kDevice).data().toString());
  const double inset = height >= kNamedRow ? 3.0 : 0.5;
  QRectF bar = row.adjusted(names, inset, 0.0, -inset);
  const double whole = bar.width();
  for (int part = LanesModel::kFirstPart; part < LanesModel::kColumnCount; ++part) {
    bar.setWidth(whole * model_.share(rank, part));
    painter.fillRect(bar, colorOf(part));
    bar.moveLeft(bar.right());
  }
}

void LaneView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paintHead(painter);
  painter.setPen(palette().color(QPalette::WindowText));
  for (int rank = 0; rank < model_.rowCount(); ++rank) paintLane(painter, rank);
}

bool LaneView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int rank = rankAt(help->pos());
  QStringList lines;
  if (rank >= 0) {
    lines << model_.sentence(rank);
  } else {
    for (int part = LanesModel::kFirstPart; part < LanesModel::kColumnCount; ++part)
      lines << tr("%1: %2").arg(LanesModel::partName(part), LanesModel::partMeaning(part));
  }
  QToolTip::showText(help->globalPos(), lines.join(QLatin1Char('\n')), this);
  return true;
}

}  // namespace parapet::ui
