// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QMenu>
#include <QToolButton>

#include "ui/models/app_settings.h"
#include "ui/models/experiment_editor.h"

namespace parapet::ui {

/// The name of the experiment that is edited; its menu offers recipes, recent experiments and
/// files.
class ExperimentPicker : public QToolButton {
  Q_OBJECT

 public:
  ExperimentPicker(ExperimentEditor& editor, AppSettings& settings, QWidget* parent = nullptr);
  [[nodiscard]] QAction* openAction() const { return open_; }
  [[nodiscard]] QAction* saveAction() const { return save_; }
  /// One per recipe: starts a new experiment from it.
  [[nodiscard]] const QList<QAction*>& recipeActions() const { return recipes_; }

 signals:
  /// A recipe name or a file.
  void openRequested(const QString& fileOrRecipe);

 private:
  void askForFile();
  void askWhereToSave();
  void update();
  void fillMenu();

  ExperimentEditor& editor_;
  AppSettings& settings_;
  QMenu menu_;
  QAction* open_;
  QAction* save_;
  QList<QAction*> recipes_;
};

}  // namespace parapet::ui
