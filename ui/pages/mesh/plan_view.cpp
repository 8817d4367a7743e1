// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/mesh/plan_view.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>

namespace parapet::ui {
namespace {

constexpr int kGap = 12, kNarrowest = 120, kWidest = 240, kMinHeight = 120;
// A capacity further up would leave blocks that nobody can tell apart; it is told in words then.
constexpr double kTallestCapacity = 4.0;

}  // namespace

PlanView::PlanView(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("planView"));
  setAccessibleName(tr("Tables on the devices"));
  setFocusPolicy(Qt::StrongFocus);
}

void PlanView::setPicture(PlanPicture picture) {
  stopDragging();
  picture_ = std::move(picture);
  current_ = {};
  maxBlocks_ = 0;
  double bytes = 1.0, capacity = 0.0;
  for (const PlanColumn& column : picture_.columns) {
    bytes = std::max(bytes, static_cast<double>(column.bytes));
    capacity = std::max(capacity, static_cast<double>(column.capacity));
    maxBlocks_ = std::max(maxBlocks_, static_cast<int>(column.blocks.size()));
  }
  tallest_ = capacity <= kTallestCapacity * bytes ? std::max(bytes, capacity) : bytes;
  const int columns = static_cast<int>(picture_.columns.size());
  setMinimumSize(columns * (kNarrowest + kGap) + kGap,
                 legendHeight() + kHeader + kFooter + maxBlocks_ * kLine + kMinHeight);
  selectTable(selected_);
}

void PlanView::setColorBy(ColorBy colorBy) {
  colorBy_ = colorBy;
  update();
}

void PlanView::selectTable(int table) {
  selected_ = table;
  if (current_.column < 0 || blockAt(current_).table != table) {
    current_ = {};
    for (int c = 0; c < static_cast<int>(picture_.columns.size()) && current_.column < 0; ++c)
      for (int b = 0; b < static_cast<int>(picture_.columns[c].blocks.size()); ++b)
        if (table >= 0 && picture_.columns[c].blocks[b].table == table) current_ = {c, b};
  }
  setAccessibleDescription(current_.column < 0
                               ? tr("The arrow keys go from block to block")
                               : picture_.columns[current_.column].device + QStringLiteral(": ") +
                                     blockAt(current_).sentence());
  update();
}

const PlanBlock& PlanView::blockAt(BlockIndex at) const {
  return picture_.columns[at.column].blocks[at.block];
}

QRect PlanView::area() const {
  return rect().adjusted(kGap, legendHeight() + kHeader, -kGap, -kFooter);
}

QRect PlanView::columnRect(int column) const {
  const int columns = std::max<int>(1, static_cast<int>(picture_.columns.size()));
  const int pitch = std::min(kWidest + kGap, (area().width() + kGap) / columns);
  return {area().left() + column * pitch, area().top(), pitch - kGap, area().height()};
}

int PlanView::heightOf(int blocks, double bytes) const {
  const int shared = area().height() - maxBlocks_ * kLine;
  return blocks * kLine + static_cast<int>(bytes / tallest_ * shared);
}

QRect PlanView::blockRect(int column, int block) const {
  const PlanColumn& of = picture_.columns[column];
  double below = 0.0;
  for (int b = 0; b < block; ++b) below += static_cast<double>(of.blocks[b].bytes);
  const int bottom = heightOf(block, below);
  const int top = heightOf(block + 1, below + static_cast<double>(of.blocks[block].bytes));
  const QRect frame = columnRect(column);
  return {frame.left(), frame.bottom() + 1 - top, frame.width(), top - bottom};
}

int PlanView::columnAt(const QPoint& at) const {
  for (int c = 0; c < static_cast<int>(picture_.columns.size()); ++c)
    if (columnRect(c).adjusted(-kGap / 2, -kHeader, kGap / 2, kFooter).contains(at)) return c;
  return -1;
}

PlanView::BlockIndex PlanView::find(const QPoint& at) const {
  const int column = columnAt(at);
  if (column < 0) return {};
  for (int b = 0; b < static_cast<int>(picture_.columns[column].blocks.size()); ++b)
    if (blockRect(column, b).contains(at)) return {column, b};
  return {};
}

void PlanView::choose(BlockIndex at) {
  current_ = at;
  const int table = at.column < 0 ? -1 : blockAt(at).table;
  selectTable(table);
  if (table >= 0) emit tableChosen(table);
}

void PlanView::mousePressEvent(QMouseEvent* event) {
  const BlockIndex at = find(event->pos());
  if (at.column < 0) return;
  choose(at);
  if (event->button() != Qt::LeftButton || selected_ < 0) return;
  pressed_ = at;
  pressedAt_ = event->pos();
}

void PlanView::mouseMoveEvent(QMouseEvent* event) {
  if (pressed_.column < 0) return;
  const QPoint way = event->pos() - pressedAt_;
  if (!dragging_ && way.manhattanLength() < QApplication::startDragDistance()) return;
  dragging_ = true;
  target_ = columnAt(event->pos());
  setCursor(target_ < 0 ? Qt::ForbiddenCursor : Qt::ClosedHandCursor);
  update();
}

void PlanView::mouseReleaseEvent(QMouseEvent* event) {
  const int table = pressed_.column < 0 ? -1 : blockAt(pressed_).table;
  const int device = dragging_ ? columnAt(event->pos()) : -1;
  stopDragging();
  if (table >= 0 && device >= 0) emit moved(table, device);
}

void PlanView::stopDragging() {
  pressed_ = {};
  dragging_ = false;
  target_ = -1;
  unsetCursor();
  update();
}

void PlanView::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape && dragging_) return stopDragging();
  const int side = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
  const int up = event->key() == Qt::Key_Up ? 1 : event->key() == Qt::Key_Down ? -1 : 0;
  if ((side == 0 && up == 0) || picture_.columns.empty()) return QWidget::keyPressEvent(event);
  const int columns = static_cast<int>(picture_.columns.size());
  const int column =
      std::clamp(std::max(current_.column, 0) + (current_.column < 0 ? 0 : side), 0, columns - 1);
  const int blocks = static_cast<int>(picture_.columns[column].blocks.size());
  if (blocks == 0) return;
  choose({column, std::clamp(current_.block + up, 0, blocks - 1)});
}

void PlanView::contextMenuEvent(QContextMenuEvent* event) {
  const bool byKey = event->reason() == QContextMenuEvent::Keyboard;
  const BlockIndex at = byKey ? current_ : find(event->pos());
  if (at.column < 0 || blockAt(at).table < 0) return;
  emit menuRequested(blockAt(at).table, byKey ? mapToGlobal(blockRect(at.column, at.block).center())
                                              : event->globalPos());
}

bool PlanView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const BlockIndex at = find(help->pos());
  if (at.column < 0)
    QToolTip::hideText();
  else
    QToolTip::showText(help->globalPos(), blockAt(at).sentence(), this);
  return true;
}

}  // namespace parapet::ui
