// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/cell_delegates.h"

#include <QComboBox>
#include <QSpinBox>
#include <algorithm>
#include <limits>

#include "ui/models/document_rows_model.h"
#include "ui/models/value_names.h"

namespace parapet::ui {
namespace {

const DocumentRowsModel& modelOf(const QModelIndex& index) {
  return *qobject_cast<const DocumentRowsModel*>(index.model());
}

int boundOf(std::optional<double> bound, int otherwise) {
  constexpr double kLargest = std::numeric_limits<int>::max();
  return bound ? static_cast<int>(std::clamp(*bound, -kLargest, kLargest)) : otherwise;
}

}  // namespace

QWidget* ChoiceDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&,
                                      const QModelIndex& index) const {
  const DocumentRowsModel& model = modelOf(index);
  auto* combo = new QComboBox(parent);
  combo->setEditable(model.info(index.column()).type == FieldInfo::Type::kWordOrNumber);
  const bool words = model.info(index.column()).type == FieldInfo::Type::kWord;
  for (const QString& choice : model.choicesAt(index)) {
    combo->addItem(words ? valueName(choice) : choice, choice);
    if (words) combo->setItemData(combo->count() - 1, choice, Qt::ToolTipRole);
  }
  combo->setAccessibleName(
      model.headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString());
  auto* self = const_cast<ChoiceDelegate*>(this);
  if (!combo->isEditable())
    connect(combo, &QComboBox::activated, self, [self, combo] {
      emit self->commitData(combo);
      emit self->closeEditor(combo);
    });
  return combo;
}

void ChoiceDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const {
  if (!takesFirstValue(*editor)) return;
  auto* combo = static_cast<QComboBox*>(editor);
  const QString text = index.data(Qt::EditRole).toString();
  if (combo->isEditable()) {
    combo->setEditText(text);
  } else {
    combo->setCurrentIndex(combo->findData(text));
  }
}

void ChoiceDelegate::setModelData(QWidget* editor, QAbstractItemModel* model,
                                  const QModelIndex& index) const {
  const auto* combo = static_cast<QComboBox*>(editor);
  if (combo->isEditable() || combo->currentIndex() >= 0)
    model->setData(index, combo->isEditable() ? combo->currentText() : combo->currentData(),
                   Qt::EditRole);
}

QWidget* IntegerDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&,
                                       const QModelIndex& index) const {
  const DocumentRowsModel& model = modelOf(index);
  const FieldInfo& info = model.info(index.column());
  auto* spin = new QSpinBox(parent);
  spin->setLocale(QLocale::c());
  spin->setRange(boundOf(info.min, std::numeric_limits<int>::min()),
                 boundOf(info.max, std::numeric_limits<int>::max()));
  spin->setFrame(false);
  spin->setAlignment(Qt::AlignRight);
  spin->setToolTip(info.toolTip());
  spin->setAccessibleName(
      model.headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString());
  return spin;
}

void IntegerDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const {
  if (takesFirstValue(*editor))
    static_cast<QSpinBox*>(editor)->setValue(index.data(Qt::EditRole).toInt());
}

void IntegerDelegate::setModelData(QWidget* editor, QAbstractItemModel* model,
                                   const QModelIndex& index) const {
  auto* spin = static_cast<QSpinBox*>(editor);
  spin->interpretText();
  model->setData(index, spin->value(), Qt::EditRole);
}

}  // namespace parapet::ui
