// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHBoxLayout>
#include <QPushButton>
#include <QTableView>
#include <QWidget>

#include "engine/workspace/proposal.h"
#include "ui/bridge/background.h"
#include "ui/forms/field.h"
#include "ui/models/experiment_editor.h"
#include "ui/models/rows_model.h"

namespace parapet::ui {

/// Proposes a whole experiment for the file that the document names, in one undo step, and shows why
/// each setting is as it is until the data are others.
class ProposalPanel : public QWidget {
  Q_OBJECT

 public:
  explicit ProposalPanel(ExperimentEditor& editor, QWidget* parent = nullptr);

  void propose();
  [[nodiscard]] QPushButton& button() const { return *button_; }
  [[nodiscard]] ReportTableModel& reasons() const { return *reasons_; }
  [[nodiscard]] QString findingsText() const { return findings_->text(); }

 signals:
  void proposed();

 private:
  void follow();
  void show(const Result<workspace::Proposal>& proposal);
  void clear();

  ExperimentEditor& editor_;
  QPushButton* button_;
  FindingsLabel* findings_;
  ReportTableModel* reasons_;
  QTableView* view_;
  std::string path_;  ///< that the reasons are about
  Background background_{"propose"};
};

}  // namespace parapet::ui
