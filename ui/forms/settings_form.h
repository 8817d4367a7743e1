// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QWidget>

#include "ui/forms/form.h"

namespace parapet::ui {

/// All settings of an object of the document, such as an optimizer, a layer or a loss. Fields come
/// from the schema; those that belong to another "kind" are hidden. Objects inside stand under a
/// heading of their own, lists of objects are left to tables.
class SettingsForm : public QWidget {
  Q_OBJECT

 public:
  /// `absentLabel`: what null is called, where null is accepted ("experiment's").
  SettingsForm(ExperimentEditor& editor, const QString& pointer, const QString& absentLabel = {},
               QWidget* parent = nullptr);
  bool reveal(const QString& pointer);
  /// What is changed here is changed in these objects, too: those of other tables with the same
  /// optimizer.
  void setAlongside(const QStringList& objects);
  [[nodiscard]] Form& form() { return *form_; }

 private:
  void addKindOrNull(const QString& absentLabel);
  /// A check for an object without kinds: not there, or there with its defaults.
  void addPresence();
  /// A check beside a number that may also be {"initial", "trainable"}.
  void addTrainable(const QString& key);
  void addPart(const QString& key);
  void chooseKind(const QString& absentLabel, const QString& kind);

  /// One step for the object and those alongside. `pointer` is that of the object or lies below it.
  void set(const QString& pointer, const nlohmann::json& value, const QString& what);
  /// Pointers to the same member of each object alongside.
  [[nodiscard]] QStringList alongside(const QString& pointer) const;

  ExperimentEditor& editor_;
  QString pointer_;
  QStringList alongside_;
  Form* form_;
  std::vector<SettingsForm*> parts_;
};

}  // namespace parapet::ui
