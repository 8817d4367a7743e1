// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSortFilterProxyModel>
#include <QTableView>

#include "ui/bridge/background.h"
#include "ui/models/device_model.h"
#include "ui/pages/page.h"

namespace parapet::ui {

/// Devices and plugins with outcome, reason and memory.
class DevicesPage : public Page {
  Q_OBJECT

 public:
  explicit DevicesPage(Workbench& bench, QWidget* parent = nullptr);

  [[nodiscard]] QString title() const override { return tr("Devices"); }
  [[nodiscard]] QString iconName() const override { return QStringLiteral("devices"); }
  [[nodiscard]] QString terminalCommand() const override {
    return QStringLiteral("parapet-cli devices");
  }
  [[nodiscard]] QList<QAction*> pageActions() const override {
    return {refresh_, copy_, exportCsv_, exportJson_};
  }

 private:
  QWidget* makeHeader();
  void makeTable();
  void refresh();
  void exportTo(const QString& suffix, const QString& text);

  DeviceModel model_;
  QSortFilterProxyModel sorted_;
  Background background_;
  QLabel* summary_;
  QTableView* table_;
  QAction* refresh_;
  QAction* copy_;
  QAction* exportCsv_;
  QAction* exportJson_;
};

}  // namespace parapet::ui
