// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QDialog>
#include <QSpinBox>
#include <vector>

#include "engine/store/run_store.h"

namespace parapet::ui {

/// Which checkpoint of a run a new run begins with, and up to which epoch it trains.
class ForkDialog : public QDialog {
  Q_OBJECT

 public:
  /// `checkpoints`: at least one, by step.
  ForkDialog(const store::RunRecord& run, const std::vector<store::CheckpointRecord>& checkpoints,
             QWidget* parent = nullptr);
  [[nodiscard]] std::int64_t step() const;
  [[nodiscard]] std::int64_t epochs() const { return epochs_->value(); }

 signals:
  void chosen(const QString& runId, qint64 step, qint64 epochs);

 private:
  void build(const QString& name);
  void offerEpochs();

  const QString runId_;
  const std::vector<store::CheckpointRecord> checkpoints_;
  const std::int64_t totalEpochs_;
  QComboBox* checkpoint_;
  QSpinBox* epochs_;
};

}  // namespace parapet::ui
