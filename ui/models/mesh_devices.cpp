// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/mesh_devices.h"

#include <QObject>
#include <QStringList>
#include <algorithm>
#include <functional>
#include <numeric>

#include "engine/experiment/experiment.h"
#include "ui/bridge/shown_text.h"
#include "ui/models/runs_format.h"

namespace parapet::ui {
namespace {

/// The device that a logical one is part of: "cpu" of "cpu:3", "cuda:0" of "cuda:0/1".
std::string deviceOf(const std::string& logical) {
  if (logical.starts_with("cpu")) return "cpu";
  return logical.substr(0, logical.find('/'));
}

QString detailsOf(const workspace::DeviceInfo& device) {
  QStringList parts;
  if (device.memoryBytes > 0) parts << bytesText(static_cast<std::int64_t>(device.memoryBytes));
  if (!device.instructionSet.empty()) parts << shownText(device.instructionSet);
  return parts.join(QStringLiteral(", "));
}

std::int64_t countOf(std::span<const std::int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies());
}

}  // namespace

std::vector<DeviceChoice> deviceChoices(std::span<const workspace::DeviceInfo> devices,
                                        const experiment::Mesh& mesh) {
  const auto logical = experiment::expandDevices(mesh.devices);
  if (!logical) return {};
  std::vector<DeviceChoice> choices;
  const auto choiceOf = [&choices](const std::string& name) {
    return std::ranges::find(choices, name, &DeviceChoice::name);
  };
  for (const workspace::DeviceInfo& device : devices) {
    // Only one of the ways to use the processor is loaded, and not every plugin is a device.
    if (!device.usable || device.outcome != "loaded") continue;
    if (choiceOf(deviceOf(device.name)) == choices.end())
      choices.push_back({deviceOf(device.name), detailsOf(device)});
  }
  for (const std::string& name : *logical) {
    auto choice = choiceOf(deviceOf(name));
    if (choice == choices.end())
      choice = choices.insert(choice, {deviceOf(name), QObject::tr("not on this machine"), false});
    ++choice->parts;
  }
  return choices;
}

std::vector<std::string> meshDevices(std::span<const DeviceChoice> choices) {
  std::vector<std::string> names;
  for (const DeviceChoice& choice : choices) {
    if (choice.parts == 0) continue;
    if (choice.name == "cpu") {
      names.push_back("cpu*" + std::to_string(choice.parts));
    } else if (choice.parts == 1) {
      names.push_back(choice.name);
    } else {
      for (int part = 0; part < choice.parts; ++part)
        names.push_back(choice.name + "/" + std::to_string(part));
    }
  }
  return names;
}

std::vector<std::vector<std::int64_t>> meshShapes(std::int64_t devices) {
  std::vector<std::vector<std::int64_t>> shapes{{devices}};
  for (std::int64_t first = 2; first * 2 <= devices; ++first)
    if (devices % first == 0) shapes.push_back({first, devices / first});
  return shapes;
}

QString meshShapeText(std::span<const std::int64_t> shape) {
  if (shape.size() == 1)
    return shape[0] == 1 ? QObject::tr("1 device")
                         : QObject::tr("%n devices, one axis", nullptr, static_cast<int>(shape[0]));
  QStringList sizes;
  for (const std::int64_t size : shape) sizes << QString::number(size);
  return sizes.join(QStringLiteral(" × "));
}

void chooseDevices(ExperimentEditor& editor, std::span<const DeviceChoice> choices) {
  nlohmann::json mesh = editor.value("/mesh");
  if (!mesh.is_object()) mesh = nlohmann::json::object();
  const std::vector<std::string> names = meshDevices(choices);
  mesh["devices"] = names;
  const auto logical = experiment::expandDevices(names);
  const auto& shape = editor.experiment().mesh.shape;
  const bool fits = !shape || (logical && countOf(*shape) == std::ssize(*logical));
  if (!fits) {
    mesh["shape"] = nullptr;
    mesh["axes"] = nlohmann::json::array({"data"});
  }
  editor.setValue("/mesh", mesh, QObject::tr("Choose the devices"));
}

void chooseShape(ExperimentEditor& editor, const std::vector<std::int64_t>& shape) {
  nlohmann::json mesh = editor.value("/mesh");
  if (!mesh.is_object()) mesh = nlohmann::json::object();
  if (shape.size() == 1) {
    mesh["shape"] = nullptr;
    mesh["axes"] = nlohmann::json::array({"data"});
  } else {
    mesh["shape"] = shape;
    mesh["axes"] = nlohmann::json::array({"data", "model"});
  }
  editor.setValue("/mesh", mesh, QObject::tr("Choose the shape"));
}

}  // namespace parapet::ui
