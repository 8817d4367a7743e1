// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QTreeView>

#include "ui/models/experiments_model.h"
#include "ui/models/workspace_experiments.h"
#include "ui/style/controls.h"

namespace parapet::ui {

/// The list under the picker: experiments of the workspace and, behind them, recipes that new ones are
/// made from. Typing searches; Return opens; F2, Ctrl+D and Delete change the chosen one.
class ExperimentPickerPopup : public PopupDialog {
  Q_OBJECT

 public:
  explicit ExperimentPickerPopup(WorkspaceExperiments& experiments, QWidget* parent = nullptr);
  /// Below a widget, with nothing searched.
  void openBelow(QWidget* anchor);
  /// Buttons that belong to no row: open and save a file.
  void addAction(QAction* action);

 signals:
  void recipeChosen(const QString& recipe);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  [[nodiscard]] QModelIndex chosen() const;
  [[nodiscard]] QString chosenExperiment() const;
  QPushButton* button(const QString& text, const QString& name, const QString& tip);
  void accept() override;
  void update();

  WorkspaceExperiments& experiments_;
  ExperimentsModel model_;
  ExperimentsFilter filter_;
  QLineEdit* search_;
  QTreeView* list_;
  QLabel* refused_;
  QPushButton* rename_;
  QPushButton* duplicate_;
  QPushButton* delete_;
};

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
