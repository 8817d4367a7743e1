// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QLabel>
#include <QWidget>

#include "ui/models/experiment_editor.h"

namespace parapet::ui {

/// Name, origin, state of the document, and what can be done with it as a whole.
class TitleBar : public QWidget {
  Q_OBJECT

 public:
  TitleBar(ExperimentEditor& editor, const QList<QAction*>& actions, QWidget* parent = nullptr);

 private:
  void follow();

  ExperimentEditor& editor_;
  QLabel* origin_;
  QLabel* modified_;
  QLabel* icon_;
  QLabel* problems_;
};

}  // namespace parapet::ui
