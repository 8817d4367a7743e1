// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QTableView>
#include <QTimer>

#include "engine/workspace/source_questions.h"
#include "engine/workspace/workspace.h"
#include "ui/bridge/background.h"
#include "ui/bridge/pause.h"
#include "ui/forms/field.h"
#include "ui/models/experiment_editor.h"
#include "ui/models/rows_model.h"

namespace parapet::ui {

/// Imports the data off the GUI thread, can be paused and cancelled, and says what came of it. An
/// import that was made before is found by itself when a document is opened, and when its data
/// change while the panel is shown. Vocabularies and rejected lines are views of their own.
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
  [[nodiscard]] ReportTableModel& rejectedLines() const { return *rejectedLines_; }
  /// Tables of the result, for the steps that they belong to.
  [[nodiscard]] QTableView& vocabularyView() const { return *vocabularyView_; }
  [[nodiscard]] QTableView& rejectedLineView() const { return *rejectedLineView_; }
  [[nodiscard]] QPushButton& startButton() const { return *start_; }

 signals:
  /// Sizes are known now.
  void imported();
  /// dataset() is another one, or none.
  void datasetChanged();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void showProgress(const QString& stage, qint64 done, qint64 total);
  void showReport(const Result<workspace::ImportReport>& report);
  void showTables(const workspace::ImportReport& report);
  void followRunning(bool running);
  void followDocument();
  /// Looks for an import of the present settings.
  void look();
  void forget();
  void togglePause();
  [[nodiscard]] bool isPossible() const;
  /// The settings that an import depends on: /dataset but for split and batches.
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
  ReportTableModel* rejectedLines_;
  QTableView* vocabularyView_;
  QTableView* rejectedLineView_;
  QTimer pauseOfEdits_;
  nlohmann::ordered_json looked_;    ///< settings() that were looked for last
  nlohmann::ordered_json imported_;  ///< settings() of the import that runs or is shown
  std::shared_ptr<const workspace::Dataset> dataset_;
  QString stage_;
  QElapsedTimer sinceStage_;
  qint64 doneAtStart_ = 0;  ///< of the stage, or since it went on after a pause
  PauseGate gate_;
  Background background_;  ///< after the gate, which its work waits at
  Background finder_{"find import"};
};

}  // namespace parapet::ui
