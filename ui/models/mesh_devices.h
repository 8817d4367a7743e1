// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <span>
#include <string>
#include <vector>

#include "engine/experiment/document.h"
#include "engine/workspace/workspace.h"
#include "ui/models/experiment_editor.h"

namespace parapet::ui {

/// A device that the mesh may use, and the logical devices that it is split into.
struct DeviceChoice {
  std::string name;    ///< "cpu", "cuda:0"
  QString details;     ///< "23.5 GB, x86-64-v3"
  bool isHere = true;  ///< false: the mesh names it, and this machine has none that works
  int parts = 0;       ///< logical devices of the mesh on it; 0: not used

  bool operator==(const DeviceChoice&) const = default;
};

/// The devices of this machine that work, in its order, then those that the mesh names besides.
/// Empty if the mesh's devices are none.
std::vector<DeviceChoice> deviceChoices(std::span<const workspace::DeviceInfo> devices,
                                        const experiment::Mesh& mesh);
/// The names as a document has them: "cpu*4", "cuda:0", "cuda:1/0", "cuda:1/1".
std::vector<std::string> meshDevices(std::span<const DeviceChoice> choices);

/// The shapes of so many devices with one axis, and with two of at least two devices each.
std::vector<std::vector<std::int64_t>> meshShapes(std::int64_t devices);
/// "4 devices in a row", "2 × 2".
QString meshShapeText(std::span<const std::int64_t> shape);

/// One undo step: the devices of the mesh. A shape of another number of devices leaves with it.
void chooseDevices(ExperimentEditor& editor, std::span<const DeviceChoice> choices);
/// One undo step: shape and axes ("data", and "model" of the second).
void chooseShape(ExperimentEditor& editor, const std::vector<std::int64_t>& shape);

}  // namespace parapet::ui
