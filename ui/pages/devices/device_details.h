// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QTableView>
#include <QWidget>

#include "engine/selftest/device_report.h"
#include "engine/workspace/workspace.h"
#include "ui/models/report_table_model.h"

namespace parapet::ui {

/// One device in full: where it comes from, and how each of its operations did.
class DeviceDetails : public QWidget {
  Q_OBJECT

 public:
  explicit DeviceDetails(QWidget* parent = nullptr);
  /// `report` null: not tested. Neither is kept.
  void show(const workspace::DeviceInfo& device, const selftest::DeviceReport* report);
  void clear();

 private:
  void showOps(const selftest::DeviceReport& report);

  QLabel* title_;
  QLabel* origin_;
  QLabel* hint_;
  ReportTableModel ops_;
  QTableView* opsView_;
};

}  // namespace parapet::ui
