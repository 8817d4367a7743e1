// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/models/recipe_summary.h"
#include "ui/models/workspace_experiments.h"
#include "ui/pages/page.h"

class QBoxLayout;

namespace parapet::ui {

class RecipeTiles;

/// Where a session begins: go on with the newest run or an experiment, open data, take a recipe.
class HomePage : public Page {
  Q_OBJECT

 public:
  HomePage(Workbench& bench, WorkspaceExperiments& experiments, QWidget* parent = nullptr);

  [[nodiscard]] QString title() const override { return tr("Home"); }
  [[nodiscard]] QString iconName() const override { return QStringLiteral("start"); }
  [[nodiscard]] QString terminalCommand() const override;
  /// Trains the sample on more data and shows its curve.
  void watchSample();

 signals:
  /// A recipe, to be used with data; `dataPath` is "" if none are known or needed.
  void recipeRequested(const QString& recipe, const QString& dataPath);
  /// A file or folder, as if it had been dropped.
  void dropped(const QString& path);
  /// Public data are wanted: for a recipe, or for themselves ("").
  void downloadRequested(const QString& recipe);

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void arrange();
  void useKnownData();
  void startWatched();

  Workbench& bench_;
  WorkspaceExperiments& experiments_;
  DataSources sources_;
  RecipeTiles* tiles_;
  QList<QWidget*> cards_;  ///< Continue, Your data
  QBoxLayout* above_;      ///< has them
};

}  // namespace parapet::ui
