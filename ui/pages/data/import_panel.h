// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QTableView>

#include "engine/workspace/source_questions.h"
#include "engine/workspace/workspace.h"
#include "ui/bridge/background.h"
#include "ui/bridge/pause_gate.h"
#include "ui/forms/field.h"
#include "ui/models/experiment_editor.h"
#include "ui/models/report_table_model.h"

namespace parapet::ui {

/// Imports the data off the GUI thread, can be paused and cancelled, and reports rows,
/// vocabularies, rejected lines.
class ImportPanel : public QWidget {
  Q_OBJECT

 public:
  ImportPanel(workspace::Workspace& workspace, ExperimentEditor& editor, QWidget* parent = nullptr);

  void start();
  [[nodiscard]] bool running() const { return background_.running(); }
  [[nodiscard]] bool paused() const { return gate_.paused(); }
  [[nodiscard]] QString summary() const { return summary_->text(); }
  /// The data as the document has them now; null before they are imported.
  [[nodiscard]] const std::shared_ptr<const workspace::Dataset>& dataset() const {
    return dataset_;
  }
  [[nodiscard]] ReportTableModel& vocabularies() const { return *vocabularies_; }
  /// The table of coverage, for those who show it elsewhere.
  [[nodiscard]] QTableView& vocabularyView() const { return *vocabularyView_; }

 signals:
  /// Sizes are known now.
  void imported();
  /// dataset() is another one, or none.
  void datasetChanged();

 private:
  void showProgress(const QString& stage, qint64 done, qint64 total);
  void showReport(const Result<workspace::ImportReport>& report);
  void showTables(const workspace::ImportReport& report);
  void followRunning(bool running);
  void followDocument();
  void forget();
  void togglePause();
  /// What an import depends on: /dataset but for split and batches.
  [[nodiscard]] nlohmann::ordered_json settings() const;

  workspace::Workspace& workspace_;
  ExperimentEditor& editor_;
  QPushButton* start_;
  QPushButton* pause_;
  QPushButton* cancel_;
  QProgressBar* progress_;
  QLabel* summary_;
  FindingsLabel* findings_;
  ReportTableModel* vocabularies_;
  ReportTableModel* badLines_;
  QTableView* vocabularyView_;
  QTableView* badLineView_;
  nlohmann::ordered_json imported_;  ///< settings() of the import that runs or is shown
  std::shared_ptr<const workspace::Dataset> dataset_;
  QString stage_;
  QElapsedTimer sinceStage_;
  qint64 doneAtStart_ = 0;  ///< of the stage, or since it went on after a pause
  PauseGate gate_;
  Background background_;  ///< after the gate, which its work waits at
};

}  // namespace parapet::ui
