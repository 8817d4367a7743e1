// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <map>
#include <optional>

#include "ui/bridge/background.h"
#include "ui/controllers/browse_session.h"

namespace parapet::ui {

/// Picks a run of the workspace and one of its checkpoints: the last, the best, or a step.
class ModelPicker : public QWidget {
  Q_OBJECT

 public:
  /// With `none` (e.g. "Compare with…") the picker can also hold no choice, and starts so.
  ModelPicker(workspace::Workspace& workspace, const QString& name, const QString& none,
              QWidget* parent = nullptr);

  /// Reads the runs again; loaded() follows. The choice stays.
  void reload();
  /// nullopt while there is no choice.
  [[nodiscard]] std::optional<ModelChoice> choice() const;
  /// Shows a choice without emitting chosen().
  void setChoice(const ModelChoice& choice);
  void clearChoice();
  /// Steps of the checkpoints of the run that is chosen, ascending.
  [[nodiscard]] const std::vector<std::int64_t>& steps() const { return steps_; }
  /// Greys the runs that were trained on other data than `dataset` (a content hash; "": none), with
  /// the reason; those whose data are not known yet stay.
  void setOnlyData(const QString& dataset);
  /// Lists only runs of models of a kind, as documents name it ("masked_lm"); "": all.
  void setOnlyModels(const QString& kind);
  /// The newest run that has trained a step; "" if none.
  [[nodiscard]] QString newestRun() const;
  /// The run that shows most: the newest finished one, else the newest that trained; "" if none.
  [[nodiscard]] QString firstChoice() const;
  /// Name of a run for the lines over lists: "sample 3f2a91".
  [[nodiscard]] QString runName(const QString& runId) const;

 signals:
  void loaded(int runs);
  void loadFailed(const parapet::Error& error);
  /// Picked by a person.
  void chosen(const parapet::ui::ModelChoice& choice);
  void cleared();
  /// The checkpoints of the run that is chosen were read.
  void stepsChanged();

 private:
  void showRuns(std::vector<store::RunRecord> runs);
  [[nodiscard]] QString runText(const store::RunRecord& run) const;
  void loadCheckpoints();
  void showCheckpoints(const std::vector<store::CheckpointRecord>& checkpoints);
  void pickedRun();
  void addRun(const QString& id, const QString& text);
  void greyRuns();
  [[nodiscard]] const store::RunRecord* record(const QString& runId) const;

  workspace::Workspace& workspace_;
  QString none_;
  QString onlyData_, onlyModels_;
  QComboBox* runs_;
  QComboBox* checkpoints_;
  std::vector<store::RunRecord> records_;
  /// In what listed runs differ from others of their name; runs whose names are their own have none.
  std::map<std::string, QString> differences_;
  workspace::CheckpointChoice wanted_;
  QString listedRun_;  ///< whose checkpoints are offered
  std::vector<std::int64_t> steps_;
  Background listing_, reading_;
};

}  // namespace parapet::ui
