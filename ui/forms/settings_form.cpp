// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/forms/settings_form.h"

#include <QSignalBlocker>
#include <algorithm>

#include "ui/models/document_edits.h"
#include "ui/models/document_text.h"
#include "ui/models/value_names.h"
#include "ui/style/box_layout.h"

namespace parapet::ui {

SettingsForm::SettingsForm(ExperimentEditor& editor, const QString& pointer,
                           const QString& absentLabel, QWidget* parent)
    : QWidget(parent), editor_(editor), pointer_(pointer), form_(new Form(editor, this)) {
  auto* layout = verticalBox(this);
  layout->addWidget(form_);
  if (fieldInfo(pointer).nullable) {
    if (fieldKeys(pointer).contains("kind"))
      addKindOrNull(absentLabel);
    else
      addPresence();
  }
  QStringList parts;
  for (const QString& key : fieldKeys(pointer)) {
    if (key == "kind" && fieldInfo(pointer).nullable) continue;
    const FieldInfo info = fieldInfo(pointer + '/' + key);
    if (info.type == FieldInfo::Type::kObject) {
      parts << key;
    } else if (info.elements != FieldInfo::Type::kObject) {
      form_->addField(pointer + '/' + key, labelOf(key));
      if (fieldKeys(pointer + '/' + key).contains("trainable")) addTrainable(key);
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

void SettingsForm::addPresence() {
  auto* box = new QCheckBox(form_);
  const QString label = labelOf(pointer_.section('/', -1));
  box->setObjectName(pointer_);
  box->setAccessibleName(label);
  box->setToolTip(fieldInfo(pointer_).toolTip());
  form_->addRow(tr("Used"), box);
  const auto follow = [this, box] { box->setChecked(editor_.value(pointer_).is_object()); };
  connect(&editor_, &ExperimentEditor::documentChanged, box, follow);
  connect(box, &QCheckBox::clicked, this, [this, label](bool used) {
    set(pointer_, used ? nlohmann::json::object() : nlohmann::json(),
        tr("Change %1").arg(label.toLower()));
  });
  follow();
}

void SettingsForm::addTrainable(const QString& key) {
  const QString pointer = pointer_ + '/' + key;
  const QString label = tr("Train %1").arg(labelOf(key).toLower());
  auto* box = new QCheckBox(form_);
  box->setObjectName(pointer + "/trainable");
  box->setAccessibleName(label);
  box->setToolTip(fieldInfo(pointer + "/trainable").toolTip());
  QLabel* name = form_->addRow(label, box);
  const auto follow = [this, box, name, pointer] {
    const bool there = parapet::ui::find(editor_.document(), pointer) != nullptr;
    box->setVisible(there);
    name->setVisible(there);
    const nlohmann::json value = editor_.value(pointer);
    box->setChecked(value.is_object() && value.value("trainable", false));
  };
  connect(&editor_, &ExperimentEditor::documentChanged, box, follow);
  connect(box, &QCheckBox::clicked, this, [this, pointer, label](bool trains) {
    const nlohmann::json value = editor_.value(pointer);
    const nlohmann::json initial =
        value.is_object() ? value.value("initial", nlohmann::json(1.0)) : value;
    set(pointer, trains ? nlohmann::json{{"initial", initial}, {"trainable", true}} : initial,
        label);
  });
  follow();
}

void SettingsForm::addKindOrNull(const QString& absentLabel) {
  auto* combo = new QComboBox(form_);
  combo->addItem(absentLabel, absentLabel);
  for (const QString& word : fieldInfo(pointer_ + "/kind").words)
    combo->addItem(valueName(word), word);
  combo->setAccessibleName(tr("Kind"));
  combo->setToolTip(fieldInfo(pointer_).toolTip());
  form_->addRow(tr("Kind"), combo);
  const auto follow = [this, combo] {
    const QSignalBlocker quiet(combo);
    const auto kind = editor_.value(pointer_ + "/kind");
    combo->setCurrentIndex(kind.is_null() ? 0 : combo->findData(shownValue(kind)));
  };
  connect(&editor_, &ExperimentEditor::documentChanged, combo, follow);
  connect(combo, &QComboBox::activated, this, [this, absentLabel, combo](int at) {
    chooseKind(absentLabel, combo->itemData(at).toString());
  });
  follow();
}

void SettingsForm::chooseKind(const QString& absentLabel, const QString& kind) {
  const QString what = tr("Change kind");
  if (kind == absentLabel) {
    set(pointer_, nullptr, what);
  } else if (editor_.value(pointer_).is_object()) {
    set(pointer_ + "/kind", kind.toStdString(), what);
  } else {
    set(pointer_, {{"kind", kind.toStdString()}}, what);
  }
}

QStringList SettingsForm::alongside(const QString& pointer) const {
  QStringList pointers;
  for (const QString& object : alongside_) pointers << object + pointer.mid(pointer_.size());
  return pointers;
}

void SettingsForm::set(const QString& pointer, const nlohmann::json& value, const QString& what) {
  editor_.setValues(QStringList{pointer} + alongside(pointer), value, what);
}

void SettingsForm::setAlongside(const QStringList& objects) {
  alongside_ = objects;
  for (Field* field : form_->fields()) field->setAlongside(alongside(field->pointer()));
  for (SettingsForm* part : parts_) part->setAlongside(alongside(part->pointer_));
}

}  // namespace parapet::ui
