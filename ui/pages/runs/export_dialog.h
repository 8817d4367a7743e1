// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QStringList>
#include <utility>
#include <vector>

#include "engine/store/run_store.h"
#include "engine/workspace/workspace.h"

class QFormLayout;

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

/// What of a run is exported, in which format, from which checkpoint; then asks for the file.
class ExportDialog : public QDialog {
  Q_OBJECT

 public:
  /// `contexts` are those that the model of the run reads.
  ExportDialog(const QString& runId, const QString& name, const QStringList& contexts = {},
               QWidget* parent = nullptr);
  /// The choices so far, without a file.
  [[nodiscard]] workspace::ExportOptions options() const;

 signals:
  void chosen(const QString& runId, const parapet::workspace::ExportOptions& options);

 private:
  void build(const QString& name, const QStringList& contexts);
  void addContexts(QFormLayout& form, const QStringList& contexts);
  void offerFormats();
  void chooseFile();

  const QString runId_;
  QComboBox *what_, *format_, *checkpoint_, *seen_;
  QSpinBox* length_;
  QLabel *checkpointLabel_, *lengthLabel_, *seenLabel_;
  struct ContextField {
    QString name;
    QLabel* label;
    QLineEdit* values;  ///< separated by commas; empty: as in the last row
  };
  std::vector<ContextField> contexts_;
};

}  // namespace parapet::ui
