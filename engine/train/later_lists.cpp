// SPDX-License-Identifier: Apache-2.0
#include "engine/train/later_lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/clock.h"
#include "engine/base/json_number.h"
#include "engine/base/text.h"
#include "engine/experiment/verdict_text.h"

namespace parapet::train {
namespace {

constexpr std::string_view kOfValidation = "val_";

}  // namespace

Result<std::unique_ptr<LaterLists>> LaterLists::begin(CatalogueLists& of, int sessionThreads,
                                                      const std::stop_token& stop) {
  const Stopwatch watch;
  PARAPET_ASSIGN(auto made, of.snapshot(stop));
  auto snapshot = std::make_shared<const CatalogueLists::Snapshot>(std::move(made));
  std::unique_ptr<LaterLists> lists(new LaterLists());
  lists->heldUpSeconds = watch.seconds();
  lists->threads_ = std::make_shared<std::atomic<int>>(threadsOf(sessionThreads));
  const auto work = [&of, snapshot, sessionThreads,
                     threads = lists->threads_](std::stop_token cancelled) {
    const Stopwatch clock;
    Workers workers(sessionThreads);
    Lists found;
    found.measured = of.rank(*snapshot, workers, std::move(cancelled),
                             [&] { workers.useAtMost(threads->load()); });
    found.seconds = clock.seconds();
    return found;
  };
  lists->job_ = std::make_unique<Background<Lists>>("evaluation", work);
  return lists;
}

experiment::EpochSummary LaterLists::finish(std::string_view best) {
  Lists found = job_->take();
  measured = found.measured;
  addLists(summary, std::move(found.measured), heldUpSeconds + found.seconds, best);
  return std::move(summary);
}

LaterBaselines::LaterBaselines(const Evaluator& of, int sessionThreads)
    : job_("baselines", [this, &of, sessionThreads](std::stop_token stop) {
        Workers workers(sessionThreads);
        workers.useAtMost(1);
        const auto keep = [this, &workers](std::string_view stage, std::int64_t done,
                                           std::int64_t total) {
          workers.useAtMost(threads_.load());
          const std::lock_guard lock(reached_.mutex);
          reached_.stage = stage;
          reached_.done = done;
          reached_.total = total;
        };
        return of.fittedBaselines(std::string(kOfValidation), {}, &workers,
                                  {keep, std::move(stop)});
      }) {}

void LaterBaselines::report(const ProgressFunction& progress) const {
  const std::lock_guard lock(reached_.mutex);
  if (progress && !reached_.stage.empty()) progress(reached_.stage, reached_.done, reached_.total);
}

LaterBaselines::Taken LaterBaselines::take() {
  Taken taken;
  for (auto& [name, metrics] : job_.take())
    if (metrics.empty())
      taken.missing.push_back(name);
    else
      taken.fitted.emplace_back(name, std::move(metrics));
  return taken;
}

std::vector<experiment::BaselineVerdict> LaterBaselines::Taken::verdictsOf(
    const retrieval::CatalogueRanking::Measured& lists, const std::string& prefix,
    std::string_view best) const {
  std::vector<experiment::BaselineVerdict> verdicts = Evaluator::verdictsOf(lists, prefix, best);
  if (verdicts.empty()) return verdicts;
  const experiment::BaselineVerdict first = verdicts.front();
  for (const std::string& name : missing)
    verdicts.push_back(
        experiment::judge(name, first.kind, first.metric, first.model, std::nan(""), {}));
  return verdicts;
}

std::string LaterBaselines::Taken::missingSentence() const {
  std::vector<std::string> names;
  for (const std::string& name : missing)
    names.push_back(experiment::baselineName(name, experiment::BaselineKind::kTrained));
  return fmt::format("{}the run ended before {} {} fitted", experiment::kBaselineWarning,
                     join(names, " and "), names.size() == 1 ? "was" : "were");
}

void addLists(experiment::EpochSummary& summary, retrieval::CatalogueRanking::Measured lists,
              double seconds, std::string_view best) {
  Evaluator::Measured measured;
  Evaluator::addCatalogue(measured, std::string(kOfValidation), std::move(lists), best);
  std::ranges::move(measured.metrics, std::back_inserter(summary.metrics));
  std::ranges::move(measured.verdicts, std::back_inserter(summary.verdicts));
  summary.segments = std::move(measured.catalogue.segments);
  summary.retrievalSeconds = seconds;
}

nlohmann::json unmeasuredToJson(const experiment::EpochSummary& summary) {
  nlohmann::json metrics = nlohmann::json::array();
  for (const auto& [key, value] : summary.metrics)
    if (!key.starts_with(kOfValidation)) metrics.push_back({key, numberOrNull(value)});
  return {{"epoch", summary.epoch},
          {"step", summary.step},
          {"loss", numberOrNull(summary.loss)},
          {"loss_as_displayed", numberOrNull(summary.lossAsDisplayed)},
          {"learning_rate", numberOrNull(summary.learningRate)},
          {"train_seconds", numberOrNull(summary.trainSeconds)},
          {"ms_per_step", numberOrNull(summary.msPerStep)},
          {"examples_per_second", numberOrNull(summary.examplesPerSecond)},
          {"metrics", std::move(metrics)},
          {"time_use", experiment::toJson(summary.timeUse)}};
}

experiment::EpochSummary unmeasuredFromJson(const nlohmann::json& state) {
  experiment::EpochSummary summary;
  summary.epoch = state.at("epoch");
  summary.step = state.at("step");
  summary.loss = numberOrNan(state.at("loss"));
  summary.lossAsDisplayed = numberOrNan(state.at("loss_as_displayed"));
  summary.learningRate = numberOrNan(state.at("learning_rate"));
  summary.trainSeconds = numberOrNan(state.at("train_seconds"));
  summary.msPerStep = numberOrNan(state.at("ms_per_step"));
  summary.examplesPerSecond = numberOrNan(state.at("examples_per_second"));
  for (const nlohmann::json& metric : state.at("metrics"))
    summary.metrics.emplace_back(metric.at(0).get<std::string>(), numberOrNan(metric.at(1)));
  summary.timeUse = experiment::timeUseFromJson(state.at("time_use"));
  return summary;
}

}  // namespace parapet::train
