// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/loss_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/base/text.h"
#include "engine/experiment/experiment.h"

namespace parapet::experiment {

namespace {

using OrderedJson = nlohmann::ordered_json;

}  // namespace

std::string lossScale(const Experiment& experiment) {
  const OrderedJson document = toJson(experiment);
  const OrderedJson& dataset = document.at("dataset");
  OrderedJson scale{{"loss", document.at("loss")},
                    {"label", dataset.value("label", OrderedJson())},
                    {"weight", dataset.value("weight", OrderedJson())},
                    {"text", dataset.value("text", OrderedJson())}};
  bool ofBatch = false, ofGroup = false;
  const auto add = [&](const Loss& loss) {
    ofBatch = ofBatch || usesNegatives(loss.kind) || loss.reduction == Reduction::kSum;
    ofGroup = ofGroup || isListwise(loss.kind);
  };
  add(experiment.loss);
  for (std::size_t head = 0; head < experiment.model.heads.size(); ++head) {
    add(experiment.model.heads[head].loss);
    const OrderedJson& of = document.at("model").at("heads").at(head);
    scale["heads"].push_back({of.at("name"), of.at("loss"), of.value("label", OrderedJson())});
  }
  const OrderedJson& batch = dataset.at("batch");
  if (ofBatch) {
    scale["batch"] = batch.value("size", OrderedJson());
    scale["per_device"] = batch.value("per_device", OrderedJson());
    if (experiment.dataset.batch.perDevice || experiment.loss.negatives == NegativeScope::kDevice)
      scale["devices"] = experiment.mesh.devices;
  }
  if (ofGroup) scale["group"] = batch.value("group_size", OrderedJson());
  return scale.dump();
}

std::string scaledErrorsNote(const Experiment& experiment) {
  const Label& label = experiment.dataset.label;
  bool predicts = traitsOf(experiment.loss.kind).takesValues();
  for (const Head& head : experiment.model.heads)
    predicts = predicts || (!head.label && traitsOf(head.loss.kind).takesValues());
  if (!label.scale || !predicts) return {};
  const auto [low, high] = *label.scale;
  return fmt::format(
      "rmse and mae are errors of labels scaled from {:g}–{:g} to 0–1; in units of {} they are "
      "{:g} times as large.\n",
      low, high, printable(label.column.value_or("the label")), high - low);
}

std::vector<std::string> scalingSettings(const std::vector<std::string>& pointers) {
  constexpr std::array<std::string_view, 7> kSettings{
      "/loss",           "/model/heads",  "/dataset/batch", "/dataset/label",
      "/dataset/weight", "/dataset/text", "/mesh"};
  std::vector<std::string> found;
  for (const std::string& pointer : pointers)
    if (std::ranges::any_of(kSettings,
                            [&](std::string_view each) { return pointer.starts_with(each); }))
      found.push_back(pointer);
  return found.empty() ? pointers : found;
}

}  // namespace parapet::experiment
