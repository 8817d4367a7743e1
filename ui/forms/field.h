// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QWidget>

#include "ui/forms/choice_fields.h"
#include "ui/forms/field_binding.h"
#include "ui/models/experiment_editor.h"

namespace parapet::ui {

class FieldOutline;

/// Icon and text of findings, for under a field. Hidden while there are none.
class FindingsLabel : public QWidget {
  Q_OBJECT

 public:
  explicit FindingsLabel(QWidget* parent = nullptr);
  void setFindings(const experiment::Findings& findings);
  [[nodiscard]] QString text() const { return text_->text(); }

 private:
  QLabel* icon_;
  QLabel* text_;
};

/// One field of the document: the widget that edits it and, below, its findings. It
/// follows the editor by itself and is there only while the document has the field.
class Field : public QWidget {
  Q_OBJECT

 public:
  /// `make`: the widget, where the type of the field does not say which.
  Field(ExperimentEditor& editor, QString pointer, const QString& label, QWidget* parent = nullptr,
        const BindingMaker& make = {});

  [[nodiscard]] const QString& pointer() const { return pointer_; }
  [[nodiscard]] QWidget* editWidget() const { return binding_.widget; }
  [[nodiscard]] QString findingsText() const { return findings_->text(); }
  /// Beside the widget, such as "Browse…".
  void addBeside(QWidget* widget);
  [[nodiscard]] bool isInDocument() const;
  /// Hides a field that the document has and that tells nothing of it.
  void setApplies(bool applies);
  /// What is entered here is set at these pointers, too.
  void setAlongside(QStringList pointers) { alongside_ = std::move(pointers); }

 signals:
  /// The field is there now, or no longer: the document has it, and it applies.
  void presenceChanged(bool present);

 private:
  void follow();
  void followFindings();
  void followPresence();

  ExperimentEditor& editor_;
  QString pointer_;
  QStringList alongside_;
  FieldBinding binding_;
  FindingsLabel* findings_;
  QHBoxLayout* line_;
  FieldOutline* outline_;
  bool present_ = true, applies_ = true;
};

}  // namespace parapet::ui
