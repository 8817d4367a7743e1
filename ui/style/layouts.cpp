// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/layouts.h"

#include <QEvent>
#include <QResizeEvent>
#include <QScrollBar>
#include <QWidget>
#include <algorithm>
#include <utility>

namespace parapet::ui {
namespace {

/// Follows the least width of what an area scrolls.
class WholeWidth final : public QObject {
 public:
  WholeWidth(QScrollArea& area, QWidget& page, int beside)
      : QObject(&area), area_(area), page_(page), beside_(beside) {
    area.widget()->installEventFilter(this);
    page.installEventFilter(this);
    follow();
  }

 protected:
  bool eventFilter(QObject*, QEvent* event) override {
    const QEvent::Type type = event->type();
    if (type == QEvent::LayoutRequest || type == QEvent::FontChange || type == QEvent::Resize)
      follow();
    return false;
  }

 private:
  void follow() {
    const int whole = area_.widget()->minimumSizeHint().width() +
                      area_.verticalScrollBar()->sizeHint().width() + 2 * area_.frameWidth();
    area_.setMinimumWidth(whole + beside_ <= page_.width() ? whole : 0);
  }

  QScrollArea& area_;
  QWidget& page_;
  int beside_;
};

}  // namespace

FlowLayout::FlowLayout(QWidget* parent, int horizontalSpacing, int verticalSpacing)
    : QLayout(parent), across_(horizontalSpacing), down_(verticalSpacing) {
  setContentsMargins(0, 0, 0, 0);
}

FlowLayout::~FlowLayout() {
  while (QLayoutItem* item = takeAt(0)) delete item;
}

QLayoutItem* FlowLayout::takeAt(int index) {
  return index < 0 || index >= items_.size() ? nullptr : items_.takeAt(index);
}

int FlowLayout::heightForWidth(int width) const {
  return arrange({0, 0, width, 0}, Pass::kMeasure);
}

QSize FlowLayout::minimumSize() const {
  QSize size;
  for (const QLayoutItem* item : items_) size = size.expandedTo(item->minimumSize());
  return size;
}

void FlowLayout::setGeometry(const QRect& rect) {
  QLayout::setGeometry(rect);
  arrange(rect, Pass::kArrange);
}

int FlowLayout::arrange(const QRect& rect, Pass pass) const {
  int x = rect.x(), y = rect.y(), lineHeight = 0;
  QList<std::pair<QLayoutItem*, QRect>> line;
  // Widgets of a line stand on one middle.
  const auto endLine = [&] {
    int left = fills_ && !line.isEmpty() ? rect.right() - line.back().second.right() : 0;
    int moved = 0;
    for (auto& [item, at] : line) {
      at.translate(moved, (lineHeight - at.height()) / 2);
      if (left > 0 && item->expandingDirections().testFlag(Qt::Horizontal)) {
        at.setWidth(at.width() + left);
        moved = std::exchange(left, 0);
      }
      if (pass == Pass::kArrange) item->setGeometry(at);
    }
    line.clear();
  };
  for (QLayoutItem* item : items_) {
    if (item->isEmpty()) continue;
    const QSize size = item->sizeHint().boundedTo({rect.width(), QWIDGETSIZE_MAX});
    if (x > rect.x() && x + size.width() > rect.right() + 1) {
      endLine();
      x = rect.x();
      y += lineHeight + down_;
      lineHeight = 0;
    }
    line.emplace_back(item, QRect(QPoint(x, y), size));
    x += size.width() + across_;
    lineHeight = std::max(lineHeight, size.height());
  }
  endLine();
  return y + lineHeight - rect.y();
}

ColumnsLayout::~ColumnsLayout() {
  while (QLayoutItem* item = takeAt(0)) delete item;
}

QLayoutItem* ColumnsLayout::takeAt(int index) {
  return index < 0 || index >= items_.size() ? nullptr : items_.takeAt(index);
}

QList<ColumnsLayout::Placed> ColumnsLayout::arranged(const QRect& rect) const {
  const QMargins around = contentsMargins();
  const QRect inside = rect.marginsRemoved(around);
  const bool two = inside.width() >= 2 * kColumn + kBetween;
  const int width = std::min(inside.width(), kColumn);
  QList<Placed> placed;
  int total = 0;
  for (QLayoutItem* item : items_) {
    if (item->isEmpty()) continue;
    const int height =
        item->hasHeightForWidth() ? item->heightForWidth(width) : item->sizeHint().height();
    placed.append({item, QRect(inside.left(), inside.top() + total, width, height)});
    total += height + spacing_;
  }
  if (!two) return placed;
  // The cut at which the higher of both columns is lowest.
  int cut = total, lowest = total;
  for (const Placed& each : placed) {
    const int above = each.at.top() - inside.top();
    if (const int higher = std::max(above, total - above); above > 0 && higher < lowest) {
      lowest = higher;
      cut = above;
    }
  }
  for (Placed& each : placed)
    if (each.at.top() - inside.top() >= cut) each.at.translate(kColumn + kBetween, -cut);
  return placed;
}

int ColumnsLayout::heightForWidth(int width) const {
  int bottom = 0;
  for (const Placed& each : arranged({0, 0, width, 0}))
    bottom = std::max(bottom, each.at.bottom() + 1);
  return bottom + contentsMargins().bottom();
}

QSize ColumnsLayout::minimumSize() const {
  QSize size;
  for (const QLayoutItem* item : items_) size = size.expandedTo(item->minimumSize());
  const QMargins around = contentsMargins();
  return size + QSize(around.left() + around.right(), around.top() + around.bottom());
}

void ColumnsLayout::setGeometry(const QRect& rect) {
  QLayout::setGeometry(rect);
  for (const Placed& each : arranged(rect)) each.item->setGeometry(each.at);
}

SideBySide::SideBySide(QWidget* first, QWidget* second, int spacing)
    : layout_(new QBoxLayout(QBoxLayout::TopToBottom, this)), spacing_(spacing) {
  layout_->setContentsMargins({});
  layout_->setSpacing(spacing_);
  for (QWidget* part : {first, second}) layout_->addWidget(part, 0, Qt::AlignTop);
}

void SideBySide::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  const bool two = event->size().width() >= 2 * kHalf + kBetween;
  const auto direction = two ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom;
  if (layout_->direction() == direction) return;
  layout_->setDirection(direction);
  layout_->setSpacing(two ? kBetween : spacing_);
  for (int part = 0; part < layout_->count(); ++part) layout_->setStretch(part, two ? 1 : 0);
}

void keepWhole(QScrollArea& area, QWidget& page, int beside) {
  new WholeWidth(area, page, beside);
}

QScrollArea* scrolling(QWidget* inside, const QString& name) {
  auto* scroll = new QScrollArea;
  scroll->setWidget(inside);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setAccessibleName(name);
  // The scrolled widget has the focus; a stop of its own would be one without a ring.
  scroll->setFocusPolicy(Qt::NoFocus);
  return scroll;
}

}  // namespace parapet::ui
