// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/metric_key.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/base/text.h"
#include "engine/experiment/experiment.h"

namespace parapet::experiment {
namespace {

/// Metrics of ranked lists end in "@" and have a key for every k.
void append(std::vector<std::string>& keys, std::string_view head, std::string_view name,
            const std::vector<std::int64_t>& ks) {
  if (!name.ends_with('@'))
    keys.push_back(fmt::format("val_{}{}", head, name));
  else
    for (const std::int64_t k : ks) keys.push_back(fmt::format("val_{}{}{}", head, name, k));
}

using OrderedJson = nlohmann::ordered_json;

}  // namespace

std::vector<std::string> validationKeys(const Experiment& experiment) {
  const std::vector<std::int64_t>& ks = experiment.evaluation.k;
  const bool ofCatalogue = hasTowers(experiment.model.kind);
  std::vector<std::string> keys{"val_loss"};
  if (!experiment.model.heads.empty()) keys.emplace_back("val_score_loss");
  if (!ofCatalogue || !isListwise(experiment.loss.kind))
    for (const std::string_view name : traitsOf(experiment.loss.kind).metrics)
      append(keys, "", name, ks);
  if (ofCatalogue && experiment.evaluation.catalogue != CatalogueTime::kNever)
    for (const RankingMetric metric : experiment.evaluation.metrics)
      append(keys, "", traitsOf(metric).key(), ks);
  for (const Head& head : experiment.model.heads) {
    keys.push_back(fmt::format("val_{}_loss", head.name));
    for (const std::string_view name : traitsOf(head.loss.kind).metrics)
      append(keys, head.name + "_", name, ks);
  }
  return keys;
}

std::string headlineKey(const std::vector<std::string>& measured) {
  const auto has = [&](std::string_view key) {
    return std::ranges::find(measured, key) != measured.end();
  };
  const auto first = [&](std::string_view start) {
    const auto found = std::ranges::find_if(
        measured, [&](const std::string& key) { return key.starts_with(start); });
    return found == measured.end() ? std::string() : *found;
  };
  // Groups have a recall, too, but only they have a gain that is not normalised.
  if (first("val_dcg@").empty()) {
    if (has("val_recall@10")) return "val_recall@10";
    if (const std::string recall = first("val_recall@"); !recall.empty()) return recall;
  }
  if (has("val_perplexity")) return "val_accuracy";
  for (const std::string_view key : {"val_auc", "val_rmse", "val_ndcg@10"})
    if (has(key)) return std::string(key);
  for (const std::string_view start : {"val_ndcg@", "val_hit@", "val_map@"})
    if (const std::string found = first(start); !found.empty()) return found;
  return has("val_mrr") ? "val_mrr" : "";
}

bool isLossKey(std::string_view metric) {
  return metric == "loss" || metric == "loss_as_displayed" || metric.ends_with("_loss") ||
         metric.ends_with("perplexity");
}

bool isCountKey(std::string_view metric) {
  return metric.ends_with("masked_hits");
}

bool smallerIsBetter(std::string_view metric) {
  constexpr std::string_view kShown = "_as_displayed";
  constexpr std::array<std::string_view, 6> kErrors{"loss", "logloss", "rmse",
                                                    "mae",  "ne",      "perplexity"};
  if (metric.ends_with("loss_slots")) return true;
  if (std::ranges::any_of(kRankingMetrics, [&](const RankingMetricTraits& each) {
        return each.smallerIsBetter && metric.find(each.key()) != metric.npos;
      }))
    return true;
  if (metric.ends_with(kShown)) metric.remove_suffix(kShown.size());
  // A head may have any name; the metric follows the last "_".
  const std::size_t prefix = metric.rfind('_');
  return std::ranges::find(kErrors,
                           prefix == std::string_view::npos ? metric : metric.substr(prefix + 1)) !=
         kErrors.end();
}

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

std::string measuredRows(const Experiment& experiment, std::string_view metric) {
  const OrderedJson document = toJson(experiment);
  OrderedJson rows;
  const auto take = [&](const char* part, std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
      OrderedJson& taken = rows[part][key] = document.at(part).value(key, OrderedJson());
      if (taken.is_object()) taken.erase("seed");
    }
  };
  take("dataset", {"source", "path", "slice", "generator", "filter", "k_core", "label", "split"});
  if (!isLossKey(metric))
    take("evaluation",
         {"exclude_seen", "relevance_threshold", "unit", "sample", "seen_pairs", "protocol"});
  // The length of a list is in the names of other metrics.
  const std::vector<std::int64_t>& k = experiment.evaluation.k;
  if (metric.ends_with("mrr") && !k.empty()) rows["ranks"] = std::ranges::max(k);
  return rows.dump();
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
