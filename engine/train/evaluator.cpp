// SPDX-License-Identifier: Apache-2.0
#include "engine/train/evaluator.h"

#include <algorithm>

#include "engine/base/clock.h"
#include "engine/experiment/verdict_text.h"
#include "engine/retrieval/row_baselines.h"
#include "engine/train/task.h"

namespace parapet::train {
namespace {

using experiment::Metric;
using retrieval::CatalogueRanking;

/// The key by which a run is judged besides its loss, without its prefix. Metrics that are no means
/// over queries have no paired difference, and judge nothing.
std::string headlineOf(const CatalogueRanking::Measured& ranked, std::string_view best) {
  constexpr std::string_view kPrefix = "val_";
  std::vector<std::string> keys;
  for (std::size_t i = 0; ranked.sums && i < ranked.sums->metrics(); ++i)
    keys.push_back(std::string(kPrefix) + ranked.metrics[i].first);
  const std::string headline = experiment::judgingKey(keys, best);
  return headline.empty() ? headline : headline.substr(kPrefix.size());
}

experiment::Baselines prefixed(experiment::Baselines baselines, const std::string& prefix) {
  for (auto& [name, metrics] : baselines)
    for (auto& [key, value] : metrics) key.insert(0, prefix);
  return baselines;
}

}  // namespace

Evaluator::Evaluator(Session& session, const experiment::Experiment& experiment,
                     const data::Split& split, const retrieval::Interactions* interactions,
                     experiment::SplitPart part)
    : session_(session), best_(experiment.training.checkpoints.best.value_or("")) {
  if (retrieval::rowsOf(split, part).empty()) return;
  const Task& task = Task::of(session.model().kind);
  losses_ = task.losses(session, experiment, split, part);
  lists_ = task.lists(session, experiment, split, interactions, part);
}

void Evaluator::addCatalogue(Measured& measured, const std::string& prefix,
                             CatalogueRanking::Measured catalogue, std::string_view best) {
  measured.catalogue = std::move(catalogue);
  const CatalogueRanking::Measured& ranked = measured.catalogue;
  appendMetrics(measured.metrics, prefix, ranked.metrics);
  std::ranges::move(verdictsOf(ranked, prefix, best), std::back_inserter(measured.verdicts));
}

std::vector<experiment::BaselineVerdict> Evaluator::verdictsOf(
    const CatalogueRanking::Measured& ranked, const std::string& prefix, std::string_view best) {
  std::vector<experiment::BaselineVerdict> verdicts;
  const std::string headline = headlineOf(ranked, best);
  for (std::size_t i = 0; ranked.sums && i < ranked.sums->metrics(); ++i) {
    const auto& [key, value] = ranked.metrics[i];
    if (key != headline) continue;
    for (const auto& [baseline, paired] : ranked.ranking->differences(*ranked.sums, i))
      verdicts.push_back(experiment::judge(baseline, experiment::BaselineKind::kTrained,
                                           prefix + key, value, value - paired.mean, paired));
  }
  return verdicts;
}

Result<Evaluator::Measured> Evaluator::measure(const std::string& prefix, std::int64_t epoch,
                                               const WorkContext& context, Lists lists) {
  Measured measured;
  if (!losses_) return measured;
  Stopwatch watch;
  PARAPET_ASSIGN(auto found, losses_->measure(prefix, epoch, context));
  measured.lossSeconds = watch.seconds();
  if (!found) return measured;
  measured.metrics = std::move(found->metrics);
  measured.verdicts = std::move(found->verdicts);
  if (!lists_ || lists == Lists::kSkip) return measured;
  watch.restart();
  PARAPET_ASSIGN(auto ranked, lists_->rank(context));
  addCatalogue(measured, prefix, std::move(ranked), best_);
  measured.retrievalSeconds = watch.seconds();
  return measured;
}

experiment::Baselines Evaluator::baselines(const std::string& prefix,
                                           const std::optional<retrieval::FitLimits>& limits,
                                           const WorkContext& context) {
  experiment::Baselines found;
  if (losses_) found = losses_->baselines(context);
  if (lists_)
    std::ranges::move(lists_->ranking().baselines(limits, &session_.workers(), context),
                      std::back_inserter(found));
  return prefixed(std::move(found), prefix);
}

experiment::Baselines Evaluator::fittedBaselines(const std::string& prefix,
                                                 const retrieval::FitLimits& limits,
                                                 Workers* workers,
                                                 const WorkContext& context) const {
  if (!lists_) return {};
  return prefixed(lists_->ranking().fitted(limits, workers, context), prefix);
}

void replaceVerdicts(std::vector<experiment::BaselineVerdict>& all,
                     std::vector<experiment::BaselineVerdict> again) {
  std::erase_if(all, [&](const experiment::BaselineVerdict& known) {
    return std::ranges::any_of(again, [&](const experiment::BaselineVerdict& verdict) {
      return known.baseline == verdict.baseline && known.metric == verdict.metric;
    });
  });
  std::ranges::move(again, std::back_inserter(all));
}

Evaluator::Lists listsAt(const experiment::Experiment& experiment, std::int64_t epoch) {
  const experiment::Training& training = experiment.training;
  const auto lists = experiment.evaluation.catalogue;
  const bool isLast = epoch + training.validateEvery > training.epochs;
  return lists == experiment::CatalogueTime::kValidation ||
                 (lists == experiment::CatalogueTime::kEnd && isLast)
             ? Evaluator::Lists::kMeasure
             : Evaluator::Lists::kSkip;
}

}  // namespace parapet::train
