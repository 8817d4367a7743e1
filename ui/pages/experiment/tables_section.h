// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/models/tables_model.h"
#include "ui/pages/experiment/section.h"

namespace parapet::ui {

/// Embedding tables and features, with what they need in memory.
class TablesSection : public Section {
  Q_OBJECT

 public:
  explicit TablesSection(ExperimentEditor& editor, QWidget* parent = nullptr);
  void setPreflight(const workspace::Preflight& preflight);
  [[nodiscard]] DocumentTable& tables() const { return *tables_; }
  [[nodiscard]] DocumentTable& features() const { return *features_; }

 private:
  TablesModel* model_;
  DocumentTable* tables_;
  DocumentTable* features_;
  QLabel* total_;
};

}  // namespace parapet::ui
