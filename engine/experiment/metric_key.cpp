// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/metric_key.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace parapet::experiment {
namespace {

/// Metrics of lists carry an "@" and come once for every k.
using Names = std::vector<std::string_view>;

Names namesOf(const Loss& loss) {
  if (loss.kind == LossKind::kMse) return {"rmse", "mae"};
  if (loss.kind == LossKind::kBce) return {"accuracy", "auc", "gauc", "logloss", "ne"};
  if (isOverLists(loss.kind)) return {"ndcg@", "dcg@", "map@", "precision@", "recall@", "mrr"};
  return {};
}

void append(std::vector<std::string>& keys, std::string_view head, const Names& names,
            const std::vector<std::int64_t>& ks) {
  for (const std::string_view name : names)
    if (!name.ends_with('@'))
      keys.push_back(fmt::format("val_{}{}", head, name));
    else
      for (const std::int64_t k : ks) keys.push_back(fmt::format("val_{}{}{}", head, name, k));
}

}  // namespace

std::vector<std::string> validationKeys(const Experiment& experiment) {
  const std::vector<std::int64_t>& ks = experiment.evaluation.k;
  const bool ofCatalogue = experiment.model.kind == ModelKind::kRetrieval;
  std::vector<std::string> keys{"val_loss"};
  if (!experiment.model.heads.empty()) keys.emplace_back("val_score_loss");
  if (!ofCatalogue || !isOverLists(experiment.loss.kind))
    append(keys, "", namesOf(experiment.loss), ks);
  if (ofCatalogue) append(keys, "", {"recall@", "ndcg@", "hit@", "mrr"}, ks);
  for (const Head& head : experiment.model.heads) {
    append(keys, head.name + "_", {"loss"}, ks);
    append(keys, head.name + "_", namesOf(head.loss), ks);
  }
  return keys;
}

bool smallerIsBetter(std::string_view metric) {
  constexpr std::string_view kShown = "_as_displayed";
  constexpr std::array<std::string_view, 5> kErrors{"loss", "logloss", "rmse", "mae", "ne"};
  if (metric.ends_with(kShown)) metric.remove_suffix(kShown.size());
  // A head may have any name; that of the metric stands behind the last "_".
  const std::size_t prefix = metric.rfind('_');
  return std::ranges::find(kErrors,
                           prefix == std::string_view::npos ? metric : metric.substr(prefix + 1)) !=
         kErrors.end();
}

}  // namespace parapet::experiment
