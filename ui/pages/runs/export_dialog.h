// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QSpinBox>

#include "engine/workspace/workspace.h"

namespace parapet::ui {

/// What of a run is exported, in which format, from which checkpoint; then asks for the file.
class ExportDialog : public QDialog {
  Q_OBJECT

 public:
  ExportDialog(const QString& runId, const QString& name, QWidget* parent = nullptr);
  /// The choices so far, without a file.
  [[nodiscard]] workspace::ExportOptions options() const;

 signals:
  void chosen(const QString& runId, const parapet::workspace::ExportOptions& options);

 private:
  void build(const QString& name);
  void offerFormats();
  void chooseFile();

  const QString runId_;
  QComboBox *what_, *format_, *checkpoint_, *seen_;
  QSpinBox* length_;
  QLabel *checkpointLabel_, *lengthLabel_, *seenLabel_;
};

}  // namespace parapet::ui
