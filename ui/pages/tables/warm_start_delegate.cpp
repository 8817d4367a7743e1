// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/tables/warm_start_delegate.h"

#include "ui/pages/tables/warm_start_form.h"

namespace parapet::ui {

QWidget* WarmStartDelegate::makeForm(const DocumentRowsModel& model, const QModelIndex& index,
                                     QWidget* parent) const {
  return new WarmStartForm(workspace_, model.editor(), model.cellPointer(index), parent);
}

}  // namespace parapet::ui
