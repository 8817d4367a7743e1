// SPDX-License-Identifier: Apache-2.0
#include "engine/train/epoch_metrics.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace parapet::train {
namespace {

double weightOf(const data::Batch& batch) {
  return batch.weights.empty() ? static_cast<double>(batch.rows)
                               : std::accumulate(batch.weights.begin(), batch.weights.end(), 0.0);
}

/// Σ w of the examples whose logit and label are on the same side.
double rightOnes(std::span<const float> logits, std::span<const float> labels,
                 std::span<const float> weights) {
  double right = 0.0;
  for (std::size_t row = 0; row < logits.size(); ++row)
    if ((logits[row] >= 0.0f) == (labels[row] >= 0.5f))
      right += weights.empty() ? 1.0 : static_cast<double>(weights[row]);
  return right;
}

}  // namespace

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

EpochMetrics::EpochMetrics(const nn::Model& model) {
  for (const nn::Model::Head& head : model.heads) {
    OfHead of{.name = head.name, .label = head.label};
    const experiment::LossTraits& traits = experiment::traitsOf(head.loss.kind);
    if (traits.takesValues()) of.kind = Kind::kRmse;
    if (traits.takesLogits) of.kind = Kind::kAccuracy;
    if (traits.family == experiment::LossFamily::kTokens) {
      of.kind = Kind::kMasked;
      of.slots = slotsOf(model);
    }
    heads_.push_back(std::move(of));
  }
}

double EpochMetrics::OfHead::value(double weight) const {
  if (kind == Kind::kMasked) return masked.pieces > 0.0 ? masked.hits / masked.pieces : 0.0;
  return kind == Kind::kRmse ? std::sqrt(std::max(0.0, sum / weight)) : sum / weight;
}

void EpochMetrics::add(const Session& session, const data::Batch& batch) {
  add(session.losses(), batch, [&](std::size_t head) { return session.predictions(head); });
}

void EpochMetrics::add(std::span<const nn::LossSums> losses, const data::Batch& batch,
                       const PredictionsOf& predictions) {
  weight_ += weightOf(batch);
  ++batches_;
  for (std::size_t index = 0; index < heads_.size(); ++index) {
    OfHead& head = heads_[index];
    if (head.kind == Kind::kNone) continue;
    if (head.kind == Kind::kMasked)
      head.masked.add(losses[index], head.slots * static_cast<double>(batch.rows));
    else if (head.kind == Kind::kRmse)
      head.sum += losses[index].numerator;
    else
      head.sum +=
          rightOnes({predictions(index), static_cast<std::size_t>(batch.rows)},
                    head.label < 0 ? batch.labels
                                   : batch.features[static_cast<std::size_t>(head.label)].dense,
                    batch.weights);
    if (weight_ > 0.0) head.running += head.value(weight_);
  }
}

std::vector<experiment::Metric> EpochMetrics::values() const {
  std::vector<experiment::Metric> metrics;
  if (!isWhole_ || !(weight_ > 0.0)) return metrics;
  for (const OfHead& head : heads_) {
    if (head.kind == Kind::kNone || (head.kind == Kind::kMasked && !(head.masked.pieces > 0.0)))
      continue;
    const std::string key = (head.name.empty() ? "" : head.name + "_") +
                            (head.kind == Kind::kRmse ? "rmse" : "accuracy");
    const double value = head.value(weight_);
    if (head.kind == Kind::kMasked)
      std::ranges::move(head.masked.metrics(), std::back_inserter(metrics));
    else
      metrics.emplace_back(key, value);
    metrics.emplace_back(key + "_as_displayed",
                         (head.running + value) / static_cast<double>(batches_ + 1));
  }
  return metrics;
}

void EpochMetrics::reset() {
  for (OfHead& head : heads_) {
    head.sum = head.running = 0.0;
    head.masked = {};
  }
  weight_ = 0.0;
  batches_ = 0;
  isWhole_ = true;
}

nlohmann::json EpochMetrics::toJson() const {
  auto heads = nlohmann::json::array();
  for (const OfHead& head : heads_)
    heads.push_back(
        {{"sum", head.sum}, {"running", head.running}, {"masked", head.masked.toJson()}});
  return {
      {"heads", std::move(heads)}, {"weight", weight_}, {"batches", batches_}, {"whole", isWhole_}};
}

void EpochMetrics::fromJson(const nlohmann::json& state, std::int64_t batches) {
  reset();
  if (!state.is_object() || state.at("heads").size() != heads_.size()) {
    isWhole_ = batches == 0;
    return;
  }
  for (std::size_t index = 0; index < heads_.size(); ++index) {
    heads_[index].sum = state["heads"][index].at("sum");
    heads_[index].running = state["heads"][index].at("running");
    heads_[index].masked = MaskedSums::fromJson(state["heads"][index].at("masked"));
  }
  weight_ = state.at("weight");
  batches_ = state.at("batches");
  isWhole_ = state.at("whole");
}

}  // namespace parapet::train
