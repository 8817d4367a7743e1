// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/loss_scale.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/experiment/experiment.h"

namespace parapet::experiment {

namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string lossScale(const Experiment& experiment) {
  const Json document = toJson(experiment);
  const Json& dataset = document.at("dataset");
  Json scale{{"loss", document.at("loss")},
             {"label", dataset.value("label", Json())},
             {"weight", dataset.value("weight", Json())},
             {"text", dataset.value("text", Json())}};
  bool ofBatch = false, ofGroup = false;
  const auto add = [&](const Loss& loss) {
    ofBatch = ofBatch || usesNegatives(loss.kind) || loss.reduction == Reduction::kSum;
    ofGroup = ofGroup || isListwise(loss.kind);
  };
  add(experiment.loss);
  for (std::size_t head = 0; head < experiment.model.heads.size(); ++head) {
    add(experiment.model.heads[head].loss);
    const Json& of = document.at("model").at("heads").at(head);
    scale["heads"].push_back({of.at("name"), of.at("loss"), of.value("label", Json())});
  }
  const Json& batch = dataset.at("batch");
  if (ofBatch) {
    scale["batch"] = batch.value("size", Json());
    scale["per_device"] = batch.value("per_device", Json());
    if (experiment.dataset.batch.perDevice || experiment.loss.negatives == NegativeScope::kDevice)
      scale["devices"] = experiment.mesh.devices;
  }
  if (ofGroup) scale["group"] = batch.value("group_size", Json());
  return scale.dump();
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
