// SPDX-License-Identifier: Apache-2.0
#include "app/cli/run_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/clock.h"
#include "engine/base/files.h"
#include "engine/experiment/metric_key.h"
#include "engine/experiment/verdict_text.h"
#include "engine/workspace/source_questions.h"

namespace parapet::cli {
namespace {

Json timeJson(std::int64_t wallMs) {
  return wallMs == 0 ? Json(nullptr) : Json(formatUtc(wallMs));
}

}  // namespace

Json metricsJson(const Metrics& metrics) {
  Json value = Json::object();
  for (const auto& [name, measured] : metrics) value[name] = number(measured);
  return value;
}

Json baselinesJson(const Baselines& baselines) {
  Json value = Json::object();
  for (const auto& [name, metrics] : baselines) value[name] = metricsJson(metrics);
  return value;
}

Json epochJson(const experiment::EpochSummary& epoch) {
  Json value{
      {"epoch", epoch.epoch},
      {"step", epoch.step},
      {"loss", number(epoch.loss)},
      {"loss_as_displayed", number(epoch.lossAsDisplayed)},
      {"val_loss", nullptr},
      {"learning_rate", number(epoch.learningRate)},
      {"seconds", number(epoch.seconds)},
      {"train_seconds", number(epoch.trainSeconds)},
      {"ms_per_step", number(epoch.msPerStep)},
      {"examples_per_second", number(epoch.examplesPerSecond)},
      {"verdicts", experiment::toJson(epoch.verdicts)},
      {"time_use", epoch.timeUse.empty() ? Json(nullptr) : experiment::toJson(epoch.timeUse)}};
  for (const auto& [name, measured] : epoch.metrics) value[name] = number(measured);
  return value;
}

Json epochsJson(const std::vector<experiment::EpochSummary>& epochs) {
  Json list = Json::array();
  for (const experiment::EpochSummary& epoch : epochs) list.push_back(epochJson(epoch));
  return list;
}

Json leakageJson(const std::vector<workspace::LeakFinding>& findings) {
  Json json = Json::array();
  for (const workspace::LeakFinding& finding : findings)
    json.push_back({{"kind", finding.kind},
                    {"part", finding.part},
                    {"severity", workspace::severityName(finding.severity)},
                    {"count", finding.count},
                    {"of", finding.of},
                    {"share", number(finding.share())},
                    {"message", finding.message}});
  return json;
}

Json outcomeJson(const workspace::RunOutcome& outcome) {
  return Json{
      {"run_id", textOrNull(outcome.runId)},
      {"state", experiment::runStateName(outcome.state)},
      {"epochs", epochsJson(outcome.epochs)},
      {"steps", outcome.steps},
      {"seconds", number(outcome.seconds)},
      {"train_seconds", number(outcome.trainSeconds)},
      {"examples_per_second",
       outcome.examplesPerSecond > 0 ? number(outcome.examplesPerSecond) : Json(nullptr)},
      {"peak_rss_bytes", countOrNull(static_cast<std::int64_t>(peakResidentBytes()))},
      {"checkpoint", textOrNull(outcome.checkpoint)},
      {"baselines", baselinesJson(outcome.baselines)},
      {"verdicts", experiment::toJson(experiment::lastVerdicts(outcome.epochs))},
      {"verdict", experiment::lastSummaryJson(outcome.epochs)},
      {"test", outcome.testMetrics.empty() ? Json(nullptr) : metricsJson(outcome.testMetrics)},
      {"leakage", leakageJson(outcome.leakage)}};
}

std::string experimentNameOf(const store::RunStore& store, const store::RunRecord& run) {
  if (run.experimentId.empty()) return {};
  const auto record = store.experiments().byId(run.experimentId);
  return record.ok() ? record->name : std::string();
}

Json runJson(const store::RunRecord& run, const std::string& experiment) {
  Json bestJson = nullptr;
  if (run.best)
    bestJson = Json{{"metric", run.bestMetric},
                    {"value", number(run.best->value)},
                    {"epoch", run.best->epoch},
                    {"step", run.best->step}};
  return Json{{"run_id", run.id},
              {"name", run.name},
              {"recipe", textOrNull(run.recipe)},
              {"experiment", textOrNull(experiment)},
              {"data", textOrNull(run.data)},
              {"model", textOrNull(run.model)},
              {"loss", textOrNull(run.loss)},
              {"state", experiment::runStateName(run.state)},
              {"waits", run.isWaiting()},
              {"created", timeJson(run.createdMs)},
              {"ended", timeJson(run.endedMs)},
              {"epochs", run.epochs},
              {"total_epochs", countOrNull(run.totalEpochs)},
              {"steps", run.steps},
              {"best", std::move(bestJson)},
              {"seconds", number(run.seconds)},
              {"train_seconds", number(run.trainSeconds)},
              {"dataset", textOrNull(run.dataset)},
              {"fingerprint", textOrNull(run.fingerprint)},
              {"rules", run.rules},
              {"seed", run.seed},
              {"forked_from", textOrNull(run.forkedFrom)},
              {"forked_step", run.forkedFrom.empty() ? Json(nullptr) : Json(run.forkedStep)},
              {"group", textOrNull(run.group)},
              {"sweep", storedJson(run.sweepJson)},
              {"notes", textOrNull(run.notes)},
              {"error_text", textOrNull(run.error)}};
}

std::string deviceLines(const std::vector<experiment::EpochSummary>& epochs) {
  std::string lines;
  if (epochs.empty()) return lines;
  const experiment::EpochSummary& last = epochs.back();
  for (const std::string& sentence :
       {experiment::cacheSentence(last.timeUse), experiment::replaySentence(last.timeUse)})
    if (!sentence.empty()) lines += fmt::format("{}, in epoch {}.\n", sentence, last.epoch);
  return lines;
}

std::string headlineOf(const std::vector<experiment::EpochSummary>& epochs,
                       const std::string& best) {
  std::vector<std::string> measured;
  for (const experiment::EpochSummary& epoch : epochs)
    for (const auto& [key, value] : epoch.metrics)
      if (std::ranges::find(measured, key) == measured.end()) measured.push_back(key);
  return experiment::judgingKey(measured, best);
}

std::optional<double> valueOf(const Metrics& metrics, std::string_view name) {
  for (const auto& [key, value] : metrics)
    if (key == name && std::isfinite(value)) return value;
  return std::nullopt;
}

std::vector<std::string> chosenMetrics(const Json& document) {
  std::vector<std::string> metrics;
  for (const char* pointer : {"/training/checkpoints/best", "/training/early_stopping/metric"}) {
    const Json::json_pointer location(pointer);
    if (!document.is_object() || !document.contains(location)) continue;
    const Json& key = document.at(location);
    if (key.is_string() && std::ranges::find(metrics, key.get<std::string>()) == metrics.end())
      metrics.push_back(key.get<std::string>());
  }
  // A document that names none is judged by this.
  if (metrics.empty()) metrics.emplace_back("val_loss");
  return metrics;
}

std::optional<store::BestEpoch> bestOf(const std::string& metric,
                                       const std::vector<experiment::EpochSummary>& epochs) {
  const bool lower = experiment::smallerIsBetter(metric);
  std::optional<store::BestEpoch> best;
  for (const experiment::EpochSummary& epoch : epochs) {
    auto value = valueOf(epoch.metrics, metric);
    if (!value && metric == "loss") value = epoch.loss;
    if (!value || (best && (lower ? *value >= best->value : *value <= best->value))) continue;
    best = store::BestEpoch{*value, epoch.epoch, epoch.step};
  }
  return best;
}

Json storedJson(const std::string& text) {
  if (text.empty()) return nullptr;
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json(nullptr) : value;
}

}  // namespace parapet::cli
