// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSpinBox>
#include <QTableView>

#include "engine/workspace/workspace.h"
#include "ui/models/report_table_model.h"
#include "ui/pages/experiment/section.h"

namespace parapet::ui {

/// Devices, shape and axes; what each device works on.
class MeshSection : public Section {
  Q_OBJECT

 public:
  explicit MeshSection(ExperimentEditor& editor, QWidget* parent = nullptr);
  void setPreflight(const workspace::Preflight& preflight);

 private:
  void addDeviceCount(Form& form);
  void chooseDeviceCount(int count);

  ReportTableModel* devices_;
  QTableView* view_;
  QLabel* total_;
};

}  // namespace parapet::ui
