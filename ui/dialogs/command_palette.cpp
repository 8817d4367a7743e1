// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/command_palette.h"

#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPointer>
#include <QStyledItemDelegate>
#include <QTimer>
#include <algorithm>

#include "ui/style/layouts.h"
#include "ui/style/line_icon.h"
#include "ui/style/theme.h"

namespace parapet::ui {
namespace {

constexpr int kRowHeight = 32, kWidth = 560, kMaxRows = 10;

/// Icon, text, and the shortcut at the right.
class ActionDelegate final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
    return {kWidth, kRowHeight};
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    painter->save();
    const QPalette& palette = option.palette;
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    const bool enabled = index.data(PaletteModel::kEnabledRole).toBool();
    if (selected) painter->fillRect(option.rect, palette.highlight());
    const QRect inside = option.rect.adjusted(12, 0, -12, 0);
    const auto icon = index.data(Qt::DecorationRole).value<QIcon>();
    const QRect iconAt(inside.left(), inside.center().y() - 8, 16, 16);
    if (!icon.isNull())
      icon.paint(painter, iconAt, Qt::AlignCenter,
                 !enabled   ? QIcon::Disabled
                 : selected ? QIcon::Selected
                            : QIcon::Normal);
    const QColor text = !enabled   ? palette.color(QPalette::Disabled, QPalette::Text)
                        : selected ? palette.color(QPalette::HighlightedText)
                                   : palette.color(QPalette::Text);
    const QString keys = index.data(PaletteModel::kShortcutRole).toString();
    painter->setPen(selected ? text : quietColor(palette));
    painter->drawText(inside, Qt::AlignRight | Qt::AlignVCenter, keys);
    const int keysWidth = keys.isEmpty() ? 0 : option.fontMetrics.horizontalAdvance(keys) + 16;
    const QRect textAt = inside.adjusted(28, 0, -keysWidth, 0);
    painter->setPen(text);
    painter->drawText(
        textAt, Qt::AlignLeft | Qt::AlignVCenter,
        option.fontMetrics.elidedText(index.data().toString(), Qt::ElideRight, textAt.width()));
    painter->restore();
  }
};

}  // namespace

CommandPalette::CommandPalette(QWidget* parent)
    : PopupDialog(parent),
      typed_(new QLineEdit),
      list_(new QListView),
      nothing_(new QLabel(tr("No command matches."))) {
  setObjectName(QStringLiteral("commandPalette"));
  setAccessibleName(tr("Command palette"));
  typed_->setPlaceholderText(tr("Search commands"));
  typed_->setAccessibleName(tr("Search text"));
  typed_->setMinimumHeight(36);
  typed_->addAction(lineIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
  typed_->installEventFilter(this);
  list_->setModel(&model_);
  list_->setItemDelegate(new ActionDelegate(list_));
  list_->setFrameShape(QFrame::NoFrame);
  list_->setUniformItemSizes(true);
  list_->setFocusPolicy(Qt::NoFocus);
  list_->setAccessibleName(tr("Commands"));
  nothing_->setAlignment(Qt::AlignCenter);
  nothing_->setMinimumHeight(2 * kRowHeight);
  nothing_->hide();
  auto* layout = verticalBox(this, 8, {8, 8, 8, 8});
  layout->addWidget(typed_);
  layout->addWidget(list_);
  layout->addWidget(nothing_);
  connect(typed_, &QLineEdit::textChanged, this, &CommandPalette::filter);
  connect(typed_, &QLineEdit::returnPressed, this, [this] { trigger(list_->currentIndex()); });
  connect(list_, &QListView::clicked, this, &CommandPalette::trigger);
}

void CommandPalette::open(const QList<QAction*>& actions) {
  model_.setActions(actions);
  typed_->clear();
  filter(QString());
  const QWidget* window = parentWidget();
  const int width = std::min(kWidth + 32, window->width() - 64);
  resize(width, kMaxRows * kRowHeight + 64);
  move(window->mapToGlobal(QPoint((window->width() - width) / 2, 72)));
  show();
  typed_->setFocus();
}

void CommandPalette::filter(const QString& typed) {
  model_.setTyped(typed);
  const bool empty = model_.rowCount() == 0;
  list_->setVisible(!empty);
  nothing_->setVisible(empty);
  list_->setCurrentIndex(model_.index(0));
}

void CommandPalette::trigger(const QModelIndex& index) {
  const QPointer<QAction> action = index.isValid() ? model_.action(index.row()) : nullptr;
  if (!action || !action->isEnabled()) return;
  hide();
  // After the popup is gone, so that what the action opens gets the focus.
  QTimer::singleShot(0, action, &QAction::trigger);
}

void CommandPalette::moveBy(int rows) {
  const int last = model_.rowCount() - 1;
  if (last < 0) return;
  const int row = std::clamp(list_->currentIndex().row() + rows, 0, last);
  list_->setCurrentIndex(model_.index(row));
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (watched != typed_ || event->type() != QEvent::KeyPress)
    return PopupDialog::eventFilter(watched, event);
  switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Down:
      moveBy(1);
      return true;
    case Qt::Key_Up:
      moveBy(-1);
      return true;
    case Qt::Key_PageDown:
      moveBy(kMaxRows);
      return true;
    case Qt::Key_PageUp:
      moveBy(-kMaxRows);
      return true;
    default:
      return PopupDialog::eventFilter(watched, event);
  }
}

}  // namespace parapet::ui
