// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHBoxLayout>
#include <QProgressBar>
#include <QPushButton>
#include <QTableView>
#include <QWidget>

#include "ui/controllers/source_watch.h"
#include "ui/forms/field.h"
#include "ui/models/experiment_editor.h"
#include "ui/models/rows_model.h"

namespace parapet::ui {

/// Proposes a whole experiment for the data of the document, shows how far the proposal for data that
/// are opened is, and says why each setting is as it is, or why nothing could be proposed.
class ProposalPanel : public QWidget {
  Q_OBJECT

 public:
  ProposalPanel(ExperimentEditor& editor, SourceWatch& watch, QWidget* parent = nullptr);

  [[nodiscard]] QPushButton& button() const { return *button_; }
  [[nodiscard]] QPushButton& raceButton() const { return *race_; }
  [[nodiscard]] QPushButton& sampleButton() const { return *sample_; }
  [[nodiscard]] QPushButton& cancelButton() const { return *cancel_; }
  [[nodiscard]] ReportTableModel& reasons() const { return *reasons_; }
  /// The reasons, for below the preview.
  [[nodiscard]] QTableView& reasonView() const { return *view_; }
  [[nodiscard]] QString findingsText() const { return findings_->text(); }

 private:
  void follow();
  void followRace();
  void showProposal();
  void showError(const Error* error, const QString& consequence);

  ExperimentEditor& editor_;
  SourceWatch& watch_;
  QPushButton* button_;
  QPushButton* race_;
  QPushButton* sample_;
  QProgressBar* progress_;
  QPushButton* cancel_;
  FindingsLabel* findings_;
  ReportTableModel* reasons_;
  QTableView* view_;
};

}  // namespace parapet::ui
