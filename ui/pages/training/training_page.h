// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>
#include <functional>

#include "ui/forms/form.h"
#include "ui/pages/page.h"

namespace parapet::ui {

/// The step Training: batches, the course of a run, what is measured, and what it is compared with.
class TrainingPage : public StepPage {
  Q_OBJECT

 public:
  /// "parapet-cli VERB DOC …" for the document that is open.
  using CommandOf = std::function<QString(const QString& verb)>;
  TrainingPage(const Workbench& bench, CommandOf command, QWidget* parent = nullptr);

  [[nodiscard]] QString title() const override { return tr("Training"); }
  [[nodiscard]] QString iconName() const override { return QStringLiteral("train"); }
  [[nodiscard]] QString terminalCommand() const override;
  [[nodiscard]] QStringList prefixes() const override;
  bool reveal(const QString& pointer) override;

 private:
  void addBatches();
  void addBatchSizeCounts();
  void addCourse();
  void addEarlyStopping();
  void addFork();
  void addMeasures();
  void addLists();
  /// What the batch size of the document counts.
  enum class BatchSizeOf { kAllDevices, kEachDevice };
  void chooseBatchSizeOf(BatchSizeOf counted);
  void follow();

  Workbench bench_;
  CommandOf command_;
  QScrollArea* scroll_;
  Form* form_;
};

}  // namespace parapet::ui
