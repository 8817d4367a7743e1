// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QTableView>

#include "ui/controllers/preflight_watch.h"
#include "ui/models/report_table_model.h"

namespace parapet::ui {

/// The ranks of the mesh with their share of a batch, and what each memory space holds.
class MemoryPanel : public QWidget {
  Q_OBJECT

 public:
  enum RankColumn { kRank, kDevice, kMemory, kCoordinates, kRows, kBuffers };
  explicit MemoryPanel(PreflightWatch& preflight, QWidget* parent = nullptr);

  [[nodiscard]] const ReportTableModel& ranks() const { return *ranks_; }
  [[nodiscard]] const ReportTableModel& memory() const { return *memory_; }

 private:
  void follow();

  PreflightWatch& preflight_;
  ReportTableModel *ranks_, *memory_;
  QTableView *ranksView_, *memoryView_;
  QWidget *ranksTitle_, *memoryTitle_;
  QLabel *shares_, *total_;
};

}  // namespace parapet::ui
