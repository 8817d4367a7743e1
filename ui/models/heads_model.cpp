// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/heads_model.h"

#include "ui/models/document_text.h"
#include "ui/models/layers_model.h"

namespace parapet::ui {

HeadsModel::HeadsModel(ExperimentEditor& editor, QObject* parent)
    : DocumentRowsModel(editor, "/model/heads", parent) {
  addColumn("name", tr("Head"));
  addColumn("inputs", tr("Reads"));
  addComputed(tr("Layers"), tr("Layers of the head, input first; the last is 1 wide."));
  addColumn("loss", tr("Loss"));
  addColumn("label", tr("Label"));
}

nlohmann::json HeadsModel::newEntry(int) const {
  const experiment::Experiment& experiment = editor().experiment();
  std::string reads = "query";
  if (experiment::scoresRows(experiment.model.kind))
    reads = experiment.features.empty() ? "user" : experiment.features.front().name;
  return {{"name", freeName(tr("head")).toStdString()},
          {"inputs", {reads}},
          {"layers", {{{"kind", "dense"}, {"units", 1}}}}};
}

QString HeadsModel::entryName() const {
  return tr("head");
}

QVariant HeadsModel::computed(int row, int, int role) const {
  if (role == Qt::TextAlignmentRole) return QVariant::fromValue(Qt::AlignVCenter | Qt::AlignLeft);
  if (role != Qt::DisplayRole && role != Qt::EditRole) return {};
  QStringList parts;
  const auto& entry = entries()[static_cast<std::size_t>(row)];
  if (!entry.is_object() || !entry.contains("layers") || !entry["layers"].is_array()) return {};
  for (const auto& layer : entry["layers"]) {
    if (!layer.is_object() || !layer.contains("kind")) continue;
    const QString summary = layerSummary(layer);
    const QString kind = labelOf(shownValue(layer["kind"])).toLower();
    parts << (summary.isEmpty() ? kind : QStringLiteral("%1 %2").arg(kind, summary));
  }
  return parts.join(QStringLiteral(" → "));
}

}  // namespace parapet::ui
