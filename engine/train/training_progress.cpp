// SPDX-License-Identifier: Apache-2.0
#include "engine/train/training_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "engine/base/json_number.h"
#include "engine/experiment/metric_key.h"

namespace parapet::train {
namespace {

using experiment::EpochSummary;

std::vector<std::string> featureNames(const nn::Model& model) {
  std::vector<std::string> names;
  for (const nn::Lookup& lookup : model.graph.lookups())
    for (const auto& node : model.graph.nodes())
      // The node of a feature is named after it.
      if (node->output() == lookup.output)
        names.push_back(node->name().substr(std::string_view("features/").size()));
  return names;
}

}  // namespace

TimeMeter::TimeMeter(std::vector<std::string> features) {
  for (std::string& name : features) none_.features.push_back({std::move(name)});
  recent_ = epoch_ = none_;
}

void TimeMeter::restoreEpoch(const experiment::TimeUse& before) {
  epoch_ = none_;
  epoch_.add(before);
}

void TimeMeter::addIds(std::size_t lookup, const nn::FeatureCounts& counts) {
  const experiment::FeatureUse more{{},         counts.rows, counts.ids, counts.truncated,
                                    counts.oov, counts.empty};
  for (experiment::TimeUse* use : {&recent_, &epoch_}) use->features[lookup].add(more);
}

void TimeMeter::addCache(const std::string& table, const nn::CacheCounts& counts) {
  for (experiment::TimeUse* use : {&recent_, &epoch_})
    use->cacheOf(table).add({{}, counts.rows, counts.hits});
}

void TimeMeter::addCounts(Session& session) {
  for (std::size_t lookup = 0; lookup < session.model().graph.lookups().size(); ++lookup)
    addIds(lookup, session.counts(lookup));
  const std::vector<experiment::Table>& tables = session.resolved().tables;
  for (std::size_t table = 0; table < tables.size(); ++table)
    if (const auto counts = session.parameters()[table].takeCacheCounts())
      addCache(tables[table].name, *counts);
}

void TimeMeter::add(const nn::StepTimes& step, double inputSeconds, double stepSeconds) {
  for (experiment::TimeUse* use : {&recent_, &epoch_}) {
    // A resumed run may have had more ranks before.
    use->compute.resize(std::max(use->compute.size(), step.computeOfRank.size()));
    for (std::size_t rank = 0; rank < step.computeOfRank.size(); ++rank)
      use->compute[rank] += step.computeOfRank[rank];
    use->exchange += step.collective;
    use->update += step.update;
    use->recorded.add({step.pieces, step.replayed});
    use->input += inputSeconds;
    use->seconds += inputSeconds + stepSeconds;
  }
}

std::optional<experiment::TimeUse> TimeMeter::due() {
  return sinceReport_.seconds() < kReportSeconds ? std::nullopt : rest();
}

std::optional<experiment::TimeUse> TimeMeter::rest() {
  if (recent_.empty()) return std::nullopt;
  sinceReport_.restart();
  return std::exchange(recent_, none_);
}

std::optional<double> metricOf(std::span<const experiment::Metric> metrics, std::string_view key) {
  for (const auto& [name, value] : metrics)
    if (name == key) return value;
  return std::nullopt;
}

bool followsRules(const checkpoint::Manifest& manifest) {
  // Version 0.1 wrote no number.
  const auto& state = manifest.trainerState;
  return (state.is_object() ? state.value("metric_rules", 1) : 1) == experiment::kMetricRules;
}

TrainingProgress::TrainingProgress(const experiment::Training& training, const nn::Model& model,
                                   std::int64_t batchesPerStep)
    : losses(model),
      metrics(model),
      times(featureNames(model)),
      best(training.checkpoints.best.value_or(""), 0.0),
      batchesPerStep_(batchesPerStep),
      epochs_(training.epochs),
      patience_(training.earlyStopping ? training.earlyStopping->patience : 0) {
  const auto& early = training.earlyStopping;
  if (early) stopping.emplace(early->metric, early->minDelta);
}

void TrainingProgress::addStep(const nn::StepTimes& stepTimes, double inputSeconds,
                               double stepSeconds) {
  epochTrainSeconds_ += inputSeconds + stepSeconds;
  times.add(stepTimes, inputSeconds, stepSeconds);
}

EpochSummary TrainingProgress::endEpoch(const nn::Model& model) {
  EpochSummary summary;
  summary.epoch = ++epoch;
  summary.step = step;
  summary.loss = losses.loss();
  summary.lossAsDisplayed = losses.lossAsDisplayed();
  summary.trainSeconds = epochTrainSeconds_;
  summary.timeUse = times.epoch();
  if (model.heads.size() > 1)
    for (std::size_t head = 0; head < model.heads.size(); ++head) {
      const std::string& name = model.heads[head].name;
      summary.metrics.emplace_back((name.empty() ? "score" : name) + "_loss", losses.lossOf(head));
    }
  std::ranges::move(metrics.values(), std::back_inserter(summary.metrics));
  const experiment::Loss& loss = model.heads[0].loss;
  if (experiment::usesNegatives(loss.kind) &&
      loss.accidentalHits == experiment::AccidentalHits::kMask)
    summary.metrics.emplace_back("masked_hits", static_cast<double>(losses.maskedHits()));
  const std::int64_t steps = (losses.batches() + batchesPerStep_ - 1) / batchesPerStep_;
  summary.msPerStep =
      1e3 * summary.trainSeconds / static_cast<double>(std::max<std::int64_t>(1, steps));
  summary.examplesPerSecond =
      summary.trainSeconds > 0.0 ? static_cast<double>(losses.rows()) / summary.trainSeconds : 0.0;
  trainSeconds_ += epochTrainSeconds_;
  epochTrainSeconds_ = 0.0;
  batch = 0;
  losses.reset();
  metrics.reset();
  times.endEpoch();
  return summary;
}

void TrainingProgress::rememberMetrics(const EpochSummary& summary) {
  lastMetrics_ = {{"loss", summary.loss}, {"loss_as_displayed", summary.lossAsDisplayed}};
  lastMetrics_.insert(summary.metrics.begin(), summary.metrics.end());
}

void TrainingProgress::offerToStopping(std::span<const experiment::Metric> measured) {
  if (!stopping) return;
  if (const auto value = metricOf(measured, stopping->metric())) stopping->offer(*value);
}

bool TrainingProgress::isComplete() const {
  return epoch >= epochs_ || (stopping && stopping->sinceBest() >= patience_);
}

void TrainingProgress::writeTo(checkpoint::Manifest& manifest, std::int64_t bestStep) const {
  manifest.step = step;
  manifest.epoch = epoch;
  manifest.batch = batch;
  manifest.metrics = lastMetrics_;
  manifest.trainerState = {
      {"tracker", losses.toJson()},
      {"metrics", metrics.toJson()},
      {"time_use", experiment::toJson(times.epoch())},
      {"metric_rules", experiment::kMetricRules},
      {"best", numberOrNull(best.best())},
      {"best_step", bestStep},
      {"stopping_best", numberOrNull(stopping ? stopping->best() : std::nan(""))},
      {"stopping_since", stopping ? stopping->sinceBest() : 0},
      {"seconds", seconds()},
      {"train_seconds", trainSeconds_},
      {"epoch_train_seconds", epochTrainSeconds_}};
}

std::int64_t TrainingProgress::restore(const checkpoint::Manifest& manifest) {
  const nlohmann::json& state = manifest.trainerState;
  step = manifest.step;
  epoch = manifest.epoch;
  batch = manifest.batch;
  lastMetrics_ = manifest.metrics;
  losses.fromJson(state.at("tracker"));
  metrics.fromJson(state.value("metrics", nlohmann::json()), batch);
  times.restoreEpoch(experiment::timeUseFromJson(state.value("time_use", nlohmann::json())));
  const bool sameRules = followsRules(manifest);
  if (sameRules) best.restore(numberOrNan(state.at("best")), 0);
  if (sameRules && stopping)
    stopping->restore(numberOrNan(state.at("stopping_best")), state.at("stopping_since"));
  secondsBefore_ = state.at("seconds");
  trainSeconds_ = state.at("train_seconds");
  epochTrainSeconds_ = state.at("epoch_train_seconds");
  return state.at("best_step");
}

void TrainingProgress::fork(const checkpoint::Manifest& manifest, EpochPosition position) {
  step = manifest.step;
  epoch = manifest.epoch;
  lastMetrics_ = manifest.metrics;
  if (position == EpochPosition::kEpochStart) return;
  batch = manifest.batch;
  losses.fromJson(manifest.trainerState.at("tracker"));
}

void displayAsPublished(experiment::EpochSummary& summary, double devices) {
  if (devices == 1.0) return;
  summary.lossAsDisplayed *= devices;
  for (auto& [key, value] : summary.metrics)
    if (key == "accuracy_as_displayed") value *= devices;
}

std::string displayNote(double devices) {
  return fmt::format(
      "loss_as_displayed and accuracy_as_displayed are averaged twice and added up over {} "
      "devices, as the progress bar of the published run showed them; loss and accuracy are true",
      devices);
}

std::string nothingLearned(std::int64_t epoch, double loss, double equalScores) {
  return fmt::format(
      "after epoch {} the loss, {:.4f}, is within a thousandth of that of equal scores, {:.4f}: "
      "the model has learned nothing yet; a larger learning rate, reduction \"sum\" or optimizer "
      "\"adam\" may help",
      epoch, loss, equalScores);
}

}  // namespace parapet::train
