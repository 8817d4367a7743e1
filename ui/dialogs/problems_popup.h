// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/forms/problem_list.h"
#include "ui/style/popup_dialog.h"

namespace parapet::ui {

/// Why an experiment cannot run: its problems below the button that asked, with their fixes. Closes
/// when the last problem is gone, and deletes itself.
class ProblemsPopup : public PopupDialog {
  Q_OBJECT

 public:
  ProblemsPopup(ExperimentEditor& editor, QWidget* anchor);

 signals:
  void problemChosen(const QString& pointer);
  /// A fix that asks: for data, or for a label.
  void questionRequested(experiment::FixKind kind);

 private:
  void fit();

  ExperimentEditor& editor_;
  QWidget* anchor_;
  ProblemList* list_;
};

}  // namespace parapet::ui
