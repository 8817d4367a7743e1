// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/file_delegate.h"

#include <QAction>
#include <QFileInfo>
#include <QLineEdit>

#include "ui/forms/choose_file.h"
#include "ui/models/document_rows_model.h"
#include "ui/models/document_text.h"
#include "ui/style/line_icon.h"

namespace parapet::ui {

QWidget* FileDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&,
                                    const QModelIndex& index) const {
  auto* line = new QLineEdit(parent);
  line->setFrame(false);
  line->setAccessibleName(
      index.model()->headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString());
  QAction* browse =
      line->addAction(lineIcon(QStringLiteral("folder")), QLineEdit::TrailingPosition);
  browse->setObjectName(QStringLiteral("chooseFile"));
  browse->setToolTip(tr("Chooses a file"));
  const auto* model = qobject_cast<const DocumentRowsModel*>(index.model());
  connect(
      browse, &QAction::triggered, line,
      [this, line, parent, model, cell = QPersistentModelIndex(index)] {
        const QString data =
            model == nullptr ? QString() : shownValue(model->editor().value("/dataset/path"));
        // The line goes away when the dialog takes the focus; the cell stays.
        chooseFile(
            parent,
            {.title = tr("Choose a file"),
             .filter = vectorFilter(),
             .folder = QFileInfo(data).absolutePath()},
            model->parent(), [cell](const QString& path) {
              if (cell.isValid())
                const_cast<QAbstractItemModel*>(cell.model())->setData(cell, path, Qt::EditRole);
            });
        emit const_cast<FileDelegate*>(this)->closeEditor(line);
      });
  return line;
}

void FileDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
  RoomyDelegate::initStyleOption(option, index);
  option->textElideMode = Qt::ElideMiddle;
}

}  // namespace parapet::ui
