// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QCheckBox>
#include <QLabel>
#include <QWidget>

#include "ui/pages/experiment/json_view.h"

namespace parapet::ui {

/// The document as text beside any step. It marks the part that the step edits, leaves out what
/// stands at its default unless it is asked for, and keeps text that is no JSON until it is
/// discarded.
class JsonDrawer : public QWidget {
  Q_OBJECT

 public:
  explicit JsonDrawer(ExperimentEditor& editor, QWidget* parent = nullptr);

  [[nodiscard]] JsonView& view() const { return *view_; }
  [[nodiscard]] QCheckBox& showsDefaults() const { return *defaults_; }
  /// Marks and shows the parts of a step.
  void followStep(const QStringList& prefixes);

 signals:
  void closeRequested();

 private:
  void followFindings();

  ExperimentEditor& editor_;
  JsonView* view_;
  QCheckBox* defaults_;
  QWidget* draftBar_;
  QLabel* draftText_;
};

}  // namespace parapet::ui
