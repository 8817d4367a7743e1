// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/reveal_pointer.h"

#include <QScrollArea>
#include <QStackedWidget>

#include "ui/forms/document_table.h"
#include "ui/forms/field.h"

namespace parapet::ui {
namespace {

void showWithin(QWidget& root, QWidget* target) {
  QWidget* inner = target;
  for (QWidget* outer = target->parentWidget(); outer != nullptr && inner != &root;
       inner = outer, outer = outer->parentWidget()) {
    if (auto* stack = qobject_cast<QStackedWidget*>(outer)) stack->setCurrentWidget(inner);
    if (auto* scroll = qobject_cast<QScrollArea*>(outer))
      scroll->ensureWidgetVisible(target, 16, 64);
  }
}

}  // namespace

bool revealPointer(QWidget& root, const QString& pointer) {
  for (DocumentTable* table : root.findChildren<DocumentTable*>())
    if (table->reveal(pointer)) {
      showWithin(root, table);
      return true;
    }
  Field* nearest = nullptr;
  for (Field* field : root.findChildren<Field*>()) {
    const QString& at = field->pointer();
    if (!field->isInDocument() || (pointer != at && !pointer.startsWith(at + '/'))) continue;
    if (nearest == nullptr || nearest->pointer().size() < at.size()) nearest = field;
  }
  if (nearest == nullptr) return false;
  showWithin(root, nearest);
  nearest->editWidget()->setFocus(Qt::OtherFocusReason);
  return true;
}

}  // namespace parapet::ui
