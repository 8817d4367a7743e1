// SPDX-License-Identifier: Apache-2.0
#include "engine/workspace/list_lengths.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "engine/base/record/location.h"
#include "engine/base/text.h"
#include "engine/experiment/metric_key.h"
#include "engine/experiment/validate.h"
#include "engine/retrieval/candidates.h"

namespace parapet::workspace {
namespace {

using experiment::Experiment;
using experiment::Problem;

constexpr const char* kStoppingPointer = "/training/early_stopping/metric";
constexpr const char* kBestPointer = "/training/checkpoints/best";

/// Whether a setting names a metric that a run goes by.
bool isTracked(const std::string& pointer) {
  return pointer == kStoppingPointer || pointer == kBestPointer;
}

/// How many items a list can hold; nullopt of models without lists of the catalogue.
std::optional<std::int64_t> candidatesOf(const Experiment& experiment, const data::Dataset& dataset,
                                         const data::Split& split) {
  if (!experiment::hasTowers(experiment.model.kind) ||
      experiment.evaluation.catalogue == experiment::CatalogueTime::kNever)
    return std::nullopt;
  const auto columnOf = [&](experiment::ColumnRole role, const char* standard) {
    const auto& columns = experiment.dataset.columns;
    const auto found = std::ranges::find(columns, role, &experiment::Column::role);
    return found == columns.end() ? std::string(standard) : found->name;
  };
  const std::string user = columnOf(experiment::ColumnRole::kUser, "user"),
                    item = columnOf(experiment::ColumnRole::kItem, "item");
  if (!dataset.idColumn(user) || !dataset.idColumn(item)) return std::nullopt;
  const retrieval::Interactions interactions(dataset, user, item, split);
  return retrieval::candidateCount(interactions, retrieval::coldItems(experiment, dataset, item));
}

/// The k of a metric of lists of the catalogue, whichever split it is of; nullopt of all others.
std::optional<std::int64_t> lengthOf(const Experiment& experiment, const std::string& metric) {
  const std::string name = metric.substr(metric.find('_') + 1);
  for (const experiment::RankingMetric each : experiment.evaluation.metrics)
    if (const std::string key = traitsOf(each).key(); key.ends_with('@') && name.starts_with(key))
      return parseInt(name.substr(key.size()));
  return std::nullopt;
}

bool isBeyond(const Experiment& experiment, const std::string& metric, std::int64_t candidates) {
  const auto length = lengthOf(experiment, metric);
  return length && *length > candidates;
}

std::string candidateText(std::int64_t candidates) {
  return fmt::format("{} candidate{}", formatCount(candidates), candidates == 1 ? "" : "s");
}

/// Without those of lists that would be longer than the catalogue.
std::string measuredKeys(const Experiment& experiment, std::int64_t candidates) {
  std::vector<std::string> keys = experiment::validationKeys(experiment);
  std::erase_if(keys,
                [&](const std::string& key) { return isBeyond(experiment, key, candidates); });
  return experiment::oneOf(keys);
}

Problem beyond(const Experiment& experiment, const std::string& metric, std::int64_t candidates) {
  return {"",
          fmt::format("\"{}\" is never measured: a list has {} at most", printable(metric),
                      candidateText(candidates)),
          measuredKeys(experiment, candidates)};
}

}  // namespace

std::optional<Problem> neverMeasured(const Experiment& experiment, const data::Dataset& dataset,
                                     const data::Split& split, const std::string& metric) {
  const auto candidates = candidatesOf(experiment, dataset, split);
  if (!candidates || !isBeyond(experiment, metric, *candidates)) return std::nullopt;
  return beyond(experiment, metric, *candidates);
}

experiment::Findings checkListLengths(const Experiment& experiment, const data::Dataset& dataset,
                                      const data::Split& split) {
  experiment::Findings findings;
  const auto candidates = candidatesOf(experiment, dataset, split);
  if (!candidates) return findings;
  const record::Location root("", findings);
  const std::vector<std::int64_t>& k = experiment.evaluation.k;
  const bool none = std::ranges::all_of(k, [&](auto length) { return length > *candidates; });
  for (std::size_t i = 0; i < k.size(); ++i)
    if (k[i] > *candidates)
      (root / "evaluation" / "k" / i)
          .warning(fmt::format("a list has {} at most, and is not measured at {}{}",
                               candidateText(*candidates), formatCount(k[i]),
                               none ? fmt::format(", but at {}", *candidates) : ""),
                   fmt::format("1 … {}", *candidates));
  const auto refuse = [&](const char* pointer, const std::string& metric) {
    if (isBeyond(experiment, metric, *candidates)) {
      const Problem problem = beyond(experiment, metric, *candidates);
      root.at(pointer).problem(problem.message, problem.accepted);
    }
  };
  if (experiment.training.earlyStopping)
    refuse(kStoppingPointer, experiment.training.earlyStopping->metric);
  if (experiment.training.checkpoints.best)
    refuse(kBestPointer, *experiment.training.checkpoints.best);
  return findings;
}

void tolerateNeverMeasured(experiment::Findings& findings) {
  auto& [problems, warnings] = findings;
  const auto isTolerated = [](const Problem& problem) { return isTracked(problem.pointer); };
  std::ranges::copy_if(problems, std::back_inserter(warnings), isTolerated);
  std::erase_if(problems, isTolerated);
}

void narrowOffers(const Experiment& experiment, const data::Dataset& dataset,
                  const data::Split& split, experiment::Findings& findings) {
  const auto candidates = candidatesOf(experiment, dataset, split);
  const std::string all = experiment::oneOf(experiment::validationKeys(experiment));
  if (!candidates) return;
  for (Problem& problem : findings.problems)
    if (isTracked(problem.pointer) && problem.accepted.starts_with(all))
      problem.accepted = measuredKeys(experiment, *candidates);
}

}  // namespace parapet::workspace
