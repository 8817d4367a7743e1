// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/model/row_settings.h"

#include <QVBoxLayout>

#include "ui/forms/card.h"
#include "ui/models/document_edits.h"

namespace parapet::ui {

RowSettings::RowSettings(const QString& hint, QWidget* parent)
    : QScrollArea(parent), hint_(new QuietLabel(hint)) {
  auto* inside = new QWidget;
  auto* layout = new QVBoxLayout(inside);
  layout->setContentsMargins(0, 0, 8, 0);
  hint_->setWordWrap(true);
  layout->addWidget(hint_);
  layout->addStretch(1);
  setWidget(inside);
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setAccessibleName(tr("Settings of the selected row"));
}

void RowSettings::setTable(DocumentTable* table) {
  if (table_ != nullptr) table_->view().selectionModel()->disconnect(this);
  table_ = table;
  if (table != nullptr)
    connect(table->view().selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &RowSettings::follow);
  follow();
}

void RowSettings::follow() {
  QString pointer;
  if (table_ != nullptr && table_->view().currentIndex().isValid())
    pointer = elementPointer(table_->model().arrayPointer(), table_->view().currentIndex().row());
  if (pointer == pointer_) return;
  pointer_ = pointer;
  if (form_ != nullptr) {
    // One of its widgets may have asked for the change.
    form_->hide();
    form_->setParent(nullptr);
    form_->deleteLater();
    form_ = nullptr;
  }
  hint_->setVisible(pointer.isEmpty());
  if (pointer.isEmpty()) return;
  form_ = new SettingsForm(table_->model().editor(), pointer, {}, widget());
  static_cast<QVBoxLayout*>(widget()->layout())->insertWidget(0, form_);
}

bool RowSettings::reveal(const QString& pointer) {
  if (form_ == nullptr || !form_->reveal(pointer)) return false;
  if (QWidget* focus = widget()->focusWidget()) ensureWidgetVisible(focus, 16, 48);
  return true;
}

}  // namespace parapet::ui
