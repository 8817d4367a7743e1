// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QObject>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QWidget>
#include <vector>

#include "engine/selftest/device_report.h"
#include "engine/workspace/workspace.h"
#include "ui/bridge/background.h"
#include "ui/models/device_model.h"
#include "ui/models/rows_model.h"
#include "ui/pages/page.h"
#include "ui/style/controls.h"

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

/// Tests the usable devices one after another in the background. A report comes as soon as its
/// device is done, so what was found before a stop stays.
class SelfTest : public QObject {
  Q_OBJECT

 public:
  explicit SelfTest(QObject* parent = nullptr);

  void start();
  void stop() { background_.stop(); }
  [[nodiscard]] bool running() const { return running_; }

 signals:
  void runningChanged(bool running);
  /// Cases of all devices together.
  void progressed(const QString& stage, qint64 done, qint64 total);
  void reported(const parapet::selftest::DeviceReport& report);
  /// Why it ended early; empty if it did not.
  void ended(const QString& error);

 private:
  void testNext();
  void end(const QString& error);

  Background background_;
  std::vector<tensor::Device> waiting_;  ///< the next one last
  std::size_t devices_ = 0;
  bool running_ = false;
};

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
