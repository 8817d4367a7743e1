// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPushButton>
#include <QTimer>

#include "ui/bridge/background.h"
#include "ui/forms/card.h"
#include "ui/pages/page.h"

namespace parapet::ui {

class RunGlimpse;

/// The newest run of any program, its outcome at a glance, and where to look at it. While there are none but of the sample, it
/// offers to watch a longer one train.
class LatestRunCard : public QWidget {
  Q_OBJECT

 public:
  explicit LatestRunCard(Workbench& bench, QWidget* parent = nullptr);
  void refresh();

 signals:
  void curvesWanted(const QString& runId);
  void listsWanted(const QString& runId);
  void watchWanted();
  /// Another run is the newest.
  void newestChanged();

 private:
  void show(const Result<store::RunRecord>& run);
  void nameBrowse(bool readsTexts);

  static constexpr int kPollMs = 2000;

  Workbench& bench_;
  Background background_;
  QTimer timer_;
  QString runId_;
  QLabel* name_;
  QLabel* facts_;
  RunGlimpse* glimpse_;
  QPushButton* curves_;
  QPushButton* lists_;
  QPushButton* resume_;
  QPushButton* watch_;
};

}  // namespace parapet::ui
