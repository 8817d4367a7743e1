// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/plain_text_style.h"

#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QStyleOption>
#include <QTableView>
#include <algorithm>

#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

constexpr int kRadius = 2, kTabLine = 2;

/// A border around a control: that of the theme, or the ring of the focus.
void drawBorder(QPainter& painter, const QStyleOption& option) {
  const bool enabled = option.state.testFlag(QStyle::State_Enabled);
  const bool focus = enabled && option.state.testFlag(QStyle::State_HasFocus);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setBrush(Qt::NoBrush);
  const double wide = focus ? 2.0 : 1.0;
  painter.setPen(QPen(focus     ? focusColor(option.palette)
                      : enabled ? borderColor(option.palette)
                                : lineColor(option.palette),
                      wide));
  const double inset = wide / 2.0;
  painter.drawRoundedRect(QRectF(option.rect).adjusted(inset, inset, -inset, -inset), kRadius,
                          kRadius);
  painter.restore();
}

void underline(QPainter& painter, const QStyleOptionTab& tab) {
  QRect line = tab.rect;
  if (tab.shape == QTabBar::RoundedSouth || tab.shape == QTabBar::TriangularSouth)
    line.setBottom(line.top() + kTabLine - 1);
  else
    line.setTop(line.bottom() - kTabLine + 1);
  painter.fillRect(line, focusColor(tab.palette));
}

}  // namespace

LastColumn::LastColumn(QTableView& table) : QObject(&table), table_(table) {
  table.viewport()->installEventFilter(this);
  table.horizontalHeader()->viewport()->installEventFilter(this);
}

void LastColumn::watch(QTableView& table) {
  if (table.findChild<LastColumn*>(QString(), Qt::FindDirectChildrenOnly) == nullptr)
    new LastColumn(table);
}

bool LastColumn::anotherStretches(const QTableView& table) {
  const QHeaderView& header = *table.horizontalHeader();
  for (int section = 0; section < header.count(); ++section)
    if (header.sectionResizeMode(section) == QHeaderView::Stretch) return true;
  return false;
}

int LastColumn::widthOf(const QWidget* widget, int column, int width) {
  const auto* table = qobject_cast<const QTableView*>(widget);
  if (table == nullptr && widget != nullptr)
    table = qobject_cast<const QTableView*>(widget->parentWidget());
  const auto* last =
      table == nullptr ? nullptr
                       : table->findChild<const LastColumn*>(QString(), Qt::FindDirectChildrenOnly);
  return last == nullptr || last->column_ != column ? width : std::min(width, last->needed_);
}

bool LastColumn::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Paint) measure();
  return QObject::eventFilter(watched, event);
}

void LastColumn::measure() {
  const QHeaderView& header = *table_.horizontalHeader();
  column_ = -1;
  if (table_.model() == nullptr || !header.stretchLastSection() || header.isHidden()) return;
  int visual = header.count() - 1;
  while (visual >= 0 && header.isSectionHidden(header.logicalIndex(visual))) --visual;
  if (visual < 0) return;
  const int column = header.logicalIndex(visual);
  // Room for the arrow of a column that is sorted by is a part of what its title wants.
  needed_ = std::max(header.sectionSizeHint(column),
                     static_cast<const QAbstractItemView&>(table_).sizeHintForColumn(column));
  column_ = column;
}

PlainTextStyle::PlainTextStyle() : QProxyStyle(QStringLiteral("Fusion")) {}

// The window of a tooltip is a label too.
void PlainTextStyle::polish(QWidget* widget) {
  if (auto* label = qobject_cast<QLabel*>(widget); label && label->textFormat() == Qt::AutoText)
    label->setTextFormat(Qt::PlainText);
  // No table ends in an empty strip.
  if (auto* table = qobject_cast<QTableView*>(widget)) {
    // Where another column takes the rest, the last one would get half of it.
    if (!LastColumn::anotherStretches(*table))
      table->horizontalHeader()->setStretchLastSection(true);
    LastColumn::watch(*table);
  }
  QProxyStyle::polish(widget);
}

void PlainTextStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option,
                                   QPainter* painter, const QWidget* widget) const {
  const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
  if (element == PE_IndicatorHeaderArrow && header != nullptr) {
    QStyleOptionHeader turned(*header);
    if (header->sortIndicator == QStyleOptionHeader::SortDown)
      turned.sortIndicator = QStyleOptionHeader::SortUp;
    else if (header->sortIndicator == QStyleOptionHeader::SortUp)
      turned.sortIndicator = QStyleOptionHeader::SortDown;
    return QProxyStyle::drawPrimitive(element, &turned, painter, widget);
  }
  if (element == PE_FrameTabWidget) {
    // Fusion fills it with a shade of buttons, which is a slab on dark windows.
    painter->save();
    painter->setPen(lineColor(option->palette));
    painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
    return painter->restore();
  }
  if (element == PE_FrameFocusRect) {
    // Fusion draws the focus only after keyboard navigation; so does this style.
    if (!option->state.testFlag(State_KeyboardFocusChange)) return;
    QStyleOption ring(*option);
    ring.state |= State_HasFocus | State_Enabled;
    return drawBorder(*painter, ring);
  }
  QProxyStyle::drawPrimitive(element, option, painter, widget);
  if (element == PE_PanelLineEdit) {
    const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
    const auto* line = qobject_cast<const QLineEdit*>(widget);
    if (frame && frame->lineWidth > 0 && line && line->hasFrame()) drawBorder(*painter, *option);
    return;
  }
  if (element == PE_PanelButtonCommand) return drawBorder(*painter, *option);
  if (element != PE_IndicatorCheckBox && element != PE_IndicatorRadioButton) return;
  painter->save();
  painter->setBrush(Qt::NoBrush);
  painter->setPen(option->state.testFlag(State_Enabled) ? borderColor(option->palette)
                                                        : lineColor(option->palette));
  const QRect box = option->rect.adjusted(0, 0, -1, -1);
  if (element == PE_IndicatorCheckBox) {
    painter->drawRect(box);
  } else {
    painter->setRenderHint(QPainter::Antialiasing);
    painter->drawEllipse(box);
  }
  painter->restore();
}

void PlainTextStyle::drawControl(ControlElement element, const QStyleOption* option,
                                 QPainter* painter, const QWidget* widget) const {
  const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
  const auto* view = qobject_cast<const QHeaderView*>(widget);
  // Fusion does not ask a proxy where the label of a header stands.
  if (element == CE_HeaderLabel && header && view && header->orientation == Qt::Horizontal &&
      header->textAlignment.testFlag(Qt::AlignRight)) {
    const int wide = view->sectionSize(header->section);
    QStyleOptionHeader narrow(*header);
    narrow.rect.setRight(header->rect.right() - wide +
                         LastColumn::widthOf(widget, header->section, wide));
    return QProxyStyle::drawControl(element, &narrow, painter, widget);
  }
  const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option);
  if (element != CE_TabBarTabShape || tab == nullptr)
    return QProxyStyle::drawControl(element, option, painter, widget);
  if (tab->state.testFlag(State_Selected)) return underline(*painter, *tab);
  if (tab->state.testFlag(State_MouseOver) && tab->state.testFlag(State_Enabled))
    painter->fillRect(tab->rect, tab->palette.color(QPalette::Button));
}

QRect PlainTextStyle::subElementRect(SubElement element, const QStyleOption* option,
                                     const QWidget* widget) const {
  if (element == SE_ItemViewItemText)
    if (const auto* cell = qstyleoption_cast<const QStyleOptionViewItem*>(option);
        cell && cell->displayAlignment.testFlag(Qt::AlignRight)) {
      QStyleOptionViewItem narrow(*cell);
      narrow.rect.setWidth(LastColumn::widthOf(widget, cell->index.column(), cell->rect.width()));
      return QProxyStyle::subElementRect(element, &narrow, widget);
    }
  if (element == SE_HeaderArrow)
    if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
        header && header->orientation == Qt::Horizontal &&
        header->textAlignment.testFlag(Qt::AlignRight)) {
      QStyleOptionHeader narrow(*header);
      narrow.rect.setWidth(LastColumn::widthOf(widget, header->section, header->rect.width()));
      return QProxyStyle::subElementRect(element, &narrow, widget);
    }
  return QProxyStyle::subElementRect(element, option, widget);
}

int PlainTextStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                              QStyleHintReturn* returned) const {
  return hint == SH_DialogButtonBox_ButtonsHaveIcons
             ? 0
             : QProxyStyle::styleHint(hint, option, widget, returned);
}

void PlainTextStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                                        QPainter* painter, const QWidget* widget) const {
  QProxyStyle::drawComplexControl(control, option, painter, widget);
  const auto* combo = qstyleoption_cast<const QStyleOptionComboBox*>(option);
  const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
  if ((control == CC_ComboBox && combo && combo->frame) ||
      (control == CC_SpinBox && spin && spin->frame))
    drawBorder(*painter, *option);
}

}  // namespace parapet::ui
