// SPDX-License-Identifier: Apache-2.0
#include "engine/train/later_lists.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/clock.h"

namespace parapet::train {
namespace {

constexpr std::string_view kOfValidation = "val_";

// NaN has no JSON form.
nlohmann::json figure(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
}

double figureOf(const nlohmann::json& state, const char* key) {
  const nlohmann::json& value = state.at(key);
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

Result<std::unique_ptr<LaterLists>> LaterLists::begin(Evaluator& evaluator, int sessionThreads) {
  const Stopwatch watch;
  PARAPET_ASSIGN(auto made, evaluator.snapshotCatalogue());
  auto snapshot = std::make_shared<const Evaluator::CatalogueSnapshot>(std::move(made));
  std::unique_ptr<LaterLists> lists(new LaterLists());
  lists->heldUpSeconds = watch.seconds();
  lists->threads_ = std::make_shared<std::atomic<int>>(threadsOf(sessionThreads));
  const auto work = [&evaluator, snapshot, sessionThreads,
                     threads = lists->threads_](std::stop_token stop) {
    const Stopwatch clock;
    Workers workers(sessionThreads);
    Lists found;
    found.measured = evaluator.rank(*snapshot, workers, std::move(stop),
                                    [&] { workers.useAtMost(threads->load()); });
    found.seconds = clock.seconds();
    return found;
  };
  lists->job_ = std::make_unique<Background<Lists>>("evaluation", work);
  return lists;
}

experiment::EpochSummary LaterLists::finish() {
  Lists found = job_->take();
  Evaluator::Measured measured;
  Evaluator::addCatalogue(measured, std::string(kOfValidation), std::move(found.measured));
  std::ranges::move(measured.metrics, std::back_inserter(summary.metrics));
  std::ranges::move(measured.verdicts, std::back_inserter(summary.verdicts));
  summary.segments = std::move(measured.catalogue.segments);
  summary.retrievalSeconds = heldUpSeconds + found.seconds;
  return std::move(summary);
}

nlohmann::json unmeasuredToJson(const experiment::EpochSummary& summary) {
  nlohmann::json metrics = nlohmann::json::array();
  for (const auto& [key, value] : summary.metrics)
    if (!key.starts_with(kOfValidation)) metrics.push_back({key, figure(value)});
  return {{"epoch", summary.epoch},
          {"step", summary.step},
          {"loss", figure(summary.loss)},
          {"loss_as_displayed", figure(summary.lossAsDisplayed)},
          {"learning_rate", figure(summary.learningRate)},
          {"train_seconds", figure(summary.trainSeconds)},
          {"ms_per_step", figure(summary.msPerStep)},
          {"examples_per_second", figure(summary.examplesPerSecond)},
          {"metrics", std::move(metrics)},
          {"time_use", experiment::toJson(summary.timeUse)}};
}

experiment::EpochSummary unmeasuredFromJson(const nlohmann::json& state) {
  experiment::EpochSummary summary;
  summary.epoch = state.at("epoch");
  summary.step = state.at("step");
  summary.loss = figureOf(state, "loss");
  summary.lossAsDisplayed = figureOf(state, "loss_as_displayed");
  summary.learningRate = figureOf(state, "learning_rate");
  summary.trainSeconds = figureOf(state, "train_seconds");
  summary.msPerStep = figureOf(state, "ms_per_step");
  summary.examplesPerSecond = figureOf(state, "examples_per_second");
  for (const nlohmann::json& metric : state.at("metrics"))
    summary.metrics.emplace_back(metric.at(0).get<std::string>(),
                                 metric.at(1).is_number()
                                     ? metric.at(1).get<double>()
                                     : std::numeric_limits<double>::quiet_NaN());
  summary.timeUse = experiment::timeUseFromJson(state.at("time_use"));
  return summary;
}

}  // namespace parapet::train
