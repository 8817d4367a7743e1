// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QWidget>

#include "ui/pages/experiment/form.h"

namespace parapet::ui {

/// Settings whose "kind" decides which others there are: optimizers, initializers. Fields come from
/// the schema; those of other kinds are hidden.
class SettingsForm : public QWidget {
  Q_OBJECT

 public:
  /// `absentLabel`: what null is called, where null is accepted ("experiment's").
  SettingsForm(ExperimentEditor& editor, const QString& pointer, const QString& absentLabel = {},
               QWidget* parent = nullptr);
  bool reveal(const QString& pointer) { return form_->reveal(pointer); }
  [[nodiscard]] Form& form() { return *form_; }

 private:
  void addKindOrNull(const QString& absentLabel);
  void chooseKind(const QString& absentLabel, const QString& kind);

  ExperimentEditor& editor_;
  QString pointer_;
  Form* form_;
};

}  // namespace parapet::ui
