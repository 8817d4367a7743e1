// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/settings_delegate.h"

#include <QFrame>
#include <QScreen>
#include <QScrollArea>
#include <QStyle>
#include <QTimer>
#include <algorithm>

#include "ui/forms/settings_form.h"
#include "ui/style/box_layout.h"
#include "ui/style/popup_dialog.h"

namespace parapet::ui {

QWidget* SettingsDelegate::makeForm(const DocumentRowsModel& model, const QModelIndex& index,
                                    QWidget* parent) const {
  auto* form =
      new SettingsForm(model.editor(), model.cellPointer(index), tr("experiment's"), parent);
  form->setFocusProxy(&form->form());
  return form;
}

QWidget* SettingsDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                                        const QModelIndex& index) const {
  const auto* model = qobject_cast<const DocumentRowsModel*>(index.model());
  if (model == nullptr) return nullptr;
  auto* popup = new PopupFrame(parent);
  popup->setAttribute(Qt::WA_DeleteOnClose);
  popup->setObjectName("settingsPopup");
  auto* layout = verticalBox(popup);
  auto* scroll = new QScrollArea(popup);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  QWidget* form = makeForm(*model, index, scroll);
  form->layout()->setContentsMargins(16, 16, 16, 16);
  scroll->setWidget(form);
  layout->addWidget(scroll);
  const QRect cell(parent->mapToGlobal(option.rect.topLeft()), option.rect.size());
  const QRect screen = parent->screen()->availableGeometry();
  // The popup is as high as its fields, beside the cell, and never beyond the edge of the screen.
  const auto fit = [popup, form, cell, screen] {
    const int room = std::max(screen.bottom() - cell.bottom(), cell.top() - screen.top());
    const QSize wanted = form->sizeHint() + QSize(2 * popup->frameWidth(), 2);
    const bool scrolls = wanted.height() > room;
    const int bar = scrolls ? popup->style()->pixelMetric(QStyle::PM_ScrollBarExtent) : 0;
    const QSize size(wanted.width() + bar, std::min(wanted.height(), room));
    const bool below = cell.bottom() + size.height() <= screen.bottom();
    const int left = std::min(cell.left(), screen.right() - size.width());
    popup->setGeometry(
        {{std::max(left, screen.left()), below ? cell.bottom() + 1 : cell.top() - size.height()},
         size});
  };
  // A row that goes away takes its popup along.
  connect(model, &QAbstractItemModel::rowsRemoved, popup, &QWidget::close);
  connect(&model->editor(), &ExperimentEditor::documentChanged, popup,
          [fit, popup] { QTimer::singleShot(0, popup, fit); });
  popup->show();
  fit();
  form->setFocus();
  return nullptr;
}

}  // namespace parapet::ui
