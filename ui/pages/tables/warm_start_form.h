// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QWidget>
#include <optional>

#include "engine/workspace/workspace.h"
#include "ui/bridge/background.h"
#include "ui/forms/cell_delegates.h"
#include "ui/models/experiment_editor.h"

namespace parapet::ui {

/// The cells that say which rows of another run a table begins with.
class WarmStartDelegate : public SettingsDelegate {
  Q_OBJECT

 public:
  WarmStartDelegate(workspace::Workspace& workspace, QObject* parent)
      : SettingsDelegate(parent), workspace_(workspace) {}

 protected:
  [[nodiscard]] QWidget* makeForm(const DocumentRowsModel& model, const QModelIndex& index,
                                  QWidget* parent) const override;

 private:
  workspace::Workspace& workspace_;
};

/// The rows that a table begins with: none, or those of a table of another run at one of its
/// checkpoints. Runs and checkpoints are read off the GUI thread; every choice is one undo step.
class WarmStartForm : public QWidget {
  Q_OBJECT

 public:
  /// `pointer`: that of the warm start, "/tables/0/warm_start".
  WarmStartForm(workspace::Workspace& workspace, ExperimentEditor& editor, QString pointer,
                QWidget* parent = nullptr);

  [[nodiscard]] QComboBox& runs() { return *runs_; }
  [[nodiscard]] QComboBox& tables() { return *tables_; }
  [[nodiscard]] QComboBox& steps() { return *steps_; }

 private:
  /// The tables that a run offers.
  struct Offer {
    std::vector<experiment::Table> tables;
    std::vector<std::int64_t> steps;  ///< of its checkpoints, ascending
  };
  QComboBox* addChoice(const QString& label, const QString& toolTip);
  void readRuns();
  void readOffer();
  void showRuns(const std::vector<store::RunRecord>& runs);
  void showOffer(const Offer& offer);
  void follow();
  void choose();
  [[nodiscard]] std::optional<experiment::WarmStart> warmStart() const;
  [[nodiscard]] const experiment::Table* table() const;

  workspace::Workspace& workspace_;
  ExperimentEditor& editor_;
  QString pointer_;
  QComboBox *runs_ = nullptr, *tables_ = nullptr, *steps_ = nullptr;
  QLabel* note_;
  QString offered_;  ///< the run whose tables and steps are listed
  Background listing_{"list runs"}, reading_{"read a run"};
};

}  // namespace parapet::ui
