// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/encoder_presets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/base/text.h"
#include "engine/experiment/experiment.h"

namespace parapet::experiment {
namespace {

constexpr std::array<EncoderPreset, 5> kEncoders{{{"bert-tiny", "BERT tiny", {2, 128, 2, 512}},
                                                  {"bert-mini", "BERT mini", {4, 256, 4, 1024}},
                                                  {"bert-small", "BERT small", {4, 512, 8, 2048}},
                                                  {"bert-medium", "BERT medium", {8, 512, 8, 2048}},
                                                  {"bert-base", "BERT base", {12, 768, 12, 3072}}}};

using EncoderJson = nlohmann::ordered_json;

bool isTransformerBlock(const EncoderJson& layer) {
  return layer["kind"] == "transformer_block";
}

}  // namespace

std::span<const EncoderPreset> encoderPresets() {
  return kEncoders;
}

Result<EncoderPreset> findEncoderPreset(std::string_view name) {
  const auto found = std::ranges::find(kEncoders, name, &EncoderPreset::name);
  if (found != kEncoders.end()) return *found;
  std::vector<std::string> names;
  for (const EncoderPreset& preset : kEncoders) names.emplace_back(preset.name);
  return Error{ErrorCode::kNotFound,
               fmt::format("no encoder is named \"{}\"{}; accepted: {}", printable(name),
                           didYouMean(std::string(name), names), join(names))};
}

EncoderSizes encoderSizes(const Experiment& experiment) {
  EncoderSizes sizes;
  if (!experiment.tables.empty()) sizes.width = experiment.tables.front().embeddingDim;
  for (const Layer& layer : experiment.model.layers) {
    if (layer.kind != LayerKind::kTransformerBlock) continue;
    const bool isFirst = sizes.blocks == 0;
    if (!isFirst && (layer.heads != sizes.heads || layer.units != sizes.units)) return {};
    ++sizes.blocks;
    sizes.heads = layer.heads;
    sizes.units = layer.units;
  }
  return sizes;
}

nlohmann::ordered_json withEncoder(nlohmann::ordered_json document, const EncoderSizes& sizes) {
  const auto recipe = findRecipe("bert-tiny-mlm");
  if (!recipe) throw InternalError("[experiment.withEncoder] there is no recipe bert-tiny-mlm");
  const EncoderJson arranged = EncoderJson::parse(recipe->text)["model"];
  EncoderJson layers = EncoderJson::array(), block;
  for (const EncoderJson& layer : arranged["layers"])
    if (isTransformerBlock(layer))
      block = layer;
    else
      layers.push_back(layer);
  block["heads"] = sizes.heads;
  block["units"] = sizes.units;
  for (std::int64_t number = 0; number < sizes.blocks; ++number) layers.push_back(block);
  EncoderJson masked = arranged["masked_layers"];
  for (EncoderJson& layer : masked)
    if (layer["kind"] == "dense") layer["units"] = sizes.width;
  document["model"]["layers"] = std::move(layers);
  document["model"]["masked_layers"] = std::move(masked);
  for (EncoderJson& table : document["tables"]) table["embedding_dim"] = sizes.width;
  return document;
}

}  // namespace parapet::experiment
