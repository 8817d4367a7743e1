// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/mesh/plan_view.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "engine/base/text.h"
#include "ui/models/mesh_report.h"
#include "ui/models/runs_format.h"
#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

constexpr int kScale = 96, kText = 6, kMark = 12, kDash = 24;

QColor mixed(const QColor& from, const QColor& to, double share) {
  const auto part = [share](int a, int b) { return static_cast<int>(a + (b - a) * share); };
  return {part(from.red(), to.red()), part(from.green(), to.green()), part(from.blue(), to.blue())};
}

/// From cool to hot; both stand off the ground in light and dark.
QColor rampColor(const QPalette& palette, double share) {
  const QColor ground = palette.color(QPalette::Base);
  const QColor cool = mixed(ground, palette.color(QPalette::Highlight), 0.28);
  const QColor hot(0xd9, 0x48, 0x0f);
  return mixed(cool, hot, share);
}

QColor textOn(const QColor& ground) {
  const double light = 0.299 * ground.redF() + 0.587 * ground.greenF() + 0.114 * ground.blueF();
  return light > 0.55 ? QColor(Qt::black) : QColor(Qt::white);
}

void drawElided(QPainter& painter, const QRect& frame, Qt::Alignment side, const QString& text) {
  painter.drawText(frame, side,
                   painter.fontMetrics().elidedText(text, Qt::ElideRight, frame.width()));
}

constexpr int kGap = 12, kNarrowest = 120, kWidest = 240, kMinHeight = 120;
// A capacity further up would leave blocks that nobody can tell apart; it is told in words then.
constexpr double kTallestCapacity = 4.0;

}  // namespace

PlanView::PlanView(QWidget* parent) : QWidget(parent), SpokenDrawing(this) {
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
  spokenChanged();
  update();
}

int PlanView::spokenParts() const {
  int parts = 0;
  for (const PlanColumn& column : picture_.columns) parts += static_cast<int>(column.blocks.size());
  return parts;
}

PlanView::BlockIndex PlanView::blockOfPart(int index) const {
  for (int c = 0; c < static_cast<int>(picture_.columns.size()); ++c) {
    const int blocks = static_cast<int>(picture_.columns[c].blocks.size());
    if (index < blocks) return {c, index};
    index -= blocks;
  }
  return {};
}

SpokenPart PlanView::spokenPart(int index) const {
  const BlockIndex at = blockOfPart(index);
  return {tr("%1 on %2").arg(blockAt(at).title, picture_.columns[at.column].device),
          blockAt(at).sentence(), blockRect(at.column, at.block)};
}

int PlanView::chosenPart() const {
  int before = 0;
  for (int c = 0; c < current_.column; ++c)
    before += static_cast<int>(picture_.columns[c].blocks.size());
  return current_.column < 0 ? -1 : before + current_.block;
}

QString PlanView::spokenValue() const {
  QStringList devices;
  for (const PlanColumn& column : picture_.columns)
    devices << tr("%1 holds %2")
                   .arg(column.device, QString::fromStdString(
                                           formatBytes(static_cast<std::uint64_t>(column.bytes))));
  return devices.join(QStringLiteral(", "));
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

double PlanView::shareOfRamp(const PlanBlock& block) const {
  const auto share = [](double part, double most) { return most > 0.0 ? part / most : 0.0; };
  switch (colorBy_) {
    case ColorBy::kRowsRead:
      return share(block.rowsRead, picture_.maxRowsRead);
    case ColorBy::kBytes:
      return share(static_cast<double>(block.bytes), static_cast<double>(picture_.maxBytes));
    case ColorBy::kTraffic:
      break;
  }
  return share(static_cast<double>(block.traffic), static_cast<double>(picture_.maxTraffic));
}

QColor PlanView::colorOf(const PlanBlock& block) const {
  if (block.table < 0) return mixed(palette().color(QPalette::Base), quietColor(palette()), 0.35);
  return rampColor(palette(), shareOfRamp(block));
}

void PlanView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), palette().color(QPalette::Base));
  if (picture_.columns.empty()) return;
  paintLegend(painter);
  for (int column = 0; column < static_cast<int>(picture_.columns.size()); ++column)
    paintColumn(painter, column);
}

/// The words and the ends of the scale, and the words of the two marks beside it.
QStringList PlanView::legendWords() const {
  const QString most =
      colorBy_ == ColorBy::kRowsRead
          ? countText(std::llround(picture_.maxRowsRead))
          : bytesText(colorBy_ == ColorBy::kBytes ? picture_.maxBytes : picture_.maxTraffic);
  return {colorBy_ == ColorBy::kRowsRead ? tr("rows read per step: 0")
          : colorBy_ == ColorBy::kBytes  ? tr("bytes on a device: 0")
                                         : tr("bytes sent per step: 0"),
          most, tr("layers and step buffers"), tr("capacity")};
}

int PlanView::legendHeight() const {
  int wide = 2 * kGap + kScale + kMark + kDash + 11 * kText;
  for (const QString& word : legendWords()) wide += fontMetrics().horizontalAdvance(word);
  return wide <= width() ? kLegend : 2 * kLegend - kLegend / 3;
}

void PlanView::paintLegend(QPainter& painter) const {
  int x = area().left(), middle = kLegend / 2;
  const auto word = [&](const QString& text) {
    painter.setPen(quietColor(palette()));
    const int wide = painter.fontMetrics().horizontalAdvance(text);
    painter.drawText(QRect(x, middle - kLegend / 2, wide + 1, kLegend), Qt::AlignVCenter, text);
    x += wide + kText;
  };
  const QStringList words = legendWords();
  word(words[0]);
  QLinearGradient ramp(x, 0, x + kScale, 0);
  ramp.setColorAt(0.0, rampColor(palette(), 0.0));
  ramp.setColorAt(1.0, rampColor(palette(), 1.0));
  painter.fillRect(x, middle - kMark / 2, kScale, kMark, ramp);
  x += kScale + kText;
  word(words[1]);
  x += 3 * kText;
  if (legendHeight() > kLegend) {
    x = area().left();
    middle = legendHeight() - kLegend / 2;
  }
  painter.fillRect(x, middle - kMark / 2, kMark, kMark, colorOf(PlanBlock()));
  x += kMark + kText;
  word(words[2]);
  x += 3 * kText;
  painter.setPen(QPen(badColor(palette()), 2, Qt::DashLine));
  painter.drawLine(x, middle, x + kDash, middle);
  x += kDash + kText;
  word(words[3]);
}

void PlanView::paintColumn(QPainter& painter, int column) const {
  const PlanColumn& of = picture_.columns[column];
  const QRect frame = columnRect(column);
  const bool target = dragging_ && column == target_;
  QColor ground = palette().color(QPalette::Window);
  if (target) ground = mixed(ground, palette().color(QPalette::Highlight), 0.25);
  painter.fillRect(frame, ground);
  for (int block = 0; block < static_cast<int>(of.blocks.size()); ++block)
    paintBlock(painter, {column, block});
  painter.setPen(
      QPen(target ? palette().color(QPalette::Highlight) : lineColor(palette()), target ? 2 : 1));
  painter.drawRect(frame.adjusted(0, 0, -1, -1));
  painter.setPen(palette().color(QPalette::Text));
  QFont bold = font();
  bold.setBold(true);
  painter.setFont(bold);
  drawElided(painter, {frame.left(), frame.top() - kHeader, frame.width(), kHeader},
             Qt::AlignCenter, of.device);
  painter.setFont(font());
  const bool over = of.capacity > 0 && of.bytes > of.capacity;
  painter.setPen(over ? badColor(palette()) : palette().color(QPalette::Text));
  const QString bytes = bytesText(of.bytes);
  drawElided(painter, {frame.left(), frame.bottom() + 1, frame.width(), kFooter}, Qt::AlignCenter,
             of.capacity > 0 ? tr("%1 of %2").arg(bytes, bytesText(of.capacity)) : bytes);
  const auto capacity = static_cast<double>(of.capacity);
  if (of.capacity <= 0 || capacity > tallest_) return;
  const int y = std::max(
      frame.top() + 1, frame.bottom() + 1 - heightOf(static_cast<int>(of.blocks.size()), capacity));
  painter.setPen(QPen(badColor(palette()), 2, Qt::DashLine));
  painter.drawLine(frame.left() - 3, y, frame.right() + 3, y);
}

void PlanView::paintBlock(QPainter& painter, BlockIndex at) const {
  const PlanBlock& block = blockAt(at);
  const QRect frame = blockRect(at.column, at.block).adjusted(0, 0, 0, -1);
  const QColor ground = colorOf(block);
  painter.fillRect(frame, ground);
  const bool chosen = block.table >= 0 && block.table == selected_;
  if (chosen) {
    painter.setPen(QPen(palette().color(QPalette::Text), 2));
    painter.drawRect(frame.adjusted(1, 1, -1, -1));
  }
  const bool isCurrent = hasFocus() && at.column == current_.column && at.block == current_.block;
  if (isCurrent) {
    painter.setPen(QPen(textOn(ground), 1, Qt::DotLine));
    painter.drawRect(frame.adjusted(3, 3, -4, -4));
  }
  painter.setPen(textOn(ground));
  QRect line(frame.left() + kText, frame.top(), frame.width() - 2 * kText, kLine - 1);
  if (frame.height() < 2 * kLine) {
    drawElided(painter, line, Qt::AlignVCenter,
               block.title + QStringLiteral("  ") + bytesText(block.bytes));
    return;
  }
  const int lines = block.detail.isEmpty() ? 2 : frame.height() < 3 * kLine ? 2 : 3;
  line.moveTop(frame.top() + (frame.height() - lines * (kLine - 2)) / 2);
  QStringList texts{block.title, block.detail, bytesText(block.bytes)};
  if (block.detail.isEmpty()) texts.removeAt(1);
  if (lines == 2 && texts.size() == 3) texts = {block.title, texts[2] + " · " + texts[1]};
  for (const QString& text : texts) {
    drawElided(painter, line, Qt::AlignVCenter, text);
    line.translate(0, kLine - 2);
  }
}

}  // namespace parapet::ui
