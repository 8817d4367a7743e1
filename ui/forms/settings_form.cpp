// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/settings_form.h"

#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/models/document_edits.h"
#include "ui/models/document_text.h"

namespace parapet::ui {

SettingsForm::SettingsForm(ExperimentEditor& editor, const QString& pointer,
                           const QString& absentLabel, QWidget* parent)
    : QWidget(parent), editor_(editor), pointer_(pointer), form_(new Form(editor, this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(form_);
  if (fieldInfo(pointer).nullable) addKindOrNull(absentLabel);
  QStringList parts;
  for (const QString& key : fieldKeys(pointer)) {
    if (key == "kind" && fieldInfo(pointer).nullable) continue;
    const FieldInfo info = fieldInfo(pointer + '/' + key);
    if (info.type == FieldInfo::Type::kObject) {
      parts << key;
    } else if (info.elements != FieldInfo::Type::kObject) {
      form_->addField(pointer + '/' + key, labelOf(key));
    }
  }
  // Under all other settings: what follows a heading seems to belong to it.
  for (const QString& key : parts) addPart(key);
  form_->addFindings(pointer);
}

void SettingsForm::addPart(const QString& key) {
  const QString pointer = pointer_ + '/' + key;
  QLabel* heading = form_->addHeading(labelOf(key));
  heading->setToolTip(fieldInfo(pointer).toolTip());
  auto* part = new SettingsForm(editor_, pointer, tr("experiment's"), form_);
  form_->addWide(part);
  parts_.push_back(part);
  const auto follow = [this, pointer, heading, part] {
    const bool there = parapet::ui::find(editor_.document(), pointer) != nullptr;
    heading->setVisible(there);
    part->setVisible(there);
  };
  connect(&editor_, &ExperimentEditor::documentChanged, part, follow);
  follow();
}

bool SettingsForm::reveal(const QString& pointer) {
  return std::ranges::any_of(parts_, [&](SettingsForm* part) { return part->reveal(pointer); }) ||
         form_->reveal(pointer);
}

void SettingsForm::addKindOrNull(const QString& absentLabel) {
  auto* combo = new QComboBox(form_);
  combo->addItem(absentLabel);
  combo->addItems(fieldInfo(pointer_ + "/kind").words);
  combo->setAccessibleName(tr("Kind"));
  combo->setToolTip(fieldInfo(pointer_).toolTip());
  form_->addRow(tr("Kind"), combo);
  const auto follow = [this, combo] {
    const QSignalBlocker quiet(combo);
    const auto kind = editor_.value(pointer_ + "/kind");
    combo->setCurrentIndex(kind.is_null() ? 0 : combo->findText(shownValue(kind)));
  };
  connect(&editor_, &ExperimentEditor::documentChanged, combo, follow);
  connect(combo, &QComboBox::textActivated, this,
          [this, absentLabel](const QString& kind) { chooseKind(absentLabel, kind); });
  follow();
}

void SettingsForm::chooseKind(const QString& absentLabel, const QString& kind) {
  const QString what = tr("Change kind");
  if (kind == absentLabel) {
    editor_.setValue(pointer_, nullptr, what);
  } else if (editor_.value(pointer_).is_object()) {
    editor_.setValue(pointer_ + "/kind", kind.toStdString(), what);
  } else {
    editor_.setValue(pointer_, {{"kind", kind.toStdString()}}, what);
  }
}

}  // namespace parapet::ui
