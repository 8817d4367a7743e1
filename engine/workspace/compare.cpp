// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <ranges>
#include <set>

#include "engine/experiment/differing_settings.h"
#include "engine/experiment/metric_key.h"
#include "engine/experiment/query_context.h"
#include "engine/workspace/comparison.h"
#include "engine/workspace/held_out.h"
#include "engine/workspace/workspace_state.h"

namespace parapet::workspace {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kOverlapK = 10;
constexpr const char* kMsPerStep = "ms_per_step";

/// Settings that the values of a metric depend on besides the quality of the model.
struct Measured {
  std::string dataset, split, loss, evaluation;
  std::int64_t reciprocalRanks = 0;  ///< that mrr looks at; 0: all of a list of rows
  int rules = 0;                     ///< experiment::kMetricRules when they were measured
};

/// Whether a seed decides which rows a split has in which part.
bool drawsRows(experiment::SplitKind kind) {
  using experiment::SplitKind;
  return kind == SplitKind::kRandom || kind == SplitKind::kLeaveRandom ||
         kind == SplitKind::kBatches;
}

Measured measuredUnder(experiment::Experiment experiment, const std::string& dataset) {
  // Left out, it follows from the features, and the metrics of users are not those of examples.
  experiment.evaluation.unit = experiment::evaluationUnit(experiment);
  nlohmann::ordered_json document = experiment::toJson(experiment);
  nlohmann::ordered_json& split = document["dataset"]["split"];
  // Two runs that leave it out share their rows only if they share the seed of the training; where
  // nothing is drawn it changes nothing.
  if (!drawsRows(experiment.dataset.split.kind))
    split.erase("seed");
  else if (split["seed"].is_null())
    split["seed"] = experiment.training.seed;
  nlohmann::ordered_json& evaluation = document["evaluation"];
  evaluation.erase("k");  // the length of a list is part of the name of its metric
  const bool ofCatalogue = experiment::hasTowers(experiment.model.kind);
  const auto& k = experiment.evaluation.k;
  return {dataset,
          split.dump(),
          experiment::lossScale(experiment),
          evaluation.dump(),
          ofCatalogue && !k.empty() ? std::ranges::max(k) : 0,
          0};
}

bool isReciprocalRank(const std::string& metric) {
  return metric == "mrr" || metric.ends_with("_mrr");
}

bool isTime(const std::string& metric) {
  return metric == kMsPerStep;
}

/// "" if a better value of `metric` means a better run.
std::string whyNotComparable(const std::string& metric, const std::vector<Measured>& runs) {
  const auto differ = [&](auto Measured::*of) {
    return std::ranges::any_of(runs, [&](const Measured& run) { return run.*of != runs[0].*of; });
  };
  if (isTime(metric)) return "a time, not a quality";
  if (differ(&Measured::dataset)) return "the runs were trained on different data";
  if (differ(&Measured::split)) return "the runs split the data differently";
  // The training loss has one formula under all rules, and metrics of the test split are measured now.
  if (differ(&Measured::rules) && metric != "loss" && metric != "loss_as_displayed" &&
      !metric.starts_with("test_"))
    return "the runs were measured by different rules; resume the older one, or evaluate both anew";
  if (experiment::isLossKey(metric))
    return differ(&Measured::loss) ? "the runs have different losses, or batches that scale them"
                                   : "";
  if (differ(&Measured::evaluation)) return "the runs are evaluated differently";
  return isReciprocalRank(metric) && differ(&Measured::reciprocalRanks)
             ? "mrr looks at as many ranks as the largest k, and the runs differ in it"
             : "";
}

using Values = std::map<std::string, double>;

/// The last value of every metric of a run, by name; with `only` those of one epoch.
Values lastMetrics(const std::vector<experiment::EpochSummary>& epochs,
                   std::optional<std::int64_t> only) {
  Values last;
  for (const experiment::EpochSummary& epoch : epochs) {
    if (only && epoch.epoch != *only) continue;
    last["loss"] = epoch.loss;
    last["loss_as_displayed"] = epoch.lossAsDisplayed;
    last[kMsPerStep] = epoch.msPerStep;
    for (const auto& [name, value] : epoch.metrics) last[name] = value;
  }
  return last;
}

/// The metrics that a run recorded in training and, where they are asked for, in validation.
Result<Values> recordedMetrics(const store::RunStore& store, const store::RunRecord& run,
                               const CompareOptions& options) {
  std::optional<std::int64_t> epoch;
  if (options.checkpoint == WhichCheckpoint::kBest) {
    PARAPET_ASSIGN(const auto best, bestCheckpoint(store, run));
    epoch = best.epoch;
  }
  PARAPET_ASSIGN(const auto epochs, store.epochs(run.id));
  Values values = lastMetrics(epochs, epoch);
  if (options.part != experiment::SplitPart::kValidation)
    std::erase_if(values, [](const auto& each) { return each.first.starts_with("val_"); });
  return values;
}

}  // namespace

Result<Comparison> Workspace::compare(const std::vector<std::string>& runs,
                                      const CompareOptions& options, const WorkContext& context) {
  if (runs.size() < 2)
    return Error{ErrorCode::kInvalidDocument, "comparing needs at least two runs"};
  Comparison out;
  out.options = options;
  std::vector<experiment::Experiment> experiments;
  std::vector<Values> metrics;
  std::vector<Measured> measured;
  for (const std::string& run : runs) {
    PARAPET_ASSIGN(store::RunRecord record, store().find(run));
    PARAPET_ASSIGN(experiment::Experiment experiment, parseStored(record));
    PARAPET_ASSIGN(auto recorded, recordedMetrics(store(), record, options));
    metrics.push_back(std::move(recorded));
    measured.push_back(measuredUnder(experiment, record.dataset));
    measured.back().rules = record.rules;
    out.runs.push_back(std::move(record));
    experiments.push_back(std::move(experiment));
  }
  for (experiment::DifferingSetting& setting : experiment::differingSettings(experiments))
    out.settings.push_back({std::move(setting.pointer), std::move(setting.values)});
  context.report("comparing lists", 0, 0);
  std::vector<std::string> runIds;
  for (const store::RunRecord& run : out.runs) runIds.push_back(run.id);
  PARAPET_ASSIGN(const HeldOut heldOut,
                 HeldOut::measure(*state_->shared, runIds, options, context));
  const auto isMissing = [&](std::size_t run) { return !heldOut.missing(run).empty(); };
  if (options.part == experiment::SplitPart::kTest &&
      std::ranges::all_of(std::views::iota(std::size_t{0}, runIds.size()), isMissing))
    return Error{ErrorCode::kNotFound, fmt::format("run {}: {}", runIds[0], heldOut.missing(0))};
  std::set<std::string> names;
  for (std::size_t run = 0; run < metrics.size(); ++run) {
    for (const auto& [name, value] : heldOut.metrics(run)) metrics[run][name] = value;
    for (const auto& [name, value] : metrics[run]) names.insert(name);
  }
  for (const std::string& name : names) {
    Comparison::MetricRow row{name, {}, whyNotComparable(name, measured)};
    for (const auto& of : metrics) {
      const auto found = of.find(name);
      row.values.push_back(found == of.end() ? std::numeric_limits<double>::quiet_NaN()
                                             : found->second);
    }
    out.metrics.push_back(std::move(row));
  }
  std::ranges::stable_partition(out.metrics, [](const auto& row) { return !isTime(row.name); });
  out.meanOverlapAt10 = std::numeric_limits<double>::quiet_NaN();
  judgeRuns(out, heldOut);
  out.paired = heldOut.lists(0, 1);
  out.steps.resize(out.runs.size());
  std::array<std::shared_ptr<const retrieval::Recommender>, 2> opened;
  for (std::size_t i = 0; i < opened.size(); ++i) {
    // Models that predict pieces of texts have no lists, and nothing is missing.
    if (experiment::readsText(experiments[i].model.kind)) continue;
    std::vector<std::string> warnings;
    auto recommender = this->recommender(out.runs[i].id, {options.checkpoint}, &warnings);
    for (const std::string& warning : warnings)
      out.warnings.push_back(fmt::format("run {}: {}", out.runs[i].id, warning));
    // Runs without a checkpoint have no lists; their settings and metrics still compare.
    if (!recommender) {
      out.warnings.push_back(fmt::format("lists are not compared: {}", recommender.error().text()));
      continue;
    }
    opened[i] = std::move(recommender).value();
    out.steps[i] = opened[i]->model().step;
  }
  const auto& [a, b] = opened;
  if (!a || !b) return out;
  for (std::size_t i = 0; i < out.runs.size(); ++i)
    if (const std::string& why = heldOut.missing(i); !why.empty())
      out.warnings.push_back(fmt::format("run {} is not paired: {}", out.runs[i].id, why));
  std::vector<std::string> users;
  for (const retrieval::UserSummary& user :
       a->findUsers("", retrieval::UserOrder::kById, std::numeric_limits<std::size_t>::max()))
    if (b->userRow(user.id)) users.push_back(user.id);
  const auto left = a->recommend(users, kOverlapK, retrieval::SeenItems::kKeep);
  const auto right = b->recommend(users, kOverlapK, retrieval::SeenItems::kKeep);
  if (!left || !right || users.empty()) return out;
  double overlap = 0.0;
  for (std::size_t i = 0; i < users.size(); ++i) {
    std::set<std::string> ids;
    for (const auto& item : (*left)[i].items) ids.insert(item.id);
    for (const auto& item : (*right)[i].items) overlap += ids.contains(item.id) ? 1.0 : 0.0;
  }
  out.overlapUsers = static_cast<std::int64_t>(users.size());
  out.meanOverlapAt10 =
      overlap / static_cast<double>(kOverlapK) / static_cast<double>(users.size());
  return out;
}

std::vector<std::string> overlapContexts(const Comparison& comparison) {
  std::vector<std::string> names;
  if (!std::isfinite(comparison.meanOverlapAt10)) return names;
  for (std::size_t run = 0; run < 2; ++run)
    if (const auto experiment = parseStored(comparison.runs[run]))
      for (const std::string& name : experiment::contextColumns(*experiment))
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

}  // namespace parapet::workspace
