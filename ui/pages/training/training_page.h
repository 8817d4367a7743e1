// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>
#include <functional>
#include <vector>

#include "ui/forms/form.h"
#include "ui/pages/page.h"
#include "ui/style/layouts.h"

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
  [[nodiscard]] nlohmann::json saveState() const override;
  void restoreState(const nlohmann::json& state) override;

 private:
  void addBatches();
  void addBatchSizeCounts(Form& form);
  void addCourse();
  void addSwitch(Form& form, const QString& pointer, const nlohmann::json& used,
                 const QString& text, const QString& toolTip);
  Form& addSection(const QString& name, const QString& title, const QString& help);
  void addMeasures();
  void addLists();
  /// The examples that the batch size of the document counts.
  enum class BatchSizeOf { kAllDevices, kEachDevice };
  void chooseBatchSizeOf(BatchSizeOf counted);
  void follow();

  Workbench bench_;
  CommandOf command_;
  QWidget* inside_;
  ColumnsLayout* columns_;
  std::vector<Form*> sections_;
  QScrollArea* scroll_;
};

}  // namespace parapet::ui
