// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSpinBox>
#include <QTableView>

#include "engine/workspace/workspace.h"
#include "ui/models/report_table_model.h"
#include "ui/pages/experiment/section.h"
#include "ui/pages/mesh/verify_panel.h"

namespace parapet::ui {

/// Devices, shape, axes and threads; what each rank works on, what each memory holds, and the check
/// that several devices train what one trains.
class MeshSection : public Section {
  Q_OBJECT

 public:
  /// Columns of ranks().
  enum RankColumn { kRank, kDevice, kMemory, kCoordinates, kRows, kBuffers };

  MeshSection(workspace::Workspace& workspace, ExperimentEditor& editor, QWidget* parent = nullptr);
  void setPreflight(const workspace::Preflight& preflight);
  [[nodiscard]] VerifyPanel& verifyPanel() const { return *verify_; }
  [[nodiscard]] const ReportTableModel& ranks() const { return *ranks_; }
  [[nodiscard]] const ReportTableModel& memory() const { return *memory_; }

 private:
  void addDeviceCount(Form& form);
  void chooseDeviceCount(int count);

  ReportTableModel *ranks_, *memory_;
  QTableView *ranksView_, *memoryView_;
  QWidget* ranksGroup_ = nullptr;
  QLabel* total_;
  VerifyPanel* verify_;
};

}  // namespace parapet::ui
