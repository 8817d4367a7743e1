// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/browse/item_table.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QStyledItemDelegate>

#include "ui/forms/report_view.h"
#include "ui/models/recommendation_model.h"
#include "ui/models/table_text.h"
#include "ui/plots/plot_theme.h"
#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

/// Draws popularity as text and bar, and a held-out hit as icon and text; everything else as usual.
class ListDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;

 private:
  static void paintBar(QPainter& painter, const QStyleOptionViewItem& option, double share,
                       const QString& text);
  static void paintHit(QPainter& painter, const QStyleOptionViewItem& option, const QString& text);
};

QColor textColor(const QStyleOptionViewItem& option) {
  return option.palette.color(option.state & QStyle::State_Selected ? QPalette::HighlightedText
                                                                    : QPalette::Text);
}

void ListDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
  const QVariant share = index.data(RecommendationModel::kPercentileRole);
  const bool hit = index.data(RecommendationModel::kHitRole).toBool();
  if (!share.isValid() && !hit) return QStyledItemDelegate::paint(painter, option, index);
  QStyleOptionViewItem styled = option;
  initStyleOption(&styled, index);
  const QString text = std::exchange(styled.text, QString());
  const QStyle* style = styled.widget ? styled.widget->style() : QApplication::style();
  style->drawControl(QStyle::CE_ItemViewItem, &styled, painter, styled.widget);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  if (hit)
    paintHit(*painter, styled, text);
  else
    paintBar(*painter, styled, share.toDouble(), text);
  painter->restore();
}

void ListDelegate::paintBar(QPainter& painter, const QStyleOptionViewItem& option, double share,
                            const QString& text) {
  const QRect cell = option.rect.adjusted(4, 0, -8, 0);
  const int textWidth = option.fontMetrics.horizontalAdvance(QStringLiteral("100 %"));
  painter.setPen(textColor(option));
  painter.drawText(QRect(cell.left(), cell.top(), textWidth, cell.height()),
                   Qt::AlignRight | Qt::AlignVCenter, text);
  constexpr int kHeight = 6, kGap = 8;
  const QRectF track(cell.left() + textWidth + kGap, cell.center().y() - kHeight / 2 + 1,
                     cell.width() - textWidth - kGap, kHeight);
  if (track.width() < kHeight) return;
  QColor ground = textColor(option);
  ground.setAlpha(40);
  painter.setPen(Qt::NoPen);
  painter.setBrush(ground);
  painter.drawRoundedRect(track, kHeight / 2, kHeight / 2);
  QRectF filled = track;
  filled.setWidth(std::max<double>(kHeight, track.width() * share));
  painter.setBrush(option.state & QStyle::State_Selected
                       ? textColor(option)
                       : seriesStyle(0, SeriesRole::kTraining, isDark(option.palette)).color);
  painter.drawRoundedRect(filled, kHeight / 2, kHeight / 2);
}

void ListDelegate::paintHit(QPainter& painter, const QStyleOptionViewItem& option,
                            const QString& text) {
  constexpr int kSize = 14;
  const QColor green = isDark(option.palette) ? QColor(0x4c, 0xc3, 0x8a) : QColor(0x1b, 0x7f, 0x4b);
  const QRect cell = option.rect.adjusted(6, 0, -4, 0);
  const QRectF disc(cell.left(), cell.center().y() - kSize / 2 + 0.5, kSize, kSize);
  painter.setPen(Qt::NoPen);
  painter.setBrush(green);
  painter.drawEllipse(disc);
  painter.setPen(QPen(option.palette.color(QPalette::Base), 1.8));
  const QPointF tick[] = {disc.topLeft() + QPointF(3.6, 7.4), disc.topLeft() + QPointF(6.2, 10.0),
                          disc.topLeft() + QPointF(10.6, 4.6)};
  painter.drawPolyline(tick, 3);
  painter.setPen(textColor(option));
  painter.drawText(cell.adjusted(kSize + 5, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, text);
}

}  // namespace

ItemTable::ItemTable(QAbstractItemModel* model, const QString& name, QWidget* parent)
    : QTableView(parent) {
  setModel(model);
  setItemDelegate(new ListDelegate(this));
  setAccessibleName(name);
  setSelectionBehavior(SelectRows);
  setSelectionMode(ExtendedSelection);
  setEditTriggers(NoEditTriggers);
  setShowGrid(false);
  setWordWrap(false);
  setTextElideMode(Qt::ElideRight);
  setTabKeyNavigation(false);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollMode(ScrollPerPixel);
  setVerticalScrollMode(ScrollPerPixel);
  verticalHeader()->hide();
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setMinimumSectionSize(28);
  connect(this, &QTableView::doubleClicked, this,
          [this](const QModelIndex& index) { emit opened(index.row()); });
}

void ItemTable::setColumns(int stretched, const QList<std::pair<int, int>>& characters) {
  constexpr int kPadding = 16;
  for (const auto& [column, count] : characters) {
    horizontalHeader()->setSectionResizeMode(column, QHeaderView::Interactive);
    // A header is never cut, whatever the font.
    const int words =
        fontMetrics().horizontalAdvance(model()->headerData(column, Qt::Horizontal).toString());
    const int digits = fontMetrics().horizontalAdvance(QString(count, QLatin1Char('0')));
    widths_[column] = std::max(words, digits) + kPadding;
    horizontalHeader()->resizeSection(column, widths_[column]);
  }
  horizontalHeader()->setSectionResizeMode(stretched, QHeaderView::Stretch);
  horizontalHeader()->setStretchLastSection(false);
  widths_.remove(stretched);
  makeRoom();
}

void ItemTable::setGivingWay(const QList<int>& columns) {
  givingWay_ = columns;
  makeRoom();
}

void ItemTable::makeRoom() {
  if (givingWay_.isEmpty()) return;
  constexpr int kTitle = 14;  // characters
  int left =
      viewport()->width() - fontMetrics().horizontalAdvance(QString(kTitle, QLatin1Char('0')));
  for (const auto& [column, width] : widths_.asKeyValueRange())
    if (!givingWay_.contains(column) && !isColumnHidden(column)) left -= width;
  // The last to give way has its room first.
  for (auto column = givingWay_.crbegin(); column != givingWay_.crend(); ++column) {
    left -= widths_.value(*column);
    setColumnHidden(*column, left < 0);
  }
}

void ItemTable::resizeEvent(QResizeEvent* event) {
  makeRoom();
  QTableView::resizeEvent(event);
}

void ItemTable::copy() const {
  QList<int> rows;
  for (const QModelIndex& index : selectionModel()->selectedRows()) rows << index.row();
  std::sort(rows.begin(), rows.end());
  QApplication::clipboard()->setText(tableAsTsv(*model(), rows));
}

void ItemTable::exportAs(const QString& format) {
  const bool csv = format == QLatin1String("csv");
  saveText(this, QStringLiteral("list.") + format,
           csv ? tr("CSV files (*.csv)") : tr("JSON files (*.json)"),
           csv ? tableAsCsv(*model()) : tableAsJson(*model()));
}

void ItemTable::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy)) return copy();
  const bool left = event->key() == Qt::Key_Left, right = event->key() == Qt::Key_Right;
  if (event->modifiers().testFlag(Qt::ControlModifier) && (left || right))
    return emit columnwise(left ? -1 : +1);
  if (event->modifiers() == Qt::NoModifier || event->modifiers() == Qt::KeypadModifier) {
    switch (event->key()) {
      case Qt::Key_Space:
        return emit flipped();
      case Qt::Key_Left:
        return emit sideways(-1);
      case Qt::Key_Right:
        return emit sideways(+1);
      case Qt::Key_Return:
      case Qt::Key_Enter:
        if (currentIndex().isValid()) emit opened(currentIndex().row());
        return;
      default:
        break;
    }
  }
  QTableView::keyPressEvent(event);
}

void ItemTable::contextMenuEvent(QContextMenuEvent* event) {
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addAction(tr("Copy"), QKeySequence(QKeySequence::Copy), this, &ItemTable::copy);
  menu->addSeparator();
  menu->addAction(tr("Export as CSV…"), this, [this] { exportAs(QStringLiteral("csv")); });
  menu->addAction(tr("Export as JSON…"), this, [this] { exportAs(QStringLiteral("json")); });
  menu->popup(event->globalPos());
}

void ItemTable::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
  QTableView::currentChanged(current, previous);
  if (current.isValid() && current.row() != previous.row()) emit rowChosen(current.row());
}

}  // namespace parapet::ui
