// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QTableView>

#include "engine/workspace/workspace.h"
#include "ui/bridge/background.h"
#include "ui/models/experiment_editor.h"
#include "ui/models/report_table_model.h"
#include "ui/pages/experiment/field.h"

namespace parapet::ui {

/// Imports the data off the GUI thread and tells what they are: rows, vocabularies, bad lines.
class ImportPanel : public QWidget {
  Q_OBJECT

 public:
  ImportPanel(workspace::Workspace& workspace, ExperimentEditor& editor, QWidget* parent = nullptr);

  void start();
  [[nodiscard]] bool running() const { return background_.running(); }
  [[nodiscard]] QString summary() const { return summary_->text(); }

 signals:
  /// Sizes are known now.
  void imported();

 private:
  void showProgress(const QString& stage, qint64 done, qint64 total);
  void showReport(const Result<data::ImportReport>& report);
  void showTables(const data::ImportReport& report);
  void followRunning(bool running);
  void followDocument();

  workspace::Workspace& workspace_;
  ExperimentEditor& editor_;
  QPushButton* start_;
  QPushButton* cancel_;
  QProgressBar* progress_;
  QLabel* summary_;
  FindingsLabel* findings_;
  ReportTableModel* vocabularies_;
  ReportTableModel* badLines_;
  QTableView* vocabularyView_;
  QTableView* badLineView_;
  nlohmann::ordered_json imported_;  ///< /dataset, as it was imported
  Background background_;
};

}  // namespace parapet::ui
