// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/experiment/section.h"

namespace parapet::ui {

/// Kind and layers of the model, loss, optimizer and schedule.
class ModelSection : public Section {
  Q_OBJECT

 public:
  explicit ModelSection(ExperimentEditor& editor, QWidget* parent = nullptr);

 private:
  void addLayers(const QString& title, const QString& pointer);
  void addOptimizer();
};

}  // namespace parapet::ui
