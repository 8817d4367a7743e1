// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTabBar>

#include "ui/models/severity.h"

namespace parapet::ui {

/// The steps of an experiment in a row, with an arrow from each to the next and the findings of
/// each in its title: "Model (2)".
class StepBar : public QTabBar {
  Q_OBJECT

 public:
  explicit StepBar(QWidget* parent = nullptr);
  void addStep(const QString& title);
  /// What is wrong in a step.
  void setFindings(int step, const experiment::Findings& findings);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QStringList titles_;
};

}  // namespace parapet::ui
