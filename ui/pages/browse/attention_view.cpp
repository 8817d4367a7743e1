// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/attention_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "ui/bridge/shown_text.h"
#include "ui/plots/plot_theme.h"
#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

constexpr int kLabelSpace = 6, kMaxLabelCharacters = 14, kCellSpace = 4;

QColor mixed(const QColor& from, const QColor& to, double share) {
  const auto part = [share](int a, int b) {
    return static_cast<int>(std::lround(a + (b - a) * share));
  };
  return {part(from.red(), to.red()), part(from.green(), to.green()), part(from.blue(), to.blue())};
}

QString shareText(double probability) {
  return QString::number(100.0 * probability, 'f', 1);
}

}  // namespace

AttentionView::AttentionView(QWidget* parent) : QWidget(parent), SpokenDrawing(this) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Attention of a head"));
  setToolTip(tr("A row is what a token reads; ↑ and ↓ choose it"));
}

void AttentionView::setMap(workspace::AttentionMap map) {
  const bool samePieces = map.pieces == map_.pieces;
  map_ = std::move(map);
  largest_ = map_.probabilities.empty() ? 0.0 : *std::ranges::max_element(map_.probabilities);
  measure();
  if (!samePieces) {
    reader_ = -1;
    setReader(count() > 0 ? 0 : -1);
  } else {
    emit readerChanged(reader_);
  }
  spokenChanged();
  update();
}

void AttentionView::setReader(int reader) {
  if (reader < -1 || reader >= count()) return;
  reader_ = reader;
  emit readerChanged(reader_);
  spokenChanged();
  update();
}

int AttentionView::spokenParts() const {
  return count();
}

// The largest weights tell a row; the table beside it has all of them.
SpokenPart AttentionView::spokenPart(int index) const {
  constexpr std::size_t kMaxRead = 5;
  const auto reader = static_cast<std::size_t>(index);
  std::vector<std::size_t> read(map_.pieces.size());
  std::iota(read.begin(), read.end(), std::size_t{0});
  const std::size_t told = std::min(kMaxRead, read.size());
  std::ranges::partial_sort(read, read.begin() + static_cast<std::ptrdiff_t>(told),
                            std::ranges::greater{},
                            [&](std::size_t piece) { return map_.at(reader, piece); });
  QStringList parts;
  for (std::size_t i = 0; i < told; ++i)
    parts << tr("%1 %2 %").arg(shownPiece(static_cast<int>(read[i])),
                               shareText(map_.at(reader, read[i])));
  return {tr("%1, token %2").arg(shownPiece(index)).arg(index + 1),
          tr("reads %1").arg(parts.join(QStringLiteral(", "))),
          cellRect(index, 0).united(cellRect(index, count() - 1))};
}

QString AttentionView::spokenValue() const {
  QString value = tr("%n tokens", nullptr, count());
  if (reader_ < 0) return value;
  const SpokenPart chosen = spokenPart(reader_);
  return value + QStringLiteral("; %1 %2").arg(chosen.name, chosen.value);
}

QString AttentionView::legend() const {
  if (count() == 0) return {};
  return tr("Full colour: %1 %, the largest weight of this head").arg(shareText(largest_));
}

QString AttentionView::shownPiece(int piece) const {
  const QString text =
      shownText(QString::fromStdString(map_.pieces[static_cast<std::size_t>(piece)]));
  return text.size() <= kMaxLabelCharacters ? text
                                            : text.left(kMaxLabelCharacters - 1) + QChar(0x2026);
}

int AttentionView::labelWidth() const {
  int width = 0;
  for (int piece = 0; piece < count(); ++piece)
    width = std::max(width, fontMetrics().horizontalAdvance(shownPiece(piece)));
  return width + 2 * kLabelSpace;
}

int AttentionView::cellSize() const {
  return fontMetrics().height() + kCellSpace;
}

QSize AttentionView::sizeHint() const {
  if (count() == 0) return {0, 0};
  const int side = labelWidth() + count() * cellSize() + 1;
  return {side, side};
}

void AttentionView::measure() {
  // As large as its cells: the area around it scrolls.
  setFixedSize(sizeHint().expandedTo({1, 1}));
}

QRect AttentionView::cellRect(int reader, int read) const {
  const int label = labelWidth(), size = cellSize();
  return {label + read * size, label + reader * size, size, size};
}

void AttentionView::paintEvent(QPaintEvent* event) {
  QPainter painter(this);
  const int label = labelWidth(), size = cellSize();
  const QColor none = palette().color(QPalette::Base);
  const double scale = largest_ > 0.0 ? 1.0 / largest_ : 0.0;
  const QColor full = seriesStyle(0, SeriesRole::kTraining, isDark(palette())).color;
  const int begin = std::max(0, (event->rect().top() - label) / size);
  const int end = std::min(count(), (event->rect().bottom() - label) / size + 1);
  for (int row = begin; row < end; ++row)
    for (int column = 0; column < count(); ++column)
      painter.fillRect(
          cellRect(row, column).adjusted(0, 0, -1, -1),
          mixed(none, full,
                scale * map_.at(static_cast<std::size_t>(row), static_cast<std::size_t>(column))));
  for (int piece = 0; piece < count(); ++piece) {
    const bool chosen = piece == reader_;
    QFont font = this->font();
    font.setBold(chosen);
    painter.setFont(font);
    painter.setPen(palette().color(QPalette::WindowText));
    const QRect row(0, label + piece * size, label - kLabelSpace, size);
    painter.drawText(row, Qt::AlignRight | Qt::AlignVCenter,
                     QFontMetrics(font).elidedText(shownPiece(piece), Qt::ElideRight, row.width()));
    painter.setFont(this->font());
    painter.save();
    painter.translate(label + piece * size, label);
    painter.rotate(-90.0);
    painter.drawText(QRect(kLabelSpace, 0, label - kLabelSpace, size),
                     Qt::AlignLeft | Qt::AlignVCenter, shownPiece(piece));
    painter.restore();
  }
  if (reader_ < 0) return;
  painter.setPen(QPen(hasFocus() ? focusColor(palette()) : borderColor(palette()), 1.0));
  painter.drawRect(
      cellRect(reader_, 0).united(cellRect(reader_, count() - 1)).adjusted(-1, -1, -1, -1));
}

bool AttentionView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int label = labelWidth(), size = cellSize();
  const int row = help->pos().y() < label ? -1 : (help->pos().y() - label) / size;
  const int column = help->pos().x() < label ? -1 : (help->pos().x() - label) / size;
  if (row < 0 || column < 0 || row >= count() || column >= count()) return QWidget::event(event);
  QToolTip::showText(
      help->globalPos(),
      tr("%1 reads %2 with %3 %")
          .arg(shownPiece(row), shownPiece(column),
               shareText(map_.at(static_cast<std::size_t>(row), static_cast<std::size_t>(column)))),
      this);
  return true;
}

void AttentionView::mousePressEvent(QMouseEvent* event) {
  const int row = (static_cast<int>(event->position().y()) - labelWidth()) / cellSize();
  if (event->position().y() >= labelWidth() && row < count()) setReader(row);
}

void AttentionView::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down) {
    setReader(std::clamp(reader_ + (event->key() == Qt::Key_Up ? -1 : 1), count() > 0 ? 0 : -1,
                         count() - 1));
    return event->accept();
  }
  QWidget::keyPressEvent(event);
}

void AttentionView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange) measure();
}

}  // namespace parapet::ui
