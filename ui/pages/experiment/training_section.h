// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/experiment/section.h"

namespace parapet::ui {

/// The course of a run, what is measured, and what it is compared with.
class TrainingSection : public Section {
  Q_OBJECT

 public:
  explicit TrainingSection(ExperimentEditor& editor, QWidget* parent = nullptr);

 private:
  void addEarlyStopping(Form& form);
};

}  // namespace parapet::ui
