// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/experiment/section.h"
#include "ui/pages/experiment/settings_form.h"

namespace parapet::ui {

/// Towers, score, loss and optimizer.
class ModelSection : public Section {
  Q_OBJECT

 public:
  explicit ModelSection(ExperimentEditor& editor, QWidget* parent = nullptr);

 private:
  void addOptimizer();
};

}  // namespace parapet::ui
