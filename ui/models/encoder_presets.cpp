// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/encoder_presets.h"

#include <QCoreApplication>
#include <array>

#include "engine/experiment/experiment.h"

namespace parapet::ui {
namespace {

constexpr std::array<EncoderPreset, 5> kPresets{{{"BERT tiny", {2, 128, 2, 512}},
                                                 {"BERT mini", {4, 256, 4, 1024}},
                                                 {"BERT small", {4, 512, 8, 2048}},
                                                 {"BERT medium", {8, 512, 8, 2048}},
                                                 {"BERT base", {12, 768, 12, 3072}}}};

bool isBlock(const nlohmann::json& layer) {
  return layer["kind"] == "transformer_block";
}

}  // namespace

std::span<const EncoderPreset> encoderPresets() {
  return kPresets;
}

QString encoderText(const EncoderPreset& preset) {
  return QCoreApplication::translate("EncoderPresets", "%1: %2 blocks, width %3, %4 heads")
      .arg(QLatin1String(preset.name))
      .arg(preset.sizes.blocks)
      .arg(preset.sizes.width)
      .arg(preset.sizes.heads);
}

EncoderSizes encoderSizes(const experiment::Experiment& experiment) {
  EncoderSizes sizes;
  if (!experiment.tables.empty()) sizes.width = experiment.tables.front().embeddingDim;
  for (const experiment::Layer& layer : experiment.model.layers) {
    if (layer.kind != experiment::LayerKind::kTransformerBlock) continue;
    const bool isFirst = sizes.blocks == 0;
    if (!isFirst && (layer.heads != sizes.heads || layer.units != sizes.units)) return {};
    ++sizes.blocks;
    sizes.heads = layer.heads;
    sizes.units = layer.units;
  }
  return sizes;
}

nlohmann::json withEncoder(const ExperimentEditor& editor, const EncoderSizes& sizes) {
  const auto recipe = experiment::findRecipe("bert-tiny-mlm");
  if (!recipe) throw InternalError("[ui.withEncoder] there is no recipe bert-tiny-mlm");
  const nlohmann::json arranged = experiment::parseJson(recipe->text).value()["model"];
  nlohmann::json layers = nlohmann::json::array(), block;
  for (const nlohmann::json& layer : arranged["layers"])
    if (isBlock(layer))
      block = layer;
    else
      layers.push_back(layer);
  block["heads"] = sizes.heads;
  block["units"] = sizes.units;
  for (std::int64_t number = 0; number < sizes.blocks; ++number) layers.push_back(block);
  nlohmann::json masked = arranged["masked_layers"];
  for (nlohmann::json& layer : masked)
    if (layer["kind"] == "dense") layer["units"] = sizes.width;
  nlohmann::json document(editor.document());
  document["model"]["layers"] = std::move(layers);
  document["model"]["masked_layers"] = std::move(masked);
  for (nlohmann::json& table : document["tables"]) table["embedding_dim"] = sizes.width;
  return document;
}

}  // namespace parapet::ui
