// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QWidget>

#include "ui/models/experiment_editor.h"

namespace parapet::ui {

/// Name, origin, state of the document, and what can be done with it as a whole.
class TitleBar : public QWidget {
  Q_OBJECT

 public:
  explicit TitleBar(ExperimentEditor& editor, QWidget* parent = nullptr);
  /// A button at the right.
  void addTool(QAction* action, Qt::ToolButtonStyle style);

 private:
  void follow();

  ExperimentEditor& editor_;
  QLabel* origin_;
  QHBoxLayout* tools_;
};

}  // namespace parapet::ui
