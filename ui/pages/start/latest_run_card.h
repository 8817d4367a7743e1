// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPushButton>

#include "ui/bridge/background.h"
#include "ui/forms/card.h"
#include "ui/pages/page.h"

namespace parapet::ui {

/// The newest run, its outcome, and where to look at it.
class LatestRunCard : public Card {
  Q_OBJECT

 public:
  explicit LatestRunCard(Workbench& bench, QWidget* parent = nullptr);
  void refresh();

 signals:
  void curvesWanted(const QString& runId);
  void listsWanted(const QString& runId);

 private:
  void show(const Result<store::RunRecord>& run);

  Workbench& bench_;
  Background background_;
  QString runId_;
  QLabel* name_;
  QLabel* facts_;
  QPushButton* curves_;
  QPushButton* lists_;
};

}  // namespace parapet::ui
