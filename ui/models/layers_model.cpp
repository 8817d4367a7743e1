// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/layers_model.h"

#include "engine/base/text.h"
#include "engine/experiment/fields.h"
#include "engine/experiment/layer_kind.h"
#include "ui/models/document_edits.h"
#include "ui/models/document_text.h"
#include "ui/models/document_words.h"
#include "ui/models/features_model.h"

namespace parapet::ui {
namespace {

using Json = nlohmann::ordered_json;

QStringList kinds() {
  return fieldInfo(QStringLiteral("/model/query/0/kind")).words;
}

/// Layers that make an encoder of texts.
std::vector<experiment::Layer> encoder() {
  using enum experiment::LayerKind;
  return {{.kind = kPosition}, {.kind = kLayerNorm}, {.kind = kTransformerBlock, .rate = 0.1}};
}

}  // namespace

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
    const QString kind = insideSentence(labelOf(shownValue(layer["kind"])));
    parts << (summary.isEmpty() ? kind : QStringLiteral("%1 %2").arg(kind, summary));
  }
  return parts.join(QStringLiteral(" → "));
}

QString layerSummary(const Json& layer) {
  if (!layer.is_object()) return {};
  const auto text = [&layer](const char* key) {
    return layer.contains(key) && !layer[key].is_null() ? shownValue(layer[key]) : QString();
  };
  const auto is = [&layer](const char* key, const Json& value) {
    return layer.contains(key) && layer[key] == value;
  };
  QStringList parts;
  const auto add = [&parts](const QString& pattern, const QString& value) {
    if (!value.isEmpty()) parts << pattern.arg(value);
  };
  const auto* const traits = experiment::findLayerTraits(text("kind").toStdString());
  if (traits && traits->has("heads"))
    add(is("heads", 1) ? LayersModel::tr("%1 head") : LayersModel::tr("%1 heads"), text("heads"));
  if (traits && traits->has("units"))
    add(is("units", 1) ? LayersModel::tr("%1 unit") : LayersModel::tr("%1 units"), text("units"));
  if (!text("activation").isEmpty() && !is("activation", "linear")) parts << text("activation");
  add(LayersModel::tr("rank %1"), text("projection_dim"));
  if (is("causal", true)) parts << LayersModel::tr("causal");
  add(LayersModel::tr("by %1"), text("by"));
  add(LayersModel::tr("%1 positions"), text("max_length"));
  if (is("glu", true)) parts << LayersModel::tr("GLU");
  if (is("gated_residual", true)) parts << LayersModel::tr("gated residual");
  if (is("self_interaction", true)) parts << LayersModel::tr("with itself");
  add(LayersModel::tr("rate %1"), text("rate"));
  add(LayersModel::tr("momentum %1"), text("momentum"));
  if (is("use_bias", false)) parts << LayersModel::tr("no bias");
  if (is("trainable", false)) parts << LayersModel::tr("frozen");
  return parts.join(", ");
}

nlohmann::json withModelKind(const ExperimentEditor& editor, experiment::ModelKind kind) {
  const experiment::Model& model = editor.experiment().model;
  experiment::Model next;
  next.kind = kind;
  next.heads = model.heads;
  if (experiment::readsText(kind)) {
    next.heads.clear();
    next.layers = experiment::readsText(model.kind) ? model.layers : encoder();
    next.maskedLayers = model.maskedLayers;
    next.masking = model.masking;
  } else if (experiment::scoresRows(kind)) {
    next.layers = experiment::hasTowers(model.kind) ? model.query : model.layers;
    if (!experiment::scoresRows(model.kind)) next.layers.push_back({.units = 1});
  } else if (experiment::hasTowers(model.kind)) {
    next.query = model.query;
    next.candidate = model.candidate;
  } else {
    // Layers of one network may read anything; a dense layer fits every tower.
    next.query = next.candidate = {experiment::Layer{}};
  }
  Json document = editor.document();
  document["model"] = experiment::recordOf<experiment::Model>().write(next);
  const experiment::LossKind loss = editor.experiment().loss.kind;
  if (experiment::readsText(kind))
    document["loss"] = {{"kind", "vocabulary_softmax"}, {"reduction", "weighted_mean"}};
  else if (experiment::isOfTokens(loss))
    document["loss"] = {{"kind", "mse"}};
  else if (experiment::scoresRows(kind) && experiment::usesNegatives(loss))
    assign(document, QStringLiteral("/loss/kind"), "mse");
  return nlohmann::json(document);
}

LayersModel::LayersModel(ExperimentEditor& editor, QString arrayPointer, QObject* parent)
    : DocumentRowsModel(editor, std::move(arrayPointer), parent) {
  addColumn("kind", tr("Layer"));
  addComputed(tr("Settings"), tr("All settings of the layer. Enter opens them."),
              ColumnKind::kSettings);
  addComputed(tr("Output"), tr("Examples of a batch and elements of each."));
  addColumn("name", tr("Name"));
  addColumn("inputs", tr("Reads"));
  addComputed(tr("Parameters"), tr("Weights, the moving statistics of a norm included."));
  prepare();
}

QStringList LayersModel::additions() const {
  QStringList texts;
  for (const QString& kind : kinds()) texts << labelOf(kind);
  return texts;
}

QString LayersModel::purposeOf(int addition) const {
  const auto* const traits = experiment::findLayerTraits(kinds().value(addition).toStdString());
  return traits == nullptr ? QString() : QString::fromUtf8(traits->purpose);
}

nlohmann::json LayersModel::newEntry(int addition) const {
  const std::string kind = kinds().value(std::max(0, addition)).toStdString();
  nlohmann::json entry{{"kind", kind}};
  if (kind == "pool") entry["by"] = "last";
  if (kind != "dense") return entry;
  // As wide as the last one keeps the towers' widths equal.
  entry["units"] = 32;
  for (const Json& layer : entries())
    if (layer.is_object() && layer.contains("units")) entry["units"] = layer["units"];
  return entry;
}

QString LayersModel::entryName() const {
  return tr("layer");
}

void LayersModel::prepare() {
  facts_.clear();
  const experiment::Experiment& experiment = editor().experiment();
  const experiment::ModelShape shape = experiment::inferModel(experiment);
  for (const experiment::ShapeLayer& layer : shape.layers)
    facts_[QString::fromStdString(layer.pointer)] = {
        shape.at(layer.output).width, longestOf(experiment, shape, layer), layer.parameters()};
  batchRows_ = batchRowsOf(experiment);
}

QString LayersModel::shownCell(int row, int column, const Json& value) const {
  if (column == kInputs && value.is_array() && value.empty())
    return row == 0 ? tr("all features") : tr("the previous layer");
  if (column == kSettings) return layerSummary(value);
  return DocumentRowsModel::shownCell(row, column, value);
}

QVariant LayersModel::computed(int row, int column, int role) const {
  if (role == Qt::TextAlignmentRole) return QVariant::fromValue(Qt::AlignVCenter | Qt::AlignRight);
  if (role != Qt::DisplayRole && role != Qt::EditRole) return {};
  const auto facts = facts_.constFind(cellPointer(index(row, column)));
  if (facts == facts_.constEnd()) return role == Qt::EditRole ? QVariant() : "–";
  if (column == kOutput) return valueShapeText(batchRows_, facts->longest, facts->width);
  if (role == Qt::EditRole) return static_cast<qlonglong>(facts->parameters);
  return QString::fromStdString(formatCount(facts->parameters));
}

}  // namespace parapet::ui
