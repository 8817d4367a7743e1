// SPDX-License-Identifier: Apache-2.0
#include "engine/train/masked_metrics.h"

#include <cmath>

namespace parapet::train {

std::vector<experiment::Metric> MaskedSums::metrics() const {
  if (!(pieces > 0.0)) return {};
  return {{"token_loss", loss / pieces},
          {"loss_slots", loss / slots},
          {"accuracy", hits / pieces},
          {"perplexity", std::exp(loss / pieces)}};
}

nlohmann::json MaskedSums::toJson() const {
  return {{"loss", loss}, {"hits", hits}, {"pieces", pieces}, {"slots", slots}};
}

MaskedSums MaskedSums::fromJson(const nlohmann::json& state) {
  return {state.at("loss"), state.at("hits"), state.at("pieces"), state.at("slots")};
}

double slotsOf(const nn::Model& model) {
  const nn::RowSpace rows = model.graph.rowSpace(model.heads.at(0).lossValue);
  return static_cast<double>(
      model.graph.rowSpaces().at(static_cast<std::size_t>(rows)).maxPerExample);
}

}  // namespace parapet::train
