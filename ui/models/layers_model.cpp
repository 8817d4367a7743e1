// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/layers_model.h"

namespace parapet::ui {

LayersModel::LayersModel(ExperimentEditor& editor, QString arrayPointer, QObject* parent)
    : DocumentRowsModel(editor, std::move(arrayPointer), parent) {
  addColumn({.key = "units", .title = tr("Units"), .namesFrom = {}, .toolTip = {}});
  addColumn({.key = "activation", .title = tr("Activation"), .namesFrom = {}, .toolTip = {}});
  addColumn({.key = "use_bias", .title = tr("Bias"), .namesFrom = {}, .toolTip = {}});
  addColumn({.key = "initializer", .title = tr("Initial weights"), .namesFrom = {}, .toolTip = {}});
}

nlohmann::json LayersModel::newEntry() const {
  // Another layer as wide as the last one keeps the towers' widths equal.
  const auto& layers = entries();
  const bool known =
      !layers.empty() && layers.back().is_object() && layers.back().contains("units");
  nlohmann::json units = 32;
  if (known) units = layers.back()["units"];
  return {{"kind", "dense"}, {"units", std::move(units)}};
}

QString LayersModel::entryName() const {
  return tr("layer");
}

}  // namespace parapet::ui
