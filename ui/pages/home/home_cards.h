// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QListWidget>
#include <QTreeView>

#include "ui/forms/card.h"
#include "ui/models/experiments_model.h"
#include "ui/models/recipe_summary.h"
#include "ui/pages/page.h"

namespace parapet::ui {

class DropArea;

/// Under a list of a page that scrolls: it begins with a few rows, and a press shows all of them.
class ShowAll : public QToolButton {
  Q_OBJECT

 public:
  explicit ShowAll(QWidget* parent = nullptr);
  void setRows(int rows);

 signals:
  /// So many rows are to be seen.
  void shown(int rows);

 private:
  int rows_ = 0;
};

/// One's own data: where to drop them, Open…, Download…, and those that the workspace has used.
class DataCard : public Card {
  Q_OBJECT

 public:
  explicit DataCard(DataSources& sources, QWidget* parent = nullptr);

 signals:
  /// A file or folder of data, or an experiment: as if it had been dropped.
  void chosen(const QString& path);
  void downloadWanted();

 private:
  void fill();

  DataSources& sources_;
  DropArea* drop_;
  QWidget* used_;
  QListWidget* list_;
  ShowAll* more_;
};

/// Where one was: the newest run, and the experiments edited last.
class ContinueCard : public Card {
  Q_OBJECT

 public:
  /// A model folder has one run, and no experiments.
  ContinueCard(Workbench& bench, WorkspaceExperiments& experiments, QWidget* parent = nullptr);

 signals:
  void curvesWanted(const QString& runId);
  void listsWanted(const QString& runId);
  void watchWanted();
  /// An experiment was opened.
  void opened();

 private:
  void follow();

  WorkspaceExperiments& experiments_;
  ExperimentsModel model_;
  QTreeView* list_;
  ShowAll* more_;
  QLabel* empty_;
  bool isModel_;
};

}  // namespace parapet::ui
