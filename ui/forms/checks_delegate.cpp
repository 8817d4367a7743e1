// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/checks_delegate.h"

#include <QListWidget>
#include <QScreen>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/models/document_rows_model.h"
#include "ui/style/popup_dialog.h"

namespace parapet::ui {
namespace {

constexpr int kMinChecksWidth = 208, kMaxChecksHeight = 320, kAround = 16;

/// Shows which are chosen; all of them where the cell says null.
void showChecks(QListWidget& list, const QModelIndex& cell, const QString& absent) {
  const QSignalBlocker quiet(&list);
  const QString text = cell.data(Qt::EditRole).toString();
  const bool isAbsent = text == absent;
  QStringList chosen;
  for (const QString& part : text.split(QLatin1Char(','))) chosen << part.trimmed();
  for (int row = 0; row < list.count(); ++row) {
    QListWidgetItem& item = *list.item(row);
    const bool checked =
        item.text() == absent ? isAbsent : !isAbsent && chosen.contains(item.text());
    item.setCheckState(checked ? Qt::Checked : Qt::Unchecked);
  }
}

}  // namespace

QWidget* ChecksDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                                      const QModelIndex& index) const {
  const auto* model = qobject_cast<const DocumentRowsModel*>(index.model());
  if (model == nullptr) return nullptr;
  auto* popup = new PopupFrame(parent);
  popup->setAttribute(Qt::WA_DeleteOnClose);
  popup->setObjectName(QStringLiteral("checksPopup"));
  auto* list = new QListWidget(popup);
  list->setFrameShape(QFrame::NoFrame);
  list->setAccessibleName(
      model->headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString());
  const QStringList choices = model->choicesAt(index);
  const QString absent = model->absentOf(index.column());
  for (const QString& choice : choices) {
    auto* item = new QListWidgetItem(choice, list);
    item->setFlags(Qt::ItemIsUserCheckable | Qt::ItemIsEnabled | Qt::ItemIsSelectable);
  }
  const QPersistentModelIndex cell(index);
  showChecks(*list, index, absent);
  connect(list, &QListWidget::itemChanged, popup, [list, cell, absent](QListWidgetItem* changed) {
    if (!cell.isValid()) return;
    QStringList chosen;
    const bool toAbsent = changed->text() == absent && changed->checkState() == Qt::Checked;
    for (int row = 0; !toAbsent && row < list->count(); ++row)
      if (list->item(row)->checkState() == Qt::Checked && list->item(row)->text() != absent)
        chosen << list->item(row)->text();
    // Without any the cell says null again.
    const QString text = toAbsent ? absent : chosen.join(QStringLiteral(", "));
    auto* edited = const_cast<QAbstractItemModel*>(cell.model());
    edited->setData(cell, text, Qt::EditRole);
    showChecks(*list, cell, absent);
  });
  connect(model, &QAbstractItemModel::rowsRemoved, popup, &QWidget::close);
  auto* layout = new QVBoxLayout(popup);
  layout->setContentsMargins(4, 4, 4, 4);
  layout->addWidget(list);
  const QRect onScreen(parent->mapToGlobal(option.rect.topLeft()), option.rect.size());
  const QRect screen = parent->screen()->availableGeometry();
  const int height =
      std::min(kMaxChecksHeight, std::max(1, list->count()) * list->sizeHintForRow(0) + kAround);
  const int width = std::max(kMinChecksWidth, list->sizeHintForColumn(0) + 2 * kAround);
  const bool below = onScreen.bottom() + height <= screen.bottom();
  popup->setGeometry(std::max(screen.left(), std::min(onScreen.left(), screen.right() - width)),
                     below ? onScreen.bottom() + 1 : onScreen.top() - height, width, height);
  popup->show();
  list->setFocus();
  return nullptr;
}

}  // namespace parapet::ui
