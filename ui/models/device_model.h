// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "engine/workspace/workspace.h"

namespace parapet::ui {

/// Devices and plugins with outcome and reason.
class DeviceModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { kName, kKind, kOutcome, kMemory, kPlugin, kReason, kColumnCount };
  enum Role {
    kLoadedRole = Qt::UserRole,  ///< bool: can be used
    kSortRole,
  };

  using QAbstractTableModel::QAbstractTableModel;
  void setDevices(std::vector<workspace::DeviceInfo> devices);
  [[nodiscard]] const std::vector<workspace::DeviceInfo>& devices() const { return devices_; }
  /// How many can be used.
  [[nodiscard]] int loaded() const;
  [[nodiscard]] QString asCsv() const;
  [[nodiscard]] QString asJson() const;

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                    int role) const override;

 private:
  [[nodiscard]] QVariant text(const workspace::DeviceInfo& device, int column) const;

  std::vector<workspace::DeviceInfo> devices_;
};

}  // namespace parapet::ui
