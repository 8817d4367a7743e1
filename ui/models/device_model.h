// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/selftest/device_report.h"
#include "engine/workspace/workspace.h"
#include "ui/models/rows_model.h"

namespace parapet::ui {

/// Devices and plugins with outcome and reason, and what their self-tests found.
class DeviceModel : public RowsModel<workspace::DeviceInfo> {
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
    kSortRole = Qt::EditRole,    ///< numbers as numbers; −1 where there is none
  };
  enum class Health {
    kGood,     ///< can be used, and passed its self-test if it had one
    kCareful,  ///< cannot be used, for no fault of anything here
    kBad,      ///< should work and does not, or failed its self-test
  };
  Q_ENUM(Health)

  explicit DeviceModel(QObject* parent = nullptr);
  /// Reports stay with the devices of the same name.
  void setDevices(std::vector<workspace::DeviceInfo> devices) { replaceRows(std::move(devices)); }
  void setReport(selftest::DeviceReport report);
  [[nodiscard]] const std::vector<workspace::DeviceInfo>& devices() const { return rows(); }
  /// How many can be used.
  [[nodiscard]] int usable() const;
  /// One was left out because it ended the program when it was tried.
  [[nodiscard]] bool hasCrashed() const;
  [[nodiscard]] const std::map<std::string, selftest::DeviceReport>& reports() const {
    return reports_;
  }
  [[nodiscard]] QString asCsv() const;
  [[nodiscard]] QString asJson() const;

 protected:
  [[nodiscard]] QVariant more(const workspace::DeviceInfo& device, int column,
                              int role) const override;

 private:
  [[nodiscard]] const selftest::DeviceReport* reportOf(const workspace::DeviceInfo& device) const;
  [[nodiscard]] Health healthOf(const workspace::DeviceInfo& device) const;
  [[nodiscard]] QString selfTestText(const workspace::DeviceInfo& device) const;

  std::map<std::string, selftest::DeviceReport> reports_;  ///< by the device's name
};

}  // namespace parapet::ui
