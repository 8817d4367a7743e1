// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QTreeView>

#include "ui/forms/card.h"
#include "ui/models/experiments_model.h"
#include "ui/pages/page.h"

namespace parapet::ui {

class LatestRunCard;

/// Where one was: the newest run, and the experiments edited last.
class ContinueCard : public Card {
  Q_OBJECT

 public:
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
  QLabel* empty_;
};

}  // namespace parapet::ui
