// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QSpinBox>
#include <QVBoxLayout>
#include <vector>

#include "ui/forms/field.h"
#include "ui/models/mesh_devices.h"

namespace parapet::ui {

/// The devices of the mesh: a check box for each one of this machine, the number of logical devices
/// that it is split into, and the shape that they form. Every choice is an undo step.
class DevicePanel : public QWidget {
  Q_OBJECT

 public:
  explicit DevicePanel(ExperimentEditor& editor, QWidget* parent = nullptr);

  [[nodiscard]] const std::vector<DeviceChoice>& choices() const { return choices_; }
  /// The box of the device at an index of choices().
  [[nodiscard]] QCheckBox& box(int device) const { return *rows_.at(at(device)).box; }
  [[nodiscard]] QSpinBox& parts(int device) const { return *rows_.at(at(device)).parts; }
  [[nodiscard]] QComboBox& shapes() const { return *shapes_; }
  /// The findings on devices and shape, as they stand below them; "" if there are none.
  [[nodiscard]] const QString& findingsText() const { return told_; }
  /// Puts the focus on the devices or the shape; false for any other pointer.
  bool reveal(const QString& pointer);

 private:
  struct Row {
    QWidget* line;  ///< holds the others
    QCheckBox* box;
    QSpinBox* parts;
  };
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  void follow();
  void addRow(int device);
  void followShape();
  void choose(int device, int parts);

  ExperimentEditor& editor_;
  std::vector<workspace::DeviceInfo> devices_;
  std::vector<DeviceChoice> choices_;
  std::vector<Row> rows_;
  std::vector<std::vector<std::int64_t>> shapesOffered_;
  QVBoxLayout* lines_;
  QComboBox* shapes_;
  FindingsLabel* findings_;
  QString told_;
};

}  // namespace parapet::ui
