// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QStringList>
#include <utility>
#include <vector>

#include "engine/store/run_store.h"
#include "engine/workspace/workspace.h"

class QFormLayout;

namespace parapet::ui {

/// Asks for the checkpoint that a new run begins with, and the epoch up to which it trains.
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

/// Asks for the part of a run to export, the format and the checkpoint; then for the file.
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
  /// Whether a folder is written, and not a file.
  [[nodiscard]] bool writesFolder() const;
  void chooseFile();

  const QString runId_;
  QComboBox *what_, *format_, *checkpoint_, *seen_;
  QSpinBox* length_;
  QLineEdit* licence_;
  QLabel *checkpointLabel_, *lengthLabel_, *seenLabel_, *licenceLabel_;
  QPushButton* choose_;
  struct ContextField {
    QString name;
    QLabel* label;
    QLineEdit* values;  ///< separated by commas; empty: as in the last row
  };
  std::vector<ContextField> contexts_;
};

}  // namespace parapet::ui
