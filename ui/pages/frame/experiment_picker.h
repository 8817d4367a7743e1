// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QToolButton>

#include "ui/models/workspace_experiments.h"

namespace parapet::ui {

class ExperimentPickerPopup;

/// The name of the experiment that is edited; a click lists those of the workspace and the recipes.
class ExperimentPicker : public QToolButton {
  Q_OBJECT

 public:
  ExperimentPicker(ExperimentEditor& editor, WorkspaceExperiments& experiments,
                   QWidget* parent = nullptr);
  [[nodiscard]] QAction* openAction() const { return open_; }
  [[nodiscard]] QAction* saveAction() const { return save_; }
  /// Shows the list.
  [[nodiscard]] QAction* listAction() const { return list_; }
  /// One per recipe: starts a new experiment from it.
  [[nodiscard]] const QList<QAction*>& recipeActions() const { return recipes_; }

 signals:
  /// A recipe name or a file.
  void openRequested(const QString& fileOrRecipe);

 private:
  void askForFile();
  void askWhereToSave();
  void update();

  ExperimentEditor& editor_;
  QAction* list_;
  QAction* open_;
  QAction* save_;
  QList<QAction*> recipes_;
  ExperimentPickerPopup* popup_;
};

}  // namespace parapet::ui
