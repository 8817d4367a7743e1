// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSortFilterProxyModel>
#include <QTableView>

#include "ui/bridge/background.h"
#include "ui/controllers/self_test.h"
#include "ui/models/device_model.h"
#include "ui/models/report_table_model.h"
#include "ui/pages/devices/device_details.h"
#include "ui/pages/page.h"
#include "ui/style/thin_progress_bar.h"

namespace parapet::ui {

/// Devices and plugins with outcome, reason and memory, their self-test, and the measured profiles of
/// machines that plans rest on.
class DevicesPage : public Page {
  Q_OBJECT

 public:
  explicit DevicesPage(Workbench& bench, QWidget* parent = nullptr);

  [[nodiscard]] QString title() const override { return tr("Devices"); }
  [[nodiscard]] QString iconName() const override { return QStringLiteral("devices"); }
  [[nodiscard]] QString terminalCommand() const override {
    return model_.reports().empty() ? QStringLiteral("parapet-cli devices")
                                    : QStringLiteral("parapet-cli selftest");
  }
  [[nodiscard]] QList<QAction*> pageActions() const override {
    return {test_, stop_, measure_, refresh_, retry_, copy_, exportCsv_, exportJson_};
  }

 private:
  QAction* makeAction(const char* icon, const QString& text, const QString& toolTip);
  QWidget* makeHeader();
  void makeTable();
  void makeFailures();
  void connectParts();
  void refresh();
  void showSummary();
  void fitTable();
  void showDetails();
  void showFailures();
  void followTest(bool running);
  void retry();
  void measure();
  void exportTo(const QString& suffix, const QString& text);

  workspace::Workspace& workspace_;
  DeviceModel model_;
  QSortFilterProxyModel sorted_;
  ReportTableModel failed_;
  Background background_, measuring_{"measure"};
  SelfTest selfTest_;
  QLabel* summary_;
  ThinProgressBar* progress_;
  QTableView* table_;
  DeviceDetails* details_;
  QLabel* failuresTitle_;
  QWidget* failuresHead_ = nullptr;  ///< the title with its sign
  QTableView* failures_;
  QAction* test_;
  QAction* stop_;
  QAction* measure_;
  QAction* refresh_;
  QAction* retry_;
  QAction* copy_;
  QAction* exportCsv_;
  QAction* exportJson_;
};

}  // namespace parapet::ui
