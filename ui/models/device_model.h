// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <map>
#include <string>
#include <vector>

#include "engine/selftest/device_report.h"
#include "engine/workspace/workspace.h"

namespace parapet::ui {

/// Devices and plugins with outcome and reason, and what their self-tests found.
class DeviceModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column {
    kName,
    kInstructionSet,
    kOutcome,
    kReason,
    kSelfTest,
    kMemory,
    kError,   ///< largest, in units of rounding
    kGather,  ///< GB/s of rows at random
    kCopy,    ///< GB/s in order
    kMatmul,  ///< GFLOP/s
    kColumnCount
  };
  enum Role {
    kHealthRole = Qt::UserRole,  ///< Health
    kSortRole,
  };
  enum class Health {
    kGood,     ///< can be used, and passed its self-test if it had one
    kCareful,  ///< cannot be used, for no fault of anything here
    kBad,      ///< should work and does not, or failed its self-test
  };
  Q_ENUM(Health)

  using QAbstractTableModel::QAbstractTableModel;
  /// Reports stay with the devices of the same name.
  void setDevices(std::vector<workspace::DeviceInfo> devices);
  void setReport(selftest::DeviceReport report);
  [[nodiscard]] const std::vector<workspace::DeviceInfo>& devices() const { return devices_; }
  /// How many can be used.
  [[nodiscard]] int usable() const;
  /// One was left out because it ended the program when it was tried.
  [[nodiscard]] bool hasCrashed() const;
  [[nodiscard]] const std::map<std::string, selftest::DeviceReport>& reports() const {
    return reports_;
  }
  [[nodiscard]] QString asCsv() const;
  [[nodiscard]] QString asJson() const;

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                    int role) const override;

 private:
  [[nodiscard]] const selftest::DeviceReport* reportOf(const workspace::DeviceInfo& device) const;
  [[nodiscard]] Health healthOf(const workspace::DeviceInfo& device) const;
  [[nodiscard]] QString text(const workspace::DeviceInfo& device, int column) const;
  [[nodiscard]] QString toolTip(const workspace::DeviceInfo& device, int column) const;

  std::vector<workspace::DeviceInfo> devices_;
  std::map<std::string, selftest::DeviceReport> reports_;  ///< by the device's name
};

}  // namespace parapet::ui
