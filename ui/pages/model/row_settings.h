// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QScrollArea>

#include "ui/forms/document_table.h"
#include "ui/forms/settings_form.h"

namespace parapet::ui {

/// All settings of the selected row of a table, below each other.
class RowSettings : public QScrollArea {
  Q_OBJECT

 public:
  /// `hint`: what to do while no row is selected.
  explicit RowSettings(const QString& hint, QWidget* parent = nullptr);
  /// Follows another table; the one before is forgotten.
  void setTable(DocumentTable* table);
  [[nodiscard]] SettingsForm* form() const { return form_; }
  bool reveal(const QString& pointer);

 private:
  void follow();

  QLabel* hint_;
  DocumentTable* table_ = nullptr;
  SettingsForm* form_ = nullptr;
  QString pointer_;
};

}  // namespace parapet::ui
