// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/experiment/settings_delegate.h"

#include <QFrame>
#include <QVBoxLayout>

#include "ui/models/document_rows_model.h"
#include "ui/pages/experiment/settings_form.h"

namespace parapet::ui {

QWidget* SettingsDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                                        const QModelIndex& index) const {
  const auto* model = qobject_cast<const DocumentRowsModel*>(index.model());
  if (model == nullptr) return nullptr;
  auto* popup = new QFrame(parent, Qt::Popup);
  popup->setAttribute(Qt::WA_DeleteOnClose);
  popup->setFrameShape(QFrame::StyledPanel);
  popup->setObjectName("settingsPopup");
  auto* layout = new QVBoxLayout(popup);
  layout->setContentsMargins(16, 16, 16, 16);
  auto* form =
      new SettingsForm(model->editor(), model->cellPointer(index), tr("experiment's"), popup);
  layout->addWidget(form);
  // A row that goes away takes its popup along.
  connect(model, &QAbstractItemModel::rowsRemoved, popup, &QWidget::close);
  connect(&model->editor(), &ExperimentEditor::documentChanged, popup,
          [popup] { popup->adjustSize(); });
  popup->adjustSize();
  popup->move(parent->mapToGlobal(option.rect.bottomLeft()));
  popup->show();
  form->form().setFocus();
  return nullptr;
}

}  // namespace parapet::ui
